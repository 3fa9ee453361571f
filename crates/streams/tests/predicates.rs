//! A predicate gives the same, or throws the same, wherever the event lies.

mod pretend;

use clj::{Value, event_value};
use event::{Event, HistogramRef, Scalar, Time, View, Views};
use pretend::Pretend;
use proptest::prelude::*;
use streams::predicate::{Subject, of_plan};
use streams::{Batch, Selection};

fn plan(head: &str, rest: Vec<Value>) -> Value {
    let mut all = vec![Value::keyword(head)];
    all.extend(rest);
    Value::vector(all)
}

fn key() -> impl Strategy<Value = Value> {
    let names = vec![
        "host",
        "service",
        "state",
        "description",
        "metric",
        "tags",
        "time",
        "ttl",
        "env",
    ];
    prop::sample::select(names).prop_map(Value::keyword)
}

fn constant() -> impl Strategy<Value = Value> {
    let set = Value::Set([Value::str("a"), Value::str("b")].into_iter().collect());
    prop::sample::select(vec![
        Value::Nil,
        Value::Bool(true),
        Value::Int(1),
        Value::Int(0),
        Value::Double(1.0),
        Value::Double(f64::NAN),
        Value::Float(0.1),
        Value::str("a"),
        Value::str("b"),
        Value::keyword("a"),
        Value::vector(vec!["a".into(), "b".into()]),
        set,
    ])
}

fn operand() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => key().prop_map(|key| plan("field", vec![key])),
        1 => constant().prop_map(|value| plan("const", vec![value])),
    ]
}

fn leaf() -> impl Strategy<Value = Value> {
    let tags = prop::sample::select(vec!["a", "b", "c"]).prop_map(Value::str);
    let how = prop::sample::select(vec!["<", "<=", ">", ">="]).prop_map(Value::keyword);
    prop_oneof![
        (key(), constant()).prop_map(|(key, value)| plan("match", vec![key, value])),
        (how, operand(), operand()).prop_map(|(how, a, b)| plan("compare", vec![how, a, b])),
        (operand(), operand()).prop_map(|(a, b)| plan("equal", vec![a, b])),
        operand().prop_map(|a| plan("nil", vec![a])),
        operand().prop_map(|a| plan("just", vec![a])),
        tags.clone().prop_map(|tag| plan("tagged-all", vec![tag])),
        (tags.clone(), tags).prop_map(|(a, b)| plan("tagged-any", vec![Value::vector(vec![a, b])])),
        Just(plan("expired", vec![])),
    ]
}

fn predicate() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(|all| plan("and", all)),
            prop::collection::vec(inner.clone(), 0..3).prop_map(|any| plan("or", any)),
            inner.prop_map(|one| plan("not", vec![one])),
        ]
    })
}

fn view() -> impl Strategy<Value = View<'static>> {
    let text = || prop::option::of(prop::sample::select(vec!["a", "b", "expired", ""]));
    let metric = prop::option::of(prop_oneof![
        (0_i64..3).prop_map(Scalar::Int),
        Just(Scalar::F64(1.0)),
        Just(Scalar::F64(f64::NAN)),
        Just(Scalar::F32(0.1)),
    ]);
    let tags: Vec<&[&str]> = vec![&[], &["a"], &["b", "a"]];
    let attrs: Vec<&[(&str, &str)]> = vec![&[], &[("env", "a")]];
    let time = prop::option::of(prop::sample::select(vec![0_i64, 40, 100]));
    let ttl = prop::option::of(prop::sample::select(vec![1.0_f32, 60.0]));
    let packed = HistogramRef::new(&[0, 1, 15, 0, 0, 3]).expect("a histogram");
    let rest = (
        prop::option::of(Just(packed)),
        prop::sample::select(tags),
        prop::sample::select(attrs),
        time,
        ttl,
    );
    (text(), text(), text(), metric, rest).prop_map(
        |(host, service, state, metric, (histogram, tags, attrs, time, ttl))| View {
            host,
            service,
            state,
            description: None,
            metric,
            histogram,
            ttl: ttl.map(Scalar::F32),
            time: time.map(Time::from_s),
            tags,
            attrs,
        },
    )
}

proptest! {
    #[test]
    fn the_same_of_views_events_and_maps(form in predicate(), view in view()) {
        let pretend = Pretend::new();
        pretend.advance_ms(101_000);
        let cx = pretend.cx();
        let pred = of_plan(&form).unwrap();
        let mut views = Views::new();
        view.tags.iter().for_each(|tag| views.push_tag(tag));
        view.attrs.iter().for_each(|(name, value)| views.push_attr(name, value));
        views.push(view);
        let batch = Batch::of_views(&views);
        let event = Event::from_view(&view);
        let map = Value::Map(event_value::to_map(&event));
        let event = Value::Event(event);
        let subjects = [batch.subject(0), Subject::Value(&event), Subject::Value(&map)];
        let answers = subjects.each_ref().map(|subject| {
            let value = pred.value(&cx, subject).map(|value| value.to_readable());
            let test = pred.test(&cx, subject);
            (value.map_err(|t| t.to_string()), test.map_err(|t| t.to_string()))
        });
        prop_assert_eq!(&answers[0], &answers[1], "view and event: {:?}", &form);
        prop_assert_eq!(&answers[0], &answers[2], "view and map: {:?}", &form);
        let truthy = pred.value(&cx, &subjects[1]).map(|value| value.truthy());
        prop_assert_eq!(truthy.map_err(|t| t.to_string()), answers[0].1.clone());
    }

    #[test]
    fn choosing_from_a_batch_is_testing_each(
        form in predicate(),
        given in prop::collection::vec(view(), 1..8),
    ) {
        let pretend = Pretend::new();
        pretend.advance_ms(101_000);
        let cx = pretend.cx();
        let pred = of_plan(&form).unwrap();
        let mut views = Views::new();
        for view in &given {
            view.tags.iter().for_each(|tag| views.push_tag(tag));
            view.attrs.iter().for_each(|(name, value)| views.push_attr(name, value));
            views.push(*view);
        }
        let batch = Batch::of_views(&views);
        let mut failed = Vec::new();
        let mut fail = |index, thrown: clj::Thrown| failed.push((index, thrown.to_string()));
        let chosen = pred.select(&cx, &batch, &Selection::first(given.len()), &mut fail);
        failed.sort();
        let tests = (0..given.len()).map(|index| (index, pred.test(&cx, &batch.subject(index))));
        let (mut holds, mut throws) = (Vec::new(), Vec::new());
        for (index, test) in tests {
            match test {
                Ok(true) => holds.push(index),
                Ok(false) => {}
                Err(thrown) => throws.push((index, thrown.to_string())),
            }
        }
        prop_assert_eq!(chosen.iter().collect::<Vec<_>>(), holds, "{:?}", &form);
        prop_assert_eq!(failed, throws, "{:?}", &form);
    }
}
