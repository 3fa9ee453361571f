//! `append` and `register`: events into an atom or a ref, for tests mostly.

use clj::{Cx, Native, Result, Thrown, Value};

use crate::stream::function;
use crate::{Stream, StreamFn};

pub const OPERATOR: Native = function(
    "append",
    "([reference])",
    (1, 1),
    |_: &Cx<'_>, args: &[Value]| {
        Ok(StreamFn::value(
            "append",
            Append {
                reference: args[0].clone(),
            },
        ))
    },
    "Adds each event to the collection in an atom, with conj.",
);

pub const REGISTER: Native = function(
    "register",
    "([reference])",
    (1, 1),
    |_: &Cx<'_>, args: &[Value]| {
        Ok(StreamFn::value(
            "register",
            Register {
                reference: args[0].clone(),
            },
        ))
    },
    "Sets an atom to each event: it holds the latest.",
);

struct Append {
    reference: Value,
}

struct Register {
    reference: Value,
}

impl Stream for Append {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let conj = core(cx, "conj")?;
        cx.call(
            &core(cx, "swap!")?,
            &[self.reference.clone(), conj, value.clone()],
        )
    }
}

impl Stream for Register {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        cx.call(
            &core(cx, "reset!")?,
            &[self.reference.clone(), value.clone()],
        )
    }
}

/// A function of the language's own library.
fn core(cx: &Cx<'_>, name: &str) -> Result {
    let var = cx.rt.var("clojure.core", name);
    var.and_then(|var| var.root())
        .ok_or_else(|| Thrown::illegal_state(format!("clojure.core/{name} is missing")))
}
