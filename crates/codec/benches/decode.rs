//! Decoding and encoding, nanoseconds per event: `cargo bench -p cauchy-codec`. Under `cargo test` it runs once,
//! small. Prints a sum of what was decoded, so that the work cannot be left out.

use std::hint::black_box;
use std::time::{Duration, Instant};

use codec::json::event_to_json;
use codec::riemann::{decode_msg, encode_answer, encode_events};
use event::{Draft, Event, Number, Time, Views};

const EVENTS_PER_MSG: usize = 100;

/// As riemann-bench sends: 76 bytes.
fn small(index: usize) -> Event {
    let draft = Draft {
        host: Some(format!("host{:03}.example.com", index % 500).into()),
        service: Some(format!("service {:03}", index % 300).into()),
        state: Some("ok".into()),
        metric: Some(Number::F64(index as f64 + 0.5)),
        time: Some(Time::from_us(1_366_020_418_500_000)),
        ttl: Some(Number::F32(60.0)),
        ..Draft::record()
    };
    draft.build()
}

/// With a description and three tags: 137 bytes.
fn large(index: usize) -> Event {
    small(index).edit(|draft| {
        draft.description = Some("used 41% of disk space".into());
        let tags = ["production", "webserver", "frankfurt"];
        draft.tags = Some(tags.map(Into::into).to_vec());
    })
}

fn message(event: fn(usize) -> Event) -> (Vec<Event>, Vec<u8>) {
    let events: Vec<Event> = (0..EVENTS_PER_MSG).map(event).collect();
    let mut msg = Vec::new();
    encode_events(&mut msg, &events);
    (events, msg)
}

fn report(name: &str, size: usize, rounds: usize, mut round: impl FnMut() -> usize) {
    let mut best = Duration::MAX;
    let mut sum = 0;
    for _ in 0..9 {
        let start = Instant::now();
        for _ in 0..rounds {
            sum += round();
        }
        best = best.min(start.elapsed());
    }
    let ns = best.as_nanos() as f64 / (rounds * EVENTS_PER_MSG) as f64;
    println!(
        "{name:<14} {:>4} bytes/event {ns:>7.1} ns/event  (sum {sum})",
        size / EVENTS_PER_MSG
    );
}

fn main() {
    let rounds = if std::env::args().any(|arg| arg == "--bench") {
        20_000
    } else {
        1
    };
    for (name, event) in [("small", small as fn(usize) -> Event), ("large", large)] {
        let (events, msg) = message(event);
        let mut pool = Views::new();
        report(&format!("decode {name}"), msg.len(), rounds, || {
            let mut views = std::mem::take(&mut pool).recycle();
            let head = decode_msg(black_box(&msg), Time::from_s(0), &mut views);
            pool = views.recycle();
            head.map_or(0, |head| head.events)
        });
        let mut out = Vec::new();
        report(&format!("encode {name}"), msg.len(), rounds, || {
            out.clear();
            encode_answer(&mut out, black_box(&events));
            out.len()
        });
        report(&format!("json {name}"), msg.len(), rounds / 10 + 1, || {
            out.clear();
            let events = black_box(&events);
            events
                .iter()
                .for_each(|event| event_to_json(&mut out, event));
            out.len()
        });
    }
}
