//! Atoms and volatiles: one value, changed at once.

use std::any::Any;
use std::cell::Cell;
use std::fmt::Write;

use parking_lot::Mutex;

use super::arguments::not_a;
use super::maps::call_with;
use super::native;
use super::watched::Watched;
use crate::{Cx, Map, Native, Object, Result, Value};

pub const NATIVES: &[Native] = &[
    native(
        "atom",
        "([x & options])",
        "A reference to x that swap! changes.",
        (1, None),
        |cx, a| {
            Ok(Value::object(Atom {
                state: Mutex::new((a[0].clone(), 0)),
                watched: Watched::with_options(cx, &a[0], &a[1..])?,
            }))
        },
    ),
    native(
        "swap!",
        "([atom f & args])",
        "Changes an atom to f of its value.",
        (2, None),
        |cx, a| swap(cx, &a[0], |old| call_with(cx, &a[1], old, &a[2..])).map(|(_, new)| new),
    ),
    native(
        "swap-vals!",
        "([atom f & args])",
        "As swap!, but gives the old value and the new.",
        (2, None),
        |cx, a| {
            let (old, new) = swap(cx, &a[0], |old| call_with(cx, &a[1], old, &a[2..]))?;
            Ok(Value::vector(vec![old, new]))
        },
    ),
    native(
        "reset!",
        "([atom newval])",
        "Changes an atom to a value.",
        (2, Some(2)),
        |cx, a| swap(cx, &a[0], |_| Ok(a[1].clone())).map(|(_, new)| new),
    ),
    native(
        "reset-vals!",
        "([atom newval])",
        "As reset!, but gives the old value and the new.",
        (2, Some(2)),
        |cx, a| {
            let (old, new) = swap(cx, &a[0], |_| Ok(a[1].clone()))?;
            Ok(Value::vector(vec![old, new]))
        },
    ),
    native(
        "compare-and-set!",
        "([atom oldval newval])",
        "Changes an atom if its value is oldval.",
        (3, Some(3)),
        compare_and_set,
    ),
    native(
        "volatile!",
        "([val])",
        "A reference for one thread at a time.",
        (1, Some(1)),
        |_, a| Ok(Value::object(Volatile(Mutex::new(a[0].clone())))),
    ),
    native(
        "vreset!",
        "([vol newval])",
        "Changes a volatile.",
        (2, Some(2)),
        |_, a| {
            let volatile = a[0]
                .downcast::<Volatile>()
                .ok_or_else(|| not_a(&a[0], "clojure.lang.Volatile"))?;
            let old = std::mem::replace(&mut *volatile.0.lock(), a[1].clone());
            drop(old);
            Ok(a[1].clone())
        },
    ),
];

/// `clojure.lang.Atom`.
pub struct Atom {
    /// The value, and how often it has changed.
    state: Mutex<(Value, u64)>,
    pub(super) watched: Watched,
}

impl Atom {
    /// An atom that nobody watches.
    pub fn new(value: Value) -> Atom {
        Atom {
            state: Mutex::new((value, 0)),
            watched: Watched::default(),
        }
    }

    pub fn get(&self) -> Value {
        self.state.lock().0.clone()
    }

    /// Changes the value if it passes a test, without validator and watches. Gives whether it did,
    /// and the old value.
    pub fn replace(&self, test: impl FnOnce(&Value) -> bool, new: &Value) -> (bool, Value) {
        let mut state = self.state.lock();
        if !test(&state.0) {
            return (false, state.0.clone());
        }
        let version = state.1 + 1;
        (
            true,
            std::mem::replace(&mut *state, (new.clone(), version)).0,
        )
    }

    /// Changes the value, without validator and watches.
    pub fn set(&self, value: Value) {
        let mut state = self.state.lock();
        let version = state.1 + 1;
        let old = std::mem::replace(&mut *state, (value, version));
        drop(state);
        drop(old);
    }
}

/// Changes an atom to what `change` gives of its value; `change` runs again if another thread was
/// faster. Gives the old value and the new.
fn swap(
    cx: &Cx<'_>,
    reference: &Value,
    change: impl Fn(Value) -> Result,
) -> Result<(Value, Value)> {
    let atom = reference
        .downcast::<Atom>()
        .ok_or_else(|| not_a(reference, "clojure.lang.Atom"))?;
    loop {
        let (old, version) = atom.state.lock().clone();
        let new = change(old.clone())?;
        atom.watched.validate(cx, &new)?;
        let mut state = atom.state.lock();
        if state.1 != version {
            continue;
        }
        *state = (new.clone(), version + 1);
        drop(state);
        atom.watched.changed(cx, reference, &old, &new)?;
        return Ok((old, new));
    }
}

fn compare_and_set(cx: &Cx<'_>, args: &[Value]) -> Result {
    let (reference, expected, new) = (&args[0], &args[1], &args[2]);
    let atom = reference
        .downcast::<Atom>()
        .ok_or_else(|| not_a(reference, "clojure.lang.Atom"))?;
    atom.watched.validate(cx, new)?;
    let mut state = atom.state.lock();
    if state.0 != *expected {
        return Ok(Value::Bool(false));
    }
    let version = state.1 + 1;
    let (old, _) = std::mem::replace(&mut *state, (new.clone(), version));
    drop(state);
    atom.watched.changed(cx, reference, &old, new)?;
    Ok(Value::Bool(true))
}

/// References in references that are printed with what they hold. Services and the core that they
/// belong to hold each other in circles.
const PRINTED_NESTED_MAX: u32 = 3;

thread_local! {
    static PRINTED_NESTED: Cell<u32> = const { Cell::new(0) };
}

/// Appends `#object[class {:status :ready, :val value}]`.
pub(super) fn print_reference(class: &str, value: Option<&Value>, out: &mut String) {
    let nested = PRINTED_NESTED.get();
    let _ = match value {
        Some(_) if nested == PRINTED_NESTED_MAX => {
            write!(out, "#object[{class} {{:status :ready, :val ...}}]")
        }
        Some(value) => {
            PRINTED_NESTED.set(nested + 1);
            let value = value.to_readable();
            PRINTED_NESTED.set(nested);
            write!(out, "#object[{class} {{:status :ready, :val {value}}}]")
        }
        None => write!(out, "#object[{class} {{:status :pending, :val nil}}]"),
    };
}

impl Object for Atom {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "clojure.lang.Atom"
    }

    fn is_a(&self, class: &str) -> bool {
        matches!(
            class,
            "clojure.lang.IDeref" | "clojure.lang.IRef" | "clojure.lang.IAtom"
        )
    }

    fn print(&self, out: &mut String, _: bool) {
        print_reference("clojure.lang.Atom", Some(&self.get()), out);
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

/// `clojure.lang.Volatile`.
struct Volatile(Mutex<Value>);

impl Object for Volatile {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "clojure.lang.Volatile"
    }

    fn is_a(&self, class: &str) -> bool {
        class == "clojure.lang.IDeref"
    }

    fn print(&self, out: &mut String, _: bool) {
        print_reference("clojure.lang.Volatile", Some(&self.0.lock().clone()), out);
    }

    fn deref(&self, _: &Cx<'_>) -> Option<Result> {
        Some(Ok(self.0.lock().clone()))
    }
}
