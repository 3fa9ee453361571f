//! `smap` and its kin: streams of what a function makes of each event.

use clj::{Cx, Native, Result, Value, seq};

use crate::stream::operator;
use crate::{Children, Stream, StreamFn};

pub const SMAP: Native = operator(
    "smap",
    "([f & children])",
    1,
    |_: &Cx<'_>, args: &[Value]| Ok(Smap::value("smap", args, Passing::NotNil)),
    "Passes on (f event) for each event. Where f gives nil, nothing is passed on.\n\n    (smap \
     (fn [event] (assoc event :state \"ok\")) index)",
);

pub const SMAP_STAR: Native = operator(
    "smap*",
    "([f & children])",
    1,
    |_: &Cx<'_>, args: &[Value]| Ok(Smap::value("smap*", args, Passing::All)),
    "Passes on (f event) for each event, also when that is nil. f is called once per event, however \
     many children there are.",
);

pub const SMAPCAT: Native = operator(
    "smapcat",
    "([f & children])",
    1,
    |_: &Cx<'_>, args: &[Value]| Ok(Smap::value("smapcat", args, Passing::Each)),
    "Passes on each element of the sequence (f event), one after the other.",
);

pub const SFLATTEN: Native = operator(
    "sflatten",
    "([& children])",
    0,
    |_: &Cx<'_>, args: &[Value]| {
        Ok(StreamFn::value(
            "sflatten",
            Sflatten {
                children: Children::of(args),
            },
        ))
    },
    "Takes sequences of events and passes on each event by itself. For what comes out of windows.",
);

/// What of the function's value goes on.
#[derive(Clone, Copy)]
enum Passing {
    All,
    NotNil,
    /// Its elements.
    Each,
}

struct Smap {
    function: Value,
    passing: Passing,
    children: Children,
}

impl Smap {
    fn value(name: &'static str, args: &[Value], passing: Passing) -> Value {
        let children = Children::of(&args[1..]);
        StreamFn::value(
            name,
            Smap {
                function: args[0].clone(),
                passing,
                children,
            },
        )
    }
}

impl Stream for Smap {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let made = cx.call(&self.function, std::slice::from_ref(value))?;
        match self.passing {
            Passing::NotNil if made.is_nil() => return Ok(Value::Nil),
            Passing::NotNil | Passing::All => self.children.call(cx, &made),
            Passing::Each => {
                for element in seq::iter(&made) {
                    self.children.call(cx, &element?);
                }
            }
        }
        Ok(Value::Bool(true))
    }
}

struct Sflatten {
    children: Children,
}

impl Stream for Sflatten {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        for element in seq::iter(value) {
            self.children.call(cx, &element?);
        }
        Ok(Value::Bool(true))
    }

    fn is_contained(&self) -> bool {
        self.children.is_contained()
    }
}
