use proptest::prelude::*;

use super::*;

fn metric() -> impl Strategy<Value = Scalar> {
    prop_oneof![
        (-3_i64..4).prop_map(Scalar::Int),
        any::<i64>().prop_map(Scalar::Int),
        prop::sample::select(vec![-0.0, 0.0, 1.5, f64::NAN, f64::INFINITY]).prop_map(Scalar::F64),
        any::<f64>().prop_map(Scalar::F64),
        any::<f32>().prop_map(Scalar::F32),
    ]
}

type Given = (Option<Scalar>, usize, Option<i64>, bool);

/// Events that differ in state, some of them given as owned ones.
fn given() -> impl Strategy<Value = Vec<Given>> {
    let event = (
        prop::option::weighted(0.9, metric()),
        0..40_usize,
        prop::option::weighted(0.9, any::<i64>()),
        prop::bool::weighted(0.1),
    );
    prop::collection::vec(event, 0..200)
}

/// The latest `max` come out by rank.
fn check(given: &[Given], max: usize) {
    let states: Vec<String> = (0..40).map(|n| format!("state {n}")).collect();
    let mut samples = Samples::default();
    let mut sorted = Vec::new();
    for (metric, state, time, owned) in given {
        let view = View {
            state: Some(&states[*state]),
            metric: *metric,
            ttl: Some(Scalar::Int(60)),
            time: time.map(Time::from_us),
            tags: &["a", "b"],
            attrs: &[("k", "v")],
            ..View::default()
        };
        let event = Event::from_view(&view);
        match metric {
            Some(metric) if *owned => samples.push(Value::Event(event.clone()), (*metric).into()),
            _ => samples.push_view(&view),
        }
        sorted.extend(metric.map(|metric| (Number::from(metric), event)));
        if samples.len() > max {
            samples.drop_first();
            sorted.remove(0);
        }
    }
    assert_eq!(samples.len(), sorted.len());
    sorted.sort_by(|a, b| by_number(&a.0, &b.0));
    let ranks: Vec<usize> = (0..sorted.len()).rev().chain(0..sorted.len()).collect();
    let text = |event: &Event| format!("{event:?}");
    let expected: Vec<String> = ranks.iter().map(|rank| text(&sorted[*rank].1)).collect();
    let found: Vec<String> = samples
        .at_ranks(&ranks)
        .iter()
        .map(|value| match value {
            Value::Event(event) => text(event),
            other => other.to_readable(),
        })
        .collect();
    assert_eq!(found, expected);
}

proptest! {
    #[test]
    fn events_come_out_by_rank_as_they_went_in(given in given(), max in 1..200_usize) {
        // Integers and floats compare as floats, which is no order where they are great.
        let is_int = |given: &Given| matches!(given.0, Some(Scalar::Int(_)));
        let (ints, floats): (Vec<Given>, Vec<Given>) = given.into_iter().partition(is_int);
        check(&ints, max);
        check(&floats, max);
    }
}

#[test]
fn a_row_is_a_few_bytes() {
    let mut samples = Samples::default();
    for number in 0..1000 {
        samples.push_view(&View {
            service: Some("www"),
            metric: Some(Scalar::F64(f64::from(number) / 8.0)),
            time: Some(Time::from_us(
                1_700_000_000_000_000 + i64::from(number) * 500,
            )),
            ..View::default()
        });
    }
    let bytes: usize = samples.pieces.iter().map(Vec::capacity).sum();
    assert!(bytes < 10_000, "{bytes} bytes");
}
