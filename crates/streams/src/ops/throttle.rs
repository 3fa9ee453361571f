//! `throttle`: a few events per window, the rest dropped.

use clj::{Cx, Native, Result, Value};
use event::{Number, Time};

use crate::keep::{self, Kept};
use crate::stream::operator;
use crate::window::{Windowed, Windows};
use crate::{Batch, Children, Selection, Stream, StreamFn, arithmetic, timer};

pub const OPERATOR: Native = operator(
    "throttle",
    "([n dt & children])",
    2,
    |cx: &Cx<'_>, args: &[Value]| {
        let limit = arithmetic::number(&args[0])?;
        let windows = Windows::new(cx, timer::interval(&args[1])?, Counted)?;
        let children = Children::of(&args[2..]);
        Ok(StreamFn::value(
            "throttle",
            Throttle {
                limit,
                windows,
                children,
            },
        ))
    },
    "Passes on at most n events in every dt seconds, counted from the moment it was built, and drops \
     the rest. Expired events count as any other. A vector of events counts as one.\n\n    (throttle 1 \
     3600 (email \"you@example.com\"))",
);

struct Throttle {
    limit: Number,
    windows: Windows<Counted>,
    children: Children,
}

/// How many events came in a window.
struct Counted;

impl Windowed for Counted {
    type State = i64;

    fn reset(&self, _: &Cx<'_>, _: Option<&i64>) -> Result<i64> {
        Ok(0)
    }

    fn finish(&self, _: &Cx<'_>, _: i64, _: Time, _: Time) -> Result<()> {
        Ok(())
    }
}

impl Throttle {
    /// Counts an event; true if it may pass.
    fn admit(&self, cx: &Cx<'_>) -> Result<bool> {
        let count = self.windows.add(cx, |count| {
            *count += 1;
            Ok(*count)
        })?;
        Ok(!arithmetic::less(&self.limit, &Number::Int(count)))
    }
}

impl Stream for Throttle {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        if !self.admit(cx)? {
            return Ok(Value::Nil);
        }
        self.children.call(cx, value);
        Ok(Value::Bool(true))
    }

    fn push(&self, cx: &Cx<'_>, batch: &Batch<'_>, chosen: &Selection) {
        let mut admitted = Selection::none();
        for index in chosen.iter() {
            match self.admit(cx) {
                Ok(true) => admitted.push(index),
                Ok(false) => {}
                Err(thrown) => batch.fail(cx, index, "throttle", thrown),
            }
        }
        self.children.push(cx, batch, &admitted);
    }

    fn is_contained(&self) -> bool {
        self.children.is_contained()
    }

    fn keep(&self, cx: &Cx<'_>) -> Option<Kept> {
        self.windows.keep(cx, &self.parameters())
    }

    fn adopt(&self, cx: &Cx<'_>, kept: Kept) -> std::result::Result<(), String> {
        self.windows.adopt(cx, kept, &self.parameters())
    }
}

impl Throttle {
    /// What must be the same for the state to go on.
    fn parameters(&self) -> String {
        format!("{} {}", self.limit, keep::seconds(self.windows.interval()))
    }
}
