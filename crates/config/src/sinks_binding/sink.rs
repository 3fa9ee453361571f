//! A sink as a stream: what is made of each value goes into an outlet.

use std::sync::Arc;

use clj::{Cx, Map, Result, Thrown, Value, closure, seq};
use event::{Event, Fields};
use sinks::figures;
use sinks::outlet::Outlet;
use sinks::target::Item;
use streams::{Stream, StreamFn};

use crate::index_object::to_event;

type Make = Box<dyn Fn(&Cx<'_>, &Value) -> Result<()> + Send + Sync>;

struct Sink {
    make: Make,
    /// Calls no function of the configuration.
    contained: bool,
}

impl Stream for Sink {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        (self.make)(cx, value)?;
        Ok(Value::Bool(true))
    }

    fn is_contained(&self) -> bool {
        self.contained
    }
}

/// A stream that does `make` with each value, which may call functions of the configuration.
pub fn of_values(
    name: &'static str,
    make: impl Fn(&Cx<'_>, &Value) -> Result<()> + Send + Sync + 'static,
) -> Value {
    StreamFn::value(
        name,
        Sink {
            make: Box::new(make),
            contained: false,
        },
    )
}

/// As [`of_values`], with an outlet to offer to.
pub fn stream<I: Item>(
    name: &'static str,
    outlet: &Arc<Outlet<I>>,
    make: impl Fn(&Cx<'_>, &Value, &Outlet<I>) -> Result<()> + Send + Sync + 'static,
) -> Value {
    let outlet = outlet.clone();
    of_values(name, move |cx, value| make(cx, value, &outlet))
}

/// A stream that offers an item for each event, or nothing for an event that makes none.
pub fn of_events<I: Item>(
    name: &'static str,
    outlet: &Arc<Outlet<I>>,
    item: impl Fn(&Event) -> Option<I> + Send + Sync + 'static,
) -> Value {
    let outlet = outlet.clone();
    let make = move |_: &Cx<'_>, value: &Value| {
        each_event(value, |_, event| {
            if let Some(item) = item(event) {
                outlet.offer(item);
            }
            Ok(())
        })
    };
    StreamFn::value(
        name,
        Sink {
            make: Box::new(make),
            contained: true,
        },
    )
}

/// As [`of_events`], for what can be sent of numbers only: a histogram goes as its figures.
pub fn of_numbers<I: Item>(
    name: &'static str,
    outlet: &Arc<Outlet<I>>,
    item: impl Fn(&Event) -> Option<I> + Send + Sync + 'static,
) -> Value {
    let outlet = outlet.clone();
    let make = move |_: &Cx<'_>, value: &Value| {
        each_number(value, |_, event| {
            if let Some(item) = item(event) {
                outlet.offer(item);
            }
            Ok(())
        })
    };
    StreamFn::value(
        name,
        Sink {
            make: Box::new(make),
            contained: true,
        },
    )
}

/// A function of recipients that gives a stream: `make` has the recipients in its hand.
pub fn of_recipients(
    name: &'static str,
    stream: impl Fn(&Cx<'_>, Vec<String>) -> Result + Send + Sync + 'static,
) -> Value {
    closure::function(name, move |cx, args| stream(cx, recipients(name, args)?))
}

/// One sequence of strings, or strings.
fn recipients(name: &str, args: &[Value]) -> Result<Vec<String>> {
    let listed = match args {
        [one] if is_sequential(one) => seq::to_vec(one)?,
        several => several.to_vec(),
    };
    let strings: Option<Vec<String>> = listed
        .iter()
        .map(|recipient| recipient.as_str().map(str::to_owned))
        .collect();
    strings.ok_or_else(|| {
        let message = format!(
            "{name}: a recipient is a string, not {}; (the-{name} \"recipient\") gives the stream",
            Value::list(listed).to_readable()
        );
        Thrown::new("java.lang.AssertionError", message)
    })
}

/// Calls `f` with one event, or each of several.
pub fn each_event(value: &Value, mut f: impl FnMut(&Value, &Event) -> Result<()>) -> Result<()> {
    match value {
        Value::Nil => Ok(()),
        Value::Event(event) => f(value, event),
        Value::Map(_) => f(value, &to_event(value)?),
        _ => {
            for item in seq::iter(value) {
                each_event(
                    &item?,
                    &mut f as &mut dyn FnMut(&Value, &Event) -> Result<()>,
                )?;
            }
            Ok(())
        }
    }
}

/// As [`each_event`]; for an event whose metric is a histogram, calls `f` with an event for each of
/// its figures.
pub fn each_number(value: &Value, mut f: impl FnMut(&Value, &Event) -> Result<()>) -> Result<()> {
    each_event(value, |value, event| {
        if event.histogram().is_none() {
            return f(value, event);
        }
        for figure in figures::events(event) {
            f(&Value::Event(figure.clone()), &figure)?;
        }
        Ok(())
    })
}

/// One value, or the elements of a sequence however deep, as a list.
pub fn flatten(value: &Value) -> Result<Vec<Value>> {
    let mut flat = Vec::new();
    if !is_sequential(value) {
        flat.push(value.clone());
        return Ok(flat);
    }
    for item in seq::iter(value) {
        flat.extend(flatten(&item?)?);
    }
    Ok(flat)
}

/// The events of one value.
pub fn events(value: &Value) -> Result<Vec<Event>> {
    flatten(value)?
        .iter()
        .filter(|value| !value.is_nil())
        .map(to_event)
        .collect()
}

pub fn is_sequential(value: &Value) -> bool {
    matches!(value, Value::Vector(_) | Value::List(_) | Value::Lazy(_))
}

/// A map of streams by keyword.
pub fn map(streams: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    let map: Map = streams
        .into_iter()
        .map(|(name, stream)| (Value::keyword(name), stream))
        .collect();
    Value::Map(map)
}
