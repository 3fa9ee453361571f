//! Calls, and the making of functions.

use std::sync::Arc;

use super::local::CachedVar;
use super::{Frame, Node, Place, with_args};
use crate::compile::closure::{Closure, Group};
use crate::{Callable, Map, NativeFn, Result, Span, Thrown, Value, seq};

/// A call of whatever the head turns out to be.
pub struct Call {
    pub function: Box<dyn Node>,
    pub args: Box<[Box<dyn Node>]>,
    pub span: Span,
    /// The head as it was written; empty if that says nothing.
    pub text: Arc<str>,
}

impl Call {
    /// The exception with its place and, if the head could not be called, what it was.
    #[cold]
    fn explained(&self, frame: &Frame<'_>, function: &Value, thrown: Thrown) -> Thrown {
        let called = function.as_callable().is_some() || !thrown.trace().is_empty();
        let thrown = match function {
            _ if called || thrown.hint().is_some() => thrown,
            Value::Nil if !self.text.is_empty() => {
                thrown.with_hint(format!("{} is nil here, not a function", self.text))
            }
            Value::Int(_) | Value::Double(_) | Value::Str(_) | Value::Bool(_) => thrown.with_hint(
                "the first thing in parentheses is called; for a list write (list …) or [ … ]",
            ),
            _ => thrown,
        };
        frame.located(thrown, &self.span)
    }
}

impl Node for Call {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        let function = self.function.value(frame)?;
        with_args(&self.args, frame, |frame, args| {
            let result = match &function {
                Value::Fn(callable) => callable.call_taking(&frame.cx, args),
                function => frame.cx.call(function, args),
            };
            result.map_err(|thrown| self.explained(frame, &function, thrown))
        })
    }
}

/// A call of a function known by its var.
pub struct CallVar {
    pub var: CachedVar,
    pub args: Box<[Box<dyn Node>]>,
    pub span: Span,
}

impl Node for CallVar {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        with_args(&self.args, frame, |frame, args| {
            let result = self.var.call_taking(&frame.cx, args);
            result.map_err(|thrown| frame.located(self.var.explained(thrown), &self.span))
        })
    }
}

/// A call of a native function whose number of arguments is known to fit.
pub struct CallNative {
    pub var: CachedVar,
    pub code: NativeFn,
    pub args: Box<[Box<dyn Node>]>,
    /// It walks its last argument, a sequence, just once, and need not hold it meanwhile.
    pub walks: bool,
    pub span: Span,
}

impl Node for CallNative {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        with_args(&self.args, frame, |frame, args| {
            let result = match self.var.is_original() {
                true => {
                    if self.walks
                        && let Some(last) = args.last_mut()
                    {
                        seq::let_go(last);
                    }
                    (self.code)(&frame.cx, args)
                }
                false => self.var.call(&frame.cx, args),
            };
            result.map_err(|thrown| frame.located(self.var.explained(thrown), &self.span))
        })
    }
}

/// A function calling itself by its own name, or a `letfn` sibling.
pub struct CallSibling {
    pub index: usize,
    pub args: Box<[Box<dyn Node>]>,
    pub span: Span,
}

impl Node for CallSibling {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        with_args(&self.args, frame, |frame, args| {
            let result = if self.index == frame.closure.index() {
                frame.closure.call_taking(&frame.cx, args)
            } else {
                frame
                    .closure
                    .sibling(self.index)
                    .call_taking(&frame.cx, args)
            };
            result.map_err(|thrown| frame.located(thrown, &self.span))
        })
    }
}

pub struct MakeFn {
    pub group: Arc<Group>,
    pub index: usize,
    pub captures: Box<[Place]>,
    pub meta: Option<Map>,
}

impl MakeFn {
    pub fn captured(&self, frame: &Frame<'_>) -> Arc<[Value]> {
        let capture = |place: &Place| match place {
            Place::Sibling(index) => Value::Fn(Arc::new(frame.closure.sibling(*index))),
            place => frame.local(*place).cloned().unwrap_or_default(),
        };
        self.captures.iter().map(capture).collect()
    }
}

impl Node for MakeFn {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        let closure = Closure::new(self.group.clone(), self.index, self.captured(frame));
        Ok(Value::Fn(Arc::new(match &self.meta {
            None => closure,
            Some(meta) => closure.with_meta(Some(meta.clone())),
        })))
    }
}

/// Functions that see each other.
pub struct LetFn {
    /// The slot of each function; all share the captures of the first.
    pub functions: Box<[(usize, MakeFn)]>,
    pub body: Box<dyn Node>,
}

impl Node for LetFn {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        if let Some((_, first)) = self.functions.first() {
            let captures = first.captured(frame);
            for (slot, function) in &self.functions {
                let closure =
                    Closure::new(function.group.clone(), function.index, captures.clone());
                frame.slots[*slot] = Value::Fn(Arc::new(closure));
            }
        }
        self.body.value(frame)
    }
}
