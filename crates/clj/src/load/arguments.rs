//! Arguments of the natives of this folder, as what they must be.

use std::sync::Arc;

use crate::{Cx, Namespace, Native, NativeFn, Result, Symbol, Thrown, Value, Var};

pub const fn native(
    name: &'static str,
    arglists: &'static str,
    doc: &'static str,
    arity: (usize, Option<usize>),
    code: NativeFn,
) -> Native {
    Native {
        name,
        arglists,
        doc,
        arity,
        code,
    }
}

pub fn symbol(value: &Value) -> Result<&Symbol> {
    match value {
        Value::Symbol(symbol) => Ok(symbol),
        _ => Err(Thrown::class_cast(format!(
            "class {} cannot be cast to class clojure.lang.Symbol",
            value.class_name()
        ))),
    }
}

pub fn var(value: &Value) -> Result<&Arc<Var>> {
    match value {
        Value::Var(var) => Ok(var),
        _ => Err(Thrown::class_cast(format!(
            "class {} cannot be cast to class clojure.lang.Var",
            value.class_name()
        ))),
    }
}

pub fn text(value: &Value) -> Result<&str> {
    value.as_str().ok_or_else(|| {
        Thrown::class_cast(format!(
            "class {} cannot be cast to class java.lang.String",
            value.class_name()
        ))
    })
}

/// A namespace given as itself or by its name.
pub fn namespace(cx: &Cx<'_>, value: &Value) -> Result<Arc<Namespace>> {
    let name = match value.downcast::<Namespace>() {
        Some(namespace) => &*namespace.name,
        None => symbol(value)?.name(),
    };
    let missing = || Thrown::new("java.lang.Exception", format!("No namespace: {name} found"));
    cx.rt.namespace(name).ok_or_else(missing)
}
