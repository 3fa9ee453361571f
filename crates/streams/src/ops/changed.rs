//! `changed`: events that differ from the one before.

use clj::{Cx, Native, Result, Value};
use parking_lot::Mutex;

use crate::keep::{self, Kept};
use crate::stream::operator;
use crate::{Children, Stream, StreamFn, fields};

pub const OPERATOR: Native = operator(
    "changed",
    "([f & children] [f options & children])",
    1,
    new,
    "Passes on events for which (f event) is not what it was for the event before. Options: {:init x} is \
     what it is taken to have been at first (nil); with {:pairs? true}, passes on vectors of the event \
     before (nil at first) and the event.\n\n    (by [:host :service] (changed :state {:init \"ok\"} \
     (email \"you@example.com\")))",
);

struct Changed {
    function: Value,
    pairs: bool,
    previous: Mutex<Previous>,
    children: Children,
}

struct Previous {
    /// What the function gave.
    was: Value,
    event: Value,
}

fn new(_: &Cx<'_>, args: &[Value]) -> Result {
    let (options, children) = match &args[1..] {
        [options @ Value::Map(_), children @ ..] => (options.clone(), children),
        children => (Value::Nil, children),
    };
    let previous = Previous {
        was: fields::get(&options, "init"),
        event: Value::Nil,
    };
    Ok(StreamFn::value(
        "changed",
        Changed {
            function: args[0].clone(),
            pairs: fields::get(&options, "pairs?").truthy(),
            previous: Mutex::new(previous),
            children: Children::of(children),
        },
    ))
}

impl Stream for Changed {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let is = cx.call(&self.function, std::slice::from_ref(value))?;
        let now = Previous {
            was: is.clone(),
            event: value.clone(),
        };
        let before = std::mem::replace(&mut *self.previous.lock(), now);
        if before.was == is {
            return Ok(Value::Nil);
        }
        if self.pairs {
            self.children
                .call(cx, &Value::vector(vec![before.event, value.clone()]));
        } else {
            self.children.call(cx, value);
        }
        Ok(Value::Bool(true))
    }

    fn is_contained(&self) -> bool {
        matches!(self.function, Value::Keyword(_)) && self.children.is_contained()
    }

    fn keep(&self, _: &Cx<'_>) -> Option<Kept> {
        let fresh = Previous {
            was: Value::Nil,
            event: Value::Nil,
        };
        let previous = std::mem::replace(&mut *self.previous.lock(), fresh);
        Some(Kept::new(self.parameters(), previous))
    }

    fn adopt(&self, _: &Cx<'_>, kept: Kept) -> std::result::Result<(), String> {
        *self.previous.lock() = kept.state(&self.parameters())?;
        Ok(())
    }
}

impl Changed {
    /// What must be the same for the state to go on.
    fn parameters(&self) -> String {
        format!("{} {}", keep::parameter(&self.function), self.pairs)
    }
}
