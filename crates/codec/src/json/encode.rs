//! Events to JSON.

use std::io::Write;

use event::{Attr, FieldRef, Number, Tags};

use super::HISTOGRAM;
use crate::Entries;
use crate::iso8601::Utc;

const FIELDS: [&str; 8] = [
    "host",
    "service",
    "state",
    "description",
    "metric",
    "tags",
    "time",
    "ttl",
];

/// Appends an event as one JSON object. A record has all eight fields, some `null`; a plain event
/// only the keys it has. Attributes are keys beside the fields. Times are ISO 8601; ratios are
/// doubles; infinities and NaN are strings. A metric that is a histogram is null, and the histogram
/// in base64 is beside it, as [`HISTOGRAM`].
///
/// ```
/// use event::{Draft, Number, Time};
/// let event = Draft {
///     service: Some("www".into()),
///     metric: Some(Number::F64(5.0)),
///     time: Some(Time::from_s(0)),
///     ..Draft::plain()
/// };
/// let mut out = Vec::new();
/// codec::json::event_to_json(&mut out, &event.build());
/// let expected = br#"{"service":"www","metric":5.0,"time":"1970-01-01T00:00:00.000Z"}"#;
/// assert_eq!(out, expected);
/// ```
pub fn event_to_json(out: &mut Vec<u8>, event: &impl Entries) {
    let open = out.len();
    for name in FIELDS {
        put_entry(out, name, &event.get(name));
    }
    event.each_attr(&mut |name, value| put_entry(out, name, &value));
    match out.get_mut(open) {
        Some(comma) => *comma = b'{',
        None => out.push(b'{'),
    }
    out.push(b'}');
}

/// A comma, the key and the value; nothing for an absent one.
fn put_entry(out: &mut Vec<u8>, name: &str, value: &FieldRef<'_>) {
    if matches!(value, FieldRef::Absent) {
        return;
    }
    out.push(b',');
    put_string(out, name);
    out.push(b':');
    match value {
        FieldRef::Absent | FieldRef::Nil => out.extend_from_slice(b"null"),
        FieldRef::Str(text) => put_string(out, text),
        FieldRef::Num(number) => put_number(out, number),
        FieldRef::Time(time) => put_display(out, format_args!("\"{}\"", Utc(*time))),
        FieldRef::Tags(tags) => put_tags(out, tags.clone()),
        FieldRef::Histogram(histogram) => {
            out.extend_from_slice(b"null,");
            put_string(out, HISTOGRAM);
            out.push(b':');
            put_string(out, &histogram.to_base64());
        }
        FieldRef::Odd(value) => put_attr(out, value),
    }
}

fn put_tags(out: &mut Vec<u8>, tags: Tags<'_>) {
    out.push(b'[');
    for (index, tag) in tags.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        put_string(out, tag);
    }
    out.push(b']');
}

fn put_attr(out: &mut Vec<u8>, value: &Attr) {
    match value {
        Attr::Nil => out.extend_from_slice(b"null"),
        Attr::Bool(bool) => put_display(out, format_args!("{bool}")),
        Attr::Num(number) => put_number(out, number),
        Attr::Str(text) => put_string(out, text),
        Attr::List(items) => {
            out.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                put_attr(out, item);
            }
            out.push(b']');
        }
        Attr::Map(entries) => {
            out.push(b'{');
            for (index, (key, value)) in entries.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                put_string(out, key);
                out.push(b':');
                put_attr(out, value);
            }
            out.push(b'}');
        }
        Attr::Histogram(packed) => put_string(out, &packed.as_ref().to_base64()),
        Attr::Foreign(foreign) => out.extend_from_slice(foreign.to_json().as_bytes()),
    }
}

fn put_number(out: &mut Vec<u8>, number: &Number) {
    let float = number.to_f64();
    match number {
        Number::Int(int) => put_display(out, format_args!("{int}")),
        Number::Big(big) => put_display(out, format_args!("{big}")),
        Number::Decimal(decimal) => put_display(out, format_args!("{decimal}")),
        Number::Ratio(_) => put_number(out, &Number::F64(float)),
        _ if float.is_finite() => put_display(out, format_args!("{number}")),
        _ => put_string(out, &number.to_text()),
    }
}

