//! Types that code defines: records and other types, protocols, multimethods, hierarchies.

pub mod hierarchy;
pub mod instance;
pub mod multi;
mod natives;
pub mod protocol;

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::RwLock;

use crate::{Cx, Map, Result, Runtime, Thrown, Value, seq};
use instance::Type;

/// The types that code has defined in a runtime, by full class name.
#[derive(Default)]
pub struct Types {
    types: RwLock<HashMap<Arc<str>, Arc<Type>>>,
}

impl Types {
    pub fn get(&self, class: &str) -> Option<Arc<Type>> {
        self.types.read().get(class).cloned()
    }

    /// The function that makes values of a class, from its fields in order.
    pub fn constructor(&self, class: &str) -> Option<Value> {
        self.get(class)
            .map(|defined| instance::constructor(&defined))
    }

    fn add(&self, defined: &Arc<Type>) {
        self.types
            .write()
            .insert(defined.class.clone(), defined.clone());
    }
}

/// The value of a record literal, `#user.Point{:x 1}`.
///
/// # Errors
/// If there is no such record.
pub fn from_literal(cx: &Cx<'_>, class: &str, map: &Map) -> Result {
    match cx.rt.types.get(class) {
        Some(defined) if defined.is_record => Ok(instance::from_map(&defined, map)),
        _ => Err(
            Thrown::runtime(format!("No reader function for tag {class}"))
                .with_hint("known tags are inst, uuid, histogram, riemann.codec.Event and records"),
        ),
    }
}

/// The entries of anything like a map.
///
/// # Errors
/// If it is no sequence of entries.
pub fn to_map(value: &Value) -> Result<Map> {
    match value {
        Value::Map(map) => Ok(map.clone()),
        Value::Event(event) => Ok(crate::event_value::to_map(event)),
        _ => {
            let mut map = Map::default();
            for entry in seq::iter(value) {
                let entry = seq::to_vec(&entry?)?;
                if let [key, value] = &entry[..] {
                    map.insert(key.clone(), value.clone());
                }
            }
            Ok(map)
        }
    }
}

/// Defines the functions that `defrecord`, `defprotocol`, `defmulti` and their like come down to.
pub fn install(rt: &Runtime) {
    rt.define_natives("clojure.core", natives::NATIVES);
    rt.define_natives("clojure.core", multi::NATIVES);
    hierarchy::install(rt);
}
