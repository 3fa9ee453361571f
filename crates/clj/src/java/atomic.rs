//! `java.util.concurrent.atomic`.

use std::any::Any;

use parking_lot::Mutex;

use super::{JavaClass, constructor};
use crate::core::arguments::int;
use crate::{Cx, Object, Result, Value};

pub(super) const CLASSES: &[JavaClass] = &[
    JavaClass {
        name: "java.util.concurrent.atomic.AtomicLong",
        construct: constructor(0, 1, |_, a| {
            number("java.util.concurrent.atomic.AtomicLong", a)
        }),
        statics: &[],
        fields: &[],
    },
    JavaClass {
        name: "java.util.concurrent.atomic.AtomicInteger",
        construct: constructor(0, 1, |_, a| {
            number("java.util.concurrent.atomic.AtomicInteger", a)
        }),
        statics: &[],
        fields: &[],
    },
    JavaClass {
        name: "java.util.concurrent.atomic.LongAdder",
        construct: constructor(0, 0, |_, a| {
            number("java.util.concurrent.atomic.LongAdder", a)
        }),
        statics: &[],
        fields: &[],
    },
    JavaClass {
        name: "java.util.concurrent.atomic.AtomicBoolean",
        construct: constructor(0, 1, |_, a| {
            let value = Value::Bool(a.first().is_some_and(Value::truthy));
            Ok(Atomic::value(
                "java.util.concurrent.atomic.AtomicBoolean",
                value,
            ))
        }),
        statics: &[],
        fields: &[],
    },
    JavaClass {
        name: "java.util.concurrent.atomic.AtomicReference",
        construct: constructor(0, 1, |_, a| {
            let value = a.first().cloned().unwrap_or_default();
            Ok(Atomic::value(
                "java.util.concurrent.atomic.AtomicReference",
                value,
            ))
        }),
        statics: &[],
        fields: &[],
    },
];

fn number(class: &'static str, args: &[Value]) -> Result {
    let start = args.first().map_or(Ok(0), int)?;
    Ok(Atomic::value(class, Value::Int(start)))
}

/// A value that is changed in one step.
struct Atomic {
    class: &'static str,
    value: Mutex<Value>,
}

impl Atomic {
    fn value(class: &'static str, value: Value) -> Value {
        Value::object(Atomic {
            class,
            value: Mutex::new(value),
        })
    }

    /// Adds to a number; gives it as it was before, and after.
    fn add(&self, by: i64) -> (Value, Value) {
        let mut value = self.value.lock();
        let before = value.clone();
        let after = Value::Int(before.as_i64().unwrap_or(0).wrapping_add(by));
        *value = after.clone();
        (before, after)
    }

    fn replace(&self, to: Value) -> Value {
        std::mem::replace(&mut *self.value.lock(), to)
    }

    /// Replaces the value by what a function makes of it; tries again if it has changed meanwhile.
    fn update(&self, cx: &Cx<'_>, function: &Value, more: &[Value]) -> Result<(Value, Value)> {
        loop {
            let before = self.value.lock().clone();
            let mut args = vec![before.clone()];
            args.extend_from_slice(more);
            let after = match function {
                Value::Object(object) if object.as_callable().is_none() => {
                    let name = if more.is_empty() {
                        "apply"
                    } else {
                        "applyAsLong"
                    };
                    super::method(cx, function, name, &args)?
                }
                function => cx.call(function, &args)?,
            };
            if self.swap(&before, &after) {
                return Ok((before, after));
            }
        }
    }

    fn swap(&self, expected: &Value, to: &Value) -> bool {
        let mut value = self.value.lock();
        let swapped = *value == *expected;
        let old = if swapped {
            Some(std::mem::replace(&mut *value, to.clone()))
        } else {
            None
        };
        drop(value);
        drop(old);
        swapped
    }

    fn count(&self, name: &str, args: &[Value]) -> Option<Result> {
        let by = args.first().map_or(Ok(0), int);
        Some(by.map(|by| match (name, args.len()) {
            ("incrementAndGet", 0) => Some(self.add(1).1),
            ("getAndIncrement", 0) => Some(self.add(1).0),
            ("decrementAndGet", 0) => Some(self.add(-1).1),
            ("getAndDecrement", 0) => Some(self.add(-1).0),
            ("addAndGet", 1) => Some(self.add(by).1),
            ("getAndAdd", 1) => Some(self.add(by).0),
            ("increment", 0) => Some(self.add(1)).map(|_| Value::Nil),
            ("decrement", 0) => Some(self.add(-1)).map(|_| Value::Nil),
            ("add", 1) => Some(self.add(by)).map(|_| Value::Nil),
            ("sum" | "longValue" | "intValue", 0) => Some(self.value.lock().clone()),
            ("reset", 0) => Some(self.replace(Value::Int(0))).map(|_| Value::Nil),
            ("sumThenReset", 0) => Some(self.replace(Value::Int(0))),
            _ => None,
        }))
        .and_then(Result::transpose)
    }
}

impl Object for Atomic {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        self.class
    }

    fn is_a(&self, class: &str) -> bool {
        class == "java.lang.Number" && matches!(*self.value.lock(), Value::Int(_))
    }

    fn text(&self) -> Option<String> {
        Some(self.value.lock().to_text())
    }

    fn method(&self, cx: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        Some(match (name, args) {
            ("get" | "getPlain" | "getAcquire", []) => Ok(self.value.lock().clone()),
            ("set" | "lazySet", [to]) => {
                self.replace(to.clone());
                Ok(Value::Nil)
            }
            ("getAndSet", [to]) => Ok(self.replace(to.clone())),
            ("compareAndSet", [expected, to]) => Ok(Value::Bool(self.swap(expected, to))),
            ("updateAndGet", [function]) => self.update(cx, function, &[]).map(|(_, after)| after),
            ("getAndUpdate", [function]) => self.update(cx, function, &[]).map(|(old, _)| old),
            ("accumulateAndGet", [with, function]) => self
                .update(cx, function, std::slice::from_ref(with))
                .map(|(_, after)| after),
            _ if matches!(*self.value.lock(), Value::Int(_)) => return self.count(name, args),
            _ => return None,
        })
    }
}
