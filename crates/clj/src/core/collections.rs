//! Operations on any collection: what `get`, `assoc`, `conj`, `count` and their kin do.

use std::sync::Arc;

use super::arguments::not_a;
use crate::java::queue::PersistentQueue;
use crate::object::Kind;
use crate::{Result, Thrown, Value, event_value, seq};

/// `(assoc coll key value)`. A collection that nobody else holds is changed in place.
///
/// # Errors
/// `ClassCastException` for what has no keys, `IndexOutOfBoundsException` beyond a vector's end.
pub fn assoc(coll: Value, key: Value, value: Value) -> Result {
    match coll {
        Value::Nil => Ok(Value::map([(key, value)])),
        Value::Map(mut map) => {
            map.insert(key, value);
            Ok(Value::Map(map))
        }
        Value::Event(event) => event_value::assoc(&event, &key, &value),
        Value::Vector(vector) => {
            let Value::Int(index) = key else {
                return Err(Thrown::illegal_argument("Key must be integer"));
            };
            let changed = usize::try_from(index)
                .ok()
                .and_then(|index| vector.set(index, value));
            changed.map(Value::Vector).ok_or_else(out_of_bounds)
        }
        Value::Object(ref object) => object
            .assoc(&key, &value)
            .unwrap_or_else(|| Err(not_a(&coll, "clojure.lang.Associative"))),
        _ => Err(not_a(&coll, "clojure.lang.Associative")),
    }
}

pub fn out_of_bounds() -> Thrown {
    Thrown::without_message("java.lang.IndexOutOfBoundsException")
}

/// `(dissoc coll key)`.
///
/// # Errors
/// `ClassCastException` for what is not a map.
pub fn dissoc(coll: Value, key: &Value) -> Result {
    match coll {
        Value::Nil => Ok(Value::Nil),
        Value::Map(mut map) => {
            if map.contains_key(key) {
                map.remove(key);
            }
            Ok(Value::Map(map))
        }
        Value::Event(event) => Ok(Value::Event(event_value::dissoc(&event, key))),
        Value::Object(ref object) => object
            .dissoc(key)
            .unwrap_or_else(|| Err(not_a(&coll, "clojure.lang.IPersistentMap"))),
        _ => Err(not_a(&coll, "clojure.lang.IPersistentMap")),
    }
}

/// `(conj coll item)`. A collection that nobody else holds is changed in place.
///
/// # Errors
/// `ClassCastException` for what is not a collection, or when `item` is no entry of a map.
pub fn conj(coll: Value, item: Value) -> Result {
    match coll {
        Value::Nil => Ok(Value::list(vec![item])),
        Value::Vector(mut vector) => {
            vector.push_mut(item);
            Ok(Value::Vector(vector))
        }
        Value::List(ref list) => {
            let rest = if list.is_empty() {
                Value::Nil
            } else {
                coll.clone()
            };
            let meta = list.meta.clone();
            let mut cell = crate::List::cons(item, rest);
            cell.meta = meta;
            Ok(Value::List(Arc::new(cell)))
        }
        Value::Lazy(_) => Ok(seq::cons(item, coll)),
        Value::Set(set) => Ok(Value::Set(set.conj(item))),
        Value::Map(_) | Value::Event(_) => conj_entries(coll, &item),
        Value::Object(ref object) => match object.conj(&item) {
            Some(result) => result,
            None if matches!(object.kind(), Kind::Map | Kind::Record) => conj_entries(coll, &item),
            None => Err(not_a(&coll, "clojure.lang.IPersistentCollection")),
        },
        _ => Err(not_a(&coll, "clojure.lang.IPersistentCollection")),
    }
}

