//! Nanoseconds an event takes through common streams, in batches of 100 received events.
//!
//! `cargo bench -p cauchy-streams --bench push`; without `--bench` (as tests run it) one small round.

#[path = "../tests/pretend/mod.rs"]
mod pretend;

use std::any::Any;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use clj::{Callable, Cx, Result, Value};
use event::{Scalar, Time, View, Views};
use pretend::Pretend;
use streams::{Batch, TopLevel};

const EVENTS_PER_BATCH: usize = 100;
const SERVICES: usize = 1000;

fn main() {
    let measure = std::env::args().any(|arg| arg == "--bench");
    let rounds = if measure { 3000 } else { 3 };
    let names: Vec<String> = (0..SERVICES)
        .map(|n| format!("service number {n}"))
        .collect();
    let hosts: Vec<String> = (0..20).map(|n| format!("host-{n}.example.com")).collect();
    for (name, build) in STREAMS {
        let pretend = Pretend::new();
        let top = TopLevel::of(&build(&pretend));
        let mut best = f64::INFINITY;
        for _ in 0..if measure { 5 } else { 1 } {
            best = best.min(run(&pretend, &top, &names, &hosts, rounds));
        }
        println!("{name:40} {best:8.1} ns");
    }
}

fn run(
    pretend: &Pretend,
    top: &TopLevel,
    names: &[String],
    hosts: &[String],
    rounds: usize,
) -> f64 {
    let mut spent_ns = 0;
    for round in 0..rounds {
        let mut views = Views::new();
        for n in 0..EVENTS_PER_BATCH {
            let n = (round * EVENTS_PER_BATCH + n) * 7919;
            views.push_tag("prod");
            views.push(View {
                host: Some(&hosts[n % hosts.len()]),
                service: Some(&names[n % names.len()]),
                state: Some(if n.is_multiple_of(5) {
                    "critical"
                } else {
                    "ok"
                }),
                metric: Some(Scalar::Int(n as i64 % 100)),
                ttl: Some(Scalar::F32(60.0)),
                time: Some(Time::from_s(0)),
                ..View::default()
            });
        }
        let started = Instant::now();
        black_box(top.push(&pretend.cx(), &Batch::of_views(&views)));
        spent_ns += started.elapsed().as_nanos();
    }
    spent_ns as f64 / (rounds * EVENTS_PER_BATCH) as f64
}

type Build = fn(&Pretend) -> Vec<Value>;

const STREAMS: &[(&str, Build)] = &[
    ("nothing", |p| vec![p.make("sdo", &[])]),
    ("30 wheres on service, no child", |p| {
        (0..30).map(|n| by_service(p, n)).collect()
    }),
    ("30 wheres on state and metric", |p| {
        (0..30).map(|n| by_metric(p, n)).collect()
    }),
    ("default ttl, already there", |p| {
        vec![p.make("default", &[Value::keyword("ttl"), Value::Int(60), rate(p)])]
    }),
    ("with state", |p| {
        vec![p.make("with", &[Value::keyword("state"), "new".into(), rate(p)])]
    }),
    ("rate", |p| vec![rate(p)]),
    ("histogram", |p| vec![p.make("histogram", &[Value::Int(5)])]),
    ("by host and service, rate", |p| vec![by_both(p, "rate")]),
    ("by host and service, histogram", |p| {
        vec![by_both(p, "histogram")]
    }),
];

/// A fork for each host and service, with a stream of five seconds in it.
fn by_both(p: &Pretend, name: &str) -> Value {
    let fields = ["host", "service"].map(Value::keyword).to_vec();
    let var = p.rt.var("riemann.streams", name);
    let stream = var.and_then(|var| var.root()).expect("a stream");
    let new_fork = Value::Fn(Arc::new(NewFork(stream)));
    p.make("by-fn", &[Value::vector(fields), new_fork])
}

fn rate(p: &Pretend) -> Value {
    p.make("rate", &[Value::Int(5)])
}

fn items(values: &[Value]) -> Value {
    Value::vector(values.to_vec())
}

fn by_service(p: &Pretend, n: usize) -> Value {
    let name = Value::str(format!("service number {}", n * 10));
    let plan = items(&[Value::keyword("match"), Value::keyword("service"), name]);
    p.make("where-stream", &[plan, items(&[rate(p)]), items(&[])])
}

fn by_metric(p: &Pretend, n: usize) -> Value {
    let field = |name| items(&[Value::keyword("field"), Value::keyword(name)]);
    let constant = |value| items(&[Value::keyword("const"), value]);
    let state = items(&[
        Value::keyword("match"),
        Value::keyword("state"),
        "critical".into(),
    ]);
    let over = items(&[
        Value::keyword("compare"),
        Value::keyword(">"),
        field("metric"),
        constant(Value::Int(70 + n as i64)),
    ]);
    let plan = items(&[Value::keyword("and"), state, over]);
    p.make("where-stream", &[plan, items(&[rate(p)]), items(&[])])
}

/// Makes the children of a fork.
struct NewFork(Value);

impl Callable for NewFork {
    fn call(&self, cx: &Cx<'_>, _: &[Value]) -> Result {
        Ok(Value::vector(vec![cx.call(&self.0, &[Value::Int(5)])?]))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
