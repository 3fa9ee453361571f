//! Values of the language as records of a queue's journal, and back.
//!
//! Events travel as Riemann's protocol carries them; what it cannot carry travels as text.

use clj::{Cx, Result, Thrown, Value, event_value, seq};
use codec::riemann::{decode_msg, encode_events};
use event::{Event, Field, FieldRef, Fields, Time, Views};
use sinks::durable::record::{Form, Waiting, put};

use crate::words;

/// Appends the record of a value.
///
/// # Errors
/// When there is something in it that cannot be written down, such as a function.
pub fn write(
    cx: &Cx<'_>,
    out: &mut Vec<u8>,
    received_us: i64,
    route: &str,
    value: &Value,
) -> Result<()> {
    if let Value::Event(event) = value
        && is_carried(event)
    {
        put(out, received_us, route, Form::Event, |out| {
            encode_events(out, [event]);
        });
        return Ok(());
    }
    if let Some(events) = carried_events(value) {
        put(out, received_us, route, Form::Events, |out| {
            encode_events(out, events);
        });
        return Ok(());
    }
    let text = plain(value)?.to_readable();
    words::call(cx, "read-string", &[Value::str(&text)]).map_err(|_| {
        let said = format!("what cannot be written down cannot wait in a journal: {text}");
        Thrown::illegal_argument(said)
    })?;
    put(out, received_us, route, Form::Text, |out| {
        out.extend_from_slice(text.as_bytes());
    });
    Ok(())
}

/// The value of a record.
///
/// # Errors
/// Why it cannot be read.
pub fn read(cx: &Cx<'_>, record: &Waiting<'_>) -> std::result::Result<Value, String> {
    match record.form {
        Form::Event => {
            let event = events(record)?.into_iter().next();
            event.map(Value::Event).ok_or_else(|| "no event".to_owned())
        }
        Form::Events => {
            let events = events(record)?.into_iter().map(Value::Event);
            Ok(Value::vector(events.collect()))
        }
        Form::Text => {
            let text = std::str::from_utf8(record.body).map_err(|error| error.to_string())?;
            read_text(cx, text)
        }
    }
}

/// What a text says.
///
/// # Errors
/// Why it cannot be read.
pub fn read_text(cx: &Cx<'_>, text: &str) -> std::result::Result<Value, String> {
    words::call(cx, "read-string", &[Value::str(text)]).map_err(|thrown| thrown.to_string())
}

fn events(record: &Waiting<'_>) -> std::result::Result<Vec<Event>, String> {
    let mut views = Views::new();
    let received = Time::from_us(record.received_us);
    decode_msg(record.body, received, &mut views).map_err(|error| error.to_string())?;
    Ok(views.iter().map(|view| Event::from_view(&view)).collect())
}

/// True if the protocol carries all of it: it has a time, and nothing that is of an odd kind.
fn is_carried(event: &Event) -> bool {
    let is_odd = |field| matches!(event.field(field), FieldRef::Odd(_));
    event.time().is_some()
        && event.odd_attrs().next().is_none()
        && !Field::ALL.into_iter().any(is_odd)
}

/// The events of a vector that holds nothing but events that the protocol carries.
fn carried_events(value: &Value) -> Option<Vec<&Event>> {
    let Value::Vector(items) = value else {
        return None;
    };
    let carried = items.iter().map(|item| match item {
        Value::Event(event) if is_carried(event) => Some(event),
        _ => None,
    });
    carried.collect()
}

/// The value with maps for events and vectors for sequences.
fn plain(value: &Value) -> Result<Value> {
    Ok(match value {
        Value::Event(event) => Value::Map(event_value::to_map(event)),
        Value::Vector(_) | Value::List(_) | Value::Lazy(_) => {
            let items: Result<Vec<Value>> = seq::iter(value).map(|item| plain(&item?)).collect();
            Value::vector(items?)
        }
        other => other.clone(),
    })
}
