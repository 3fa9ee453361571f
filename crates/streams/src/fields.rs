//! The fields of anything that streams are given: an event, a map, or no map at all.

use std::borrow::Cow;
use std::sync::Arc;

use clj::{Cx, Keyword, Result, Thrown, Value, event_value, histogram_value, seq};
use event::{Draft, Event, Field, FieldRef, Fields, Number, PackedHistogram, Scalar, Time, View};
use histogram::Histogram;

use crate::{World, arithmetic};

/// Riemann's default time to live, in seconds.
pub const TTL_S_DEFAULT: i64 = 60;

/// `(:name value)`: nil where there is no such field, or the value has no fields.
pub fn get(value: &Value, name: &str) -> Value {
    match value {
        Value::Map(map) => map.get_keyword(name).cloned().unwrap_or_default(),
        Value::Event(event) => field_value(event, name),
        Value::Object(_) | Value::Set(_) => {
            seq::get(value, &Value::keyword(name)).unwrap_or_default()
        }
        _ => Value::Nil,
    }
}

fn field_value(event: &Event, name: &str) -> Value {
    match event.get(name) {
        FieldRef::Absent | FieldRef::Nil => Value::Nil,
        FieldRef::Str(text) => Value::str(text),
        FieldRef::Num(number) => number.into(),
        FieldRef::Time(time) => time.to_number().into(),
        FieldRef::Tags(_) | FieldRef::Histogram(_) | FieldRef::Odd(_) => {
            event_value::get(event, &Keyword::new(None, name)).unwrap_or_default()
        }
    }
}

/// A field that is to be a number; `None` for nil.
///
/// # Errors
/// `ClassCastException` when it is something else.
pub fn number(value: &Value, name: &str) -> Result<Option<Number>> {
    match get(value, name) {
        Value::Nil => Ok(None),
        other => arithmetic::number(&other).map(Some),
    }
}

/// The metric, as [`number`]; `None` also where it is a histogram.
///
/// # Errors
/// `ClassCastException` when it is something else.
pub fn metric(value: &Value) -> Result<Option<Number>> {
    if let Value::Event(event) = value {
        if let Some(metric) = event.metric() {
            return Ok(Some(metric));
        }
        if event.histogram().is_some() {
            return Ok(None);
        }
    }
    match get(value, "metric") {
        Value::Nil => Ok(None),
        other if histogram_value::of(&other).is_some() => Ok(None),
        other => arithmetic::number(&other).map(Some),
    }
}

/// The metric that is a histogram.
pub fn histogram(value: &Value) -> Option<Arc<Histogram>> {
    if let Value::Event(event) = value {
        return event.histogram().map(|packed| Arc::new(packed.unpack()));
    }
    histogram_value::of(&get(value, "metric")).cloned()
}

/// `(assoc value :name new)`.
///
/// # Errors
/// `ClassCastException` for what is no map; nil becomes one.
pub fn assoc(value: &Value, name: &str, new: Value) -> Result {
    assoc_key(value, &Value::keyword(name), new)
}

/// `(assoc value key new)`.
///
/// # Errors
/// `ClassCastException` for what is no map; nil becomes one.
pub fn assoc_key(value: &Value, key: &Value, new: Value) -> Result {
    match value {
        Value::Event(event) => event_value::assoc(event, key, &new),
        Value::Map(map) => Ok(Value::Map(map.assoc(key.clone(), new))),
        Value::Nil => Ok(Value::map([(key.clone(), new)])),
        Value::Vector(vector) => {
            let Value::Int(index) = key else {
                return Err(Thrown::illegal_argument("Key must be integer"));
            };
            let set = usize::try_from(*index)
                .ok()
                .and_then(|index| vector.set(index, new));
            set.map(Value::Vector)
                .ok_or_else(|| Thrown::new("java.lang.IndexOutOfBoundsException", ""))
        }
        other => Err(not_associative(other)),
    }
}

/// `(dissoc value key)`.
///
/// # Errors
/// `ClassCastException` for what is no map.
pub fn dissoc_key(value: &Value, key: &Value) -> Result {
    match value {
        Value::Nil => Ok(Value::Nil),
        Value::Map(map) => Ok(Value::Map(map.dissoc(key))),
        Value::Event(event) => Ok(Value::Event(event_value::dissoc(event, key))),
        other => Err(Thrown::class_cast(format!(
            "class {} cannot be cast to class clojure.lang.IPersistentMap",
            other.class_name()
        ))),
    }
}

#[cold]
fn not_associative(value: &Value) -> Thrown {
    Thrown::class_cast(format!(
        "class {} cannot be cast to class clojure.lang.Associative",
        value.class_name()
    ))
}

/// The entries of anything that behaves as a map.
pub fn entries(value: &Value) -> Vec<(Value, Value)> {
    match value {
        Value::Map(map) => map.iter().map(|(k, v)| (k.clone(), v.clone())).collect(),
        Value::Event(event) => event_value::entries(event).collect(),
        _ => Vec::new(),
    }
}

/// The value with another metric.
///
/// # Errors
/// As [`assoc`].
pub fn with_metric(value: &Value, metric: Number) -> Result {
    if let Value::Event(event) = value {
        let set = |draft: &mut Draft<'_>| {
            draft.clear(Field::Metric);
            draft.metric = Some(metric);
        };
        return Ok(Value::Event(event.edit(set)));
    }
    assoc(value, "metric", metric.into())
}

