//! The native functions of `clojure.core`, a file a subject. Each file's `NATIVES` is its list.

pub mod agent;
pub mod arguments;
pub mod arithmetic;
pub mod arrays;
pub mod atom;
mod bits;
pub mod collections;
pub mod decimals;
pub mod deferred;
pub mod exceptions;
pub mod format;
pub mod functions;
pub mod identity;
pub mod io;
pub mod lazy;
pub mod maps;
pub mod metadata;
pub mod numbers;
pub mod predicates;
mod printer;
pub mod printing;
pub mod reduce;
pub mod regex;
pub mod sequences;
mod settings;
pub mod sorted;
pub mod sorting;
pub mod strings;
mod tagged;
pub mod transaction;
mod transducers;
mod transient;
pub mod vectors;
pub mod watched;

use crate::{Cx, Native, NativeFn, Result, Runtime, Thrown, Value};

/// Defines the native functions of all namespaces.
pub fn install(rt: &Runtime) {
    for natives in TABLES.iter().chain(&lazy::NATIVES) {
        rt.define_natives("clojure.core", natives);
    }
    settings::define(rt);
    tagged::define(rt);
    printer::define(rt);
}

const TABLES: &[&[Native]] = &[
    agent::NATIVES,
    arrays::NATIVES,
    atom::NATIVES,
    bits::NATIVES,
    decimals::NATIVES,
    deferred::NATIVES,
    exceptions::NATIVES,
    functions::NATIVES,
    identity::NATIVES,
    io::NATIVES,
    maps::NATIVES,
    metadata::NATIVES,
    numbers::NATIVES,
    predicates::NATIVES,
    printing::NATIVES,
    reduce::NATIVES,
    regex::NATIVES,
    sequences::NATIVES,
    settings::NATIVES,
    sorted::NATIVES,
    sorting::NATIVES,
    strings::NATIVES,
    tagged::NATIVES,
    transaction::NATIVES,
    transducers::NATIVES,
    transient::NATIVES,
    vectors::NATIVES,
    watched::NATIVES,
];

/// A native function with no bound on its arguments is `(fewest, None)`.
pub(crate) const fn native(
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

/// `@reference`.
///
/// # Errors
/// `ClassCastException` for what is no reference; what it throws.
pub fn deref(cx: &Cx<'_>, reference: &Value) -> Result {
    let value = match reference {
        Value::Var(var) => return Ok(var.get().into()),
        Value::Object(object) => object.deref(cx),
        _ => None,
    };
    value.unwrap_or_else(|| {
        Err(match reference {
            Value::Nil => arguments::not_a(reference, "clojure.lang.IDeref"),
            _ => arguments::not_a(reference, "java.util.concurrent.Future"),
        })
    })
}

/// Calls the function that a var holds.
///
/// # Errors
/// `IllegalStateException` if there is no such var; what the function throws.
pub(crate) fn call_var(cx: &Cx<'_>, namespace: &str, name: &str, args: &[Value]) -> Result {
    match cx.rt.var(namespace, name).and_then(|var| var.get()) {
        Some(function) => cx.call(&function, args),
        None => Err(Thrown::illegal_state(format!(
            "{namespace}/{name} is not defined"
        ))),
    }
}
