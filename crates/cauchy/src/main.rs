//! The program: flags, wiring, threads, signals, self-telemetry, limits.
//!
//! Start at [`start`]: it loads a configuration, opens what that asks for, and waits for signals.
//! The other commands are a module each. Nothing here decides anything about events.

mod answer;
mod check;
mod cli;
mod eval;
mod handler;
mod history;
mod history_query;
mod host;
mod index_keeping;
mod ingest;
mod journal_command;
mod journal_figures;
mod journal_print;
mod journal_waiting;
mod limits;
mod load;
mod log;
mod loopback;
mod nrepl;
mod pipe;
mod pipelines;
mod query;
mod queues;
mod repl;
mod replay;
mod send;
mod signals;
mod source;
mod start;
mod store_cli;
mod tail;
mod telemetry;
mod test;
mod web_status;
mod wire;

use std::io;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use cli::{Cli, Command};

/// Stack of the thread that commands run on: configurations may recurse. Only what is used is taken.
const MAIN_STACK_BYTES: usize = 256 << 20;

/// Exit status of what could not be done.
const FAILED: u8 = 1;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let main = std::thread::Builder::new()
        .name("main".into())
        .stack_size(MAIN_STACK_BYTES);
    let outcome = main
        .spawn(move || run(cli))
        .map(std::thread::JoinHandle::join);
    match outcome {
        Ok(Ok(code)) => code,
        Ok(Err(_)) => ExitCode::from(FAILED),
        Err(error) => {
            eprintln!("cauchy: cannot start a thread: {error}");
            ExitCode::from(FAILED)
        }
    }
}

fn run(cli: Cli) -> ExitCode {
    let outcome = match cli.command.unwrap_or(Command::Start(cli.start)) {
        Command::Start(start) => start::run(&start),
        Command::Check(check) => return check::run(&check),
        Command::Test(test) => return test::run(&test),
        Command::Eval(eval) => return eval::run(&eval),
        Command::Send(send) => send::run(&send),
        Command::Load(load) => load::run(&load),
        Command::Pipe(pipe) => pipe::run(&pipe),
        Command::Repl(repl) => repl::run(&repl),
        Command::Replay(replay) => replay::run(&replay),
        Command::Query(query) => query::run(&query),
        Command::Tail(tail) => tail::run(&tail),
        Command::Journal(journal) => return journal_command::run(&journal),
        Command::History(history) => return history_query::run(&history),
        Command::Store(store) => return store_cli::run(&store),
        Command::Version => {
            println!("cauchy {}", env!("CARGO_PKG_VERSION"));
            Ok(())
        }
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "cauchy", &mut io::stdout());
            Ok(())
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(line) => {
            eprintln!("cauchy: {line}");
            ExitCode::from(FAILED)
        }
    }
}
