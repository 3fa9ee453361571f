//! For every operator: events in batches have the same effect as events one by one.

mod pretend;

use clj::core::regex::Regex;
use clj::{Thrown, Value};
use event::{Event, Scalar, Time, View, Views};
use pretend::{Log, Pretend, lambda};
use proptest::prelude::*;
use streams::children::Child;
use streams::{Batch, TopLevel};

/// An event to be received, and what passes before it.
#[derive(Clone, Debug)]
struct Given {
    host: Option<&'static str>,
    service: Option<&'static str>,
    state: Option<&'static str>,
    metric: Option<Scalar>,
    ttl: Option<f32>,
    /// Behind or ahead of the clock.
    time_ms: Option<i64>,
    tags: &'static [&'static str],
    attrs: &'static [(&'static str, &'static str)],
    /// Milliseconds that pass before; at the first event of a batch only.
    pause_ms: i64,
    /// Ends a batch.
    last: bool,
}

fn given() -> impl Strategy<Value = Given> {
    let host = prop::option::of(prop::sample::select(vec!["a", "b"]));
    let service = prop::option::of(prop::sample::select(vec!["x", "y", "z"]));
    let state = prop::option::of(prop::sample::select(vec!["ok", "bad", "expired"]));
    let metric = prop::option::of(prop_oneof![
        (-3_i64..9).prop_map(Scalar::Int),
        (-2_i32..5).prop_map(|half| Scalar::F64(f64::from(half) / 2.0)),
        Just(Scalar::F32(0.1)),
    ]);
    let ttl = prop::option::of(prop::sample::select(vec![1.0_f32, 3.5, 60.0]));
    let time = prop::option::weighted(0.8, -4000_i64..1000);
    let tags: Vec<&[&str]> = vec![&[], &["p"], &["p", "q"], &["reset"]];
    let attrs: Vec<&[(&str, &str)]> = vec![&[], &[("env", "prod")]];
    let rest = (
        prop::sample::select(tags),
        prop::sample::select(attrs),
        0_i64..1500,
        any::<bool>(),
    );
    (host, service, state, metric, ttl, time, rest).prop_map(
        |(host, service, state, metric, ttl, time_ms, (tags, attrs, pause_ms, last))| Given {
            host,
            service,
            state,
            metric,
            ttl,
            time_ms,
            tags,
            attrs,
            pause_ms,
            last,
        },
    )
}

impl Given {
    fn view(&self, now_ms: i64) -> View<'static> {
        View {
            host: self.host,
            service: self.service,
            state: self.state,
            description: None,
            metric: self.metric,
            ttl: self.ttl.map(Scalar::F32),
            time: self.time_ms.map(|ms| Time::from_us((now_ms + ms) * 1000)),
            tags: self.tags,
            attrs: self.attrs,
        }
    }
}

/// How events enter: each by itself, or as the batch they came in.
#[derive(Clone, Copy)]
enum Entering {
    OneByOne,
    Together,
}

fn run(build: fn(&Pretend, &Log) -> Value, given: &[Given], entering: Entering) -> Vec<String> {
    let pretend = Pretend::new();
    let log = Log::default();
    let top = match build(&pretend, &log) {
        Value::Vector(streams) => TopLevel::of(&streams.iter().cloned().collect::<Vec<_>>()),
        stream => TopLevel::of(&[stream]),
    };
    let mut now_ms = 0;
    let mut outcome = Vec::new();
    for batch in given.split_inclusive(|event| event.last) {
        now_ms += batch[0].pause_ms;
        pretend.advance_ms(now_ms);
        let (failed, first) = enter(&pretend, &top, batch, now_ms, entering);
        outcome.append(&mut log.take());
        outcome.push(format!("{failed} failed {first:?}"));
    }
    pretend.advance_ms(now_ms + 20_000);
    outcome.append(&mut log.take());
    let mut reports = pretend.reports.lock().clone();
    reports.sort();
    outcome.append(&mut reports);
    outcome
}

