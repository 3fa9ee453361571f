//! Events and answers to messages, fields in the order of their numbers.

use event::{Attr, FieldRef, Number, Time};

use super::wire::{BYTES, FIXED32, FIXED64, HISTOGRAM_FIELD, VARINT, tag};
use crate::Entries;

/// Appends what `write` appends, after its length as a stream needs it.
///
/// ```
/// use codec::riemann::{encode_ack, frame};
/// let mut out = Vec::new();
/// frame(&mut out, encode_ack);
/// assert_eq!(out, [0, 0, 0, 2, 0x10, 0x01]);
/// ```
pub fn frame(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    write(out);
    let length = u32::try_from(out.len() - start - 4).expect("a message is below 4 GiB");
    out[start..start + 4].copy_from_slice(&length.to_be_bytes());
}

/// Appends the answer to events: `{ok: true}`.
pub fn encode_ack(out: &mut Vec<u8>) {
    put_ok(out, true);
}

/// Appends the answer to a request that failed: `{ok: false, error: …}`.
pub fn encode_error(out: &mut Vec<u8>, error: Option<&str>) {
    put_ok(out, false);
    if let Some(error) = error {
        put_text(out, 3, error);
    }
}

/// Appends the answer to a query: `{ok: true, events: […]}`.
pub fn encode_answer<'e, E: Entries + 'e>(
    out: &mut Vec<u8>,
    events: impl IntoIterator<Item = &'e E>,
) {
    put_ok(out, true);
    encode_events(out, events);
}

/// Appends a client's message of events.
pub fn encode_events<'e, E: Entries + 'e>(
    out: &mut Vec<u8>,
    events: impl IntoIterator<Item = &'e E>,
) {
    for event in events {
        put_tag(out, tag(6, BYTES));
        put_nested(out, |out| put_event(out, event));
    }
}

/// Appends a client's message of a query.
pub fn encode_query(out: &mut Vec<u8>, query: &str) {
    put_tag(out, tag(5, BYTES));
    put_nested(out, |out| put_text(out, 1, query));
}

fn put_ok(out: &mut Vec<u8>, ok: bool) {
    out.extend_from_slice(&[tag(2, VARINT) as u8, u8::from(ok)]);
}

fn put_event(out: &mut Vec<u8>, event: &impl Entries) {
    let time = event.time().or_else(|| odd_time(event));
    if let Some(time) = time {
        put_tag(out, tag(1, VARINT));
        put_varint(out, (time.us / 1_000_000) as u64);
    }
    put_field(out, 2, event.state(), event, "state");
    put_field(out, 3, event.service(), event, "service");
    put_field(out, 4, event.host(), event, "host");
    put_field(out, 5, event.description(), event, "description");
    put_tags(out, event);
    if let Some(ttl) = event.ttl() {
        put_float(out, 8, ttl.to_f64() as f32);
    }
    event.each_attr(&mut |name, value| put_attr(out, name, &value));
    if let Some(time) = time {
        put_tag(out, tag(10, VARINT));
        put_varint(out, time.us as u64);
    }
    if let Some(metric) = event.metric() {
        put_metric(out, &metric);
    } else if let Some(histogram) = event.histogram() {
        put_tag(out, tag(HISTOGRAM_FIELD, BYTES));
        put_bytes(out, histogram.bytes());
    }
}

/// A time that is a number, but none that [`Time`] holds exactly (a third of a second).
fn odd_time(event: &impl Entries) -> Option<Time> {
    match event.get("time") {
        FieldRef::Odd(Attr::Num(number)) => Time::nearest(number),
        _ => None,
    }
}

fn put_field(out: &mut Vec<u8>, number: u32, text: Option<&str>, event: &impl Entries, name: &str) {
    if let Some(text) = text {
        put_text(out, number, text);
    } else if let FieldRef::Odd(value) = event.get(name)
        && !matches!(value, Attr::Nil | Attr::Bool(false))
    {
        put_text(out, number, &value.to_text());
    }
}

fn put_tags(out: &mut Vec<u8>, event: &impl Entries) {
    if let Some(tags) = event.tags() {
        tags.for_each(|tag| put_text(out, 7, tag));
    } else if let FieldRef::Odd(Attr::List(tags)) = event.get("tags") {
        tags.iter().for_each(|tag| put_text(out, 7, &tag.to_text()));
    }
}

/// `metric_sint64` or `metric_d`, and always `metric_f` for clients that know no other.
fn put_metric(out: &mut Vec<u8>, metric: &Number) {
    match metric.as_i64() {
        Some(int) => {
            put_tag(out, tag(13, VARINT));
            put_varint(out, (int << 1 ^ int >> 63) as u64);
        }
        None => {
            put_tag(out, tag(14, FIXED64));
            out.extend_from_slice(&metric.to_f64().to_le_bytes());
        }
    }
    let float = match metric {
        Number::F32(float) => *float,
        _ => metric.to_f64() as f32,
    };
    put_float(out, 15, float);
}

fn put_attr(out: &mut Vec<u8>, name: &str, value: &FieldRef<'_>) {
    let text;
    let value = match value {
        FieldRef::Str(value) => value,
        FieldRef::Odd(Attr::Str(value)) => &**value,
        FieldRef::Odd(Attr::Nil) => return,
        FieldRef::Odd(value) => {
            text = value.to_text();
            &text
        }
        _ => return,
    };
    put_tag(out, tag(9, BYTES));
    put_nested(out, |out| {
        put_text(out, 1, name);
        put_text(out, 2, value);
    });
}

