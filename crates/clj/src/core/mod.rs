//! The native functions of `clojure.core`, a file a subject. Each file's `NATIVES` is its list.

mod arguments;
mod arithmetic;
mod bits;
mod collections;
mod functions;
mod lazy;
mod maps;
mod metadata;
mod numbers;
mod predicates;
mod reduce;
mod sequences;
mod sorted;
mod sorting;
mod transducers;
mod transient;
mod vectors;

use crate::{Native, NativeFn, Runtime};

/// Defines the native functions of all namespaces.
pub fn install(rt: &Runtime) {
    for natives in TABLES {
        rt.define_natives("clojure.core", natives);
    }
}

const TABLES: &[&[Native]] = &[
    bits::NATIVES,
    functions::NATIVES,
    lazy::NATIVES,
    maps::NATIVES,
    metadata::NATIVES,
    numbers::NATIVES,
    predicates::NATIVES,
    reduce::NATIVES,
    sequences::NATIVES,
    sorted::NATIVES,
    sorting::NATIVES,
    transducers::NATIVES,
    transient::NATIVES,
    vectors::NATIVES,
];

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
