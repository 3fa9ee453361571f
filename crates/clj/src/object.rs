//! Values that the language carries without a variant of their own.

use std::any::Any;
use std::fmt::Write;

use crate::{Callable, Cx, Result, Value};

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

    /// `=`; the default is identity, which the caller has tested already.
    fn equals(&self, other: &dyn Object) -> bool {
        let _ = other;
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

    /// `(get object key)`; `None` if it is not there or this has no keys.
    fn get(&self, key: &Value) -> Option<Value> {
        let _ = key;
        None
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
