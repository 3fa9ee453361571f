//! How near the server is to the floor: processor time for an event, with the built-in configuration
//! but for its history over one TCP connection, against that of one thread which decodes, hashes and stores in place, and
//! does nothing else. Over few and many keys, with and without a ttl; then memory, what a second
//! worker adds, and what history takes.
//!
//! Believe the ratios; the figures belong to the machine. Small unless run by `cargo bench`.
//! Arguments choose rows: `cargo bench -p cauchy --bench floor -- 1000 workers`. `CAUCHY_PROGRAM=path`
//! measures another build of the program.

mod bare;
mod history;
#[allow(dead_code, reason = "the program uses more of it")]
#[path = "../../src/host.rs"]
mod host;
mod messages;
#[path = "../recorded.rs"]
mod recorded;
mod served;
#[path = "../../tests/server/mod.rs"]
mod server;
mod workers;

use std::time::Duration;

use messages::{Messages, Ttl};
use recorded::record;
use server::{built_in_without_history, free_port};

/// How much to do.
pub struct Size {
    pub warm_up: Duration,
    pub measured: Duration,
    /// Events stored by each run of the floor.
    pub floor_events: usize,
    /// Runs, interleaved; the median counts.
    pub runs: usize,
}

const SMALL: Size = Size {
    warm_up: Duration::from_millis(20),
    measured: Duration::from_millis(100),
    floor_events: 10_000,
    runs: 1,
};
const FULL: Size = Size {
    warm_up: Duration::from_millis(500),
    measured: Duration::from_secs(2),
    floor_events: 4_000_000,
    runs: 3,
};

/// Keys, and the most that an event may take of the floor at that number.
const ROWS: [(usize, f64); 3] = [(1_000, 2.2), (100_000, 2.0), (1_000_000, 2.0)];

fn main() {
    let full = std::env::args().any(|argument| argument == "--bench");
    let chosen: Vec<usize> = std::env::args()
        .filter_map(|arg| arg.parse().ok())
        .collect();
    let workers = std::env::args().any(|argument| argument == "workers");
    let history = std::env::args().any(|argument| argument == "history");
    let all = chosen.is_empty() && !workers && !history;
    let size = if full { FULL } else { SMALL };
    let rows = ROWS.iter().filter(|(keys, _)| match all {
        true => full || *keys == ROWS[0].0,
        false => chosen.contains(keys),
    });
    println!(
        "{:>9} {:>4} {:>9} {:>9} {:>9} {:>7} {:>6} {:>9} {:>8}",
        "keys", "ttl", "floor ns", "index ns", "server ns", "ratio", "most", "M ev/s/c", "MB"
    );
    for (keys, most) in rows {
        for ttl in [Ttl::Given, Ttl::Absent] {
            row(*keys, ttl, *most, &size);
        }
    }
    if all || workers {
        workers::report(&size);
    }
    if all || history {
        history::report(&size);
    }
}

fn row(keys: usize, ttl: Ttl, most: f64, size: &Size) {
    let messages = Messages::new(keys, ttl);
    let mut floor = bare::Floor::new(&messages);
    let mut own = bare::Own::new(&messages);
    let config = built_in_without_history(free_port());
    let mut server = served::Served::start(&config, &messages, size);
    let (mut floors, mut owns, mut servers) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..size.runs {
        floors.push(floor.run(size.floor_events));
        owns.push(own.run(size.floor_events));
        servers.push(server.run(size));
    }
    let resident = server.resident_bytes() as f64 / 1e6;
    server.finish();
    let (floor, own, server) = (median(floors), median(owns), median(servers));
    if ttl == Ttl::Given {
        record(&format!("{keys} keys, ratio"), server / floor);
        record(&format!("{keys} keys, ns"), server);
    }
    let ttl = if ttl == Ttl::Given { "yes" } else { "no" };
    println!(
        "{keys:>9} {ttl:>4} {floor:>9.1} {own:>9.1} {server:>9.1} {:>7.2} {most:>6.1} {:>9.2} {resident:>8.1}",
        server / floor,
        1e3 / server,
    );
}

pub fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

/// Processor time of this thread.
pub fn thread_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call writes the struct that it is given.
    let outcome = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    assert_eq!(outcome, 0, "threads have a clock");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
