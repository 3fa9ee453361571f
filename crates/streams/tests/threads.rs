//! Streams that several threads feed at once lose nothing.

mod pretend;

use clj::Value;
use pretend::{Log, Pretend};

const THREADS: usize = 4;
const EVENTS_PER_THREAD: usize = 2500;

fn feed(pretend: &Pretend, stream: &Value) {
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for n in 0..EVENTS_PER_THREAD {
                    let host = Value::str(if n % 2 == 0 { "even" } else { "odd" });
                    let event = Value::map([
                        (Value::keyword("metric"), Value::Int(1)),
                        (Value::keyword("host"), host),
                    ]);
                    pretend.send(stream, &event).expect("nothing throws");
                }
            });
        }
    });
}

#[test]
fn a_rate_counts_every_event() {
    let (pretend, log) = (Pretend::new(), Log::default());
    let metric = pretend.make("smap", &[Value::keyword("metric"), log.end("rate")]);
    let rate = pretend.make("rate", &[Value::Int(4), metric]);
    feed(&pretend, &rate);
    pretend.advance_ms(4000);
    assert_eq!(log.take(), ["rate 2500"]);
}

#[test]
fn a_histogram_counts_every_event() {
    let (pretend, log) = (Pretend::new(), Log::default());
    let metric = pretend.make("smap", &[Value::keyword("metric"), log.end("count")]);
    let counting = pretend.make("count-above", &[Value::Int(4), Value::Int(1), metric]);
    for second in 1..=3 {
        feed(&pretend, &counting);
        pretend.advance_ms(second * 4000);
        let counted = format!("count {}", THREADS * EVENTS_PER_THREAD);
        assert_eq!(log.take(), [counted]);
    }
}

#[test]
fn a_fork_is_made_once() {
    let (pretend, log) = (Pretend::new(), Log::default());
    let smap = pretend.make("smap", &[Value::keyword("metric"), log.end("fork")]);
    let new_fork = pretend::building("counter", &pretend, smap);
    let by = pretend.make("by-fn", &[Value::keyword("host"), new_fork]);
    feed(&pretend, &by);
    let mut counts = log.take();
    counts.sort();
    let mut wanted: Vec<String> = (1..=THREADS * EVENTS_PER_THREAD / 2)
        .flat_map(|n| [n, n])
        .map(|n| format!("fork {n}"))
        .collect();
    wanted.sort();
    assert_eq!(counts, wanted);
}
