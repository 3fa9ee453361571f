//! Messages of one event over TCP against bare tokio servers in the same run; datagrams, memory, and
//! the time to start.
//!
//! Believe the ratios; the figures belong to the machine. Small unless run by `cargo bench`. Words
//! after `--` choose rows by a part of their name. `CAUCHY_PROGRAM=path` measures another build of the
//! program.

mod bare;
mod client;
#[path = "../floor/messages.rs"]
#[allow(dead_code, reason = "the other bench uses more of it")]
mod messages;
mod placement;
#[path = "../recorded.rs"]
mod recorded;
#[path = "../../tests/server/mod.rs"]
mod server;
mod whole;

use std::process::Command;
use std::time::Duration;

use bare::{Bare, Kind};
use client::{ACK_BYTES, Singles, Writes, connect, pipeline, round_trip_p50};
use recorded::record;
use server::process::cpu_time;
use server::{Server, built_in_without_history, free_port};

/// How much to do.
pub struct Size {
    /// Of one run.
    length: Duration,
    /// Runs of each, in turns; the median counts.
    rounds: usize,
    round_trips: usize,
    /// Datagrams are sent for that long.
    datagrams_s: f64,
    datagrams_per_s: u32,
    keys: usize,
    starts: usize,
}

const SMALL: Size = Size {
    length: Duration::from_millis(50),
    rounds: 1,
    round_trips: 50,
    datagrams_s: 0.2,
    datagrams_per_s: 5_000,
    keys: 1_000,
    starts: 1,
};
const FULL: Size = Size {
    length: Duration::from_secs(1),
    rounds: 7,
    round_trips: 5_000,
    datagrams_s: 10.0,
    datagrams_per_s: 200_000,
    keys: 1_000_000,
    starts: 21,
};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    bare::serve_if_asked(&arguments);
    let full = arguments.iter().any(|argument| argument == "--bench");
    let words: Vec<&String> = arguments.iter().filter(|a| !a.starts_with("--")).collect();
    let wanted = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(&**word));
    let size = if full { FULL } else { SMALL };
    println!("{:34} {:>10} {:>10} {:>7}", "", "server", "bare", "ratio");
    for (name, window, writes) in [
        ("singles coalesced", 4096, Writes::Coalesced),
        ("singles a write each, window 128", 128, Writes::Each),
        ("singles a write each, window 4096", 4096, Writes::Each),
    ] {
        if wanted(name) {
            singles(name, window, writes, &size);
        }
    }
    if wanted("round trip") {
        round_trips(&size);
    }
    for (name, row) in whole::ROWS {
        if wanted(name) {
            row(&size);
        }
    }
}

/// The program, or another build of it.
pub fn program() -> Command {
    std::env::var_os("CAUCHY_PROGRAM").map_or_else(server::program, Command::new)
}

/// With the built-in configuration but for its history, which has a row of its own.
pub fn start() -> Server {
    Server::start_with(&built_in_without_history(free_port()), program())
}

pub fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

/// Rates of ours and of the rival, by the clock and of processor time each.
type Round = ((f64, f64), (f64, f64));

/// Prints M events/s by the clock, then of the server's processor time.
fn singles(name: &str, window: usize, writes: Writes, size: &Size) {
    let (ours, rival, messages) = (start(), Bare::start(Kind::Index), Singles::new());
    let mut streams = [connect(ours.address("tcp")), connect(rival.address)];
    let pids = [ours.pid(), rival.pid()];
    let mut run = |which: usize| {
        let cpu = cpu_time(pids[which]);
        let (sent, took) = pipeline(&mut streams[which], &messages, window, writes, size.length);
        let cpu = cpu_time(pids[which]) - cpu;
        let rate = |time: Duration| sent as f64 / time.as_secs_f64().max(1e-9) / 1e6;
        (rate(took), rate(cpu))
    };
    run(0);
    run(1);
    let rounds: Vec<_> = (0..size.rounds).map(|_| (run(0), run(1))).collect();
    let of = |value: fn(&Round) -> f64| median(rounds.iter().map(value).collect());
    let by_clock = [
        of(|round| round.0.0),
        of(|round| round.1.0),
        of(|round| round.0.0 / round.1.0),
    ];
    let of_cpu = [
        of(|round| round.0.1),
        of(|round| round.1.1),
        of(|round| round.0.1 / round.1.1),
    ];
    for (what, [server, bare, ratio]) in [("M/s", by_clock), ("M/s of cpu", of_cpu)] {
        println!("{name:34} {server:10.2} {bare:10.2} {ratio:7.2}  {what}");
        record(&format!("{name}, {what}"), server);
        record(&format!("{name}, {what}, ratio"), ratio);
    }
}

/// Prints the median round trip of one message, in microseconds: on one processor with the server,
/// and on another. Left alone, the kernel chooses, for one server this and for the other that.
fn round_trips(size: &Size) {
    let (ours, rival, messages) = (start(), Bare::start(Kind::Echo), Singles::new());
    let (mut ours_stream, mut rival_stream) =
        (connect(ours.address("tcp")), connect(rival.address));
    let all = placement::allowed();
    let mut worst: Option<(f64, f64)> = None;
    for (place, processor) in [
        ("one processor", all.first()),
        ("two processors", all.get(1)),
    ] {
        let (Some(first), Some(&processor)) = (all.first(), processor) else {
            continue;
        };
        placement::pin(std::process::id(), &[*first]);
        placement::pin(ours.pid(), &[processor]);
        placement::pin(rival.pid(), &[processor]);
        let mut run = || {
            let ours = round_trip_p50(
                &mut ours_stream,
                &messages,
                Some(ACK_BYTES),
                size.round_trips,
            );
            let rival = round_trip_p50(&mut rival_stream, &messages, None, size.round_trips);
            (ours.as_secs_f64() * 1e6, rival.as_secs_f64() * 1e6)
        };
        run();
        let rounds: Vec<_> = (0..size.rounds).map(|_| run()).collect();
        let of = |value: fn(&(f64, f64)) -> f64| median(rounds.iter().map(value).collect());
        let (server, bare, ratio) = (
            of(|round| round.0),
            of(|round| round.1),
            of(|round| round.0 / round.1),
        );
        let name = format!("round trip, {place}");
        println!("{name:34} {server:10.2} {bare:10.2} {ratio:7.2}  us, the median");
        if worst.is_none_or(|(_, before)| ratio > before) {
            worst = Some((server, ratio));
        }
    }
    placement::pin(std::process::id(), &all);
    if let Some((server, ratio)) = worst {
        record("round trip, us", server);
        record("round trip, ratio", ratio);
    }
}
