//! For every operator: events in batches have the same effect as events one by one.

#[path = "batches/operators.rs"]
mod operators;
mod pretend;

use clj::{Thrown, Value};
use event::{Event, HistogramRef, Scalar, Time, View, Views};
use operators::{Build, OPERATORS, items, metric_over};
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
    /// Where there is no other metric.
    histogram: Option<&'static [u8]>,
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
    // 3 times 1.5; zero, and 2 times -70.
    let histograms: Vec<&[u8]> = vec![&[0, 1, 15, 0, 0, 3], &[0, 2, 0, 0, 0, 1, 186, 1, 0, 2]];
    let rest = (
        prop::option::of(prop::sample::select(histograms)),
        prop::sample::select(tags),
        prop::sample::select(attrs),
        0_i64..1500,
        any::<bool>(),
    );
    (host, service, state, metric, ttl, time, rest).prop_map(
        |(host, service, state, metric, ttl, time_ms, (histogram, tags, attrs, pause_ms, last))| {
            Given {
                host,
                service,
                state,
                metric,
                histogram,
                ttl,
                time_ms,
                tags,
                attrs,
                pause_ms,
                last,
            }
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
            histogram: self
                .histogram
                .map(|bytes| HistogramRef::new(bytes).expect("a histogram")),
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
