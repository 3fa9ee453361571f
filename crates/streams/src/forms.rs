//! Building the forms that macros expand to.

use std::sync::Arc;

use clj::list::Cells;
use clj::{List, Symbol, Value};

/// The symbol `riemann.streams/name`.
pub fn ours(name: &str) -> Value {
    Value::Symbol(Symbol::new(Some("riemann.streams"), name))
}

/// The symbol `clojure.core/name`.
pub fn core(name: &str) -> Value {
    Value::Symbol(Symbol::new(Some("clojure.core"), name))
}

/// `(head args…)`.
pub fn call(head: Value, args: impl IntoIterator<Item = Value>) -> Value {
    Value::list(std::iter::once(head).chain(args).collect())
}

/// `(fn [event] body)`, the event under the name that users know.
pub fn event_fn(body: Value) -> Value {
    call(
        core("fn"),
        [Value::vector(vec![Value::symbol("event")]), body],
    )
}

/// The items of a list form, whatever it is made of.
pub fn list_items(form: &Value) -> Option<Vec<Value>> {
    match form {
        Value::List(_) | Value::Lazy(_) => clj::seq::to_vec(form).ok(),
        _ => None,
    }
}

/// A list of these items that stands where `form` stood.
pub fn in_place_of(form: &Value, items: Vec<Value>) -> Value {
    let Value::List(old) = form else {
        return Value::list(items);
    };
    Value::List(Arc::new(List {
        cells: Cells::Array {
            items: items.into(),
            from: 0,
        },
        meta: old.meta.clone(),
        span: old.span.clone(),
    }))
}

/// True for the plain symbol `name`.
pub fn is_symbol(form: &Value, name: &str) -> bool {
    matches!(form, Value::Symbol(symbol) if symbol.namespace().is_none() && symbol.name() == name)
}
