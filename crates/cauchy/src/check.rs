//! `cauchy check`: loads a configuration and opens nothing.

use std::process::ExitCode;

use config::{Configuration, Mode, Problem};
use serde_json::json;

use crate::source::Source;
use crate::{cli, start};

/// Exit status of a file that is not there.
const NO_SUCH_FILE: u8 = 2;

/// Says what the configuration would start, or everything that is wrong with it.
pub fn run(check: &cli::Check) -> ExitCode {
    let source = match Source::find(check.config.as_deref()) {
        Ok(source) => source,
        Err(line) => {
            report_problems(check.json, &[Problem::plain(line)]);
            return ExitCode::from(NO_SUCH_FILE);
        }
    };
    match start::load(&source, Mode::Check, &[]) {
        Ok(configuration) => {
            report(check.json, &source, &configuration);
            ExitCode::SUCCESS
        }
        Err(problems) => {
            report_problems(check.json, &problems);
            ExitCode::FAILURE
        }
    }
}

fn report(as_json: bool, source: &Source, configuration: &Configuration) {
    let counts = configuration.counts();
    if as_json {
        let answer = json!({
            "streams": counts.streams,
            "services": counts.services,
            "index": counts.index,
            "errors": [],
        });
        println!("{answer}");
        return;
    }
    let index = if counts.index { "an index" } else { "no index" };
    println!(
        "{}: {} streams, {} services, {index}",
        source.name(),
        counts.streams,
        counts.services
    );
}

fn report_problems(as_json: bool, problems: &[Problem]) {
    if !as_json {
        for problem in problems {
            eprintln!("{}\n", problem.text.trim_end());
        }
        eprintln!(
            "{} {}",
            problems.len(),
            if problems.len() == 1 {
                "error"
            } else {
                "errors"
            }
        );
        return;
    }
    let errors: Vec<serde_json::Value> = problems
        .iter()
        .map(|problem| {
            json!({
                "file": problem.file,
                "line": problem.line,
                "column": problem.column,
                "message": problem.message,
                "hint": problem.hint,
            })
        })
        .collect();
    println!(
        "{}",
        json!({ "streams": 0, "services": 0, "index": false, "errors": errors })
    );
}
