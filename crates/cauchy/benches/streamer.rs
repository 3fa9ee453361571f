//! `cauchy load streamer` to `cauchy pipe` with a queue in memory and a store that counts: how many
//! messages a second are stored, none lost.
//!
//! The figures belong to the machine, for both programs share its processors. Small unless run by
//! `cargo bench`. Words after `--` choose rows by a part of their name.

#[path = "recorded.rs"]
mod recorded;
#[path = "../tests/server/mod.rs"]
mod server;

use std::process::{Child, Stdio};

use recorded::record;
use server::log::Log;
use server::process::cpu_time;
use server::program;

/// Messages of a run, and runs; the median counts.
const SMALL: (u64, usize) = (20_000, 1);
const FULL: (u64, usize) = (10_000_000, 5);

/// Single writes are slower.
const SINGLES_SHARE: u64 = 4;

struct Pipe {
    child: Child,
    address: String,
    metrics: String,
}

impl Drop for Pipe {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_full = arguments.iter().any(|argument| argument == "--bench");
    let words: Vec<&String> = arguments.iter().filter(|a| !a.starts_with("--")).collect();
    let (messages, rounds) = if is_full { FULL } else { SMALL };
    for (name, clients, coalesced) in [
        ("streamer coalesced, 1 client", 1, true),
        ("streamer coalesced, 5 clients", 5, true),
        ("streamer singles, 1 client", 1, false),
        ("streamer singles, 5 clients", 5, false),
    ] {
        if !words.is_empty() && !words.iter().any(|word| name.contains(&**word)) {
            continue;
        }
        let messages = messages / if coalesced { 1 } else { SINGLES_SHARE };
        let pipe = start();
        let mut runs: Vec<(f64, f64)> = (0..rounds)
            .map(|_| run(&pipe, clients, messages / clients, coalesced))
            .collect();
        runs.sort_by(|one, other| one.0.total_cmp(&other.0));
        let (rate, cpu_ns) = runs[rounds / 2];
        println!(
            "{name:<32} {:>7.2} M/s, pipe {cpu_ns:.0} ns of processor time each",
            rate / 1e6
        );
        record(&format!("{name}, M/s"), rate / 1e6);
        record(&format!("{name}, ns of cpu"), cpu_ns);
    }
}

fn start() -> Pipe {
    let mut child = program()
        .args(["pipe", "--source", "tcp://127.0.0.1:0", "--store", "count"])
        .args(["--metrics", "127.0.0.1:0", "--monitor", "0"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let log = Log::follow(child.stderr.take().expect("piped"));
    let after = |line: String, mark| line.rsplit(mark).next().expect("a place").to_owned();
    let metrics = after(log.wait("metrics on http://"), "http://");
    Pipe {
        child,
        address: after(log.wait("listening on tcp://"), "tcp://"),
        metrics: metrics.trim_end_matches("/metrics").to_owned(),
    }
}

/// Messages stored in a second, and the pipe's nanoseconds for each. All must be stored.
fn run(pipe: &Pipe, clients: u64, each: u64, coalesced: bool) -> (f64, f64) {
    let before = cpu_time(pipe.child.id());
    let output = program()
        .args(["load", "streamer", &pipe.address])
        .args(["-c", &clients.to_string(), "-n", &each.to_string()])
        .args((!coalesced).then_some("--no-coalesce"))
        .arg(format!("--verify={}", pipe.metrics))
        .output()
        .expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{output:?}");
    let cpu = cpu_time(pipe.child.id()) - before;
    let stored = text.lines().find(|line| line.starts_with("stored"));
    let stored = stored.unwrap_or_else(|| panic!("nothing stored: {text}"));
    let messages = (clients * each) as f64;
    (rate(stored), cpu.as_secs_f64() * 1e9 / messages)
}

/// The messages a second of a line of the report, which ends in `1252000 msg/s`.
fn rate(line: &str) -> f64 {
    let number = line.trim_end().rsplit(' ').nth(1);
    let rate = number.and_then(|number| number.parse().ok());
    rate.unwrap_or_else(|| panic!("no rate in: {line}"))
}
