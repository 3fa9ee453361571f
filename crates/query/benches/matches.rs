//! Predicates, nanoseconds per event: `cargo bench -p cauchy-query`. Under `cargo test` it runs once,
//! small. Prints how many events matched, so that the work cannot be left out.

use std::hint::black_box;
use std::time::{Duration, Instant};

use event::{Scalar, Time, View};
use query::Query;

const EVENTS: usize = 1000;

const QUERIES: [&str; 9] = [
    "true",
    "service = \"service 007\"",
    "host = \"host007\" and service = \"service 007\"",
    "metric > 500",
    "metric > 500.5 and state != \"ok\"",
    "host =~ \"host00%\"",
    "host =~ \"host%7%\"",
    "host ~= \"^host0+7$\"",
    "tagged \"webserver\" or rack = \"r7\"",
];

fn main() {
    let rounds = if std::env::args().any(|arg| arg == "--bench") {
        2000
    } else {
        1
    };
    let names: Vec<(String, String)> = (0..EVENTS)
        .map(|i| {
            (
                format!("host{:03}", i % 500),
                format!("service {:03}", i % 300),
            )
        })
        .collect();
    let view = |(index, (host, service)): (usize, &'static (String, String))| View {
        host: Some(host),
        service: Some(service),
        state: Some("ok"),
        metric: Some(Scalar::Int(index as i64)),
        time: Some(Time::from_us(1_366_020_418_500_000)),
        tags: &["production", "webserver"],
        ..View::default()
    };
    let names: &'static [_] = names.leak();
    let views: Vec<View<'_>> = names.iter().enumerate().map(view).collect();
    for text in QUERIES {
        let query = Query::parse(text).expect("the queries are sound");
        let mut best = Duration::MAX;
        let mut matched = 0;
        for _ in 0..9 {
            let start = Instant::now();
            for _ in 0..rounds {
                matched += black_box(&views)
                    .iter()
                    .filter(|view| query.matches(*view))
                    .count();
            }
            best = best.min(start.elapsed());
        }
        let ns = best.as_nanos() as f64 / (rounds * EVENTS) as f64;
        println!("{text:<46} {ns:>7.1} ns/event  (matched {matched})");
    }
}