/// `conj` on a map: of an entry, of nothing, or of all entries of another map.
fn conj_entries(mut coll: Value, item: &Value) -> Result {
    match item {
        Value::Nil => Ok(coll),
        Value::Vector(pair) => match (pair.get(0), pair.get(1), pair.len()) {
            (Some(key), Some(value), 2) => assoc(coll, key.clone(), value.clone()),
            _ => Err(Thrown::illegal_argument(
                "Vector arg to map conj must be a pair",
            )),
        },
        _ if is_map(item) => {
            if let Value::Event(event) = &coll
                && let Some(merged) = merge_event(event, item)?
            {
                return Ok(merged);
            }
            for entry in seq::iter(item) {
                coll = conj_entries(coll, &entry?)?;
            }
            Ok(coll)
        }
        _ if item.is_sequential() => {
            for entry in seq::iter(item) {
                match entry? {
                    entry @ Value::Vector(_) => coll = conj_entries(coll, &entry)?,
                    other => return Err(not_a(&other, "java.util.Map$Entry")),
                }
            }
            Ok(coll)
        }
        _ => Err(Thrown::illegal_argument(format!(
            "Don't know how to create ISeq from: {}",
            item.class_name()
        ))),
    }
}

/// An event with all of a map's entries, made in one go; `None` if a key is not a keyword.
fn merge_event(event: &event::Event, map: &Value) -> Result<Option<Value>> {
    let mut draft = event.draft();
    for entry in seq::iter(map) {
        let Value::Vector(entry) = entry? else {
            return Ok(None);
        };
        match (entry.get(0), entry.get(1)) {
            (Some(Value::Keyword(key)), Some(value)) => event_value::set(&mut draft, key, value)?,
            _ => return Ok(None),
        }
    }
    Ok(Some(Value::Event(draft.build())))
}

/// True for what `map?` is true for.
pub fn is_map(value: &Value) -> bool {
    match value {
        Value::Map(_) | Value::Event(_) => true,
        Value::Object(object) => matches!(object.kind(), Kind::Map | Kind::Record),
        _ => false,
    }
}

/// True for what `set?` is true for.
pub fn is_set(value: &Value) -> bool {
    match value {
        Value::Set(_) => true,
        Value::Object(object) => object.kind() == Kind::Set,
        _ => false,
    }
}

/// `(contains? coll key)`.
///
/// # Errors
/// `IllegalArgumentException` for what has no keys.
pub fn contains(coll: &Value, key: &Value) -> Result<bool> {
    match coll {
        Value::Nil => Ok(false),
        Value::Map(map) => Ok(map.contains_key(key)),
        Value::Set(set) => Ok(set.contains(key)),
        Value::Event(_) => Ok(seq::get(coll, key).is_some()),
        Value::Vector(_) | Value::Str(_) => Ok(seq::get(coll, key).is_some()),
        Value::Object(object) if object.kind() != Kind::Opaque || object.get(key).is_some() => {
            Ok(object.get(key).is_some())
        }
        _ => Err(Thrown::illegal_argument(format!(
            "contains? not supported on type: {}",
            coll.class_name()
        ))),
    }
}

/// `(count coll)`.
///
/// # Errors
/// `UnsupportedOperationException` for what has no elements; what a lazy body throws.
pub fn count(coll: &Value) -> Result<usize> {
    match coll {
        Value::Nil => Ok(0),
        Value::Vector(vector) => Ok(vector.len()),
        Value::Map(map) => Ok(map.len()),
        Value::Set(set) => Ok(set.len()),
        Value::Str(text) => Ok(text.chars().count()),
        Value::Event(event) => Ok(event_value::count(event)),
        Value::List(list) => match list.known_len() {
            Some(len) => Ok(len),
            None => count_items(coll),
        },
        Value::Lazy(_) => count_items(coll),
        Value::Object(object) => match object.count() {
            Some(count) => Ok(count),
            None if object.seq().is_some() => count_items(coll),
            None => Err(not_countable(coll)),
        },
        _ => Err(not_countable(coll)),
    }
}

fn count_items(coll: &Value) -> Result<usize> {
    let mut count = 0;
    for item in seq::iter(coll) {
        item?;
        count += 1;
    }
    Ok(count)
}

