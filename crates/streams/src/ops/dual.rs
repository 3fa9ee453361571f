//! `dual`: two streams of which exactly one holds each event.

use clj::{Cx, Native, Result, Value};

use crate::children::Child;
use crate::rescue::rescue;
use crate::stream::function;
use crate::{Stream, StreamFn, fields};

pub const OPERATOR: Native = function(
    "dual",
    "([pred true-stream false-stream])",
    (3, 3),
    |_: &Cx<'_>, args: &[Value]| -> Result {
        let stream = Dual::new(&args[1], &args[2]);
        Ok(StreamFn::value(
            "dual",
            By {
                pred: args[0].clone(),
                stream,
            },
        ))
    },
    "Splits events over two streams so that they complement each other. Where (pred event) is true, \
     true-stream gets the event and false-stream the expired form of it; else the other way round. \
     Expired events go to both.",
);

struct By {
    pred: Value,
    stream: Dual,
}

impl Stream for By {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        self.stream.call(cx, value, |cx| {
            Ok(cx.call(&self.pred, std::slice::from_ref(value))?.truthy())
        })
    }
}

/// Two complementary streams.
pub(crate) struct Dual {
    chosen: Child,
    other: Child,
}

impl Dual {
    pub(crate) fn new(chosen: &Value, other: &Value) -> Dual {
        Dual {
            chosen: Child::of(chosen),
            other: Child::of(other),
        }
    }

    /// Sends an event to where `choose` says, and word of its end to the other side.
    pub(crate) fn call(
        &self,
        cx: &Cx<'_>,
        value: &Value,
        choose: impl FnOnce(&Cx<'_>) -> Result<bool>,
    ) -> Result {
        if fields::is_expired(cx, value)? {
            send(cx, &self.chosen, value);
            send(cx, &self.other, value);
        } else if choose(cx)? {
            send(cx, &self.other, &fields::expire(cx, value)?);
            send(cx, &self.chosen, value);
        } else {
            send(cx, &self.chosen, &fields::expire(cx, value)?);
            send(cx, &self.other, value);
        }
        Ok(Value::Bool(true))
    }

    /// Moves an event that was chosen before to the other side.
    pub(crate) fn demote(&self, cx: &Cx<'_>, value: &Value) -> Result<()> {
        send(cx, &self.chosen, &fields::expire(cx, value)?);
        send(cx, &self.other, value);
        Ok(())
    }
}

fn send(cx: &Cx<'_>, child: &Child, value: &Value) {
    if let Err(thrown) = child.call(cx, value) {
        rescue(cx, &child.name(), thrown, value);
    }
}
