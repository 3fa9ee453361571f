//! Functions of `clojure.core`, called from natives.

use clj::{Cx, Result, Thrown, Value};

/// Calls the function of `clojure.core` of that name.
///
/// # Errors
/// What the function throws.
pub fn call(cx: &Cx<'_>, name: &str, args: &[Value]) -> Result {
    let function = cx.rt.var("clojure.core", name).and_then(|var| var.root());
    let function =
        function.ok_or_else(|| Thrown::illegal_state(format!("clojure.core has no {name}")))?;
    cx.call(&function, args)
}
