//! `part-time-simple`: windows of the configuration's own making.

use clj::{Cx, Native, Result, Value};
use event::Time;

use crate::stream::function;
use crate::window::{Windowed, Windows};
use crate::{Stream, StreamFn, timer};

pub const OPERATOR: Native = function(
    "part-time-simple",
    "([dt reset add finish] [dt reset add side-effects finish])",
    (4, 5),
    new,
    "Divides time into windows of dt seconds, aligned to the moment the stream was built. (reset \
     state) gives the state a window begins with, from that of the window before (nil at first); (add \
     state event) the state after an event; both must be pure. (side-effects state event) is called \
     once for each event with the state after it, and what it gives is what the stream returns. \
     (finish state start end) is called once at the end of each window that had an event; of the \
     others nothing is called.",
);

struct Custom {
    reset: Value,
    finish: Value,
}

struct PartTimeSimple {
    windows: Windows<Custom>,
    add: Value,
    side_effects: Option<Value>,
}

fn new(cx: &Cx<'_>, args: &[Value]) -> Result {
    let (side_effects, finish) = match &args[3..] {
        [side_effects, finish] => (Some(side_effects.clone()), finish),
        rest => (None, &rest[0]),
    };
    let custom = Custom {
        reset: args[1].clone(),
        finish: finish.clone(),
    };
    let windows = Windows::new(cx, timer::interval(&args[0])?, custom)?;
    let add = args[2].clone();
    Ok(StreamFn::value(
        "part-time-simple",
        PartTimeSimple {
            windows,
            add,
            side_effects,
        },
    ))
}

impl Windowed for Custom {
    type State = Value;

    fn reset(&self, cx: &Cx<'_>, last: Option<&Value>) -> Result {
        cx.call(&self.reset, &[last.cloned().unwrap_or_default()])
    }

    fn finish(&self, cx: &Cx<'_>, state: Value, start: Time, end: Time) -> Result<()> {
        let [start, end] = [start, end].map(|time| Value::from(time.to_number()));
        cx.call(&self.finish, &[state, start, end]).map(|_| ())
    }
}

impl Stream for PartTimeSimple {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let state = self.windows.add(cx, |state| {
            *state = cx.call(&self.add, &[state.clone(), value.clone()])?;
            Ok(state.clone())
        })?;
        match &self.side_effects {
            Some(function) => cx.call(function, &[state, value.clone()]),
            None => Ok(Value::Nil),
        }
    }
}
