//! `riemann.repl`: the nREPL server that a configuration asks for. It is no service of its core.

use std::sync::Arc;

use clj::{Cx, Native, Result, Thrown, Value};
use parking_lot::Mutex;

use crate::server::{self, Handle, ServerSpec};
use crate::state::State;

/// What was asked for, and what runs of it.
#[derive(Default)]
pub struct Repl(Mutex<Asked>);

#[derive(Default)]
struct Asked {
    spec: Option<ServerSpec>,
    handle: Option<Handle>,
}

pub const NATIVES: &[Native] = &[
    Native {
        name: "-start!",
        arglists: "([options])",
        doc: "Asks for an nREPL server: it opens with the configuration, or now if that runs.",
        arity: (1, Some(1)),
        code: |cx, args| {
            let spec = server::parse(cx, &Value::keyword("repl"), &args[0])?;
            cx.get::<Repl>()?.0.lock().spec = Some(spec);
            if cx.get::<State>()?.installed.load().is_some() {
                open(cx).map_err(|line| Thrown::new("java.net.BindException", line))?;
            }
            Ok(Value::Nil)
        },
    },
    Native {
        name: "-stop!",
        arglists: "([])",
        doc: "Closes the nREPL server.",
        arity: (0, Some(0)),
        code: stop,
    },
];

/// Opens what was asked for.
///
/// # Errors
/// One line: why it cannot.
pub fn open(cx: &Cx<'_>) -> std::result::Result<(), String> {
    let (Some(repl), Some(state)) = (cx.rt.extension::<Repl>(), cx.rt.extension::<State>()) else {
        return Ok(());
    };
    let spec = repl.0.lock().spec.clone();
    if let (Some(spec), Some(wire)) = (spec, &state.wire) {
        let handle = wire.start(&spec)?;
        repl.0.lock().handle = Some(handle);
    }
    Ok(())
}

fn stop(cx: &Cx<'_>, _: &[Value]) -> Result {
    let asked = std::mem::take(&mut *cx.get::<Repl>()?.0.lock());
    let wire: Option<&Arc<_>> = cx.get::<State>()?.wire.as_ref();
    if let (Some(wire), Some(handle)) = (wire, asked.handle) {
        wire.stop(&handle);
    }
    Ok(Value::Nil)
}
