//! What is encoded decodes to the same event, with our decoder and with prost.

use std::borrow::Cow;

use codec::riemann::{
    Frames, decode_msg, encode_answer, encode_error, encode_events, encode_query, frame,
};
use event::{Draft, Event, Fields, Number, PackedHistogram, Scalar, Time, View, Views};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use prost::Message;

use crate::schema::Msg;

const NOW: Time = Time {
    us: 0,
    kind: event::TimeKind::Int,
};

fn text() -> impl Strategy<Value = Option<Cow<'static, str>>> {
    option::of(prop_oneof![".{0,12}", ".{120,140}"].prop_map(Cow::Owned))
}

fn metric() -> impl Strategy<Value = Option<Number>> {
    let float = prop_oneof![any::<f64>(), Just(0.1)];
    option::of(prop_oneof![
        any::<i64>().prop_map(Number::Int),
        float.prop_map(Number::F64)
    ])
}

fn histogram() -> impl Strategy<Value = Option<PackedHistogram>> {
    let histogram = vec(any::<f64>(), 0..20)
        .prop_map(|numbers| PackedHistogram::from(&numbers.into_iter().collect()));
    option::of(histogram)
}

/// Records that the wire can carry without loss: microsecond times, float ttls, tags if any.
fn event() -> impl Strategy<Value = Event> {
    let attrs = proptest::collection::btree_map("[a-z]{9,12}", ".{0,9}", 0..20);
    let tags = option::of(vec(".{0,9}".prop_map(Cow::Owned), 1..4));
    let numbers = (
        metric(),
        histogram(),
        any::<i64>(),
        option::of(-1e9f32..1e9),
    );
    (text(), text(), text(), text(), tags, attrs, numbers).prop_map(
        |(host, service, state, description, tags, attrs, (metric, histogram, us, ttl))| {
            let mut draft = Draft {
                host,
                service,
                state,
                description,
                metric,
                tags,
                time: Some(Time::from_us(us)),
                ttl: ttl.map(Number::F32),
                attrs: attrs
                    .into_iter()
                    .map(|(k, v)| (k.into(), v.into()))
                    .collect(),
                ..Draft::record()
            };
            if let Some(histogram) = histogram {
                draft.set_histogram(histogram);
            }
            draft.build()
        },
    )
}

proptest! {
    #[test]
    fn events_come_back(events in vec(event(), 0..5)) {
        let mut bytes = Vec::new();
        encode_events(&mut bytes, &events);
        let mut views = Views::new();
        let head = decode_msg(&bytes, NOW, &mut views).unwrap();
        prop_assert_eq!(head.events, events.len());
        let back: Vec<Event> = views.iter().map(|view| Event::from_view(&view)).collect();
        prop_assert_eq!(&back, &events);

        let mut again = Vec::new();
        let views: Vec<View<'_>> = views.iter().collect();
        encode_events(&mut again, &views);
        prop_assert_eq!(&again, &bytes);
    }

    /// Both write fields in the order of their numbers, so that not a byte differs.
    #[test]
    fn bytes_are_those_of_prost(events in vec(event(), 0..5)) {
        let mut bytes = Vec::new();
        encode_answer(&mut bytes, &events);
        let msg = Msg::decode(&*bytes).unwrap();
        prop_assert_eq!(msg.encode_to_vec(), bytes);
        for (event, decoded) in events.iter().zip(&msg.events) {
            prop_assert_eq!(event.host(), decoded.host.as_deref());
            prop_assert_eq!(event.time().map(|time| time.us), decoded.time_micros);
            prop_assert_eq!(decoded.time, decoded.time_micros.map(|us| us / 1_000_000));
            prop_assert_eq!(decoded.metric_f.is_some(), event.metric().is_some());
            let packed = event.histogram().map(|histogram| histogram.bytes());
            prop_assert_eq!(packed, decoded.metric_histogram.as_deref());
        }
    }

    #[test]
    fn queries_and_errors_come_back(query in ".{0,300}", error in option::of(".{0,300}")) {
        let mut bytes = Vec::new();
        frame(&mut bytes, |out| encode_query(out, &query));
        frame(&mut bytes, |out| encode_error(out, error.as_deref()));
        let frames: Vec<&[u8]> = Frames::new(&bytes, 4096).map(Result::unwrap).collect();
        let mut views = Views::new();
        let request = decode_msg(frames[0], NOW, &mut views).unwrap();
        let answer = decode_msg(frames[1], NOW, &mut views).unwrap();
        prop_assert_eq!(request.query, Some(&*query));
        prop_assert_eq!((answer.ok, answer.error), (Some(false), error.as_deref()));
    }

    #[test]
    fn frames_never_panic(bytes: Vec<u8>, limit in 0..300usize) {
        let mut frames = Frames::new(&bytes, limit);
        let complete: usize = frames.by_ref().map_while(Result::ok).map(|f| f.len() + 4).sum();
        prop_assert_eq!(frames.consumed(), complete);
    }
}

#[test]
fn floats_become_doubles_of_the_same_value() {
    let view = View {
        metric: Some(Scalar::F32(0.1)),
        ..View::default()
    };
    let mut bytes = Vec::new();
    encode_events(&mut bytes, [&view]);
    let event = &Msg::decode(&*bytes).unwrap().events[0];
    assert_eq!(
        (event.metric_f, event.metric_d),
        (Some(0.1), Some(f64::from(0.1f32)))
    );
}
