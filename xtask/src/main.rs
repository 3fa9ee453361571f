//! The project's chores: `cargo xtask check`, `cargo xtask test`, `cargo xtask needs`.

mod architecture;
mod needs;
mod steps;

use std::process::ExitCode;

const HELP: &str = "\
cargo xtask <COMMAND>

  check   format, lints, unit and text tests, doc examples, docs: before every commit
  test    install what the tests need, then everything: check, the program, third-party clients
  needs   only install what the tests need
";

fn main() -> ExitCode {
    let command = std::env::args().nth(1).unwrap_or_default();
    let outcome = match command.as_str() {
        "check" => steps::check(),
        "test" => needs::install().and_then(|()| steps::test()),
        "needs" => needs::install(),
        "" | "help" | "--help" | "-h" => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprint!("xtask: unknown command '{command}'\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
