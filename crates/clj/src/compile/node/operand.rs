//! Operands: what a node works on, with values at hand told apart from code that has to run.

use super::{Frame, Node, Place};
use crate::{Result, Value};

/// A local or a constant is looked at where it is, without a call and without a copy.
pub enum Operand {
    Argument(usize),
    Slot(usize),
    Capture(usize),
    Constant(Value),
    Node(Box<dyn Node>),
}

impl Operand {
    /// The operand of a local; `None` for a function of the group, which has to be made.
    pub fn local(place: Place) -> Option<Operand> {
        match place {
            Place::Argument(index) => Some(Operand::Argument(index)),
            Place::Slot(index) => Some(Operand::Slot(index)),
            Place::Capture(index) => Some(Operand::Capture(index)),
            Place::Sibling(_) => None,
        }
    }

    /// The value, where it is at hand.
    #[inline]
    pub fn peek<'f>(&'f self, frame: &'f Frame<'_>) -> Option<&'f Value> {
        match self {
            Operand::Argument(index) => Some(&frame.args[*index]),
            Operand::Slot(index) => Some(&frame.slots[*index]),
            Operand::Capture(index) => Some(frame.closure.capture(*index)),
            Operand::Constant(value) => Some(value),
            Operand::Node(_) => None,
        }
    }

    #[inline]
    pub fn value(&self, frame: &mut Frame<'_>) -> Result {
        match self {
            Operand::Node(node) => node.value(frame),
            at_hand => Ok(at_hand.peek(frame).cloned().unwrap_or_default()),
        }
    }

    /// What code that has to run gives; `None` where the value is at hand.
    #[inline]
    pub fn run(&self, frame: &mut Frame<'_>) -> Result<Option<Value>> {
        match self {
            Operand::Node(node) => node.value(frame).map(Some),
            _ => Ok(None),
        }
    }
}

/// Looks at an operand without copying it if it is at hand.
#[inline]
pub fn with_one<R>(
    operand: &Operand,
    frame: &mut Frame<'_>,
    look: impl FnOnce(&Value) -> R,
) -> Result<R> {
    let own = operand.run(frame)?;
    let value = own.as_ref().or_else(|| operand.peek(frame));
    let result = look(value.unwrap_or(&Value::Nil));
    if let Some(own) = own {
        own.discard();
    }
    Ok(result)
}

/// Looks at two operands without copying those at hand.
#[inline]
pub fn with_two<R>(
    (a, b): (&Operand, &Operand),
    frame: &mut Frame<'_>,
    look: impl FnOnce(&Value, &Value) -> R,
) -> Result<R> {
    let own_a = a.run(frame)?;
    let own_b = b.run(frame)?;
    let value_a = own_a.as_ref().or_else(|| a.peek(frame));
    let value_b = own_b.as_ref().or_else(|| b.peek(frame));
    let nil = &Value::Nil;
    let result = look(value_a.unwrap_or(nil), value_b.unwrap_or(nil));
    if let Some(own) = own_a {
        own.discard();
    }
    if let Some(own) = own_b {
        own.discard();
    }
    Ok(result)
}

/// Both values, if they are at hand.
#[inline]
pub fn peek_two<'f>(
    (a, b): (&'f Operand, &'f Operand),
    frame: &'f Frame<'_>,
) -> Option<(&'f Value, &'f Value)> {
    Some((a.peek(frame)?, b.peek(frame)?))
}
