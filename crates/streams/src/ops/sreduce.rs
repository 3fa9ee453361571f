//! `sreduce`: a running fold.

use clj::{Cx, Native, Result, Value};
use parking_lot::Mutex;

use crate::stream::operator;
use crate::{Children, Stream, StreamFn};

pub const OPERATOR: Native = operator(
    "sreduce",
    "([f & children] [f init & children])",
    1,
    new,
    "Folds events as they come: passes on the accumulator (f acc event) after each. With init, which \
     must not be a function, the first event gives (f init event); without, the first event is the \
     accumulator and nothing is passed on yet.\n\n    (sreduce + 0 (fn [total] (prn total)))",
);

struct Sreduce {
    function: Value,
    state: Mutex<State>,
    children: Children,
}

#[derive(Clone)]
struct State {
    /// `None` before the first event, where there is no initial value.
    accumulator: Option<Value>,
    /// Counts changes, so that one made while the function ran is noticed.
    version: u64,
}

fn new(_: &Cx<'_>, args: &[Value]) -> Result {
    let (initial, children) = match &args[1..] {
        [first, rest @ ..] if !is_fn(first) => (Some(first.clone()), rest),
        children => (None, children),
    };
    let children = Children::of(children);
    let state = Mutex::new(State {
        accumulator: initial,
        version: 0,
    });
    Ok(StreamFn::value(
        "sreduce",
        Sreduce {
            function: args[0].clone(),
            state,
            children,
        },
    ))
}

/// What `fn?` says.
fn is_fn(value: &Value) -> bool {
    matches!(value, Value::Fn(function) if function.is_fn())
}

impl Stream for Sreduce {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        loop {
            let before = self.state.lock().clone();
            let after = match &before.accumulator {
                Some(accumulator) => {
                    cx.call(&self.function, &[accumulator.clone(), value.clone()])?
                }
                None => value.clone(),
            };
            let mut state = self.state.lock();
            if state.version != before.version {
                continue;
            }
            *state = State {
                accumulator: Some(after.clone()),
                version: before.version + 1,
            };
            drop(state);
            if before.accumulator.is_some() {
                self.children.call(cx, &after);
            }
            return Ok(Value::Bool(true));
        }
    }
}
