//! Building code out of values.

use crate::{Symbol, Value, seq};

/// The symbol `clojure.core/name`.
pub fn core(name: &str) -> Symbol {
    Symbol::new(Some("clojure.core"), name)
}

/// `(clojure.core/name arguments…)`
pub fn call(name: &str, arguments: impl IntoIterator<Item = Value>) -> Value {
    list(Value::Symbol(core(name)), arguments)
}

/// `(head arguments…)`, the head a special form or any other.
pub fn list(head: Value, arguments: impl IntoIterator<Item = Value>) -> Value {
    Value::list(std::iter::once(head).chain(arguments).collect())
}

/// `(name arguments…)` with a special form's name.
pub fn special(name: &str, arguments: impl IntoIterator<Item = Value>) -> Value {
    list(Value::symbol(name), arguments)
}

/// The form, quoted unless it stands for itself.
pub fn quote(form: Value) -> Value {
    match form {
        Value::Symbol(_) | Value::List(_) | Value::Lazy(_) => special("quote", [form]),
        Value::Vector(_) | Value::Map(_) | Value::Set(_) if !is_atomic(&form) => {
            special("quote", [form])
        }
        form => form,
    }
}

/// The items of a list form; `None` if it is not one, or a lazy one throws.
pub fn items(form: &Value) -> Option<Vec<Value>> {
    match form {
        Value::List(_) | Value::Lazy(_) => seq::to_vec(form).ok(),
        _ => None,
    }
}

/// True for an empty collection without metadata, and for what is not a collection.
fn is_atomic(form: &Value) -> bool {
    match form {
        Value::Vector(vector) => vector.is_empty() && vector.meta().is_none(),
        Value::Map(map) => map.is_empty() && map.meta().is_none(),
        Value::Set(set) => set.is_empty() && set.meta().is_none(),
        _ => true,
    }
}
