//! `keep-state`: streams whose state survives a reload.

use clj::{Cx, Native, Result, Value, seq};

use crate::stream::function;
use crate::{Batch, Children, Selection, Stream, StreamFn, World, keep};

pub const OPERATOR: Native = function(
    "keep-state*",
    "([name build])",
    (2, 2),
    new,
    "What keep-state expands to: (build) gives its children.",
);

struct KeepState(Children);

fn new(cx: &Cx<'_>, args: &[Value]) -> Result {
    let name = args[0].to_text();
    let (children, nodes) = keep::record(|| {
        let built = cx.call(&args[1], &[])?;
        seq::to_vec(&built)
    })?;
    cx.get::<World>()?.keeper().add(&name, nodes)?;
    let children = Children::of(&children);
    Ok(StreamFn::value("keep-state", KeepState(children)))
}

impl Stream for KeepState {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        self.0.call(cx, value);
        Ok(Value::Bool(true))
    }

    fn push(&self, cx: &Cx<'_>, batch: &Batch<'_>, chosen: &Selection) {
        self.0.push(cx, batch, chosen);
    }

    fn is_contained(&self) -> bool {
        self.0.is_contained()
    }
}
