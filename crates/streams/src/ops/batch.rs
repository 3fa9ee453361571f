//! `batch`: events by the dozen, or by the minute, whichever comes first.

use clj::{Cx, Native, Result, Value};
use event::{Number, Time};

use crate::stream::operator;
use crate::window::{Windowed, Windows};
use crate::{Children, Stream, StreamFn, arithmetic, timer};

pub const OPERATOR: Native = operator(
    "batch",
    "([n dt & children])",
    2,
    |cx: &Cx<'_>, args: &[Value]| {
        let size = arithmetic::number(&args[0])?;
        let batched = Batched {
            children: Children::of(&args[2..]),
        };
        let windows = Windows::new(cx, timer::interval(&args[1])?, batched)?;
        Ok(StreamFn::value("batch", BatchStream { size, windows }))
    },
    "Passes on events in vectors: as soon as n are together, and what there is every dt seconds, \
     counted from the moment it was built. For what leaves over the network.\n\n    (batch 1000 1 \
     (forward client))",
);

struct BatchStream {
    size: Number,
    windows: Windows<Batched>,
}

struct Batched {
    children: Children,
}

impl Windowed for Batched {
    type State = Vec<Value>;

    fn reset(&self, _: &Cx<'_>, _: Option<&Vec<Value>>) -> Result<Vec<Value>> {
        Ok(Vec::new())
    }

    fn finish(&self, cx: &Cx<'_>, events: Vec<Value>, _: Time, _: Time) -> Result<()> {
        if !events.is_empty() {
            self.children.call(cx, &Value::vector(events));
        }
        Ok(())
    }
}

impl Stream for BatchStream {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let full = self.windows.add(cx, |events| {
            events.push(value.clone());
            let count = i64::try_from(events.len()).unwrap_or(i64::MAX);
            let full = !arithmetic::less(&Number::Int(count), &self.size);
            Ok(full.then(|| std::mem::take(events)))
        })?;
        match full {
            Some(events) => {
                self.windows
                    .inner()
                    .children
                    .call(cx, &Value::vector(events));
                Ok(Value::Bool(true))
            }
            None => Ok(Value::Nil),
        }
    }

    fn is_contained(&self) -> bool {
        self.windows.inner().children.is_contained()
    }
}