fn enter(
    pretend: &Pretend,
    top: &TopLevel,
    batch: &[Given],
    now_ms: i64,
    entering: Entering,
) -> (usize, Option<String>) {
    let cx = pretend.cx();
    match entering {
        Entering::Together => {
            let mut views = Views::new();
            for event in batch {
                event.tags.iter().for_each(|tag| views.push_tag(tag));
                event
                    .attrs
                    .iter()
                    .for_each(|(name, value)| views.push_attr(name, value));
                views.push(event.view(now_ms));
            }
            let failures = top.push(&cx, &Batch::of_views(&views));
            (
                failures.len(),
                failures.first().map(|(_, thrown)| thrown.to_string()),
            )
        }
        Entering::OneByOne => {
            let mut failures = Vec::new();
            for event in batch {
                let value = Value::Event(Event::from_view(&event.view(now_ms)));
                if let Err(thrown) = top.call(&cx, &value) {
                    failures.push(thrown.to_string());
                }
            }
            (failures.len(), failures.into_iter().next())
        }
    }
}

fn check(name: &str, build: fn(&Pretend, &Log) -> Value, given: &[Given]) {
    let one_by_one = run(build, given, Entering::OneByOne);
    let together = run(build, given, Entering::Together);
    assert_eq!(one_by_one, together, "{name}");
}

fn key(name: &str) -> Value {
    Value::keyword(name)
}

fn items(values: &[Value]) -> Value {
    Value::vector(values.to_vec())
}

/// `[:head …]`
fn plan(head: &str, rest: &[Value]) -> Value {
    let mut all = vec![key(head)];
    all.extend_from_slice(rest);
    Value::vector(all)
}

fn field(name: &str) -> Value {
    plan("field", &[key(name)])
}

fn constant(value: impl Into<Value>) -> Value {
    plan("const", &[value.into()])
}

fn is_service(name: &str) -> Value {
    plan("match", &[key("service"), Value::str(name)])
}

fn metric_over(limit: i64) -> Value {
    plan("compare", &[key(">"), field("metric"), constant(limit)])
}

fn throwing_on_bad(event: &Value) -> clj::Result {
    match streams::fields::get(event, "state").as_str() {
        Some("bad") => Err(Thrown::runtime("bad state")),
        _ => Ok(event.clone()),
    }
}

type Build = fn(&Pretend, &Log) -> Value;

