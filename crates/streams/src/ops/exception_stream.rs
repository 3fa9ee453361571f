//! `exception-stream` and `call-rescue`: where exceptions go.

use clj::{Cx, Native, Result, Value};

use crate::bindings::with_exception_stream;
use crate::children::Child;
use crate::rescue::rescue;
use crate::stream::function;
use crate::{Batch, Children, Selection, Stream, StreamFn};

pub const OPERATOR: Native = function(
    "exception-stream*",
    "([exception-stream children])",
    (2, 2),
    |_: &Cx<'_>, args: &[Value]| {
        let children = Children::of_sequence(&args[1])?;
        let handler = args[0].clone();
        Ok(StreamFn::value(
            "exception-stream",
            ExceptionStream { handler, children },
        ))
    },
    "What exception-stream expands to.",
);

pub const CALL_RESCUE: Native = function(
    "call-rescue*",
    "([children make-event])",
    (2, 2),
    |cx: &Cx<'_>, args: &[Value]| {
        for child in Children::of_sequence(&args[0])?.iter() {
            send(cx, child, &args[1]);
        }
        Ok(Value::Bool(true))
    },
    "What call-rescue expands to.",
);

fn send(cx: &Cx<'_>, child: &Child, make_event: &Value) {
    let event = match cx.call(make_event, &[]) {
        Ok(event) => event,
        Err(thrown) => return rescue(cx, &child.name(), thrown, &Value::Nil),
    };
    if let Err(thrown) = child.call(cx, &event) {
        rescue(cx, &child.name(), thrown, &event);
    }
}

struct ExceptionStream {
    handler: Value,
    children: Children,
}

impl Stream for ExceptionStream {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        with_exception_stream(cx, &self.handler, || self.children.call(cx, value));
        Ok(Value::Bool(true))
    }

    fn push(&self, cx: &Cx<'_>, batch: &Batch<'_>, chosen: &Selection) {
        with_exception_stream(cx, &self.handler, || self.children.push(cx, batch, chosen));
    }
}
