//! The native functions of `clojure.core`, a file a subject. Each file's `NATIVES` is its list.

use crate::{Native, NativeFn, Runtime};

/// Defines the native functions of all namespaces.
pub fn install(rt: &Runtime) {
    for natives in TABLES {
        rt.define_natives("clojure.core", natives);
    }
}

const TABLES: &[&[Native]] = &[];

/// A native function with no bound on its arguments is `(fewest, None)`.
pub(crate) const fn native(
    name: &'static str,
    arglists: &'static str,
    doc: &'static str,
    arity: (usize, Option<usize>),
    code: NativeFn,
) -> Native {
    Native { name, arglists, doc, arity, code }
}
