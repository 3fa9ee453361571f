//! Values that come later: promises, delays, futures.

use std::any::Any;
use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, ReentrantMutex};

use super::arguments::{int, not_a};
use super::atom::print_reference;
use super::native;
use crate::{Callable, Cx, Native, Object, Result, Thrown, Value, dynamic};

pub const NATIVES: &[Native] = &[
    native(
        "deref",
        "([ref] [ref timeout-ms timeout-val])",
        "The value of a reference, waited for if need be.",
        (1, Some(3)),
        |cx, a| match a {
            [reference, timeout, instead] => wait_for(cx, reference, int(timeout)?, instead),
            _ => super::deref(cx, &a[0]),
        },
    ),
    native(
        "promise",
        "([])",
        "A value that deliver sets once.",
        (0, Some(0)),
        |_, _| Ok(Value::object(Promise(Arc::default()))),
    ),
    native(
        "deliver",
        "([promise val])",
        "Sets the value of a promise; nil if it has one.",
        (2, Some(2)),
        |cx, a| cx.call(&a[0], &[a[1].clone()]),
    ),
    native(
        "delay*",
        "([f])",
        "A value that f gives when it is wanted.",
        (1, Some(1)),
        |_, a| {
            Ok(Value::object(Delay(ReentrantMutex::new(RefCell::new(
                DelayState::Waiting(a[0].clone()),
            )))))
        },
    ),
    native(
        "force",
        "([x])",
        "The value of a delay, or x.",
        (1, Some(1)),
        |cx, a| match a[0].downcast::<Delay>() {
            Some(delay) => delay.force(cx),
            None => Ok(a[0].clone()),
        },
    ),
    native(
        "future-call",
        "([f])",
        "A value that f gives on another thread.",
        (1, Some(1)),
        |cx, a| spawn(cx, a[0].clone()),
    ),
    native(
        "future-cancel",
        "([f])",
        "Gives up on a future; what runs goes on.",
        (1, Some(1)),
        |_, a| {
            Ok(future(&a[0])?
                .0
                .set(Err(Thrown::without_message(
                    "java.util.concurrent.CancellationException",
                )))
                .into())
        },
    ),
    native(
        "future-cancelled?",
        "([f])",
        "True if a future was given up.",
        (1, Some(1)),
        |_, a| Ok(future(&a[0])?.is_cancelled().into()),
    ),
    native(
        "future-done?",
        "([f])",
        "True if a future has ended.",
        (1, Some(1)),
        |_, a| Ok(future(&a[0])?.0.is_set().into()),
    ),
    native(
        "realized?",
        "([x])",
        "True if a value that comes later is there.",
        (1, Some(1)),
        |cx, a| {
            let there = match &a[0] {
                Value::Lazy(lazy) => Some(lazy.is_realized()),
                Value::List(_) => Some(true),
                x => None
                    .or(x.downcast::<Promise>().map(|promise| promise.0.is_set()))
                    .or(x.downcast::<Future>().map(|future| future.0.is_set()))
                    .or(x.downcast::<Delay>().map(Delay::is_realized))
                    .or(is_come(cx, x)),
            };
            there
                .map(Value::Bool)
                .ok_or_else(|| not_a(&a[0], "clojure.lang.IPending"))
        },
    ),
];

/// A result that is set once, and waited for.
#[derive(Default)]
struct Slot {
    result: Mutex<Option<Result>>,
    set: Condvar,
}

impl Slot {
    /// False if it was set before.
    fn set(&self, result: Result) -> bool {
        let mut held = self.result.lock();
        if held.is_some() {
            return false;
        }
        *held = Some(result);
        self.set.notify_all();
        true
    }

    fn is_set(&self) -> bool {
        self.result.lock().is_some()
    }

    fn get(&self) -> Option<Result> {
        self.result.lock().clone()
    }

    fn wait(&self) -> Result {
        let mut held = self.result.lock();
        loop {
            match &*held {
                Some(result) => return result.clone(),
                None => self.set.wait(&mut held),
            }
        }
    }

    fn wait_for(&self, timeout_ms: i64) -> Option<Result> {
        let end = Instant::now() + Duration::from_millis(u64::try_from(timeout_ms).unwrap_or(0));
        let mut held = self.result.lock();
        while held.is_none() {
            if self.set.wait_until(&mut held, end).timed_out() {
                break;
            }
        }
        held.clone()
    }
}

fn wait_for(cx: &Cx<'_>, reference: &Value, timeout_ms: i64, instead: &Value) -> Result {
    if let Some(promise) = reference.downcast::<Promise>() {
        let outcome = promise.0.wait_for(timeout_ms);
        return outcome.unwrap_or_else(|| Ok(instead.clone()));
    }
    if let Some(future) = reference.downcast::<Future>() {
        let outcome = future.0.wait_for(timeout_ms);
        return outcome.unwrap_or_else(|| Ok(instead.clone()));
    }
    let waited = match reference {
        Value::Object(object) => object.deref_within(cx, timeout_ms, instead),
        _ => None,
    };
    waited.unwrap_or_else(|| super::deref(cx, reference))
}

/// True if another object has the value that it waits for; `None` if it does not wait.
fn is_come(cx: &Cx<'_>, reference: &Value) -> Option<bool> {
    let Value::Object(object) = reference else {
        return None;
    };
    let late = Value::object(Promise(Arc::default()));
    let come = object.deref_within(cx, 0, &late)?;
    Some(!come.is_ok_and(|value| value == late))
}

struct Promise(Arc<Slot>);