/// Appends a JSON string. Only quotes, backslashes and control characters are escaped.
pub fn put_string(out: &mut Vec<u8>, text: &str) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";

    out.push(b'"');
    let bytes = text.as_bytes();
    let mut plain = 0;
    for (index, byte) in bytes.iter().enumerate() {
        if *byte >= b' ' && *byte != b'"' && *byte != b'\\' {
            continue;
        }
        out.extend_from_slice(&bytes[plain..index]);
        plain = index + 1;
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', *byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x0c => out.extend_from_slice(b"\\f"),
            _ => {
                out.extend_from_slice(b"\\u00");
                out.push(HEX[usize::from(byte >> 4)]);
                out.push(HEX[usize::from(byte & 15)]);
            }
        }
    }
    out.extend_from_slice(&bytes[plain..]);
    out.push(b'"');
}

fn put_display(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // Writing to a vector cannot fail.
    let _ = out.write_fmt(text);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use event::{Draft, Event, Scalar, Time, View};
    use num_bigint::BigInt;

    use super::*;

    fn check(event: &impl Entries, expected: &str) {
        let mut out = b"x".to_vec();
        event_to_json(&mut out, event);
        assert_eq!(std::str::from_utf8(&out[1..]), Ok(expected));
    }

    #[test]
    fn a_record_has_all_fields() {
        let view = View {
            host: Some("h"),
            metric: Some(Scalar::F32(0.1)),
            ttl: Some(Scalar::F32(5.0)),
            time: Some(Time::from_us(1_366_049_218_123_000)),
            attrs: &[("k", "v")],
            ..View::default()
        };
        let expected = r#"{"host":"h","service":null,"state":null,"description":null,"metric":0.1,"tags":null,"time":"2013-04-15T18:06:58.123Z","ttl":5.0,"k":"v"}"#;
        check(&view, expected);
        check(&Event::from_view(&view), expected);
    }

    #[test]
    fn a_plain_event_has_its_keys() {
        let draft = Draft {
            state: Some("expired".into()),
            tags: Some(vec!["a".into(), "b".into()]),
            nil_fields: vec![event::Field::Metric],
            ..Draft::plain()
        };
        check(
            &draft.build(),
            r#"{"state":"expired","metric":null,"tags":["a","b"]}"#,
        );
        check(&Draft::plain().build(), "{}");
    }

    #[test]
    fn a_histogram_is_beside_a_metric_that_is_null() {
        let one: histogram::Histogram = [1.5].into_iter().collect();
        let mut draft = Draft::plain();
        draft.set_histogram(event::PackedHistogram::from(&one));
        let expected = r#"{"metric":null,"metric_histogram":"AAEPAAAB"}"#;
        check(&draft.build(), expected);
        let packed = event::HistogramRef::new(&[0, 1, 15, 0, 0, 1]).unwrap();
        let view = View {
            histogram: Some(packed),
            ..View::default()
        };
        check(&Event::from_view(&view), &expected_of(&view));
    }

    fn expected_of(view: &View<'_>) -> String {
        let mut out = Vec::new();
        event_to_json(&mut out, view);
        let text = String::from_utf8(out).unwrap();
        assert!(
            text.contains(r#""metric":null,"metric_histogram":"AAEPAAAB","tags""#),
            "{text}"
        );
        text
    }

    #[test]
    fn values_of_every_kind() {
        let list: Arc<[Attr]> = Arc::new([Attr::Nil, Attr::Bool(true), Attr::Str("x".into())]);
        let half = Number::Int(1).div(&Number::Int(2)).unwrap();
        let map: Arc<[(Arc<str>, Attr)]> = Arc::new([
            ("a".into(), Attr::Num(half)),
            ("b".into(), Attr::List(list)),
        ]);
        let draft = Draft {
            metric: Some(Number::F64(f64::NAN)),
            ttl: Some(Number::F64(f64::NEG_INFINITY)),
            odd_attrs: vec![
                ("m".into(), Attr::Map(map)),
                (
                    "n".into(),
                    Attr::Num(Number::from_big(BigInt::from(1u128 << 64))),
                ),
                ("d".into(), Attr::Num(Number::F64(1e10))),
            ],
            ..Draft::plain()
        };
        let expected = r#"{"metric":"NaN","ttl":"-Infinity","m":{"a":0.5,"b":[null,true,"x"]},"n":18446744073709551616,"d":1.0E10}"#;
        check(&draft.build(), expected);
    }

    #[test]
    fn strings_escape_no_more_than_they_must() {
        let mut out = Vec::new();
        put_string(&mut out, "a\"\\/\n\r\t\u{8}\u{c}\u{1f}é\u{7f}");
        assert_eq!(
            out,
            "\"a\\\"\\\\/\\n\\r\\t\\b\\f\\u001Fé\u{7f}\"".as_bytes()
        );
    }
}