/// One of each operator, with one end.
const OPERATORS: &[(&str, Build)] = &[
    ("sdo", |p, log| p.make("sdo", &[log.end("1"), log.end("2")])),
    ("smap", |p, log| {
        p.make("smap", &[lambda(throwing_on_bad), log.end("1")])
    }),
    ("smap*", |p, log| {
        p.make("smap*", &[key("metric"), log.end("1")])
    }),
    ("sreduce", |p, log| {
        p.make("sreduce", &[lambda2_last(), log.end("1")])
    }),
    ("dual", |p, log| {
        p.make("dual", &[key("metric"), log.end("1"), log.end("2")])
    }),
    ("window", |p, log| {
        p.make("moving-event-window", &[3.into_value(), log.end("1")])
    }),
    ("fixed-event-window", |p, log| {
        p.make("fixed-event-window", &[2.into_value(), log.end("1")])
    }),
    ("moving-time-window", |p, log| {
        p.make("moving-time-window", &[2.into_value(), log.end("1")])
    }),
    ("fixed-time-window", |p, log| {
        p.make("fixed-time-window", &[2.into_value(), log.end("1")])
    }),
    ("fixed-offset-time-window", |p, log| {
        p.make("fixed-offset-time-window", &[2.into_value(), log.end("1")])
    }),
    ("fold-interval", |p, log| {
        p.make(
            "fold-interval",
            &[2.into_value(), key("metric"), lambda(count), log.end("1")],
        )
    }),
    ("fill-in", |p, log| {
        p.make("fill-in", &[1.into_value(), Value::map([]), log.end("1")])
    }),
    ("fill-in-last", |p, log| {
        p.make(
            "fill-in-last",
            &[1.into_value(), Value::map([]), log.end("1")],
        )
    }),
    ("interpolate-constant", |p, log| {
        p.make("interpolate-constant", &[1.into_value(), log.end("1")])
    }),
    ("ddt-events", |p, log| p.make("ddt", &[log.end("1")])),
    ("ddt-real", |p, log| {
        p.make("ddt", &[2.into_value(), log.end("1")])
    }),
    ("rate", |p, log| {
        p.make("rate", &[2.into_value(), log.end("1")])
    }),
    ("percentiles", |p, log| {
        let points = items(&[Value::Int(0), Value::Double(0.5), Value::Int(1)]);
        p.make("percentiles", &[2.into_value(), points, log.end("1")])
    }),
    ("counter", |p, log| p.make("counter", &[log.end("1")])),
    ("mean-over-time", |p, log| {
        p.make("mean-over-time", &[log.end("1")])
    }),
    ("ewma", |p, log| {
        p.make("ewma", &[2.into_value(), log.end("1")])
    }),
    ("ewma-timeless", |p, log| {
        p.make("ewma-timeless", &[Value::Double(0.25), log.end("1")])
    }),
    ("top", |p, log| {
        let ends = (log.end("1"), log.end("2"));
        p.make(
            "top",
            &[
                2.into_value(),
                key("metric"),
                ends.0,
                ends.1,
                Value::Bool(true),
            ],
        )
    }),
    ("throttle", |p, log| {
        p.make("throttle", &[2.into_value(), 1.into_value(), log.end("1")])
    }),
    ("rollup", |p, log| {
        p.make("rollup", &[2.into_value(), 1.into_value(), log.end("1")])
    }),
    ("batch", |p, log| {
        p.make("batch", &[3.into_value(), 1.into_value(), log.end("1")])
    }),
    ("coalesce", |p, log| p.make("coalesce", &[log.end("1")])),
    ("match", |p, log| {
        p.make("match", &[key("service"), Value::str("x"), log.end("1")])
    }),
    ("tagged-all", |p, log| {
        p.make(
            "tagged-all",
            &[items(&["p".into(), "q".into()]), log.end("1")],
        )
    }),
    ("tagged-any", |p, log| {
        p.make("tagged-any", &[items(&["q".into()]), log.end("1")])
    }),
    ("expired", |p, log| p.make("expired", &[log.end("1")])),
    ("not-expired", |p, log| {
        p.make("not-expired", &[log.end("1")])
    }),
    ("over", |p, log| {
        p.make("over", &[1.into_value(), log.end("1")])
    }),
    ("under", |p, log| {
        p.make("under", &[1.into_value(), log.end("1")])
    }),
    ("with", |p, log| {
        p.make(
            "with",
            &[key("state"), "new".into(), log.end("1"), log.end("2")],
        )
    }),
    ("with nil", |p, log| {
        p.make("with", &[key("state"), Value::Nil, log.end("1")])
    }),
    ("with attr", |p, log| {
        let map = Value::map([(key("env"), "dev".into()), (key("metric"), Value::Int(5))]);
        p.make("with", &[map, log.end("1")])
    }),
    ("default", |p, log| {
        p.make("default", &[key("ttl"), Value::Int(60), log.end("1")])
    }),
    ("default map", |p, log| {
        let map = Value::map([(key("env"), "dev".into()), (key("metric"), Value::Int(5))]);
        p.make("default", &[map, log.end("1")])
    }),
    ("scale", |p, log| {
        p.make("scale", &[3.into_value(), log.end("1")])
    }),
    ("tag", |p, log| {
        p.make("tag", &[items(&["q".into(), "r".into()]), log.end("1")])
    }),
    ("untag", |p, log| {
        p.make("untag", &["p".into(), log.end("1")])
    }),
    ("changed", |p, log| {
        p.make("changed", &[key("state"), log.end("1")])
    }),
    ("runs", |p, log| {
        p.make("runs", &[2.into_value(), key("state"), log.end("1")])
    }),
    ("stable", |p, log| {
        p.make("stable", &[1.into_value(), key("state"), log.end("1")])
    }),
    ("project", |p, log| {
        let plans = items(&[is_service("x"), is_service("y")]);
        p.make("project-stream", &[plans, items(&[log.end("1")])])
    }),
    ("clock-skew", |p, log| p.make("clock-skew", &[log.end("1")])),
    ("predict-linear", |p, log| {
        p.make(
            "predict-linear",
            &[4.into_value(), 10.into_value(), log.end("1")],
        )
    }),
    ("exception-stream", |p, log| {
        let thrower = p.make("smap", &[lambda(throwing_on_bad), log.end("1")]);
        p.make("exception-stream*", &[log.end("2"), items(&[thrower])])
    }),
    ("split", |p, log| {
        let clauses = items(&[metric_over(3), log.end("1"), is_service("x"), log.end("2")]);
        p.make("split-stream", &[clauses, log.end("3")])
    }),
    ("by", |p, log| {
        let fields = items(&[key("host"), key("service")]);
        p.make("by-fn", &[fields, by_counter(p, log, false)])
    }),
    ("by quiet", |p, log| {
        p.make("by-fn", &[key("host"), by_counter(p, log, true)])
    }),
    ("where", |p, log| {
        let either = items(&[log.end("2")]);
        p.make(
            "where-stream",
            &[metric_over(2), items(&[log.end("1")]), either],
        )
    }),
    ("where and or not", |p, log| {
        let not = plan("not", &[plan("nil", &[field("metric")])]);
        let prod = plan("equal", &[field("env"), constant("prod")]);
        let and = plan("and", &[not, metric_over(0)]);
        let pred = plan("or", &[and, prod, plan("tagged-any", &["q".into()])]);
        p.make("where-stream", &[pred, items(&[log.end("1")]), items(&[])])
    }),
    ("many wheres", |p, log| {
        p.make("sdo", &many_wheres(p, &|name| log.end(name)))
    }),
    ("one that throws among many wheres", |p, log| {
        let mut all = many_wheres(p, &|name| log.end(name));
        all.push(p.make("smap", &[lambda(throwing_on_bad), log.end("smap")]));
        p.make("sdo", &all)
    }),
    ("many wheres below a map", |p, log| {
        let mut args = vec![lambda(throwing_on_bad)];
        args.extend(many_wheres(p, &|name| log.end(name)));
        args.push(p.make("smap", &[lambda(throwing_on_bad), log.end("smap")]));
        p.make("smap", &args)
    }),
    ("many wheres on top", |p, log| {
        items(&many_wheres(p, &|name| log.end(name)))
    }),
    ("many wheres, one watched", |p, log| {
        let mut all = many_wheres(p, &|name| match name {
            "4" | "else" => log.end(name),
            _ => log.quiet_end(name),
        });
        all.push(log.quiet_end("all"));
        items(&all)
    }),
    ("many quiet wheres", |p, log| {
        let mut all = many_wheres(p, &|name| log.quiet_end(name));
        all.insert(
            0,
            p.make(
                "default",
                &[key("ttl"), Value::Int(60), log.quiet_end("ttl")],
            ),
        );
        p.make("sdo", &all)
    }),
    ("with below with", |p, log| {
        let inner = p.make("default", &[key("ttl"), Value::Int(9), log.end("1")]);
        let map = Value::map([(key("host"), "c".into()), (key("time"), Value::Int(3))]);
        p.make("with", &[map, inner, log.end("2")])
    }),
    ("siblings", |p, log| {
        let services = ["x", "y"].map(|name| {
            let quiet = items(&[log.quiet_end("quiet")]);
            p.make("where-stream", &[is_service(name), quiet, items(&[])])
        });
        let [first, second] = services;
        let loud = p.make("expired", &[log.end("loud")]);
        p.make(
            "sdo",
            &[first, loud, p.make("rate", &[1.into_value(), second])],
        )
    }),
];

