//! What all references have: watches, a validator, metadata.

use parking_lot::Mutex;

use super::arguments::optional;
use super::native;
use crate::{Cx, Map, Native, Result, Thrown, Value};

pub const NATIVES: &[Native] = &[
    native(
        "add-watch",
        "([reference key fn])",
        "Calls fn of key, reference, old and new at each change.",
        (3, Some(3)),
        |_, a| {
            let watched = watched(&a[0])?;
            let mut watches = watched.watches.lock();
            watches.retain(|(key, _)| *key != a[1]);
            watches.push((a[1].clone(), a[2].clone()));
            Ok(a[0].clone())
        },
    ),
    native(
        "remove-watch",
        "([reference key])",
        "Takes a watch off.",
        (2, Some(2)),
        |_, a| {
            watched(&a[0])?
                .watches
                .lock()
                .retain(|(key, _)| *key != a[1]);
            Ok(a[0].clone())
        },
    ),
    native(
        "set-validator!",
        "([iref validator-fn])",
        "Lets no value in that the function refuses.",
        (2, Some(2)),
        |cx, a| {
            let watched = watched(&a[0])?;
            if !a[1].is_nil() {
                check(cx, &a[1], &super::deref(cx, &a[0])?)?;
            }
            *watched.validator.lock() = a[1].clone();
            Ok(Value::Nil)
        },
    ),
    native(
        "get-validator",
        "([iref])",
        "The validator of a reference.",
        (1, Some(1)),
        |_, a| Ok(watched(&a[0])?.validator.lock().clone()),
    ),
];

/// The part of a reference that is not its value.
#[derive(Default)]
pub struct Watched {
    watches: Mutex<Vec<(Value, Value)>>,
    validator: Mutex<Value>,
    pub meta: Mutex<Option<Map>>,
}

impl Watched {
    /// With the options that `atom`, `ref` and `agent` take.
    ///
    /// # Errors
    /// What the validator throws of the first value.
    pub fn with_options(cx: &Cx<'_>, first: &Value, options: &[Value]) -> Result<Watched> {
        let watched = Watched::default();
        for pair in options.chunks(2) {
            let value = optional(pair, 1);
            if pair[0] == Value::keyword("validator") && !value.is_nil() {
                check(cx, value, first)?;
                *watched.validator.lock() = value.clone();
            } else if pair[0] == Value::keyword("meta")
                && let Value::Map(meta) = value
            {
                *watched.meta.lock() = Some(meta.clone());
            }
        }
        Ok(watched)
    }

    /// # Errors
    /// `IllegalStateException` if the validator refuses the value.
    pub fn validate(&self, cx: &Cx<'_>, value: &Value) -> Result<()> {
        let validator = self.validator.lock().clone();
        if validator.is_nil() {
            Ok(())
        } else {
            check(cx, &validator, value)
        }
    }

    /// Calls the watches.
    ///
    /// # Errors
    /// What a watch throws.
    pub fn changed(&self, cx: &Cx<'_>, reference: &Value, old: &Value, new: &Value) -> Result<()> {
        let watches = self.watches.lock().clone();
        for (key, watch) in watches {
            cx.call(&watch, &[key, reference.clone(), old.clone(), new.clone()])?;
        }
        Ok(())
    }
}

fn check(cx: &Cx<'_>, validator: &Value, value: &Value) -> Result<()> {
    if cx.call(validator, std::slice::from_ref(value))?.truthy() {
        return Ok(());
    }
    Err(Thrown::illegal_state("Invalid reference state"))
}

fn watched(reference: &Value) -> Result<&Watched> {
    if let Value::Var(var) = reference {
        return Ok(var.watched());
    }
    let found = reference
        .downcast::<super::atom::Atom>()
        .map(|atom| &atom.watched)
        .or_else(|| {
            reference
                .downcast::<super::agent::Agent>()
                .map(|agent| &agent.watched)
        })
        .or_else(|| {
            reference
                .downcast::<super::transaction::Ref>()
                .map(|it| &it.watched)
        });
    found.ok_or_else(|| super::arguments::not_a(reference, "clojure.lang.IRef"))
}
