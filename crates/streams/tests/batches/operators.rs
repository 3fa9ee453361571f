//! One of each operator, and some together.

use clj::core::regex::Regex;
use clj::{Thrown, Value};

use crate::pretend::{self, Log, Pretend, lambda};

fn key(name: &str) -> Value {
    Value::keyword(name)
}

pub fn items(values: &[Value]) -> Value {
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

pub fn metric_over(limit: i64) -> Value {
    plan("compare", &[key(">"), field("metric"), constant(limit)])
}

fn throwing_on_bad(event: &Value) -> clj::Result {
    match streams::fields::get(event, "state").as_str() {
        Some("bad") => Err(Thrown::runtime("bad state")),
        _ => Ok(event.clone()),
    }
}

pub type Build = fn(&Pretend, &Log) -> Value;

/// One of each operator, with one end.
pub const OPERATORS: &[(&str, Build)] = &[
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
    ("percentiles beyond :max", |p, log| {
        let points = items(&[Value::Int(0), Value::Double(0.5)]);
        let options = Value::map([(key("max"), 4.into_value())]);
        p.make(
            "percentiles",
            &[2.into_value(), points, options, log.end("1")],
        )
    }),
    ("histogram", |p, log| {
        p.make("histogram", &[2.into_value(), log.end("1")])
    }),
    ("merge-histograms", |p, log| {
        p.make("merge-histograms", &[2.into_value(), log.end("1")])
    }),
    ("quantiles", |p, log| {
        let points = items(&[Value::Double(0.99), Value::Double(0.5)]);
        p.make("quantiles", &[2.into_value(), points, log.end("1")])
    }),
    ("share-above", |p, log| {
        p.make(
            "share-above",
            &[2.into_value(), 1.into_value(), log.end("1")],
        )
    }),
    ("count-above", |p, log| {
        p.make(
            "count-above",
            &[2.into_value(), 1.into_value(), log.end("1")],
        )
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
