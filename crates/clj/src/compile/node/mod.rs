//! Compiled code: a tree of nodes, each with a lane for values and a lane for truth.

pub mod arithmetic;
pub mod call;
pub mod control;
pub mod definition;
pub mod event;
pub mod interop;
pub mod literal;
pub mod local;
pub mod trial;

pub use super::closure::Frame;
pub use super::expr::Place;
use crate::{Result, Value};

/// A piece of code that can run.
pub trait Node: Send + Sync {
    fn value(&self, frame: &mut Frame<'_>) -> Result;

    /// Whether the value is neither nil nor false.
    fn truth(&self, frame: &mut Frame<'_>) -> Result<bool> {
        Ok(self.value(frame)?.truthy())
    }

    /// The value, where it is at hand and needs no work: a local or a constant.
    fn peek<'f>(&'f self, frame: &'f Frame<'_>) -> Option<&'f Value> {
        let _ = frame;
        None
    }
}

/// Looks at a node's value without copying it if it is at hand.
pub fn with_one<R>(
    node: &dyn Node,
    frame: &mut Frame<'_>,
    look: impl FnOnce(&Value) -> R,
) -> Result<R> {
    if let Some(value) = node.peek(frame) {
        return Ok(look(value));
    }
    let value = node.value(frame)?;
    Ok(look(&value))
}

/// Looks at two values without copying those at hand.
pub fn with_two<R>(
    (a, b): (&dyn Node, &dyn Node),
    frame: &mut Frame<'_>,
    look: impl FnOnce(&Value, &Value) -> R,
) -> Result<R> {
    let own_a = if a.peek(frame).is_some() {
        None
    } else {
        Some(a.value(frame)?)
    };
    let own_b = if b.peek(frame).is_some() {
        None
    } else {
        Some(b.value(frame)?)
    };
    let a = own_a.as_ref().or_else(|| a.peek(frame));
    let b = own_b.as_ref().or_else(|| b.peek(frame));
    Ok(look(a.unwrap_or(&Value::Nil), b.unwrap_or(&Value::Nil)))
}

/// Works out arguments and hands them over, without a heap block for a few.
pub fn with_args<R>(
    nodes: &[Box<dyn Node>],
    frame: &mut Frame<'_>,
    take: impl FnOnce(&mut Frame<'_>, &[Value]) -> Result<R>,
) -> Result<R> {
    match nodes {
        [] => take(frame, &[]),
        [a] => {
            let args = [a.value(frame)?];
            take(frame, &args)
        }
        [a, b] => {
            let args = [a.value(frame)?, b.value(frame)?];
            take(frame, &args)
        }
        [a, b, c] => {
            let args = [a.value(frame)?, b.value(frame)?, c.value(frame)?];
            take(frame, &args)
        }
        _ => {
            let mut args = Vec::with_capacity(nodes.len());
            for node in nodes {
                args.push(node.value(frame)?);
            }
            take(frame, &args)
        }
    }
}
