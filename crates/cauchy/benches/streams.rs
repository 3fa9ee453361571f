//! Processor time that streams take for an event: messages of 100 events from memory, decoded and put
//! through whole configurations. Each row has its rival, measured in turns with it in the same run.
//!
//! Believe the ratios; the figures belong to the machine. Small unless run by `cargo bench`; words
//! after `--` choose rows by a part of their name.

#[path = "../src/host.rs"]
#[allow(dead_code, reason = "a benchmark reads no files")]
mod host;
#[path = "streams/load.rs"]
mod load;
#[path = "recorded.rs"]
mod recorded;
#[path = "streams/rows.rs"]
mod rows;

use std::time::{Duration, Instant};

use load::{EVENTS_PER_MESSAGE, Fed, Shape, cpu_time, messages, resident_bytes, time_waiting};
use recorded::record;
use rows::{HARD_CASE, ROWS, Row};

/// How much to do.
struct Size {
    rounds: usize,
    /// Messages a round.
    messages: usize,
    /// The hard case closes its windows every five seconds.
    hard_case: Duration,
}

const SMALL: Size = Size {
    rounds: 1,
    messages: 40,
    hard_case: Duration::from_millis(50),
};
const FULL: Size = Size {
    rounds: 15,
    messages: 2_000,
    hard_case: Duration::from_secs(16),
};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let full = arguments.iter().any(|argument| argument == "--bench");
    let words: Vec<&String> = arguments.iter().filter(|a| !a.starts_with("--")).collect();
    let wanted = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(&**word));
    let size = if full { FULL } else { SMALL };
    println!("{:44} {:>9} {:>9} {:>7}", "", "ns", "rival ns", "ratio");
    for row in ROWS.iter().filter(|row| wanted(row.name)) {
        compare(row, &size);
    }
    for hot in [false, true] {
        let name = if hot {
            "two workers, one hot key"
        } else {
            "two workers, 1 K keys"
        };
        if wanted(name) {
            two_workers(name, hot, &size);
        }
    }
    if wanted(HARD_CASE) {
        hard_case(&size);
    }
}

/// Prints the medians of a row and its rival, and of their ratio round by round.
fn compare(row: &Row, size: &Size) {
    let ours = (Fed::new(&(row.config)()), messages(row.shape));
    let rival = (Fed::new(&(row.rival)()), messages(row.rival_shape));
    let cost = |(fed, messages): &(Fed, Vec<u8>)| {
        let before = cpu_time();
        let events = fed.feed(messages, size.messages);
        (cpu_time() - before).as_nanos() as f64 / events as f64
    };
    cost(&ours);
    cost(&rival);
    let rounds: Vec<(f64, f64)> = (0..size.rounds)
        .map(|_| (cost(&ours), cost(&rival)))
        .collect();
    let of = |value: fn(&(f64, f64)) -> f64| median(rounds.iter().map(value).collect());
    record(&format!("{}, ns", row.name), of(|round| round.0));
    record(&format!("{}, M/s", row.name), of(|round| 1e3 / round.0));
    record(
        &format!("{}, ratio", row.name),
        of(|round| round.0 / round.1),
    );
    println!(
        "{:44} {:9.1} {:9.1} {:7.2}",
        row.name,
        of(|round| round.0),
        of(|round| round.1),
        of(|round| round.0 / round.1)
    );
}

/// Prints the time that two threads and one take for an event, by the clock and of the processors:
/// where other work has a processor, too, the second tells more.
fn two_workers(name: &str, hot: bool, size: &Size) {
    let shape = if hot { Shape::HotKey } else { Shape::Usual };
    let (fed, messages) = (Fed::new(rows::WORKERS), messages(shape));
    let took = |workers: usize| {
        let (started, cpu) = (Instant::now(), cpu_time());
        std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| fed.feed(&messages, size.messages));
            }
        });
        let events = (workers * size.messages * EVENTS_PER_MESSAGE) as f64;
        let ns = |time: Duration| time.as_nanos() as f64 / events;
        (ns(started.elapsed()), ns(cpu_time() - cpu))
    };
    took(2);
    let rounds: Vec<_> = (0..size.rounds).map(|_| (took(2), took(1))).collect();
    for (how, pick) in [
        ("by the clock", (|time| time.0) as fn((f64, f64)) -> f64),
        ("of the processors", |time| time.1),
    ] {
        let of = |value: &dyn Fn(f64, f64) -> f64| {
            let all = rounds
                .iter()
                .map(|(two, one)| value(pick(*two), pick(*one)));
            median(all.collect())
        };
        println!(
            "{:44} {:9.1} {:9.1} {:7.2}",
            format!("{name}, {how}"),
            of(&|two, _| two),
            of(&|_, one| one),
            of(&|two, one| two / one)
        );
    }
}

/// Prints what the hard case takes while its windows fill and close.
fn hard_case(size: &Size) {
    let before_bytes = resident_bytes();
    let (fed, messages) = (Fed::new(&rows::hard_case()), messages(Shape::Usual));
    let (began, cpu) = (Instant::now(), cpu_time());
    let (mut events, mut most_bytes) = (0, 0);
    while began.elapsed() < size.hard_case {
        events += fed.feed(&messages, 10);
        if events % 1_000_000 == 0 {
            most_bytes = most_bytes.max(resident_bytes());
        }
    }
    let (wall, cpu) = (began.elapsed(), cpu_time() - cpu);
    let (longest, held) = longest_pause(&fed, &messages, size.hard_case);
    let per_s = |time: Duration| events as f64 / time.as_secs_f64() / 1e6;
    let lines = [
        (
            cpu.as_nanos() as f64 / events as f64,
            "ns of processor time an event",
        ),
        (per_s(cpu), "M events/s of processor time"),
        (per_s(wall), "M events/s by the clock"),
        (
            longest.as_secs_f64() * 1e3,
            "ms for the slowest ten messages",
        ),
        (
            held.as_secs_f64() * 1e3,
            "ms, time without a processor left out",
        ),
        (most_bytes as f64 / 1e6, "MB resident at most"),
        (before_bytes as f64 / 1e6, "MB before"),
    ];
    println!("{HARD_CASE}");
    for (value, what) in lines {
        println!("  {value:8.1} {what}");
        record(&format!("hard case, {what}"), value);
    }
}

/// All keys, in less than a millisecond.
const MESSAGES_PER_PAUSE: usize = 10;

/// The longest time that ten messages took, and the longest without that in which the thread could have
/// run and had no processor.
fn longest_pause(fed: &Fed, messages: &[u8], length: Duration) -> (Duration, Duration) {
    let began = Instant::now();
    let mut longest = (Duration::ZERO, Duration::ZERO);
    while began.elapsed() < length {
        let (started, waited) = (Instant::now(), time_waiting());
        fed.feed(messages, MESSAGES_PER_PAUSE);
        let took = started.elapsed();
        let held = took.saturating_sub(time_waiting() - waited);
        longest = (longest.0.max(took), longest.1.max(held));
    }
    longest
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