fn regex(source: &str) -> Value {
    plan(
        "match",
        &[
            key("service"),
            Value::object(Regex::new(source).expect("an expression")),
        ],
    )
}

/// Siblings enough to be looked up, with tests of every kind.
fn many_wheres(p: &Pretend, end: &dyn Fn(&'static str) -> Value) -> Vec<Value> {
    let set = Value::Set(["y", "z"].map(Value::str).into_iter().collect());
    let state = |name: &str| plan("match", &[key("state"), Value::str(name)]);
    let env = plan("equal", &[field("env"), constant("prod")]);
    let is_z = plan("equal", &[constant("z"), field("service")]);
    let tests = [
        ("1", is_service("x")),
        ("2", plan("or", &[is_service("x"), is_service("y")])),
        ("3", regex("^x")),
        ("4", regex("[yz]")),
        ("5", plan("match", &[key("service"), set])),
        ("6", plan("not", &[is_service("z")])),
        ("7", plan("nil", &[field("service")])),
        ("8", plan("and", &[is_service("x"), metric_over(1)])),
        ("9", plan("and", &[metric_over(1), is_service("x")])),
        ("10", plan("and", &[state("ok"), is_z, env])),
        ("11", state("expired")),
        ("12", plan("expired", &[])),
        (
            "13",
            plan("and", &[is_service("y"), plan("not", &[state("bad")])]),
        ),
    ];
    let stream = |(name, test): (&'static str, Value)| {
        let otherwise = if matches!(name, "2" | "8" | "12") {
            items(&[end("else")])
        } else {
            items(&[])
        };
        p.make("where-stream", &[test, items(&[end(name)]), otherwise])
    };
    tests.into_iter().map(stream).collect()
}

trait IntoValue {
    fn into_value(self) -> Value;
}

impl IntoValue for i64 {
    fn into_value(self) -> Value {
        Value::Int(self)
    }
}

fn count(values: &Value) -> clj::Result {
    Ok(Value::Int(clj::seq::to_vec(values)?.len() as i64))
}

/// A function of two arguments that gives one of them.
fn lambda2_last() -> Value {
    struct Last;
    impl clj::Callable for Last {
        fn call(&self, _: &clj::Cx<'_>, args: &[Value]) -> clj::Result {
            Ok(Value::vector(vec![
                Value::Int(args.len() as i64),
                args[1].clone(),
            ]))
        }
        fn as_any(&self) -> &dyn std::any::Any {
            self
        }
    }
    Value::Fn(std::sync::Arc::new(Last))
}

/// Builds a counter for each fork.
fn by_counter(pretend: &Pretend, log: &Log, quiet: bool) -> Value {
    let end = if quiet {
        log.quiet_end("fork")
    } else {
        log.end("fork")
    };
    pretend::building("counter", pretend, end)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_operator_takes_batches_as_it_takes_events(
        given in prop::collection::vec(given(), 1..40),
    ) {
        for (name, build) in OPERATORS {
            match *name {
                "by quiet" | "siblings" | "many quiet wheres" | "many wheres, one watched" => {
                    check_each_end(name, *build, &given);
                }
                _ => check(name, *build, &given),
            }
        }
    }
}

/// As `check`, for what may reach different ends in another order: each end by itself.
fn check_each_end(name: &str, build: Build, given: &[Given]) {
    let sorted = |entering| {
        let mut outcome = run(build, given, entering);
        outcome.sort();
        outcome
    };
    assert_eq!(
        sorted(Entering::OneByOne),
        sorted(Entering::Together),
        "{name}"
    );
}

#[test]
fn a_stream_that_throws_at_the_top_stops_its_event_only() {
    let pretend = Pretend::new();
    let log = Log::default();
    let thrower = pretend.make("where-stream", &[metric_over(1), items(&[]), items(&[])]);
    let top = TopLevel::of(&[thrower, log.end("1")]);
    let views: Vec<View<'_>> = [Some(1), None, Some(3)]
        .map(|metric| View {
            metric: metric.map(Scalar::Int),
            ..View::default()
        })
        .into();
    let mut batch = Views::new();
    views.into_iter().for_each(|view| batch.push(view));
    let failures = top.push(&pretend.cx(), &Batch::of_views(&batch));
    assert_eq!(failures.len(), 1);
    assert_eq!(failures[0].1.class(), "java.lang.NullPointerException");
    assert_eq!(log.take().len(), 2);
}

#[test]
fn what_a_child_throws_is_reported_and_the_next_child_called() {
    let pretend = Pretend::new();
    let log = Log::default();
    let thrower = lambda(|_| Err(Thrown::runtime("no")));
    let stream = pretend.make("sdo", &[thrower, log.end("1")]);
    assert_eq!(
        pretend.send(&stream, &Value::Int(5)).unwrap(),
        Value::Bool(true)
    );
    assert_eq!(log.take(), ["1 5"]);
    assert_eq!(
        *pretend.reports.lock(),
        ["fn threw java.lang.RuntimeException: no"]
    );
    assert_eq!(Child::of(&stream).name(), "sdo");
}
