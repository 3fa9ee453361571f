//! JSON to events.

use std::borrow::Cow;
use std::sync::Arc;

use event::{Attr, Draft, Event, Field, Number, PackedHistogram, Time};
use histogram::{Histogram, TextError};
use num_bigint::BigInt;
use serde_json::Value;
use thiserror::Error;

use super::HISTOGRAM;
use crate::iso8601;

/// Digits of a number: reading a longer one costs the square of its length.
const NUMBER_CHARS_MAX: usize = 1000;

/// Why a text is not an event.
#[derive(Debug, Error)]
pub enum JsonError {
    #[error("invalid JSON: {0}")]
    Syntax(#[from] serde_json::Error),
    #[error("an event must be a JSON object")]
    NotAnObject,
    #[error("a number has more than {NUMBER_CHARS_MAX} characters")]
    LongNumber,
    #[error("Invalid format: \"{0}\"")]
    TimeFormat(String),
    #[error("time must be a string in ISO 8601, a number of seconds, or null")]
    TimeKind,
    #[error("time is out of range")]
    TimeRange,
    #[error("{HISTOGRAM}: {0}")]
    Histogram(#[from] TextError),
}

/// Reads a JSON object as a record. A `time` in ISO 8601 is cut to whole seconds, as Riemann's is;
/// a number is seconds; null or none is `now`. Keys that are not fields are attributes, of
/// whatever kind. Whole numbers stay exact. A histogram in [`HISTOGRAM`], in any of the forms that
/// [`Histogram::from_json`] reads, is the metric.
///
/// ```
/// use codec::json::event_from_json;
/// use event::{Fields, Number, Time};
/// let text = r#"{"service": "www", "metric": 5, "time": "1970-01-01T00:00:01Z", "rack": "r7"}"#;
/// let event = event_from_json(text, Time::from_s(9)).unwrap();
/// assert_eq!(event.metric(), Some(Number::Int(5)));
/// assert_eq!(event.time(), Some(Time::from_s(1)));
/// ```
///
/// # Errors
/// When the text is not JSON or not an object, or its time or histogram cannot be read.
pub fn event_from_json(text: &str, now: Time) -> Result<Event, JsonError> {
    let Value::Object(object) = serde_json::from_str(text)? else {
        return Err(JsonError::NotAnObject);
    };
    let mut draft = Draft {
        time: Some(now),
        ..Draft::record()
    };
    let mut histogram = None;
    for (key, value) in object {
        match Field::named(&key) {
            None if key == HISTOGRAM && value.is_null() => {}
            None if key == HISTOGRAM => histogram = Some(Histogram::from_json(&value)?),
            Some(Field::Time) => set_time(&mut draft, value)?,
            Some(field) => set_field(&mut draft, field, value)?,
            None => set_attr(&mut draft, key, value)?,
        }
    }
    if let Some(histogram) = histogram {
        draft.set_histogram(PackedHistogram::from(&histogram));
    }
    Ok(draft.build())
}

fn set_time(draft: &mut Draft<'_>, value: Value) -> Result<(), JsonError> {
    match value {
        Value::Null => {}
        Value::String(text) => {
            let time = iso8601::parse(&text).ok_or(JsonError::TimeFormat(text))?;
            draft.time = Some(Time::from_s(time.us / 1_000_000));
        }
        Value::Number(seconds) => {
            let seconds = number(&seconds)?;
            draft.time = Some(Time::nearest(&seconds).ok_or(JsonError::TimeRange)?);
        }
        _ => return Err(JsonError::TimeKind),
    }
    Ok(())
}

fn set_field(draft: &mut Draft<'_>, field: Field, value: Value) -> Result<(), JsonError> {
    let text = |text| Some(Cow::Owned(text));
    match (field, value) {
        (_, Value::Null) => {}
        (Field::Host, Value::String(host)) => draft.host = text(host),
        (Field::Service, Value::String(service)) => draft.service = text(service),
        (Field::State, Value::String(state)) => draft.state = text(state),
        (Field::Description, Value::String(words)) => draft.description = text(words),
        (Field::Metric, Value::Number(metric)) => draft.metric = Some(number(&metric)?),
        (Field::Ttl, Value::Number(ttl)) => draft.ttl = Some(number(&ttl)?),
        (Field::Tags, Value::Array(tags)) if tags.iter().all(Value::is_string) => {
            let tag = |tag| {
                if let Value::String(tag) = tag {
                    text(tag)
                } else {
                    None
                }
            };
            draft.tags = Some(tags.into_iter().filter_map(tag).collect());
        }
        (field, odd) => draft.odd_fields.push((field, attr(odd)?)),
    }
    Ok(())
}

/// Keys are unique: of a repeated one, the object holds the last.
fn set_attr(draft: &mut Draft<'_>, key: String, value: Value) -> Result<(), JsonError> {
    match value {
        Value::String(value) => draft.attrs.push((key.into(), value.into())),
        odd => draft.odd_attrs.push((key.into(), attr(odd)?)),
    }
    Ok(())
}

fn attr(value: Value) -> Result<Attr, JsonError> {
    Ok(match value {
        Value::Null => Attr::Nil,
        Value::Bool(bool) => Attr::Bool(bool),
        Value::Number(value) => Attr::Num(number(&value)?),
        Value::String(text) => Attr::Str(text.into()),
        Value::Array(items) => Attr::List(
            items
                .into_iter()
                .map(attr)
                .collect::<Result<Arc<[Attr]>, _>>()?,
        ),
        Value::Object(object) => {
            let entry = |(key, value): (String, Value)| Ok((key.into(), attr(value)?));
            Attr::Map(
                object
                    .into_iter()
                    .map(entry)
                    .collect::<Result<Arc<[_]>, JsonError>>()?,
            )
        }
    })
}

fn number(number: &serde_json::Number) -> Result<Number, JsonError> {
    let text = number.as_str();
    if text.len() > NUMBER_CHARS_MAX {
        return Err(JsonError::LongNumber);
    }
    if let Ok(int) = text.parse::<i64>() {
        return Ok(Number::Int(int));
    }
    if let Ok(big) = text.parse::<BigInt>() {
        return Ok(Number::from_big(big));
    }
    // Every JSON number is a Rust float; what is too large is infinite, as in Java.
    Ok(Number::F64(text.parse().unwrap_or(f64::NAN)))
}

#[cfg(test)]
mod tests {
    use event::{FieldRef, Fields};
    use proptest::prelude::*;

    use super::*;
    use crate::json::event_to_json;

    const NOW: Time = Time {
        us: 9_000_000,
        kind: event::TimeKind::Int,
    };

    fn read(text: &str) -> Event {
        event_from_json(text, NOW).unwrap()
    }

    fn check_time(json: &str, time: Time) {
        assert_eq!(
            read(&format!(r#"{{"time": {json}}}"#)).time(),
            Some(time),
            "{json}"
        );
    }

    #[test]
    fn times_in_each_form() {
        assert_eq!(read("{}").time(), Some(NOW));
        check_time("null", NOW);
        check_time("1366020418", Time::from_s(1_366_020_418));
        check_time("1.5", Time::from_us(1_500_000));
        check_time(r#""1970-01-01T00:00:01.999Z""#, Time::from_s(1));
        check_time(r#""1970-01-02""#, Time::from_s(86_400));
    }

    #[test]
    fn numbers_keep_their_kind() {
        let metric = |json: &str| read(&format!(r#"{{"metric": {json}}}"#)).metric();
        assert_eq!(metric("1"), Some(Number::Int(1)));
        assert_eq!(metric("1.0"), Some(Number::F64(1.0)));
        assert_eq!(metric("1e2"), Some(Number::F64(100.0)));
        let big = BigInt::from(1u128 << 64);
        assert_eq!(metric("18446744073709551616"), Some(Number::from_big(big)));
        assert_eq!(metric("null"), None);
    }

    #[test]
    fn what_is_not_of_the_usual_kind_is_kept_as_it_is() {
        let event = read(r#"{"host": 5, "tags": ["a", 1], "a": {"b": [1, null]}, "c": "d"}"#);
        assert!(matches!(
            event.get("host"),
            FieldRef::Odd(Attr::Num(Number::Int(5)))
        ));
        assert!(matches!(event.get("tags"), FieldRef::Odd(Attr::List(_))));
        assert!(matches!(event.get("a"), FieldRef::Odd(Attr::Map(_))));
        assert_eq!(event.attrs().collect::<Vec<_>>(), [("c", "d")]);
        assert!(event.is_record());
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let check = |text: &str, error: &str| {
            assert_eq!(event_from_json(text, NOW).unwrap_err().to_string(), error);
        };
        check("[]", "an event must be a JSON object");
        check(r#"{"time": "noon"}"#, "Invalid format: \"noon\"");
        check(r#"{"time": 1e300}"#, "time is out of range");
        check(
            r#"{"time": []}"#,
            "time must be a string in ISO 8601, a number of seconds, or null",
        );
        check(
            "{",
            "invalid JSON: EOF while parsing an object at line 1 column 1",
        );
        let long = format!(r#"{{"metric": {}}}"#, "1".repeat(1001));
        check(&long, "a number has more than 1000 characters");
        check(
            r#"{"metric_histogram": "AAEP"}"#,
            "metric_histogram: a histogram in base64: the histogram ends within a bin",
        );
        check(
            r#"{"metric_histogram": {"a": 1}}"#,
            "metric_histogram: 'a' is no bin: write a number, such as 1.2e-01",
        );
    }

    #[test]
    fn a_histogram_is_the_metric_in_any_of_its_forms() {
        let one: Histogram = [1.5].into_iter().collect();
        for json in [
            r#"{"metric_histogram": "AAEPAAAB"}"#,
            r#"{"metric_histogram": ["H[1.5e+00]=1"], "metric": 7}"#,
            r#"{"metric": null, "metric_histogram": {"_type": "h", "_value": {"1.5": 1}}}"#,
        ] {
            let event = read(json);
            assert_eq!(
                event.histogram().map(|h| h.unpack()),
                Some(one.clone()),
                "{json}"
            );
            assert_eq!(event.metric(), None);
        }
        assert_eq!(read(r#"{"metric_histogram": null}"#), read("{}"));
    }

    proptest! {
        #[test]
        fn what_was_written_reads_back(
            host in proptest::option::of(".*"),
            metric: i64,
            ttl in -1e12..1e12f64,
            tags in proptest::option::of(proptest::collection::vec(".*", 0..4)),
            time in -1_000_000_000i64..4_000_000_000,
            attr in ".*",
            bins in proptest::option::of(proptest::collection::vec(-1e9..1e9f64, 0..20)),
        ) {
            let event = Draft {
                host: host.map(Cow::Owned),
                metric: Some(Number::Int(metric)),
                ttl: Some(Number::F64(ttl)),
                tags: tags.map(|tags| tags.into_iter().map(Cow::Owned).collect()),
                time: Some(Time::from_s(time)),
                attrs: vec![("an attribute".into(), attr.into())],
                ..Draft::record()
            };
            let mut event = event;
            if let Some(numbers) = bins {
                event.set_histogram(PackedHistogram::from(&numbers.into_iter().collect()));
            }
            let event = event.build();
            let mut out = Vec::new();
            event_to_json(&mut out, &event);
            prop_assert_eq!(read(std::str::from_utf8(&out).unwrap()), event);
        }

        #[test]
        fn any_text_has_an_answer(text: String, json in r#"\{("[a-z]*":[0-9e.\[\]"-]*,?)*\}"#) {
            let _ = (event_from_json(&text, NOW), event_from_json(&json, NOW));
        }
    }
}
