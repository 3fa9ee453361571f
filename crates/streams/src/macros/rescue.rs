//! `exception-stream` and `call-rescue`.

use clj::{Native, Value};

use super::entry;
use crate::forms::{call, core, ours};

pub const EXCEPTION_STREAM: Native = entry(
    "exception-stream",
    "([exception-stream & children])",
    1,
    |cx, args| {
        let handler = Value::Symbol(cx.rt.gensym("handler"));
        let bound = Value::vector(vec![ours("*exception-stream*"), handler.clone()]);
        let children = call(core("binding"), [bound, Value::vector(args[3..].to_vec())]);
        let stream = call(ours("exception-stream*"), [handler.clone(), children]);
        Ok(call(
            core("let"),
            [Value::vector(vec![handler, args[2].clone()]), stream],
        ))
    },
    "Passes on events, and catches what the children throw, and those below them: each exception goes to \
     the first stream, as an event that has it under :exception and the event that it was thrown on under \
     :event.\n\n    (exception-stream (email \"you@example.com\")\n      (graphite {:host \
     \"graphite\"}))",
);

pub const CALL_RESCUE: Native = entry(
    "call-rescue",
    "([event children])",
    2,
    |_, args| {
        let thunk = call(core("fn"), [Value::vector(Vec::new()), args[2].clone()]);
        Ok(call(ours("call-rescue*"), [args[3].clone(), thunk]))
    },
    "Calls each of a sequence of children with the event, as streams do: an exception goes to the \
     exception-stream, or is logged, and the next child is called.\n\n    (defn twice [& children]\n      \
     (fn [event] (call-rescue event children) (call-rescue event children)))",
);
