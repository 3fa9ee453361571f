//! Values that the language carries without a variant of their own.

use std::any::Any;
use std::cmp::Ordering;
use std::fmt::Write;

use crate::{Callable, Cx, Map, Result, Value};

/// Which of the language's own kinds an object behaves as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Opaque,
    /// A map that is not a record.
    Map,
    Record,
    Set,
    /// Ordered elements, equal to a list of the same.
    Sequence,
}

/// An atom, an exception, a record, a regex, a Java-like object, a handle of the program …
/// Everything has defaults but its class.
pub trait Object: Any + Send + Sync {
    fn as_any(&self) -> &dyn Any;

    /// The class name as Clojure's `(class x)` would print it, `clojure.lang.Atom`.
    fn class_name(&self) -> &str;

    /// Appends the printed form. The default is `#object[class]`.
    fn print(&self, out: &mut String, readably: bool) {
        let _ = readably;
        let _ = write!(out, "#object[{}]", self.class_name());
    }

    /// What `str` gives; `None` if that is the printed form.
    fn text(&self) -> Option<String> {
        None
    }

    /// `=`; the default is identity, which the caller has tested already.
    fn equals(&self, other: &dyn Object) -> bool {
        let _ = other;
        false
    }

    /// `=` with a value that is not an object: a sorted map and a map, say.
    fn equals_value(&self, other: &Value) -> bool {
        let _ = other;
        false
    }

    /// Its order against another value, for `compare`; `None` if they have none.
    fn compare(&self, other: &Value) -> Option<Ordering> {
        let _ = other;
        None
    }

    /// What the predicates (`map?`, `set?`, `record?`, `sequential?`) take it for.
    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    /// True if it also is an instance of `class`, a class or interface beside its own.
    fn is_a(&self, class: &str) -> bool {
        let _ = class;
        false
    }

    /// A hash that agrees with [`Object::equals`]; `None` means by identity.
    fn hash_code(&self) -> Option<u64> {
        None
    }

    /// `(object args…)`, where an object can be called (a multimethod, a record with `IFn`).
    fn as_callable(&self) -> Option<&dyn Callable> {
        None
    }

    /// `@object`; `None` if it cannot be dereferenced.
    fn deref(&self, cx: &Cx<'_>) -> Option<Result> {
        let _ = cx;
        None
    }

    /// `(deref object timeout-ms instead)`; `None` if it gives its value at once, or has none.
    fn deref_within(&self, cx: &Cx<'_>, timeout_ms: i64, instead: &Value) -> Option<Result> {
        let _ = (cx, timeout_ms, instead);
        None
    }

    /// `(get object key)`; `None` if it is not there or this has no keys.
    fn get(&self, key: &Value) -> Option<Value> {
        let _ = key;
        None
    }

    /// `(assoc object key value)`; `None` if it cannot be.
    fn assoc(&self, key: &Value, value: &Value) -> Option<Result> {
        let _ = (key, value);
        None
    }

    /// `(dissoc object key)`, of a set `disj`; `None` if it cannot be.
    fn dissoc(&self, key: &Value) -> Option<Result> {
        let _ = key;
        None
    }

    /// `(conj object item)`; `None` if it cannot be.
    fn conj(&self, item: &Value) -> Option<Result> {
        let _ = item;
        None
    }

    /// `(empty object)`; `None` if it cannot be.
    fn empty(&self) -> Option<Value> {
        None
    }

    /// `(count object)`, where it is known without walking [`Object::seq`].
    fn count(&self) -> Option<usize> {
        None
    }

    /// `(meta object)`.
    fn meta(&self) -> Option<Map> {
        None
    }

    /// The object with other metadata; `None` if it cannot carry any.
    fn with_meta(&self, meta: Option<Map>) -> Option<Value> {
        let _ = meta;
        None
    }

    /// Changes the metadata of a reference in place; false if it is not one.
    fn set_meta(&self, meta: &Map) -> bool {
        let _ = meta;
        false
    }

    /// The object as a sequence; `None` if it is not one.
    fn seq(&self) -> Option<Result> {
        None
    }

    /// `(.method object args…)`; `None` if there is no such method, and the general table is asked.
    fn method(&self, cx: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        let _ = (cx, name, args);
        None
    }
}