fn put_text(out: &mut Vec<u8>, number: u32, text: &str) {
    put_tag(out, tag(number, BYTES));
    put_bytes(out, text.as_bytes());
}

fn put_float(out: &mut Vec<u8>, number: u32, float: f32) {
    put_tag(out, tag(number, FIXED32));
    out.extend_from_slice(&float.to_le_bytes());
}

pub(super) fn put_tag(out: &mut Vec<u8>, tag: u32) {
    put_varint(out, u64::from(tag));
}

pub(super) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// What `write` appends, after its length: written first, then moved to make room.
fn put_nested(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.push(0);
    write(out);
    let end = out.len();
    let length = end - start - 1;
    if length < 0x80 {
        out[start] = length as u8;
        return;
    }
    put_varint(out, length as u64);
    let length_bytes = out.len() - end;
    out.truncate(end);
    out.resize(end + length_bytes - 1, 0);
    out.copy_within(start + 1..end, start + length_bytes);
    let mut rest = length;
    for byte in &mut out[start..start + length_bytes] {
        *byte = rest as u8 | 0x80;
        rest >>= 7;
    }
    out[start + length_bytes - 1] &= 0x7f;
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use event::{Draft, Event, Field, Views};
    use num_bigint::BigInt;

    use super::*;
    use crate::riemann::decode_msg;

    fn event_bytes(draft: Draft<'_>) -> Vec<u8> {
        let mut out = Vec::new();
        put_event(&mut out, &draft.build());
        out
    }

    #[test]
    fn answers_are_as_riemanns() {
        let bytes = |write: &dyn Fn(&mut Vec<u8>)| {
            let mut out = Vec::new();
            write(&mut out);
            out
        };
        assert_eq!(bytes(&|out| encode_ack(out)), [0x10, 1]);
        assert_eq!(bytes(&|out| encode_error(out, None)), [0x10, 0]);
        assert_eq!(
            bytes(&|out| encode_error(out, Some("no"))),
            [0x10, 0, 0x1a, 2, b'n', b'o']
        );
        assert_eq!(
            bytes(&|out| encode_query(out, "q")),
            [0x2a, 3, 0x0a, 1, b'q']
        );
        let none: [&Event; 0] = [];
        assert_eq!(bytes(&|out| encode_answer(out, none)), [0x10, 1]);
    }

    #[test]
    fn fields_come_in_the_order_of_their_numbers() {
        let bytes = event_bytes(Draft {
            host: Some("h".into()),
            service: Some("s".into()),
            state: Some("ok".into()),
            description: Some("d".into()),
            metric: Some(Number::Int(1)),
            tags: Some(vec!["t".into()]),
            time: Some(Time::from_us(1_500_000)),
            ttl: Some(Number::Int(5)),
            attrs: vec![("k".into(), "v".into())],
            ..Draft::record()
        });
        let expected =
            b"\x08\x01\x12\x02ok\x1a\x01s\x22\x01h\x2a\x01d\x3a\x01t\x45\x00\x00\xa0\x40\
            \x4a\x06\x0a\x01k\x12\x01v\x50\xe0\xc6\x5b\x68\x02\x7d\x00\x00\x80\x3f";
        assert_eq!(bytes, expected);
    }

    fn check_metric(metric: Number, expected: &[u8]) {
        assert_eq!(
            event_bytes(Draft {
                metric: Some(metric),
                ..Draft::plain()
            }),
            expected
        );
    }

    #[test]
    fn metrics_are_exact_integers_or_doubles() {
        let half = b"\x71\0\0\0\0\0\0\xe0\x3f\x7d\0\0\0\x3f";
        check_metric(Number::F32(0.5), half);
        check_metric(Number::Int(1).div(&Number::Int(2)).unwrap(), half);
        check_metric(
            Number::Big(Arc::new(BigInt::from(-1))),
            b"\x68\x01\x7d\0\0\x80\xbf",
        );
        let huge = Number::from_big(BigInt::from(1u128 << 64));
        check_metric(huge, b"\x71\0\0\0\0\0\0\xf0\x43\x7d\0\0\x80\x5f");
    }

    #[test]
    fn a_histogram_is_field_100() {
        let one: histogram::Histogram = [1.5].into_iter().collect();
        let mut draft = Draft::plain();
        draft.set_histogram(event::PackedHistogram::from(&one));
        assert_eq!(event_bytes(draft), b"\xa2\x06\x06\0\x01\x0f\0\0\x01");
    }

    #[test]
    fn odd_values_travel_as_text() {
        let bytes = event_bytes(Draft {
            odd_fields: vec![(Field::Host, Attr::Num(Number::Int(5)))],
            odd_attrs: vec![("n".into(), Attr::Nil), ("b".into(), Attr::Bool(true))],
            ..Draft::plain()
        });
        assert_eq!(bytes, b"\x22\x015\x4a\x09\x0a\x01b\x12\x04true");
    }

    #[test]
    fn long_events_have_long_lengths() {
        for length in [
            100, 125, 126, 127, 128, 16_381, 16_382, 16_383, 16_384, 2_097_152,
        ] {
            let service = "x".repeat(length);
            let event = Draft {
                service: Some((&*service).into()),
                ..Draft::plain()
            }
            .build();
            let mut out = vec![0x10, 0x01];
            encode_events(&mut out, [&event]);
            let mut views = Views::new();
            decode_msg(&out, Time::from_s(0), &mut views).unwrap();
            assert_eq!(views.get(0).service, Some(&*service));
        }
    }
}
