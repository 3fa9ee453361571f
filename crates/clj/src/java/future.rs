//! `java.util.concurrent.Future`: what a task will give.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use super::time_unit::duration;
use crate::{Cx, Object, Result, Runtime, Thrown, Value};

/// A task, and its outcome once it has run.
#[derive(Clone)]
pub(super) struct Future(Arc<Shared>);

struct Shared {
    body: Value,
    state: Mutex<State>,
    changed: Condvar,
}

enum State {
    Waiting,
    Running,
    Done(Result),
    Cancelled,
}

impl Future {
    pub fn new(body: Value) -> Future {
        let state = Mutex::new(State::Waiting);
        Future(Arc::new(Shared {
            body,
            state,
            changed: Condvar::new(),
        }))
    }

    /// Runs the task, unless it has been cancelled.
    pub fn run(&self, rt: &Arc<Runtime>) {
        {
            let mut state = self.0.state.lock();
            if !matches!(*state, State::Waiting) {
                return;
            }
            *state = State::Running;
        }
        let outcome = super::thread::run(rt, &self.0.body);
        let mut state = self.0.state.lock();
        if matches!(*state, State::Running) {
            *state = State::Done(outcome);
        }
        self.0.changed.notify_all();
    }

    /// Runs the task once more without keeping what it gives; false once it has been cancelled or
    /// has thrown.
    pub fn repeat(&self, rt: &Arc<Runtime>) -> bool {
        if self.is_over() {
            return false;
        }
        if let Err(thrown) = super::thread::run(rt, &self.0.body) {
            *self.0.state.lock() = State::Done(Err(thrown));
            self.0.changed.notify_all();
            return false;
        }
        true
    }

    /// Waits for a while; false if it was cancelled in the meantime.
    pub fn pause(&self, for_long: Duration) -> bool {
        let mut state = self.0.state.lock();
        let waits = |state: &mut State| !matches!(state, State::Cancelled);
        self.0.changed.wait_while_for(&mut state, waits, for_long);
        waits(&mut state)
    }

    pub fn cancel(&self) -> bool {
        let mut state = self.0.state.lock();
        let cancelled = matches!(*state, State::Waiting | State::Running);
        if cancelled {
            *state = State::Cancelled;
            self.0.changed.notify_all();
        }
        cancelled
    }

    fn is_over(&self) -> bool {
        matches!(*self.0.state.lock(), State::Done(_) | State::Cancelled)
    }

    fn get(&self, at_most: Option<Duration>) -> Result {
        let mut state = self.0.state.lock();
        let is_under_way = |state: &mut State| matches!(state, State::Waiting | State::Running);
        match at_most {
            Some(time) => {
                self.0
                    .changed
                    .wait_while_for(&mut state, is_under_way, time);
            }
            None => self.0.changed.wait_while(&mut state, is_under_way),
        }
        match &*state {
            State::Done(Ok(value)) => Ok(value.clone()),
            State::Done(Err(thrown)) => {
                let message = thrown.value().to_text();
                Err(thrown
                    .clone()
                    .wrapped("java.util.concurrent.ExecutionException", message))
            }
            State::Cancelled => Err(Thrown::without_message(
                "java.util.concurrent.CancellationException",
            )),
            _ => Err(Thrown::without_message(
                "java.util.concurrent.TimeoutException",
            )),
        }
    }
}

impl Object for Future {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.util.concurrent.FutureTask"
    }

    fn is_a(&self, class: &str) -> bool {
        matches!(
            class,
            "java.util.concurrent.Future"
                | "java.util.concurrent.ScheduledFuture"
                | "java.lang.Runnable"
        )
    }

    fn deref(&self, _: &Cx<'_>) -> Option<Result> {
        Some(self.get(None))
    }

    fn method(&self, cx: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        Some(match (name, args) {
            ("get", []) => self.get(None),
            ("get", [time, unit]) => duration(time, unit).and_then(|time| self.get(Some(time))),
            ("isDone", []) => Ok(Value::Bool(self.is_over())),
            ("cancel", [_]) => Ok(Value::Bool(self.cancel())),
            ("isCancelled", []) => Ok(Value::Bool(matches!(
                *self.0.state.lock(),
                State::Cancelled
            ))),
            ("run", []) => {
                self.run(cx.rt);
                Ok(Value::Nil)
            }
            _ => return None,
        })
    }
}
