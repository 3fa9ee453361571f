//! `forward`: events on to another server.

use clj::{Cx, Native, Result, Thrown, Value};

use crate::stream::function;
use crate::{Stream, StreamFn, fields};

pub const OPERATOR: Native = function(
    "forward",
    "([client])",
    (1, 1),
    |_: &Cx<'_>, args: &[Value]| {
        Ok(StreamFn::value(
            "forward",
            Forward {
                client: args[0].clone(),
            },
        ))
    },
    "Sends each event, or each vector of events at once, to another server through a client, and waits \
     for its answer. Put it behind an async-queue! and a batch.\n\n    (let [client (tcp-client {:host \
     \"10.0.0.5\"})]\n      (async-queue! :forward {:queue-size 10000}\n        (batch 100 1 (forward \
     client))))",
);

struct Forward {
    client: Value,
}

impl Stream for Forward {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let name = if fields::is_map(value) {
            "send-event"
        } else {
            "send-events"
        };
        let send = function_of(cx, "riemann.client", name)?;
        let promise = cx.call(&send, &[self.client.clone(), value.clone()])?;
        cx.call(&function_of(cx, "clojure.core", "deref")?, &[promise])
    }
}

fn function_of(cx: &Cx<'_>, namespace: &str, name: &str) -> Result {
    let var = cx.rt.var(namespace, name);
    var.and_then(|var| var.root())
        .ok_or_else(|| Thrown::illegal_state(format!("{namespace}/{name} is missing")))
}
