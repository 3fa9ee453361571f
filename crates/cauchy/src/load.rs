//! `cauchy load`: sends events as fast as asked, and reports what it took.

mod flags;
mod plan;
mod poller;
mod queue;
mod run;
mod screen;
mod streamer;
mod verify;
mod wire;
mod worker;

pub use flags::Flags;
use flags::Kind;

use std::path::Path;
use std::sync::mpsc::Receiver;

use load::{Pair, Report};
use sinks::socket::Address;

use crate::signals::{self, Signal};
use plan::Plan;
use screen::Screen;

/// Runs the load, prints and writes the reports. An error if anything did not add up.
pub fn run(flags: &Flags) -> Result<(), String> {
    match &flags.kind {
        Some(Kind::Streamer(flags)) => return streamer::run(flags),
        Some(Kind::Queue(flags)) => return queue::run(flags),
        None => {}
    }
    let plan = Plan::new(flags)?;
    let server = plan::server(&flags.server, flags.protocol)?;
    let signals = signals::listen().map_err(|error| format!("signals: {error}"))?;
    wake_on_time();
    let mut screen = Screen::new(flags.quiet);
    let reports = match &flags.vs {
        None => {
            let counters = counters(flags, 0, &server)?;
            let report = run::run(&plan, &server, counters.as_ref(), &signals, &mut screen)?.report;
            screen.end(&report).map_err(line)?;
            write_files(flags, &report)?;
            vec![report]
        }
        Some(other) => {
            let other = plan::server(other, flags.protocol)?;
            versus(&plan, [&server, &other], &signals)?
        }
    };
    match reports.iter().flat_map(Report::problems).next() {
        None => Ok(()),
        Some(problem) => Err(format!("the load did not go well: {problem}")),
    }
}

/// Two servers in turn, and how they compare. Only whole pairs, if it is interrupted.
fn versus(
    plan: &Plan,
    servers: [&Address; 2],
    signals: &Receiver<Signal>,
) -> Result<Vec<Report>, String> {
    let flags = &plan.flags;
    let mut screen = Screen::new(flags.quiet);
    let mut reports = Vec::new();
    'rounds: for round in 1..=flags.rounds {
        for (number, server) in servers.into_iter().enumerate() {
            let name = ["A", "B"][number];
            let place = format!("{}:{}", server.host, server.port);
            let head = format!("round {round} of {}, {name}: {place}", flags.rounds);
            screen.print(&head).map_err(line)?;
            let counters = counters(flags, number, server)?;
            let ran = run::run(plan, server, counters.as_ref(), signals, &mut screen)?;
            if ran.interrupted {
                break 'rounds;
            }
            reports.push(ran.report);
        }
    }
    let mut pairs = Vec::new();
    let mut in_turn = reports.into_iter();
    while let (Some(a), Some(b)) = (in_turn.next(), in_turn.next()) {
        pairs.push(Pair { a, b });
    }
    screen
        .print(load::versus_text(&pairs).trim_end())
        .map_err(line)?;
    if let Some(path) = &flags.json {
        write(path, &format!("{:#}\n", load::versus_json(&pairs)))?;
    }
    Ok(pairs
        .into_iter()
        .flat_map(|pair| [pair.a, pair.b])
        .collect())
}

/// Where the counters of a server are, if they are wanted.
fn counters(flags: &Flags, number: usize, server: &Address) -> Result<Option<Address>, String> {
    let given = flags.verify.get(number);
    given.map(|given| plan::metrics(given, server)).transpose()
}

fn write_files(flags: &Flags, report: &Report) -> Result<(), String> {
    if let Some(path) = &flags.csv {
        write(path, &load::csv(report))?;
    }
    if let Some(path) = &flags.json {
        write(path, &format!("{:#}\n", load::json(report)))?;
    }
    if let Some(path) = &flags.html {
        write(path, &load::html(report))?;
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

fn line(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Lets this process's threads wake when they asked to. By default Linux may be 50 µs late, which
/// an open loop would take for the server's slowness.
fn wake_on_time() {
    // SAFETY: the call takes numbers only.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1_u64);
    }
}
