//! `java.lang.Thread`.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use super::{JavaClass, Static, constructor, member};
use crate::core::arguments::{int, optional};
use crate::core::deferred::run_on_thread;
use crate::{Cx, Object, Result, Runtime, Thrown, Value};

pub(super) const CLASSES: &[JavaClass] = &[JavaClass {
    name: "java.lang.Thread",
    construct: NEW,
    statics: STATICS,
    fields: &[],
}];

const NEW: Option<Static> = constructor(0, 3, |_, a| {
    let (mut body, mut name) = (Value::Nil, None);
    for arg in a {
        match arg {
            Value::Str(text) => name = Some(text.to_string()),
            other if is_runnable(other) => body = other.clone(),
            _ => {}
        }
    }
    Ok(Value::object(Thread::named(
        name.unwrap_or_else(next_name),
        body,
    )))
});

const STATICS: &[Static] = &[
    member("sleep", 1, 2, |cx, a| match u64::try_from(int(&a[0])?) {
        Ok(ms) => {
            cx.rt.host.sleep_ms(ms);
            Ok(Value::Nil)
        }
        Err(_) => Err(Thrown::illegal_argument("timeout value is negative")),
    }),
    member("currentThread", 0, 0, |_, _| {
        let current = std::thread::current();
        let thread = Thread::named(current.name().unwrap_or("main").to_owned(), Value::Nil);
        thread.0.state.lock().stage = Stage::Running;
        Ok(Value::object(thread))
    }),
    member("interrupted", 0, 0, |_, _| Ok(Value::Bool(false))),
    member("yield", 0, 0, |_, _| {
        std::thread::yield_now();
        Ok(Value::Nil)
    }),
];

fn next_name() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("Thread-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

fn is_runnable(value: &Value) -> bool {
    super::instance_of(value, "java.lang.Runnable")
}

/// Calls a function, or the `run` of an object.
pub(super) fn run(rt: &Arc<Runtime>, body: &Value) -> Result {
    let cx = Cx::new(rt);
    match body {
        Value::Nil => Ok(Value::Nil),
        Value::Object(object) if object.as_callable().is_none() => {
            let name = if super::instance_of(body, "java.util.concurrent.Callable")
                && !super::instance_of(body, "java.lang.Runnable")
            {
                "call"
            } else {
                "run"
            };
            super::method(&cx, body, name, &[])
        }
        function => cx.call(function, &[]),
    }
}

#[derive(Clone)]
struct Thread(Arc<Shared>);

struct Shared {
    body: Value,
    state: Mutex<State>,
    ended: Condvar,
}

struct State {
    name: String,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq)]
enum Stage {
    New,
    Running,
    Ended,
}

impl Thread {
    fn named(name: String, body: Value) -> Thread {
        let state = Mutex::new(State {
            name,
            stage: Stage::New,
        });
        Thread(Arc::new(Shared {
            body,
            state,
            ended: Condvar::new(),
        }))
    }

    fn start(&self, cx: &Cx<'_>) -> Result {
        let mut state = self.0.state.lock();
        if state.stage != Stage::New {
            return Err(Thrown::without_message(
                "java.lang.IllegalThreadStateException",
            ));
        }
        let (shared, rt) = (self.0.clone(), cx.rt.clone());
        run_on_thread(&state.name, move || {
            let end = End(shared);
            if let Err(thrown) = run(&rt, &end.0.body) {
                let name = end.0.state.lock().name.clone();
                rt.host
                    .print_error(&format!("Exception in thread \"{name}\" {thrown}\n"));
            }
        })?;
        state.stage = Stage::Running;
        Ok(Value::Nil)
    }

    /// Waits for the end, but no longer than so many milliseconds if any are given.
    fn join(&self, ms: &Value) -> Result {
        let ms = match ms {
            Value::Nil => 0,
            ms => u64::try_from(int(ms)?).unwrap_or(0),
        };
        let mut state = self.0.state.lock();
        if ms > 0 {
            let is_running = |state: &mut State| state.stage == Stage::Running;
            self.0
                .ended
                .wait_while_for(&mut state, is_running, Duration::from_millis(ms));
        } else {
            self.0
                .ended
                .wait_while(&mut state, |state| state.stage == Stage::Running);
        }
        Ok(Value::Nil)
    }
}

/// Tells those who wait, also when the thread panics.
struct End(Arc<Shared>);

impl Drop for End {
    fn drop(&mut self) {
        self.0.state.lock().stage = Stage::Ended;
        self.0.ended.notify_all();
    }
}

impl Object for Thread {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.lang.Thread"
    }

    fn is_a(&self, class: &str) -> bool {
        class == "java.lang.Runnable"
    }

    fn text(&self) -> Option<String> {
        Some(format!("Thread[{},5,main]", self.0.state.lock().name))
    }

    fn method(&self, cx: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        Some(match (name, args) {
            ("start", []) => self.start(cx),
            ("run", []) => run(cx.rt, &self.0.body),
            ("join", [] | [_]) => self.join(optional(args, 0)),
            ("isAlive", []) => Ok(Value::Bool(self.0.state.lock().stage == Stage::Running)),
            ("getName", []) => Ok(Value::str(&self.0.state.lock().name)),
            ("setName", [to]) => {
                self.0.state.lock().name = to.to_text();
                Ok(Value::Nil)
            }
            ("getId", []) => Ok(Value::Int(Arc::as_ptr(&self.0).addr() as i64 >> 4)),
            ("isDaemon", []) => Ok(Value::Bool(true)),
            ("isInterrupted", []) => Ok(Value::Bool(false)),
            ("setDaemon" | "setPriority" | "setUncaughtExceptionHandler", [_])
            | ("interrupt", []) => Ok(Value::Nil),
            ("getStackTrace", []) => Ok(Value::object(super::Array::new(
                "[Ljava.lang.StackTraceElement;",
                Vec::new(),
            ))),
            ("getContextClassLoader", []) => Ok(Value::Nil),
            _ => return None,
        })
    }
}
