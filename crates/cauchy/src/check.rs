//! `cauchy check`: loads a configuration and opens nothing.

use std::process::ExitCode;

use config::{Counts, Mode, Problem};
use serde_json::json;

use crate::source::Source;
use crate::{cli, start};

/// Exit status of a file that is not there.
const NO_SUCH_FILE: u8 = 2;

/// Says what the configuration would start, and everything that is wrong with it or odd.
pub fn run(check: &cli::Check) -> ExitCode {
    let source = match Source::find(check.config.as_deref()) {
        Ok(source) => source,
        Err(line) => {
            report(check.json, &[Problem::plain(line)], None);
            return ExitCode::from(NO_SUCH_FILE);
        }
    };
    match start::load(&source, Mode::Check, &[]) {
        Ok(configuration) => {
            let loaded = Some((source.name(), configuration.counts()));
            report(check.json, &configuration.warnings(), loaded);
            ExitCode::SUCCESS
        }
        Err(problems) => {
            report(check.json, &problems, None);
            ExitCode::FAILURE
        }
    }
}

/// The name of a configuration that loads, and what it would start.
type Loaded = (String, Counts);

fn report(as_json: bool, problems: &[Problem], loaded: Option<Loaded>) {
    let (warnings, errors): (Vec<&Problem>, Vec<&Problem>) =
        problems.iter().partition(|problem| problem.is_warning);
    if as_json {
        let counts = loaded.map(|(_, counts)| counts);
        let answer = json!({
            "streams": counts.map_or(0, |counts| counts.streams),
            "services": counts.map_or(0, |counts| counts.services),
            "index": counts.is_some_and(|counts| counts.index),
            "errors": errors.into_iter().map(as_object).collect::<Vec<_>>(),
            "warnings": warnings.into_iter().map(as_object).collect::<Vec<_>>(),
        });
        println!("{answer}");
        return;
    }
    for error in &errors {
        eprintln!("{}\n", error.text.trim_end());
    }
    for warning in &warnings {
        eprintln!("warning: {}\n", warning.text.trim_end());
    }
    let totals: Vec<String> = [("error", errors.len()), ("warning", warnings.len())]
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(what, count)| format!("{count} {what}{}", if count == 1 { "" } else { "s" }))
        .collect();
    if !totals.is_empty() {
        eprintln!("{}", totals.join(", "));
    }
    if let Some((name, counts)) = loaded {
        let index = if counts.index { "an index" } else { "no index" };
        let (streams, services) = (counts.streams, counts.services);
        println!("{name}: {streams} streams, {services} services, {index}");
    }
}

fn as_object(problem: &Problem) -> serde_json::Value {
    json!({
        "file": problem.file,
        "line": problem.line,
        "column": problem.column,
        "message": problem.message,
        "hint": problem.hint,
    })
}
