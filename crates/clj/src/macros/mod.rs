//! The macros of `clojure.core`: those that the compiler leans on are native, the rest are in the
//! dialect (`clj/clojure/core.clj`) and compiled when first used.

mod binding;
mod case;
pub(crate) mod deferred;
mod define;
mod destructure;
mod function;

use crate::{Native, NativeFn, Runtime};

/// Defines all macros of `clojure.core`.
pub fn install(rt: &Runtime) {
    rt.define_native_macros("clojure.core", NATIVES);
    rt.define_natives("clojure.core", destructure::NATIVES);
    deferred::define(
        rt,
        "clojure.core",
        "clojure/core.clj",
        include_str!("../clj/clojure/core.clj"),
    );
    deferred::define(
        rt,
        "clojure.core",
        "clojure/seldom.clj",
        include_str!("../clj/clojure/seldom.clj"),
    );
}

const fn native(
    name: &'static str,
    arglists: &'static str,
    doc: &'static str,
    code: NativeFn,
) -> Native {
    Native {
        name,
        arglists,
        doc,
        arity: (2, None),
        code,
    }
}

const NATIVES: &[Native] = &[
    native(
        "let",
        "([bindings & body])",
        "Evaluates the body with names bound to values, which may be taken apart.",
        binding::let_macro,
    ),
    native(
        "loop",
        "([bindings & body])",
        "As let, and a place for recur to come back to.",
        binding::loop_macro,
    ),
    native(
        "fn",
        "([name? [params*] exprs*] [name? ([params*] exprs*) +])",
        "A function; parameters may be taken apart.",
        function::fn_macro,
    ),
    native(
        "defn",
        "([name doc-string? attr-map? [params*] body] [name doc-string? attr-map? ([params*] body) +])",
        "Defines a function.",
        define::defn,
    ),
    native(
        "defn-",
        "([name & decls])",
        "Defines a function that other namespaces cannot name.",
        define::defn_private,
    ),
    native(
        "defmacro",
        "([name doc-string? attr-map? [params*] body])",
        "Defines a macro: a function from forms to the form that replaces them.",
        define::defmacro,
    ),
    native(
        "case",
        "([e & clauses])",
        "The expression after the constant that equals the value of e, else the default.",
        case::case,
    ),
];
