//! Arithmetic, comparison and simple tests, on the usual kinds of numbers; the native function of
//! the same name does the rest and raises the errors.

use std::cmp::Ordering;

use super::local::CachedVar;
use super::operand::{Operand, peek_two, with_one, with_two};
use super::{Frame, Node};
use crate::{Result, Span, Value};

/// What is done with two numbers.
#[derive(Clone, Copy)]
pub enum Operation {
    Add,
    Subtract,
    Multiply,
}

pub struct Arithmetic {
    pub operation: Operation,
    pub var: CachedVar,
    pub a: Operand,
    pub b: Operand,
    pub span: Span,
}

impl Operation {
    #[inline]
    fn usual(self, a: &Value, b: &Value) -> Option<Value> {
        let (a, b) = match (a, b) {
            (Value::Int(a), Value::Int(b)) => {
                return match self {
                    Operation::Add => a.checked_add(*b),
                    Operation::Subtract => a.checked_sub(*b),
                    Operation::Multiply => a.checked_mul(*b),
                }
                .map(Value::Int);
            }
            (Value::Double(a), Value::Double(b)) => (*a, *b),
            (Value::Double(a), Value::Int(b)) => (*a, *b as f64),
            (Value::Int(a), Value::Double(b)) => (*a as f64, *b),
            _ => return None,
        };
        Some(Value::Double(match self {
            Operation::Add => a + b,
            Operation::Subtract => a - b,
            Operation::Multiply => a * b,
        }))
    }
}

impl Node for Arithmetic {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        if let Some((a, b)) = peek_two((&self.a, &self.b), frame)
            && let Some(value) = self.operation.usual(a, b)
            && self.var.is_original()
        {
            return Ok(value);
        }
        let cx = frame.cx;
        let result = with_two((&self.a, &self.b), frame, |a, b| {
            if self.var.is_original()
                && let Some(value) = self.operation.usual(a, b)
            {
                return Ok(value);
            }
            self.var.call(&cx, &[a.clone(), b.clone()])
        })?;
        result.map_err(|thrown| frame.located(thrown, &self.span))
    }
}

/// `inc` and `dec`.
pub struct Step {
    pub by: i64,
    pub var: CachedVar,
    pub node: Operand,
    pub span: Span,
}

impl Node for Step {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        if let Some(Value::Int(int)) = self.node.peek(frame)
            && let Some(next) = int.checked_add(self.by)
            && self.var.is_original()
        {
            return Ok(Value::Int(next));
        }
        let cx = frame.cx;
        let result = with_one(&self.node, frame, |value| {
            if let Value::Int(int) = value
                && let Some(next) = int.checked_add(self.by)
                && self.var.is_original()
            {
                return Ok(Value::Int(next));
            }
            self.var.call(&cx, std::slice::from_ref(value))
        })?;
        result.map_err(|thrown| frame.located(thrown, &self.span))
    }
}

/// `<` and its like, between two.
#[derive(Clone, Copy)]
pub enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    SameNumber,
}

pub struct Compare {
    pub comparison: Comparison,
    pub var: CachedVar,
    pub a: Operand,
    pub b: Operand,
    pub span: Span,
}

impl Comparison {
    /// The answer for two numbers of the usual kinds.
    #[inline]
    pub fn usual(self, a: &Value, b: &Value) -> Option<bool> {
        let ordering = match (a, b) {
            (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
            (Value::Double(a), Value::Double(b)) => a.partial_cmp(b),
            (Value::Double(a), Value::Float(b)) => a.partial_cmp(&f64::from(*b)),
            (Value::Float(a), Value::Double(b)) => f64::from(*a).partial_cmp(b),
            (Value::Double(a), Value::Int(b)) => a.partial_cmp(&(*b as f64)),
            (Value::Int(a), Value::Double(b)) => (*a as f64).partial_cmp(b),
            _ => return None,
        };
        // Not-a-number is neither less, nor equal, nor greater.
        let Some(ordering) = ordering else {
            return Some(false);
        };
        Some(match self {
            Comparison::Less => ordering == Ordering::Less,
            Comparison::LessOrEqual => ordering != Ordering::Greater,
            Comparison::Greater => ordering == Ordering::Greater,
            Comparison::GreaterOrEqual => ordering != Ordering::Less,
            Comparison::SameNumber => ordering == Ordering::Equal,
        })
    }
}

impl Node for Compare {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        self.truth(frame).map(Value::Bool)
    }

    fn truth(&self, frame: &mut Frame<'_>) -> Result<bool> {
        if let Some((a, b)) = peek_two((&self.a, &self.b), frame)
            && let Some(truth) = self.comparison.usual(a, b)
            && self.var.is_original()
        {
            return Ok(truth);
        }
        let cx = frame.cx;
        let result = with_two((&self.a, &self.b), frame, |a, b| {
            if self.var.is_original()
                && let Some(truth) = self.comparison.usual(a, b)
            {
                return Ok(truth);
            }
            self.var
                .call(&cx, &[a.clone(), b.clone()])
                .map(|value| value.truthy())
        })?;
        result.map_err(|thrown| frame.located(thrown, &self.span))
    }
}

/// `=` and `not=` between two.
pub struct Equal {
    pub negated: bool,
    pub var: CachedVar,
    pub a: Operand,
    pub b: Operand,
    pub span: Span,
}

impl Node for Equal {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        self.truth(frame).map(Value::Bool)
    }

    fn truth(&self, frame: &mut Frame<'_>) -> Result<bool> {
        let cx = frame.cx;
        let result = with_two((&self.a, &self.b), frame, |a, b| {
            if self.var.is_original() && is_scalar(a) && is_scalar(b) {
                return Ok((a == b) != self.negated);
            }
            self.var
                .call(&cx, &[a.clone(), b.clone()])
                .map(|value| value.truthy())
        })?;
        result.map_err(|thrown| frame.located(thrown, &self.span))
    }
}

/// True for what compares without running code.
fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::Lazy(_) | Value::List(_) | Value::Object(_))
}

/// A test of one value that cannot fail.
pub struct Test {
    pub test: fn(&Value) -> bool,
    pub var: CachedVar,
    pub node: Operand,
    pub span: Span,
}

impl Node for Test {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        self.truth(frame).map(Value::Bool)
    }

    fn truth(&self, frame: &mut Frame<'_>) -> Result<bool> {
        let cx = frame.cx;
        let result = with_one(&self.node, frame, |value| match self.var.is_original() {
            true => Ok((self.test)(value)),
            false => self
                .var
                .call(&cx, std::slice::from_ref(value))
                .map(|value| value.truthy()),
        })?;
        result.map_err(|thrown| frame.located(thrown, &self.span))
    }
}

/// `not`, which takes the truth of its argument without its value.
pub struct Not {
    pub var: CachedVar,
    pub node: Box<dyn Node>,
    pub span: Span,
}

impl Node for Not {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        self.truth(frame).map(Value::Bool)
    }

    fn truth(&self, frame: &mut Frame<'_>) -> Result<bool> {
        if self.var.is_original() {
            return Ok(!self.node.truth(frame)?);
        }
        let value = self.node.value(frame)?;
        let called = self.var.call(&frame.cx, &[value]);
        called
            .map(|value| value.truthy())
            .map_err(|thrown| frame.located(thrown, &self.span))
    }
}
