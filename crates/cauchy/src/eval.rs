//! `cauchy eval`: evaluates code and prints the value of its last form.

use std::fs;
use std::process::ExitCode;

use config::{Code, Failure, Session};

use crate::source::Source;
use crate::{cli, start};

/// What errors call code of the command line.
const COMMAND_LINE: &str = "-e";

/// Prints what the code prints, and its value; or what it throws, with its place.
pub fn run(eval: &cli::Eval) -> ExitCode {
    match evaluate(eval) {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("{}", text.trim_end());
            ExitCode::FAILURE
        }
    }
}

fn evaluate(eval: &cli::Eval) -> Result<(), String> {
    let mut search = Vec::new();
    let (name, text) = match (&eval.file, &eval.code) {
        (Some(path), _) => {
            let name = path.display().to_string();
            search = Source::File(path.clone()).search();
            let text =
                fs::read_to_string(path).map_err(|error| format!("cauchy: {name}: {error}"))?;
            (name, text)
        }
        (None, code) => (COMMAND_LINE.to_owned(), code.clone().unwrap_or_default()),
    };
    search.extend(eval.search.iter().cloned());
    let configuration = start::load_nothing(search)?;
    let code = Code {
        file: &name,
        text: &text,
        namespace: None,
        is_file: true,
    };
    let outcome = configuration.evaluate(&mut Session::default(), &code, None, &mut |value, _| {
        println!("{value}");
    });
    outcome.map_err(|failure| match failure {
        Failure::Thrown { text, .. } => text,
        Failure::NoNamespace(name) => format!("there is no namespace {name}"),
    })
}
