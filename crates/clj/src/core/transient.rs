//! Transients: collections that are changed in place while one function makes them.

use std::any::Any;

use parking_lot::Mutex;

use super::collections::{assoc, conj, count, dissoc, pop};
use super::native;
use crate::{Cx, Native, Object, Result, Thrown, Value, seq};

pub const NATIVES: &[Native] = &[
    native(
        "transient",
        "([coll])",
        "A copy that can be changed in place.",
        (1, Some(1)),
        |_, a| match &a[0] {
            Value::Vector(_) | Value::Map(_) | Value::Set(_) => {
                Ok(Value::object(Transient(Mutex::new(Some(a[0].clone())))))
            }
            other => Err(super::arguments::not_a(
                other,
                "clojure.lang.IEditableCollection",
            )),
        },
    ),
    native(
        "persistent!",
        "([coll])",
        "What a transient has become.",
        (1, Some(1)),
        |_, a| transient(&a[0])?.0.lock().take().ok_or_else(used_up),
    ),
    native(
        "conj!",
        "([] [coll] [coll x])",
        "Adds to a transient.",
        (0, Some(2)),
        |_, a| match a {
            [] => Ok(Value::object(Transient(Mutex::new(Some(Value::vector(
                Vec::new(),
            )))))),
            [coll] => Ok(coll.clone()),
            _ => change(&a[0], |coll| conj(coll, a[1].clone())),
        },
    ),
    native(
        "assoc!",
        "([coll key val & kvs])",
        "Sets keys of a transient.",
        (3, None),
        |_, a| {
            change(&a[0], |mut coll| {
                for pair in a[1..].chunks(2) {
                    let value = pair.get(1).cloned().unwrap_or_default();
                    coll = assoc(coll, pair[0].clone(), value)?;
                }
                Ok(coll)
            })
        },
    ),
    native(
        "dissoc!",
        "([map & keys])",
        "Removes keys from a transient.",
        (1, None),
        |_, a| change(&a[0], |coll| a[1..].iter().try_fold(coll, dissoc)),
    ),
    native(
        "disj!",
        "([set & items])",
        "Removes items from a transient.",
        (1, None),
        |_, a| {
            change(&a[0], |coll| match coll {
                Value::Set(set) => Ok(Value::Set(
                    a[1..].iter().fold(set, |set, item| set.disj(item)),
                )),
                other => Err(super::arguments::not_a(
                    &other,
                    "clojure.lang.ITransientSet",
                )),
            })
        },
    ),
    native(
        "pop!",
        "([coll])",
        "Removes the last of a transient.",
        (1, Some(1)),
        |_, a| change(&a[0], |coll| pop(&coll)),
    ),
];

struct Transient(Mutex<Option<Value>>);

fn used_up() -> Thrown {
    Thrown::new(
        "java.lang.IllegalAccessError",
        "Transient used after persistent! call",
    )
}

fn transient(value: &Value) -> Result<&Transient> {
    value
        .downcast::<Transient>()
        .ok_or_else(|| super::arguments::not_a(value, "clojure.lang.ITransientCollection"))
}

fn change(value: &Value, step: impl FnOnce(Value) -> Result) -> Result {
    let mut held = transient(value)?.0.lock();
    let changed = step(held.take().ok_or_else(used_up)?)?;
    *held = Some(changed);
    drop(held);
    Ok(value.clone())
}

impl Object for Transient {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "clojure.lang.ITransientCollection"
    }

    fn get(&self, key: &Value) -> Option<Value> {
        seq::get(self.0.lock().as_ref()?, key)
    }

    fn count(&self) -> Option<usize> {
        count(self.0.lock().as_ref()?).ok()
    }

    fn as_callable(&self) -> Option<&dyn crate::Callable> {
        Some(self)
    }
}

impl crate::Callable for Transient {
    fn call(&self, _: &Cx<'_>, args: &[Value]) -> Result {
        match args {
            [key, default @ ..] => Ok(self
                .get(key)
                .or_else(|| default.first().cloned())
                .unwrap_or_default()),
            [] => Err(Thrown::arity(0, self.class_name())),
        }
    }

    fn is_fn(&self) -> bool {
        false
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
