//! Compiled code: a tree of nodes, each with a lane for values and a lane for truth.

pub mod arithmetic;
pub mod call;
pub mod control;
pub mod definition;
pub mod event;
pub mod interop;
pub mod literal;
pub mod local;
pub mod operand;
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
}

/// Works out arguments and hands them over, without a heap block for a few.
pub fn with_args<R>(
    nodes: &[Box<dyn Node>],
    frame: &mut Frame<'_>,
    take: impl FnOnce(&mut Frame<'_>, &mut [Value]) -> Result<R>,
) -> Result<R> {
    match nodes {
        [] => take(frame, &mut []),
        [a] => {
            let mut args = [a.value(frame)?];
            take(frame, &mut args)
        }
        [a, b] => {
            let mut args = [a.value(frame)?, b.value(frame)?];
            take(frame, &mut args)
        }
        [a, b, c] => {
            let mut args = [a.value(frame)?, b.value(frame)?, c.value(frame)?];
            take(frame, &mut args)
        }
        _ => {
            let mut args = Vec::with_capacity(nodes.len());
            for node in nodes {
                args.push(node.value(frame)?);
            }
            take(frame, &mut args)
        }
    }
}
