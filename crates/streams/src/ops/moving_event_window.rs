//! `moving-event-window`: the last few events.

use std::collections::VecDeque;

use clj::{Cx, Native, Result, Value};
use parking_lot::Mutex;

use crate::keep::Kept;
use crate::ops::count_argument;
use crate::stream::operator;
use crate::{Children, Stream, StreamFn};

const DOC: &str = "Keeps the last n events, and passes them on as a vector, oldest first, each time \
                   an event comes in. Time and expiry do not matter.\n\n    (moving-event-window 5 \
                   (smap folds/mean index))";

pub const OPERATOR: Native = operator("moving-event-window", "([n & children])", 1, new, DOC);

pub const WINDOW: Native = operator("window", "([n & children])", 1, new, DOC);

struct MovingEventWindow {
    length: usize,
    events: Mutex<VecDeque<Value>>,
    children: Children,
}

fn new(_: &Cx<'_>, args: &[Value]) -> Result {
    Ok(StreamFn::value(
        "moving-event-window",
        MovingEventWindow {
            length: count_argument(&args[0])?,
            events: Mutex::default(),
            children: Children::of(&args[1..]),
        },
    ))
}

impl Stream for MovingEventWindow {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let window = {
            let mut events = self.events.lock();
            events.push_back(value.clone());
            while events.len() > self.length {
                events.pop_front();
            }
            Value::vector(events.iter().cloned().collect())
        };
        self.children.call(cx, &window);
        Ok(Value::Bool(true))
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

impl MovingEventWindow {
    /// What must be the same for the state to go on.
    fn parameters(&self) -> String {
        self.length.to_string()
    }
}
