//! Questions to history: over HTTP, and from the command line.

mod fetch;
mod flags;
mod serve;

use std::env;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use ask::plot::{svg, terminal};
use ask::{Reply, csv, name_of, table};
use serde_json::Value;

pub use flags::HistoryCommand;
pub use serve::{Questions, http_answer};

/// Columns where nobody says how many there are.
const WIDTH_USUAL: usize = 80;

/// Asks, and prints what was asked for.
pub fn run(command: &HistoryCommand) -> ExitCode {
    match ask_and_print(command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(line) => {
            eprintln!("cauchy: {line}");
            ExitCode::FAILURE
        }
    }
}

/// Says whether the answer is whole.
fn ask_and_print(command: &HistoryCommand) -> Result<bool, String> {
    let answer = fetch::answer(command)?;
    if command.names {
        print(&if command.json {
            answer
        } else {
            names(&answer)?
        });
        return Ok(true);
    }
    let reply = Reply::read(&answer)?;
    if let Some(file) = &command.svg {
        let written = fs::write(file, svg::draw(&reply, &command.query));
        written.map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    }
    if command.json {
        print(&answer);
    } else if command.csv {
        print(csv(&reply).as_bytes());
    } else if reply.matched == 0 {
        eprintln!("cauchy: no series match; --names lists those that do: --names true");
    } else {
        print(shown(command, &reply).as_bytes());
    }
    for trouble in &reply.troubles {
        eprintln!("cauchy: not all of it is here: {trouble}");
    }
    Ok(reply.troubles.is_empty())
}

fn shown(command: &HistoryCommand, reply: &Reply) -> String {
    let mut text = String::new();
    if command.svg.is_none() {
        let canvas = terminal::Canvas {
            width: width(),
            is_coloured: io::stdout().is_terminal() && env::var_os("NO_COLOR").is_none(),
        };
        text += &terminal::draw(reply, canvas);
        text += "\n";
    }
    let rows_max = if command.rows == 0 {
        usize::MAX
    } else {
        command.rows
    };
    text + &table(reply, rows_max)
}

/// The terminal's columns; else those that the environment names.
fn width() -> usize {
    let size = rustix::termios::tcgetwinsize(io::stdout());
    let columns = size.map_or(0, |size| usize::from(size.ws_col));
    if columns > 0 {
        return columns;
    }
    let named = env::var("COLUMNS").ok();
    let named = named.and_then(|columns| columns.parse().ok());
    named.unwrap_or(WIDTH_USUAL)
}

fn names(answer: &[u8]) -> Result<Vec<u8>, String> {
    let json: Value = serde_json::from_slice(answer)
        .map_err(|error| format!("the answer cannot be read: {error}"))?;
    let series: Vec<&Value> = json["series"].as_array().into_iter().flatten().collect();
    let mut text: String = series
        .iter()
        .map(|name| format!("{}\n", name_of(name)))
        .collect();
    let matched = json["matched"].as_u64().unwrap_or(0);
    let word = if matched == 1 {
        "series matches"
    } else {
        "series match"
    };
    text += &format!("{matched} {word}");
    if matched > series.len() as u64 {
        text += &format!(", of which {} are named here", series.len());
    }
    text += "\n";
    Ok(text.into_bytes())
}

fn print(bytes: &[u8]) {
    // A reader that has gone (`| head`) is no failure.
    let _ = io::stdout().lock().write_all(bytes);
}
