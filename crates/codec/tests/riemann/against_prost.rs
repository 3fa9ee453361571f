//! Accepts what prost accepts, and reads the same out of it.
//!
//! Known differences, each as protobuf's own Java code has it and each checked below: an invalid
//! string is repaired, not refused; a field of the wrong wire type is skipped, not refused; an
//! attribute without a key is refused. The strings of ignored states are not looked at.

use codec::riemann::{DecodeError, decode_msg, repair_msg};
use event::{Scalar, Time, View, Views};
use histogram::Histogram;
use proptest::prelude::*;
use prost::Message;

use crate::schema::{self, Msg};
use crate::wire_tree::{self, Field, Value};

const NOW: Time = Time {
    us: 7,
    kind: event::TimeKind::Ratio,
};

/// What an event says, in a form that both sides give.
#[derive(Debug, PartialEq)]
struct Plain {
    strings: [Option<String>; 4],
    tags: Vec<String>,
    attrs: Vec<(String, String)>,
    time: (i64, event::TimeKind),
    ttl: Option<u32>,
    metric: Option<String>,
}

fn scalar(metric: Option<Scalar>) -> Option<String> {
    metric.map(|metric| match metric {
        Scalar::F64(float) => format!("F64 {}", float.to_bits()),
        Scalar::F32(float) => format!("F32 {}", float.to_bits()),
        Scalar::Int(int) => format!("Int {int}"),
    })
}

fn from_view(view: &View<'_>) -> Plain {
    let own = |text: Option<&str>| text.map(str::to_owned);
    let mut attrs: Vec<_> = view
        .attrs
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .collect();
    attrs.sort();
    let time = view.time.unwrap();
    Plain {
        strings: [
            own(view.host),
            own(view.service),
            own(view.state),
            own(view.description),
        ],
        tags: view.tags.iter().map(ToString::to_string).collect(),
        attrs,
        time: (time.us, time.kind),
        ttl: view.ttl.map(|ttl| match ttl {
            Scalar::F32(seconds) => seconds.to_bits(),
            other => panic!("{other:?} is not what the wire holds"),
        }),
        metric: match view.histogram {
            Some(histogram) => Some(format!("{:?}", histogram.unpack())),
            None => scalar(view.metric),
        },
    }
}

/// Riemann's rules, written as plainly as can be over what prost decoded.
fn from_prost(event: &schema::Event) -> Plain {
    let mut strings = [
        &event.host,
        &event.service,
        &event.state,
        &event.description,
    ]
    .map(Clone::clone);
    let mut attrs = std::collections::BTreeMap::new();
    for attribute in &event.attributes {
        let value = attribute.value.clone().unwrap_or_default();
        match attribute.key.as_deref().unwrap() {
            "host" => strings[0] = Some(value),
            "service" => strings[1] = Some(value),
            "state" => strings[2] = Some(value),
            "description" => strings[3] = Some(value),
            "tags" | "time" | "ttl" | "metric" => {}
            key => drop(attrs.insert(key.to_owned(), value)),
        }
    }
    let time = match (event.time_micros, event.time) {
        (Some(us), _) => Time::from_us(us),
        (None, Some(s)) => Time::from_s(s),
        (None, None) => NOW,
    };
    let metric = event.metric_sint64.map(Scalar::Int);
    let metric = metric
        .or(event.metric_d.map(Scalar::F64))
        .or(event.metric_f.map(Scalar::F32));
    Plain {
        strings,
        tags: event.tags.clone(),
        attrs: attrs.into_iter().collect(),
        time: (time.us, time.kind),
        ttl: event.ttl.map(f32::to_bits),
        metric: match &event.metric_histogram {
            Some(bytes) => Some(format!("{:?}", Histogram::decode(bytes).unwrap())),
            None => scalar(metric),
        },
    }
}

fn keyless(msg: &Msg) -> bool {
    msg.events
        .iter()
        .flat_map(|event| &event.attributes)
        .any(|attr| attr.key.is_none())
}

fn misbinned(msg: &Msg) -> bool {
    let mut histograms = msg.events.iter().flat_map(|event| &event.metric_histogram);
    histograms.any(|bytes| Histogram::decode(bytes).is_err())
}