fn not_countable(coll: &Value) -> Thrown {
    Thrown::new(
        "java.lang.UnsupportedOperationException",
        format!(
            "count not supported on this type: {}",
            simple_name(&coll.class_name())
        ),
    )
}

fn simple_name(class: &str) -> &str {
    class.rsplit_once('.').map_or(class, |(_, name)| name)
}

/// The item at `index` of something ordered; `None` beyond its end.
///
/// # Errors
/// `UnsupportedOperationException` for what has no order; what a lazy body throws.
pub fn nth(coll: &Value, index: i64) -> Result<Option<Value>> {
    let Ok(index) = usize::try_from(index) else {
        return Ok(None);
    };
    match coll {
        Value::Nil => Ok(None),
        Value::Vector(vector) => Ok(vector.get(index).cloned()),
        Value::Str(text) => Ok(text.chars().nth(index).map(Value::Char)),
        Value::List(list) if list.known_len().is_some() => {
            Ok(list.as_slice().and_then(|items| items.get(index)).cloned())
        }
        Value::List(_) | Value::Lazy(_) => seq::iter(coll).nth(index).transpose(),
        Value::Object(object) if object.kind() == Kind::Opaque || coll.is_sequential() => {
            match object.get(&Value::Int(index as i64)) {
                Some(item) => Ok(Some(item)),
                None if object.seq().is_some() => seq::iter(coll).nth(index).transpose(),
                None => Ok(None),
            }
        }
        _ => Err(Thrown::new(
            "java.lang.UnsupportedOperationException",
            format!(
                "nth not supported on this type: {}",
                simple_name(&coll.class_name())
            ),
        )),
    }
}

/// `(empty coll)`.
pub fn empty(coll: &Value) -> Value {
    match coll {
        Value::List(list) => {
            let mut none = crate::List::from(Vec::new());
            none.meta = list.meta.clone();
            Value::List(Arc::new(none))
        }
        Value::Lazy(_) => Value::list(Vec::new()),
        Value::Vector(vector) => {
            Value::Vector(crate::Vector::default().with_meta(vector.meta().cloned()))
        }
        Value::Map(map) => Value::Map(crate::Map::default().with_meta(map.meta().cloned())),
        Value::Event(_) => Value::map([]),
        Value::Set(set) => Value::Set(crate::Set::default().with_meta(set.meta().cloned())),
        Value::Object(object) => object.empty().unwrap_or_default(),
        _ => Value::Nil,
    }
}

/// `(peek coll)`: the last of a vector, the first of a list.
///
/// # Errors
/// `ClassCastException` for what is neither.
pub fn peek(coll: &Value) -> Result {
    match coll {
        Value::Nil => Ok(Value::Nil),
        Value::Vector(vector) => Ok(vector
            .len()
            .checked_sub(1)
            .and_then(|at| vector.get(at))
            .cloned()
            .into()),
        Value::List(list) => Ok(list.first().cloned().into()),
        _ => match coll.downcast::<PersistentQueue>() {
            Some(queue) => queue.peek(),
            None => Err(not_a(coll, "clojure.lang.IPersistentStack")),
        },
    }
}

/// `(pop coll)`: without what `peek` gives.
///
/// # Errors
/// `IllegalStateException` when it is empty, `ClassCastException` for what `peek` does not take.
pub fn pop(coll: &Value) -> Result {
    match coll {
        Value::Nil => Ok(Value::Nil),
        Value::Vector(vector) => vector
            .pop()
            .map(Value::Vector)
            .ok_or_else(|| Thrown::illegal_state("Can't pop empty vector")),
        Value::List(list) if list.is_empty() => Err(Thrown::illegal_state("Can't pop empty list")),
        Value::List(list) => Ok(list.rest()),
        _ => match coll.downcast::<PersistentQueue>() {
            Some(queue) => queue.pop(),
            None => Err(not_a(coll, "clojure.lang.IPersistentStack")),
        },
    }
}
