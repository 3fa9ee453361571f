//! `*exception-stream*`, the dynamic var that says where exceptions go.

use clj::{Cx, Value, dynamic};

/// The bound `*exception-stream*`, or nil.
pub fn exception_stream(cx: &Cx<'_>) -> Value {
    let var = cx.rt.var("riemann.streams", "*exception-stream*");
    var.and_then(|var| dynamic::lookup(&var).or_else(|| var.root()))
        .unwrap_or_default()
}

/// Runs `body` with `*exception-stream*` bound.
pub fn with_exception_stream<R>(cx: &Cx<'_>, handler: &Value, body: impl FnOnce() -> R) -> R {
    match cx.rt.var("riemann.streams", "*exception-stream*") {
        Some(var) => dynamic::with(vec![(var, handler.clone())], body),
        None => body(),
    }
}
