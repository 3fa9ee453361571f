//! `fixed-event-window`: every so many events.

use clj::{Cx, Native, Result, Value};
use parking_lot::Mutex;

use crate::keep::Kept;
use crate::ops::count_argument;
use crate::stream::operator;
use crate::{Children, Stream, StreamFn};

pub const OPERATOR: Native = operator(
    "fixed-event-window",
    "([n & children])",
    1,
    new,
    "Passes on a vector of every n events: the first n, then the next n. Time and expiry do not \
     matter. With n = 0, nothing ever.",
);

struct FixedEventWindow {
    length: usize,
    events: Mutex<Vec<Value>>,
    children: Children,
}

fn new(_: &Cx<'_>, args: &[Value]) -> Result {
    Ok(StreamFn::value(
        "fixed-event-window",
        FixedEventWindow {
            length: count_argument(&args[0])?,
            events: Mutex::default(),
            children: Children::of(&args[1..]),
        },
    ))
}

impl Stream for FixedEventWindow {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        if self.length == 0 {
            return Ok(Value::Nil);
        }
        let full = {
            let mut events = self.events.lock();
            events.push(value.clone());
            (events.len() >= self.length).then(|| std::mem::take(&mut *events))
        };
        match full {
            Some(events) => {
                self.children.call(cx, &Value::vector(events));
                Ok(Value::Bool(true))
            }
            None => Ok(Value::Nil),
        }
    }

    fn is_contained(&self) -> bool {
        self.children.is_contained()
    }

    fn keep(&self, _: &Cx<'_>) -> Option<Kept> {
        let events = std::mem::take(&mut *self.events.lock());
        Some(Kept::new(self.parameters(), events))
    }

    fn adopt(&self, _: &Cx<'_>, kept: Kept) -> std::result::Result<(), String> {
        *self.events.lock() = kept.state(&self.parameters())?;
        Ok(())
    }
}

impl FixedEventWindow {
    /// What must be the same for the state to go on.
    fn parameters(&self) -> String {
        self.length.to_string()
    }
}
