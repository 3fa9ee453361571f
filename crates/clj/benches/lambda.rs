//! What a call of a user's function on an event costs, against the same written in Rust.
//!
//! `cargo bench -p cauchy-clj --bench lambda [-- NAME]`; small unless run as a bench.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use clj::{Cx, Host, Runtime, Value};
use event::{Draft, Event, Fields, Number};

/// Distinct events, so that no branch is always the same.
const EVENTS: usize = 4096;

struct Closed;

impl Host for Closed {}

fn events() -> Vec<Event> {
    let service = |index: usize| ["api latency", "cpu", "disk /", "memory"][index % 4];
    let state = |index: usize| ["ok", "warning", "critical"][index % 3];
    (0..EVENTS)
        .map(|index| {
            Draft {
                host: Some(format!("host-{}", index % 64).into()),
                service: Some(service(index).into()),
                state: Some(state(index).into()),
                metric: Some(Number::Int((index % 20) as i64)),
                ..Draft::record()
            }
            .build()
        })
        .collect()
}

const STATE: &str = r#"(fn [e] (if (> (:metric e) 10) (assoc e :state "critical") e))"#;
const WHERE: &str = r#"(fn [e] (or (and (= (:service e) "cpu") (> (:metric e) 5)
                            (not= (:state e) "ok"))
                       (= (:state e) "critical")))"#;
const LET: &str = r#"(fn [e] (let [m (* (:metric e) 100) r (+ m 5)]
                     (assoc (assoc e :metric r) :description (str "now " r))))"#;

fn state_in_rust(event: &Event) -> Event {
    match event.metric() {
        Some(Number::Int(metric)) if metric > 10 => {
            event.edit(|draft| draft.state = Some("critical".into()))
        }
        _ => event.clone(),
    }
}

fn where_in_rust(event: &Event) -> bool {
    let above = matches!(event.metric(), Some(Number::Int(metric)) if metric > 5);
    event.service() == Some("cpu") && above && event.state() != Some("ok")
        || event.state() == Some("critical")
}

fn let_in_rust(event: &Event) -> Event {
    let Some(Number::Int(metric)) = event.metric() else {
        return event.clone();
    };
    let metric = metric * 100 + 5;
    event.edit(|draft| {
        draft.metric = Some(Number::Int(metric));
        draft.description = Some(format!("now {metric}").into());
    })
}

/// Sums up the numbers below 1000, which is what a call of `LOOP` is counted as.
const LOOP: &str =
    "(fn [e] (let [n 1000] (loop [i 0 s 0] (if (< i n) (recur (inc i) (+ s i)) s))))";
const LOOP_TURNS: usize = 1000;

fn loop_in_rust() -> i64 {
    let (mut index, mut sum) = (0_i64, 0_i64);
    while index < black_box(LOOP_TURNS as i64) {
        sum = black_box(sum.checked_add(index)).unwrap_or_default();
        index += 1;
    }
    sum
}

/// Nanoseconds a call.
fn measure(calls: usize, call: &mut dyn FnMut(usize)) -> f64 {
    let start = Instant::now();
    for index in 0..calls {
        call(index % EVENTS);
    }
    start.elapsed().as_nanos() as f64 / calls as f64
}

/// Both in turn, so that what else the machine does falls on both; the medians, and that of the
/// ratios.
fn pair(
    rounds: usize,
    calls: usize,
    language: &mut dyn FnMut(usize),
    native: &mut dyn FnMut(usize),
) -> [f64; 3] {
    let mut all: [Vec<f64>; 3] = Default::default();
    for _ in 0..rounds {
        let (ours, rust) = (measure(calls, language), measure(calls, native));
        for (times, time) in all.iter_mut().zip([ours, rust, ours / rust]) {
            times.push(time);
        }
    }
    all.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    })
}

fn main() {
    let (rounds, calls) = if std::env::args().any(|arg| arg == "--bench") {
        (61, 100_000)
    } else {
        (1, EVENTS)
    };
    let start = measure(1 + rounds / 4, &mut |_| {
        drop(black_box(Runtime::new(Arc::new(Closed))));
    });
    println!("start  {:6.2} ms", start / 1e6);
    let rt = Runtime::new(Arc::new(Closed));
    let cx = Cx::new(&rt);
    let events = events();
    let values: Vec<Value> = events.iter().cloned().map(Value::Event).collect();
    let run = |name: &str, source: &str, calls: usize, unit: usize, rust: &dyn Fn(&Event)| {
        let mut wanted = std::env::args()
            .skip(1)
            .filter(|arg| !arg.starts_with("--"));
        if wanted.next().is_some_and(|wanted| wanted != name) {
            return;
        }
        let function = rt
            .eval_source(&cx, "bench", source)
            .expect("the source is right");
        let [language, native, ratio] = pair(
            rounds,
            calls,
            &mut |index| {
                black_box(cx.call(&function, std::slice::from_ref(&values[index])))
                    .expect("no error");
            },
            &mut |index| rust(black_box(&events[index])),
        );
        let [language, native] = [language, native].map(|time| time / unit as f64);
        println!("{name:6} {language:6.1} ns  rust {native:6.1} ns  ratio {ratio:.1}");
    };
    run("state", STATE, calls, 1, &|event| {
        drop(black_box(state_in_rust(event)));
    });
    run("where", WHERE, calls, 1, &|event| {
        black_box(where_in_rust(event));
    });
    run("let", LET, calls, 1, &|event| {
        drop(black_box(let_in_rust(event)));
    });
    run("loop", LOOP, calls / LOOP_TURNS, LOOP_TURNS, &|_| {
        black_box(loop_in_rust());
    });
}
