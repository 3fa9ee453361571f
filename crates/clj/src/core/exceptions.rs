//! Exceptions with data.

use std::sync::OnceLock;

use parking_lot::Mutex;

use super::arguments::{not_a, optional, string};
use super::native;
use crate::{Exception, Map, Native, Result, Value};

pub const NATIVES: &[Native] = &[
    native(
        "ex-info",
        "([msg map] [msg map cause])",
        "An exception that carries a map.",
        (2, Some(3)),
        |_, a| {
            let data = match &a[1] {
                Value::Map(map) => map.clone(),
                Value::Event(event) => crate::event_value::to_map(event),
                Value::Nil => {
                    return Err(crate::Thrown::illegal_argument(
                        "Additional data must be non-nil.",
                    ));
                }
                other => return Err(not_a(other, "clojure.lang.IPersistentMap")),
            };
            let message = if a[0].is_nil() {
                None
            } else {
                Some(string(&a[0])?.into())
            };
            let cause = optional(a, 2).clone();
            Ok(Value::object(Exception {
                class: "clojure.lang.ExceptionInfo".into(),
                message,
                data: Some(data),
                cause: if cause.is_nil() { None } else { Some(cause) },
                trace: Mutex::default(),
                hint: OnceLock::new(),
            }))
        },
    ),
    native(
        "ex-data",
        "([ex])",
        "The map that an exception carries, or nil.",
        (1, Some(1)),
        |_, a| {
            Ok(a[0]
                .downcast::<Exception>()
                .and_then(|it| it.data.clone())
                .map(Value::Map)
                .into())
        },
    ),
    native(
        "ex-message",
        "([ex])",
        "The message of an exception.",
        (1, Some(1)),
        |_, a| {
            Ok(a[0]
                .downcast::<Exception>()
                .and_then(|it| it.message.clone())
                .map(Value::Str)
                .into())
        },
    ),
    native(
        "ex-cause",
        "([ex])",
        "The cause of an exception.",
        (1, Some(1)),
        |_, a| {
            Ok(a[0]
                .downcast::<Exception>()
                .and_then(|it| it.cause.clone())
                .into())
        },
    ),
    native(
        "Throwable->map",
        "([o])",
        "An exception as data.",
        (1, Some(1)),
        |_, a| to_map(&a[0]),
    ),
];

/// An exception as `Throwable->map` shows it.
///
/// # Errors
/// `ClassCastException` for what is no exception.
pub fn to_map(value: &Value) -> Result {
    let key = Value::keyword;
    let (mut via, mut current) = (Vec::new(), Some(value.clone()));
    let (mut cause, mut data) = (Value::Nil, None);
    while let Some(value) = current.take() {
        let exception = value
            .downcast::<Exception>()
            .ok_or_else(|| not_a(&value, "java.lang.Throwable"))?;
        let mut entry = Map::default();
        entry.insert(key("type"), Value::symbol(&exception.class));
        if let Some(message) = &exception.message {
            entry.insert(key("message"), Value::Str(message.clone()));
        }
        if let Some(data) = &exception.data {
            entry.insert(key("data"), Value::Map(data.clone()));
        }
        data = exception.data.clone();
        cause = exception.message.clone().map(Value::Str).into();
        via.push(Value::Map(entry));
        current = exception.cause.clone();
    }
    let mut map = Map::default();
    map.insert(key("via"), Value::vector(via));
    map.insert(key("trace"), Value::vector(trace(value)));
    map.insert(key("cause"), cause);
    if let Some(data) = data {
        map.insert(key("data"), Value::Map(data));
    }
    Ok(Value::Map(map))
}

/// The places an exception passed, `[function method file line]` each.
pub fn trace(value: &Value) -> Vec<Value> {
    let Some(exception) = value.downcast::<Exception>() else {
        return Vec::new();
    };
    let frames = exception.trace.lock();
    let frame = |frame: &crate::thrown::Frame| {
        Value::vector(vec![
            Value::symbol(frame.function.as_deref().unwrap_or("fn")),
            Value::symbol("invoke"),
            Value::str(&frame.span.file),
            Value::Int(i64::from(frame.span.line)),
        ])
    };
    frames.iter().map(frame).collect()
}
