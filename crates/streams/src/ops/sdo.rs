//! `sdo`: several streams as one.

use clj::{Cx, Native, Result, Value};

use crate::stream::operator;
use crate::{Batch, Children, Selection, Stream, StreamFn};

pub const OPERATOR: Native = operator(
    "sdo",
    "([& children])",
    0,
    new,
    "Passes each event to every child. Where a stream is wanted and you have several, sdo makes one \
     of them. A single child is given back as it is, \
     and none is bit-bucket.\n\n    (where (service \"www\")\n      (sdo index \
     (rate 5 index)))",
);

pub const STREAM: Native = operator("stream", "([& children])", 0, new, "The old name of sdo.");

/// Passes events on as they are.
struct Sdo {
    children: Children,
}

fn new(cx: &Cx<'_>, args: &[Value]) -> Result {
    match args {
        [] => {
            let nowhere = cx.rt.var("riemann.streams", "bit-bucket");
            Ok(nowhere.and_then(|var| var.root()).unwrap_or_default())
        }
        [child] => Ok(child.clone()),
        _ => Ok(StreamFn::value(
            "sdo",
            Sdo {
                children: Children::of(args),
            },
        )),
    }
}

impl Stream for Sdo {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        self.children.call(cx, value);
        Ok(Value::Bool(true))
    }

    fn push(&self, cx: &Cx<'_>, batch: &Batch<'_>, chosen: &Selection) {
        self.children.push(cx, batch, chosen);
    }

    fn is_contained(&self) -> bool {
        self.children.is_contained()
    }
}
