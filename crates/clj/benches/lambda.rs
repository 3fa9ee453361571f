//! What a call of a user's function on an event costs, against the same written in Rust.
//!
//! `cargo bench -p cauchy-clj --bench lambda`; small unless run as a bench.

use std::hint::black_box;
use std::io;
use std::sync::Arc;
use std::time::Instant;

use clj::{Cx, Host, LogLevel, Runtime, Value};
use event::{Draft, Event, Fields, Number};

/// Distinct events, so that no branch is always the same.
const EVENTS: usize = 4096;

struct Closed;

impl Host for Closed {
    fn now_ms(&self) -> i64 {
        0
    }
    fn nano_time(&self) -> i64 {
        0
    }
    fn sleep_ms(&self, _: u64) {}
    fn env(&self, _: &str) -> Option<String> {
        None
    }
    fn envs(&self) -> Vec<(String, String)> {
        Vec::new()
    }
    fn hostname(&self) -> String {
        String::new()
    }
    fn print(&self, _: &str) {}
    fn print_error(&self, _: &str) {}
    fn read_file(&self, _: &str) -> io::Result<String> {
        Err(io::ErrorKind::NotFound.into())
    }
    fn write_file(&self, _: &str, _: &str, _: bool) -> io::Result<()> {
        Err(io::ErrorKind::NotFound.into())
    }
    fn file_exists(&self, _: &str) -> bool {
        false
    }
    fn is_directory(&self, _: &str) -> bool {
        false
    }
    fn list_directory(&self, _: &str) -> io::Result<Vec<String>> {
        Ok(Vec::new())
    }
    fn find_source(&self, _: &str) -> Option<(String, String)> {
        None
    }
    fn random(&self) -> f64 {
        0.5
    }
    fn log(&self, _: LogLevel, _: &str, _: &str) {}
}

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

/// Nanoseconds a call, the best of several rounds.
fn measure(rounds: usize, calls: usize, mut call: impl FnMut(usize)) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..rounds {
        let start = Instant::now();
        for index in 0..calls {
            call(index % EVENTS);
        }
        best = best.min(start.elapsed().as_nanos() as f64 / calls as f64);
    }
    best
}

fn main() {
    let (rounds, calls) = if std::env::args().any(|arg| arg == "--bench") {
        (15, 400_000)
    } else {
        (1, EVENTS)
    };
    let start = measure(rounds, 1, |_| {
        drop(black_box(Runtime::new(Arc::new(Closed))))
    });
    println!("start  {:6.2} ms", start / 1e6);
    let rt = Runtime::new(Arc::new(Closed));
    let cx = Cx::new(&rt);
    let events = events();
    let values: Vec<Value> = events.iter().cloned().map(Value::Event).collect();
    let compiled = |source: &str| {
        rt.eval_source(&cx, "bench", source)
            .expect("the source is right")
    };
    let run = |name: &str, source: &str, rust: &dyn Fn(&Event)| {
        let function = compiled(source);
        let language = measure(rounds, calls, |index| {
            black_box(cx.call(&function, std::slice::from_ref(&values[index]))).expect("no error");
        });
        let native = measure(rounds, calls, |index| rust(&events[index]));
        println!(
            "{name:6} {language:6.1} ns  rust {native:6.1} ns  ratio {:.1}",
            language / native
        );
    };
    run("state", STATE, &|event| {
        drop(black_box(state_in_rust(event)))
    });
    run("where", WHERE, &|event| {
        black_box(where_in_rust(event));
    });
    run("let", LET, &|event| drop(black_box(let_in_rust(event))));
}
