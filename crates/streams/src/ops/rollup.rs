//! `rollup`: a few events per window at once, the rest together at its end.

use clj::{Cx, Native, Result, Value};
use event::{Number, Time};

use crate::keep::{self, Kept};
use crate::recent::{self, Bound, Recent};
use crate::stream::operator;
use crate::window::{Windowed, Windows};
use crate::{Children, Stream, StreamFn, arithmetic, timer};

pub const OPERATOR: Native = operator(
    "rollup",
    "([n dt & children] [n dt options & children])",
    2,
    |cx: &Cx<'_>, args: &[Value]| {
        let limit = arithmetic::number(&args[0])?;
        let (options, children) = recent::options(&args[2..]);
        let bound = Bound::of("rollup", &options)?;
        let rolled = Rolled {
            children: Children::of(children),
        };
        let windows = Windows::new(cx, timer::interval(&args[1])?, rolled)?;
        Ok(StreamFn::value(
            "rollup",
            Rollup {
                limit,
                bound,
                windows,
            },
        ))
    },
    "Passes on vectors of events, at most n in every dt seconds, counted from the moment it was built: \
     the first events each in a vector of its own as they come, the rest in one vector at the end of \
     the dt seconds. That vector counts as one of the n that follow. With n = 0, everything waits for \
     the end. The latest {:max 1000000} wait.\n\n    (rollup 5 3600 (email \"you@example.com\"))",
);

struct Rollup {
    limit: Number,
    bound: Bound,
    windows: Windows<Rolled>,
}

struct Rolled {
    children: Children,
}

#[derive(Default)]
struct Carry {
    /// Events of this window, and a vector of the last one's rest.
    count: i64,
    rest: Recent<Value>,
}

impl Windowed for Rolled {
    type State = Carry;

    fn reset(&self, _: &Cx<'_>, last: Option<&Carry>) -> Result<Carry> {
        let carried = last.is_some_and(|last| !last.rest.is_empty());
        Ok(Carry {
            count: i64::from(carried),
            rest: Recent::default(),
        })
    }

    fn finish(&self, cx: &Cx<'_>, carry: Carry, _: Time, _: Time) -> Result<()> {
        if !carry.rest.is_empty() {
            self.children
                .call(cx, &Value::vector(carry.rest.into_vec()));
        }
        Ok(())
    }
}

impl Stream for Rollup {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let at_once = self.windows.add(cx, |carry| {
            let at_once = arithmetic::less(&Number::Int(carry.count), &self.limit);
            carry.count += 1;
            if !at_once {
                carry.rest.push(cx, &self.bound, value.clone());
            }
            Ok(at_once)
        })?;
        if !at_once {
            return Ok(Value::Nil);
        }
        self.windows
            .inner()
            .children
            .call(cx, &Value::vector(vec![value.clone()]));
        Ok(Value::Bool(true))
    }

    fn is_contained(&self) -> bool {
        self.windows.inner().children.is_contained()
    }

    fn keep(&self, cx: &Cx<'_>) -> Option<Kept> {
        self.windows.keep(cx, &self.parameters())
    }

    fn adopt(&self, cx: &Cx<'_>, kept: Kept) -> std::result::Result<(), String> {
        self.windows.adopt(cx, kept, &self.parameters())
    }
}

impl Rollup {
    /// What must be the same for the state to go on.
    fn parameters(&self) -> String {
        format!("{} {}", self.limit, keep::seconds(self.windows.interval()))
    }
}