/// Decodes with both; panics where they disagree. True if the message was accepted.
fn check(bytes: &[u8]) -> bool {
    let mut views = Views::new();
    let ours = decode_msg(bytes, NOW, &mut views);
    match (Msg::decode(bytes), ours) {
        (Ok(msg), Err(DecodeError::MissingKey)) => {
            assert!(keyless(&msg));
            false
        }
        (Ok(msg), Err(DecodeError::Histogram(_))) => {
            assert!(misbinned(&msg));
            false
        }
        (Ok(msg), ours) => {
            let head = ours.unwrap();
            assert!(!keyless(&msg));
            let events: Vec<_> = views.iter().map(|view| from_view(&view)).collect();
            assert_eq!(
                events,
                msg.events.iter().map(from_prost).collect::<Vec<_>>()
            );
            assert_eq!((head.ok, head.error), (msg.ok, msg.error.as_deref()));
            assert_eq!(head.query, msg.query.as_ref().map(schema::Query::string));
            assert_eq!(
                (head.events, head.states),
                (msg.events.len(), msg.states.len())
            );
            true
        }
        (Err(refusal), Ok(_)) => {
            let refusal = refusal.to_string();
            let known = ["invalid wire type", "Msg.states: invalid string"];
            assert!(known.iter().any(|text| refusal.contains(text)), "{refusal}");
            true
        }
        (Err(_), Err(_)) => {
            assert!(views.is_empty());
            false
        }
    }
}

/// The wire type that a field of the schema has; `None` for an unknown field. The second is the
/// level below, if it is a message.
fn known(level: &str, number: u32) -> Option<(u8, Option<&'static str>)> {
    Some(match (level, number) {
        ("msg", 2) | ("event" | "state", 1) | ("event", 10 | 13) | ("state", 6) => (0, None),
        ("event", 14) => (1, None),
        ("msg", 3) | ("query", 1) | ("attribute", 1 | 2) => (2, None),
        ("event" | "state", 2..=5 | 7) => (2, None),
        ("msg", 4) => (2, Some("state")),
        ("msg", 5) => (2, Some("query")),
        ("msg", 6) => (2, Some("event")),
        ("event", 100) => (2, None),
        ("event", 9) => (2, Some("attribute")),
        ("event", 8 | 15) | ("state", 8) => (5, None),
        _ => return None,
    })
}

/// The message without the fields whose wire type is not the schema's.
fn without_misfits(level: &str, fields: &[Field]) -> Vec<Field> {
    let keep = |field: &Field| {
        let wire_type = match field.value {
            Value::Varint(_) => 0,
            Value::Fixed64(_) => 1,
            Value::Bytes(_) | Value::Nested(_) => 2,
            Value::Group(_) => 3,
            Value::Fixed32(_) => 5,
        };
        match (known(level, field.number), &field.value) {
            (None, _) => Some(field.clone()),
            (Some((expected, _)), _) if expected != wire_type => None,
            (Some((_, Some(below))), Value::Nested(inner)) => {
                let value = Value::Nested(without_misfits(below, inner));
                Some(Field {
                    number: field.number,
                    value,
                })
            }
            _ => Some(field.clone()),
        }
    };
    fields.iter().filter_map(keep).collect()
}

fn views_of(bytes: &[u8]) -> Result<Vec<Plain>, DecodeError> {
    let mut views = Views::new();
    decode_msg(bytes, NOW, &mut views)?;
    Ok(views.iter().map(|view| from_view(&view)).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn messages_of_any_shape(message in wire_tree::message()) {
        check(&wire_tree::bytes(&message));
    }

    #[test]
    fn misfits_are_skipped(message in wire_tree::message()) {
        let with = wire_tree::bytes(&message);
        let without = wire_tree::bytes(&without_misfits("msg", &message));
        let (with, without) = (repair_msg(&with), repair_msg(&without));
        // A nested field that is bytes may itself hold misfits, which stay in: refused by both.
        prop_assert_eq!(views_of(&with), views_of(&without));
        check(&without);
    }

    #[test]
    fn changed_and_cut_messages(
        message in wire_tree::message(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = wire_tree::bytes(&message);
        bytes.push(0);
        let end = bytes.len() - 1;
        for (index, byte) in changes {
            let index = index.index(bytes.len());
            bytes[index] = byte;
        }
        check(&bytes[..end]);
        check(&bytes[..cut.index(bytes.len())]);
    }

    #[test]
    fn arbitrary_bytes(bytes: Vec<u8>) {
        check(&bytes);
        check(&repair_msg(&bytes));
    }

    #[test]
    fn repaired_messages_have_no_bad_strings(message in wire_tree::message()) {
        let repaired = repair_msg(&wire_tree::bytes(&message));
        let result = decode_msg(&repaired, NOW, &mut Views::new()).map(drop);
        prop_assert_ne!(result, Err(DecodeError::Utf8));
    }
}

#[test]
fn checks_can_tell_acceptance() {
    assert!(!check(b"\x32\x03\x22\x01"));
    assert!(check(b"\x32\x03\x22\x01a"));
}
