//! What a second worker adds: one process fed from memory, decode to index through the built-in
//! configuration, on many keys and on one.

use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

use clock::{Clock, SystemClock};
use codec::riemann::{Frames, decode_msg};
use config::{Configuration, Kept, Mode, Settings, Text};
use event::{Time, Views};

use crate::host::Machine;
use crate::messages::{EVENTS_PER_MESSAGE, Messages, Ttl};
use crate::recorded::record;
use crate::{Size, median, thread_time};

const KEYS: usize = 1_000;
/// As a connection of the server: what one read brings goes through the streams together.
const READ_BYTES: usize = 512 << 10;
const MESSAGE_BYTES_MAX: usize = 1 << 20;
/// Two workers do at least this many times the work of one.
const LEAST: f64 = 1.7;

/// What some workers did.
struct Outcome {
    events_per_s: f64,
    /// Processor time an event.
    ns: f64,
}

pub fn report(size: &Size) {
    println!(
        "{:>9} {:>12} {:>12} {:>7} {:>6} {:>9} {:>9}",
        "keys", "1: M ev/s", "2: M ev/s", "ratio", "least", "1: cpu ns", "2: cpu ns"
    );
    for messages in [Messages::new(KEYS, Ttl::Given), Messages::of_one_key()] {
        let events = size.floor_events;
        let (mut one, mut two) = (Vec::new(), Vec::new());
        for _ in 0..size.runs {
            one.push(run(&messages, 1, events));
            two.push(run(&messages, 2, events));
        }
        let rate = |all: &[Outcome]| median(all.iter().map(|one| one.events_per_s).collect());
        let ns = |all: &[Outcome]| median(all.iter().map(|one| one.ns).collect());
        record(
            &format!("workers, {} keys", messages.keys),
            rate(&two) / rate(&one),
        );
        record(
            &format!("workers, {} keys, cpu", messages.keys),
            2.0 * ns(&one) / ns(&two),
        );
        println!(
            "{:>9} {:>12.2} {:>12.2} {:>7.2} {LEAST:>6.1} {:>9.1} {:>9.1}",
            messages.keys,
            rate(&one) / 1e6,
            rate(&two) / 1e6,
            rate(&two) / rate(&one),
            ns(&one),
            ns(&two),
        );
    }
}

fn run(messages: &Messages, workers: usize, events: usize) -> Outcome {
    let configuration = built_in();
    let barrier = Barrier::new(workers + 1);
    let (spent, took) = thread::scope(|scope| {
        let running: Vec<_> = (0..workers)
            .map(|_| {
                scope.spawn(|| {
                    work(&configuration, messages, messages.events);
                    barrier.wait();
                    work(&configuration, messages, events)
                })
            })
            .collect();
        barrier.wait();
        let start = Instant::now();
        let spent: Duration = running
            .into_iter()
            .map(|worker| worker.join().expect("a worker ends"))
            .sum();
        (spent, start.elapsed())
    });
    let events = (workers * events) as f64;
    Outcome {
        events_per_s: events / took.as_secs_f64(),
        ns: spent.as_nanos() as f64 / events,
    }
}

/// Feeds so many events; gives the processor time.
fn work(configuration: &Configuration, messages: &Messages, events: usize) -> Duration {
    let mut left = events.div_ceil(EVENTS_PER_MESSAGE);
    let mut views = Views::new();
    let start = thread_time();
    while left > 0 {
        let mut read = 0;
        let mut decoded = std::mem::take(&mut views).recycle();
        for message in Frames::new(&messages.bytes, MESSAGE_BYTES_MAX) {
            let message = message.expect("a whole message");
            decode_msg(message, Time::from_s(0), &mut decoded).expect("a good message");
            read += message.len();
            left = left.saturating_sub(1);
            if read > READ_BYTES || left == 0 {
                break;
            }
        }
        configuration.stream_views(&decoded, |_, failure| panic!("{failure:?}"));
        views = decoded.recycle();
    }
    thread_time() - start
}

fn built_in() -> Configuration {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let settings = Settings {
        mode: Mode::Run,
        host: Arc::new(Machine::new(Vec::new())),
        clock,
        kept: Kept::default(),
        wire: None,
        telemetry: None,
    };
    let (name, text) = ("built-in.config", include_str!("../../src/builtin.config"));
    let configuration = config::load(&Text::Source { name, text }, settings)
        .unwrap_or_else(|all| panic!("{all:?}"));
    configuration
        .apply()
        .unwrap_or_else(|problem| panic!("{problem:?}"));
    configuration
}
