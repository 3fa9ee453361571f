//! `runs`: a value that was the same several times over.

use std::collections::VecDeque;

use clj::{Cx, Native, Result, Value};
use parking_lot::Mutex;

use crate::keep::{self, Kept};
use crate::ops::count_argument;
use crate::stream::operator;
use crate::{Children, Stream, StreamFn};

pub const OPERATOR: Native = operator(
    "runs",
    "([n field & children])",
    2,
    |_: &Cx<'_>, args: &[Value]| {
        Ok(StreamFn::value(
            "runs",
            Runs {
                length: count_argument(&args[0])?,
                field: args[1].clone(),
                values: Mutex::default(),
                children: Children::of(&args[2..]),
            },
        ))
    },
    "Passes on events for which (field event) is what it was for the n - 1 events before: a way to wait \
     until a state has settled.\n\n    (by [:host :service] (runs 3 :state (changed :state index)))",
);

struct Runs {
    length: usize,
    field: Value,
    values: Mutex<VecDeque<Value>>,
    children: Children,
}

impl Stream for Runs {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let of_event = cx.call(&self.field, std::slice::from_ref(value))?;
        let settled = {
            let mut values = self.values.lock();
            values.push_back(of_event.clone());
            while values.len() > self.length {
                values.pop_front();
            }
            values.len() == self.length && values.iter().all(|value| *value == of_event)
        };
        if !settled {
            return Ok(Value::Nil);
        }
        self.children.call(cx, value);
        Ok(Value::Bool(true))
    }

    fn is_contained(&self) -> bool {
        matches!(self.field, Value::Keyword(_)) && self.children.is_contained()
    }

    fn keep(&self, _: &Cx<'_>) -> Option<Kept> {
        let values = std::mem::take(&mut *self.values.lock());
        Some(Kept::new(self.parameters(), values))
    }

    fn adopt(&self, _: &Cx<'_>, kept: Kept) -> std::result::Result<(), String> {
        *self.values.lock() = kept.state(&self.parameters())?;
        Ok(())
    }
}

impl Runs {
    /// What must be the same for the state to go on.
    fn parameters(&self) -> String {
        format!("{} {}", self.length, keep::parameter(&self.field))
    }
}
