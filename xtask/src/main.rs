//! The project's chores: `cargo xtask check`, `test`, `needs`, `bench`, `soak`.

mod architecture;
mod bench;
mod needs;
mod soak;
mod steps;

use std::process::ExitCode;

const HELP: &str = "\
cargo xtask <COMMAND>

  check   format, lints, unit and text tests, doc examples, docs: before every commit
  test    install what the tests need, then everything: check, the program, third-party clients
  needs   only install what the tests need
  bench   every figure that has a target: [--quick] [ROW...]; kept in benches/results
  soak    ten minutes of mixed load, or [SECONDS]; memory must stay as it is
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let command = arguments.first().cloned().unwrap_or_default();
    let rest = arguments.get(1..).unwrap_or_default();
    let outcome = match command.as_str() {
        "check" => steps::check(),
        "test" => needs::install().and_then(|()| steps::test()),
        "needs" => needs::install(),
        "bench" => bench::bench(rest),
        "soak" => soak::soak(rest),
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