/// The value with a histogram as its metric.
///
/// # Errors
/// As [`assoc`].
pub fn with_histogram(value: &Value, histogram: &Histogram) -> Result {
    if let Value::Event(event) = value {
        let packed = PackedHistogram::from(histogram);
        let set = |draft: &mut Draft<'_>| draft.set_histogram(packed);
        return Ok(Value::Event(event.edit(set)));
    }
    assoc(value, "metric", histogram_value::value(histogram.clone()))
}

/// The value with the time now.
///
/// # Errors
/// As [`assoc`].
pub fn with_time(value: &Value, time: Time) -> Result {
    if let Value::Event(event) = value {
        let set = |draft: &mut Draft<'_>| {
            draft.clear(Field::Time);
            draft.time = Some(time);
        };
        return Ok(Value::Event(event.edit(set)));
    }
    assoc(value, "time", time.to_number().into())
}

/// True for what `map?` holds to be a map.
pub fn is_map(value: &Value) -> bool {
    matches!(value, Value::Map(_) | Value::Event(_))
}

/// True if the event's state is "expired", or it has outlived its ttl (60 s unless it says).
///
/// # Errors
/// `ClassCastException` when time or ttl are not numbers.
pub fn is_expired(cx: &Cx<'_>, value: &Value) -> Result<bool> {
    match value {
        Value::Event(event) if has_usual_times(event) => {
            Ok(is_expired_at(cx.get::<World>()?.now(), event))
        }
        Value::Event(_) | Value::Map(_) | Value::Object(_) => {
            if get(value, "state").as_str() == Some("expired") {
                return Ok(true);
            }
            let Some(time) = number(value, "time")? else {
                return Ok(false);
            };
            let ttl = number(value, "ttl")?.unwrap_or(Number::Int(TTL_S_DEFAULT));
            let age = arithmetic::difference(&cx.get::<World>()?.now_number(), &time)?;
            Ok(arithmetic::less(&ttl, &age))
        }
        _ => Ok(false),
    }
}

fn has_usual_times(event: &Event) -> bool {
    let usual = |field| !matches!(event.field(field), FieldRef::Odd(_));
    usual(Field::Time) && usual(Field::Ttl)
}

/// [`is_expired`] of an event whose times are of the usual kinds.
pub fn is_expired_at(now: Time, event: &dyn Fields) -> bool {
    if event.state() == Some("expired") {
        return true;
    }
    let Some(time) = event.time() else {
        return false;
    };
    let age = now.minus(time);
    match event.ttl().unwrap_or(Number::Int(TTL_S_DEFAULT)) {
        Number::Int(ttl) => i128::from(age.us) > i128::from(ttl) * 1_000_000,
        ttl if ttl.is_float() => ttl.to_f64() < age.to_f64(),
        ttl => arithmetic::less(&ttl, &age.to_number()),
    }
}

/// [`is_expired_at`] of a received event.
#[inline]
pub fn is_view_expired_at(now: Time, view: &View<'_>) -> bool {
    if view.state == Some("expired") {
        return true;
    }
    let Some(time) = view.time else {
        return false;
    };
    let age = now.minus(time);
    match view.ttl.unwrap_or(Scalar::Int(TTL_S_DEFAULT)) {
        Scalar::Int(ttl) => i128::from(age.us) > i128::from(ttl) * 1_000_000,
        Scalar::F64(ttl) => ttl < age.to_f64(),
        Scalar::F32(ttl) => f64::from(ttl) < age.to_f64(),
    }
}

/// What is left of an event that expires: host, service, the time now, and state "expired". As
/// Riemann's `expire`.
///
/// # Errors
/// When the runtime has no [`World`].
pub fn expire(cx: &Cx<'_>, value: &Value) -> Result {
    let now = cx.get::<World>()?.now();
    if let Value::Event(event) = value {
        let text = |field| matches!(event.field(field), FieldRef::Str(_));
        if text(Field::Host) && text(Field::Service) {
            let draft = Draft {
                host: event.host().map(Cow::Borrowed),
                service: event.service().map(Cow::Borrowed),
                state: Some("expired".into()),
                time: Some(now),
                ..Draft::plain()
            };
            return Ok(Value::Event(draft.build()));
        }
    }
    let mut left = Vec::new();
    for key in ["host", "service"] {
        let present = match value {
            Value::Map(map) => map.get_keyword(key).is_some(),
            Value::Event(event) => !matches!(event.get(key), FieldRef::Absent),
            _ => false,
        };
        if present {
            left.push((Value::keyword(key), get(value, key)));
        }
    }
    left.push((Value::keyword("time"), now.to_number().into()));
    left.push((Value::keyword("state"), Value::str("expired")));
    Ok(Value::map(left))
}

/// The tags, as strings; `None` when there are none at all. Tags that are no strings are left out.
pub fn tags(value: &Value) -> Result<Option<Vec<Value>>> {
    match get(value, "tags") {
        Value::Nil => Ok(None),
        tags => seq::to_vec(&tags).map(Some),
    }
}
