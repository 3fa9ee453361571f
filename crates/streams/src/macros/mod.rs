//! The macros of `riemann.streams`. Each gets the whole form and the local environment before its
//! own arguments.

pub mod apdex;
pub mod by;
pub mod keep_state;
pub mod pipe;
pub mod project;
pub mod rescue;
pub mod split;
pub mod where_;

use clj::{Native, NativeFn};

/// The entry of a macro of at least `fewest` arguments of its own.
const fn entry(
    name: &'static str,
    arglists: &'static str,
    fewest: usize,
    code: NativeFn,
    doc: &'static str,
) -> Native {
    Native {
        name,
        arglists,
        doc,
        arity: (fewest + 2, None),
        code,
    }
}
