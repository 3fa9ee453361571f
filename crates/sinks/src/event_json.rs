//! Events as JSON values for other systems' interfaces: fields in Riemann's order, `time` a number of seconds.

use codec::json::HISTOGRAM;
use event::{Attr, Event, Field, FieldRef, Number, Time};
use serde_json::{Map, Value};

/// All fields and attributes of an event. A record has all eight fields, nulls included. A metric
/// that is a histogram is null, and the histogram in base64 beside it.
pub fn event(event: &Event) -> Map<String, Value> {
    let mut object = Map::new();
    for field in Field::ALL {
        let value = event.field(field);
        if let FieldRef::Histogram(histogram) = value {
            object.insert(field.name().into(), Value::Null);
            object.insert(HISTOGRAM.into(), histogram.to_base64().into());
        } else if !matches!(value, FieldRef::Absent) {
            object.insert(field.name().into(), self::field(value));
        }
    }
    for (name, value) in event.attrs() {
        object.insert(name.into(), value.into());
    }
    for (name, value) in event.odd_attrs() {
        object.insert(name.into(), attr(value));
    }
    object
}

/// One value; what is absent is null, and so is a histogram, which only [`event()`] tells of.
pub fn field(value: FieldRef<'_>) -> Value {
    match value {
        FieldRef::Absent | FieldRef::Nil | FieldRef::Histogram(_) => Value::Null,
        FieldRef::Str(text) => text.into(),
        FieldRef::Num(number) => self::number(&number),
        FieldRef::Time(time) => number(&time.to_number()),
        FieldRef::Tags(tags) => tags.collect(),
        FieldRef::Odd(value) => attr(value),
    }
}

/// Integers exact, ratios as doubles, what JSON cannot say as text (`"NaN"`).
pub fn number(number: &Number) -> Value {
    let exact = match number {
        Number::Int(int) => return (*int).into(),
        Number::Big(big) => big.to_string().parse().ok(),
        Number::Decimal(decimal) => decimal.to_string().parse().ok(),
        Number::F32(float) => float
            .to_string()
            .parse()
            .ok()
            .and_then(serde_json::Number::from_f64),
        Number::Ratio(_) | Number::F64(_) => serde_json::Number::from_f64(number.to_f64()),
    };
    exact.map_or_else(|| number.to_text().into(), Value::Number)
}

/// `2013-04-15T18:06:58.123Z`, in UTC; `None` beyond the years that can be written so.
pub fn iso8601(time: Time) -> Option<String> {
    let instant = jiff::Timestamp::from_microsecond(time.us).ok()?;
    Some(instant.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string())
}

/// About the memory that a value holds.
pub fn size_bytes(value: &Value) -> usize {
    let own = size_of::<Value>();
    match value {
        Value::Null | Value::Bool(_) => own,
        Value::Number(number) => own + number.as_str().len(),
        Value::String(text) => own + text.len(),
        Value::Array(items) => own + items.iter().map(size_bytes).sum::<usize>(),
        Value::Object(entries) => own + object_bytes(entries),
    }
}

/// About the memory that an object's entries hold.
pub fn object_bytes(entries: &Map<String, Value>) -> usize {
    entries
        .iter()
        .map(|(key, value)| key.len() + size_bytes(value))
        .sum()
}

fn attr(value: &Attr) -> Value {
    match value {
        Attr::Nil => Value::Null,
        Attr::Bool(bool) => (*bool).into(),
        Attr::Num(number) => self::number(number),
        Attr::Str(text) => (&**text).into(),
        Attr::List(items) => items.iter().map(attr).collect(),
        Attr::Map(entries) => entries
            .iter()
            .map(|(key, value)| (&**key, attr(value)))
            .collect(),
        Attr::Histogram(packed) => packed.as_ref().to_base64().into(),
        Attr::Foreign(foreign) => {
            serde_json::from_str(&foreign.to_json()).unwrap_or_else(|_| foreign.to_text().into())
        }
    }
}

#[cfg(test)]
mod tests {
    use event::Draft;

    use super::*;

    #[test]
    fn a_record_has_all_fields_in_order() {
        let event = Draft {
            host: Some("h".into()),
            metric: Some(Number::F32(0.1)),
            tags: Some(vec!["a".into()]),
            time: Some(Time::exact(1_500_000)),
            attrs: vec![("zone".into(), "b".into())],
            ..Draft::record()
        };
        let json = Value::Object(super::event(&event.build())).to_string();
        let expected = r#"{"host":"h","service":null,"state":null,"description":null,"#.to_string()
            + r#""metric":0.1,"tags":["a"],"time":1.5,"ttl":null,"zone":"b"}"#;
        assert_eq!(json, expected);
    }

    #[test]
    fn a_plain_event_has_its_own() {
        let event = Draft {
            service: Some("s".into()),
            ..Draft::plain()
        }
        .build();
        assert_eq!(
            Value::Object(super::event(&event)).to_string(),
            r#"{"service":"s"}"#
        );
    }

    #[test]
    fn what_json_cannot_say_is_text() {
        assert_eq!(number(&Number::F64(f64::NAN)), Value::from("NaN"));
        assert_eq!(
            number(&Number::Int(1).div(&Number::Int(4)).unwrap()),
            Value::from(0.25)
        );
    }

    #[test]
    fn writes_times_in_utc() {
        let time = Time::exact(1_366_049_218_123_456);
        assert_eq!(iso8601(time).as_deref(), Some("2013-04-15T18:06:58.123Z"));
    }
}
