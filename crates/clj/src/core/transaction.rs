//! Refs, changed together in transactions. One transaction runs at a time; what it changes is seen
//! by others when it ends, and by none if it throws.

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::{Mutex, ReentrantMutex};

use super::arguments::not_a;
use super::maps::call_with;
use super::native;
use super::watched::Watched;
use crate::{Cx, Map, Native, Object, Result, Thrown, Value};

pub const NATIVES: &[Native] = &[
    native(
        "ref",
        "([x & options])",
        "A reference to x that transactions change.",
        (1, None),
        |cx, a| {
            Ok(Value::object(Ref {
                value: Mutex::new(a[0].clone()),
                watched: Watched::with_options(cx, &a[0], &a[1..])?,
            }))
        },
    ),
    native(
        "dosync*",
        "([f])",
        "Calls f in a transaction.",
        (1, Some(1)),
        dosync,
    ),
    native(
        "io!*",
        "([])",
        "Throws in a transaction.",
        (0, Some(0)),
        |_, _| {
            if CHANGES.with_borrow(Option::is_some) {
                return Err(Thrown::illegal_state("I/O in transaction"));
            }
            Ok(Value::Nil)
        },
    ),
    native(
        "ref-set",
        "([ref val])",
        "Changes a ref.",
        (2, Some(2)),
        |_, a| set(&a[0], a[1].clone()),
    ),
    native(
        "alter",
        "([ref f & args])",
        "Changes a ref to f of its value.",
        (2, None),
        alter,
    ),
    native("commute", "([ref f & args])", "As alter.", (2, None), alter),
    native(
        "ensure",
        "([ref])",
        "The value of a ref, which stays until the transaction ends.",
        (1, Some(1)),
        |cx, a| super::deref(cx, &a[0]),
    ),
    native(
        "locking*",
        "([x f])",
        "Calls f while no other thread does so with x.",
        (2, Some(2)),
        locking,
    ),
];

/// `clojure.lang.Ref`.
pub struct Ref {
    value: Mutex<Value>,
    pub(super) watched: Watched,
}

/// What the transaction of a thread has changed: refs with their new values.
type Changes = Vec<(Value, Value)>;

thread_local! {
    static CHANGES: RefCell<Option<Changes>> = const { RefCell::new(None) };
}

static TRANSACTION: ReentrantMutex<()> = ReentrantMutex::new(());

fn same(a: &Value, b: &Value) -> bool {
    matches!((a, b), (Value::Object(a), Value::Object(b)) if Arc::ptr_eq(a, b))
}

fn dosync(cx: &Cx<'_>, args: &[Value]) -> Result {
    if CHANGES.with_borrow(Option::is_some) {
        return cx.call(&args[0], &[]);
    }
    let guard = TRANSACTION.lock();
    CHANGES.set(Some(Vec::new()));
    let result = cx.call(&args[0], &[]);
    let changes = CHANGES.take().unwrap_or_default();
    let result = result?;
    for (reference, new) in &changes {
        reference_of(reference)?.watched.validate(cx, new)?;
    }
    let mut replaced = Vec::with_capacity(changes.len());
    for (reference, new) in changes {
        let old = std::mem::replace(&mut *reference_of(&reference)?.value.lock(), new.clone());
        replaced.push((reference, old, new));
    }
    drop(guard);
    for (reference, old, new) in &replaced {
        reference_of(reference)?
            .watched
            .changed(cx, reference, old, new)?;
    }
    Ok(result)
}

fn reference_of(value: &Value) -> Result<&Ref> {
    value
        .downcast()
        .ok_or_else(|| not_a(value, "clojure.lang.Ref"))
}

fn set(reference: &Value, new: Value) -> Result {
    reference_of(reference)?;
    CHANGES.with_borrow_mut(|changes| {
        let Some(changes) = changes else {
            return Err(Thrown::illegal_state("No transaction running"));
        };
        match changes
            .iter_mut()
            .find(|(changed, _)| same(changed, reference))
        {
            Some((_, value)) => *value = new.clone(),
            None => changes.push((reference.clone(), new.clone())),
        }
        Ok(new)
    })
}

fn alter(cx: &Cx<'_>, args: &[Value]) -> Result {
    let old = super::deref(cx, &args[0])?;
    set(&args[0], call_with(cx, &args[1], old, &args[2..])?)
}

impl Ref {
    fn get(&self) -> Value {
        let changed = CHANGES.with_borrow(|changes| {
            let changes = changes.as_ref()?;
            let own = changes.iter().find(|(reference, _)| {
                reference
                    .downcast::<Ref>()
                    .is_some_and(|other| std::ptr::eq(other, self))
            });
            own.map(|(_, value)| value.clone())
        });
        changed.unwrap_or_else(|| self.value.lock().clone())
    }
}

impl Object for Ref {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "clojure.lang.Ref"
    }

    fn is_a(&self, class: &str) -> bool {
        matches!(class, "clojure.lang.IDeref" | "clojure.lang.IRef")
    }

    fn print(&self, out: &mut String, _: bool) {
        super::atom::print_reference("clojure.lang.Ref", Some(&self.get()), out);
    }

    fn deref(&self, _: &Cx<'_>) -> Option<Result> {
        Some(Ok(self.get()))
    }

    fn meta(&self) -> Option<Map> {
        self.watched.meta.lock().clone()
    }

    fn set_meta(&self, meta: &Map) -> bool {
        *self.watched.meta.lock() = Some(meta.clone());
        true
    }
}

/// The lock of a value, and how many threads hold it or wait for it.
type Monitor = (Arc<ReentrantMutex<()>>, usize);

/// The locks of `locking` that are in use, by what they lock.
static MONITORS: Mutex<Option<HashMap<usize, Monitor>>> = Mutex::new(None);

/// Calls a function while no other thread holds the monitor of a value.
fn locking(cx: &Cx<'_>, args: &[Value]) -> Result {
    let key = match &args[0] {
        Value::Nil => return Err(not_a(&args[0], "java.lang.Object")),
        Value::Object(object) => Arc::as_ptr(object).addr(),
        Value::Fn(function) => Arc::as_ptr(function).addr(),
        Value::Var(var) => Arc::as_ptr(var).addr(),
        other => super::identity::hash(other) as usize,
    };
    let monitor = {
        let mut monitors = MONITORS.lock();
        let (monitor, users) = monitors.get_or_insert_default().entry(key).or_default();
        *users += 1;
        monitor.clone()
    };
    let result = {
        let _held = monitor.lock();
        cx.call(&args[1], &[])
    };
    let mut monitors = MONITORS.lock();
    let monitors = monitors.get_or_insert_default();
    if let Some((_, users)) = monitors.get_mut(&key) {
        *users -= 1;
        if *users == 0 {
            monitors.remove(&key);
        }
    }
    result
}