impl Object for Promise {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "clojure.core$promise$reify"
    }

    fn is_a(&self, class: &str) -> bool {
        matches!(class, "clojure.lang.IDeref" | "clojure.lang.IPending")
    }

    fn print(&self, out: &mut String, _: bool) {
        print_reference(
            "clojure.core$promise$reify",
            self.0.get().and_then(Result::ok).as_ref(),
            out,
        );
    }

    fn deref(&self, _: &Cx<'_>) -> Option<Result> {
        Some(self.0.wait())
    }

    fn as_callable(&self) -> Option<&dyn Callable> {
        Some(self)
    }
}

/// A promise called with a value is delivered.
impl Callable for Promise {
    fn call(&self, _: &Cx<'_>, args: &[Value]) -> Result {
        Ok(
            if self.0.set(Ok(args.first().cloned().unwrap_or_default())) {
                Value::object(Promise(self.0.clone()))
            } else {
                Value::Nil
            },
        )
    }

    fn is_fn(&self) -> bool {
        false
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

struct Delay(ReentrantMutex<RefCell<DelayState>>);

enum DelayState {
    Waiting(Value),
    Done(Result),
}

impl Delay {
    fn force(&self, cx: &Cx<'_>) -> Result {
        let state = self.0.lock();
        let body = match &*state.borrow() {
            DelayState::Done(result) => return result.clone(),
            DelayState::Waiting(body) => body.clone(),
        };
        let result = cx.call(&body, &[]);
        *state.borrow_mut() = DelayState::Done(result.clone());
        result
    }

    fn is_realized(&self) -> bool {
        matches!(&*self.0.lock().borrow(), DelayState::Done(_))
    }
}

impl Object for Delay {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "clojure.lang.Delay"
    }

    fn is_a(&self, class: &str) -> bool {
        matches!(class, "clojure.lang.IDeref" | "clojure.lang.IPending")
    }

    fn print(&self, out: &mut String, _: bool) {
        let value = match &*self.0.lock().borrow() {
            DelayState::Done(Ok(value)) => Some(value.clone()),
            _ => None,
        };
        print_reference("clojure.lang.Delay", value.as_ref(), out);
    }

    fn deref(&self, cx: &Cx<'_>) -> Option<Result> {
        Some(self.force(cx))
    }
}

/// A computation on another thread.
pub struct Future(Arc<Slot>);

/// Stack of a thread that runs code.
pub const STACK_BYTES: usize = 8 * 1024 * 1024;

/// Runs a function of no arguments on a new thread, with the bindings in effect here.
///
/// # Errors
/// `RejectedExecutionException` if the system has no more threads.
pub fn spawn(cx: &Cx<'_>, f: Value) -> Result {
    let slot: Arc<Slot> = Arc::default();
    let (rt, bindings, result) = (cx.rt.clone(), dynamic::capture(), slot.clone());
    run_on_thread("future", move || {
        let cx = Cx::new(&rt);
        let done = dynamic::within(bindings, || cx.call(&f, &[]));
        result.set(done.map_err(|thrown| {
            let message = thrown.to_string();
            thrown.wrapped("java.util.concurrent.ExecutionException", message)
        }));
    })?;
    Ok(Value::object(Future(slot)))
}

/// Starts a thread.
///
/// # Errors
/// `RejectedExecutionException` if the system has no more.
pub fn run_on_thread(name: &str, body: impl FnOnce() + Send + 'static) -> Result<()> {
    let builder = std::thread::Builder::new()
        .name(name.to_owned())
        .stack_size(STACK_BYTES);
    builder.spawn(body).map(drop).map_err(|error| {
        Thrown::new(
            "java.util.concurrent.RejectedExecutionException",
            error.to_string(),
        )
    })
}

fn future(value: &Value) -> Result<&Future> {
    value
        .downcast()
        .ok_or_else(|| not_a(value, "java.util.concurrent.Future"))
}

impl Future {
    fn is_cancelled(&self) -> bool {
        matches!(self.0.get(), Some(Err(thrown)) if thrown.class() == "java.util.concurrent.CancellationException")
    }
}

impl Object for Future {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "clojure.core$future_call$reify"
    }

    fn is_a(&self, class: &str) -> bool {
        matches!(
            class,
            "java.util.concurrent.Future" | "clojure.lang.IDeref" | "clojure.lang.IPending"
        )
    }

    fn print(&self, out: &mut String, _: bool) {
        print_reference(
            "clojure.core$future_call$reify",
            self.0.get().and_then(Result::ok).as_ref(),
            out,
        );
    }

    fn deref(&self, _: &Cx<'_>) -> Option<Result> {
        Some(self.0.wait())
    }

    fn method(&self, cx: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        Some(match (name, args) {
            ("get", []) => self.0.wait(),
            ("get", [amount, unit]) => {
                let ms = crate::java::method(cx, unit, "toMillis", std::slice::from_ref(amount));
                match ms.and_then(|ms| int(&ms)) {
                    Err(thrown) => Err(thrown),
                    Ok(ms) => self.0.wait_for(ms).unwrap_or_else(|| {
                        Err(Thrown::without_message(
                            "java.util.concurrent.TimeoutException",
                        ))
                    }),
                }
            }
            ("isDone", []) => Ok(self.0.is_set().into()),
            ("isCancelled", []) => Ok(self.is_cancelled().into()),
            ("cancel", [_]) => {
                let given_up =
                    Thrown::without_message("java.util.concurrent.CancellationException");
                Ok(self.0.set(Err(given_up)).into())
            }
            _ => return None,
        })
    }
}
