//! What can be called.

use std::any::Any;

use crate::{Cx, Result, Value};

/// A function of the language: a closure, a native function, a stream.
pub trait Callable: Send + Sync {
    fn call(&self, cx: &Cx<'_>, args: &[Value]) -> Result;

    /// As [`Callable::call`], for arguments that nobody needs any more: a function may move them out,
    /// so that it alone holds the front of a long sequence.
    fn call_taking(&self, cx: &Cx<'_>, args: &mut [Value]) -> Result {
        self.call(cx, args)
    }

    /// The name it was defined under, for printing and errors.
    fn name(&self) -> Option<&str> {
        None
    }

    /// True for what `fn?` calls a function. Keywords, maps and multimethods are not.
    fn is_fn(&self) -> bool {
        true
    }

    /// Fewest arguments, and most (`None` is any number), where that is certain before a call.
    fn arity(&self) -> Option<(usize, Option<usize>)> {
        None
    }

    fn as_any(&self) -> &dyn Any;
}

/// The code of a native function.
pub type NativeFn = fn(&Cx<'_>, &[Value]) -> Result;

/// A function written in Rust, with what the manual and `doc` show.
#[derive(Clone, Copy)]
pub struct Native {
    pub name: &'static str,
    /// As Clojure prints it: `([interval & children])`.
    pub arglists: &'static str,
    pub doc: &'static str,
    /// Fewest arguments, and most; `None` is any number.
    pub arity: (usize, Option<usize>),
    pub code: NativeFn,
}

impl Callable for Native {
    fn call(&self, cx: &Cx<'_>, args: &[Value]) -> Result {
        let (fewest, most) = self.arity;
        if args.len() < fewest || most.is_some_and(|most| args.len() > most) {
            return Err(crate::Thrown::arity(args.len(), self.name));
        }
        (self.code)(cx, args)
    }

    fn name(&self) -> Option<&str> {
        Some(self.name)
    }

    fn arity(&self) -> Option<(usize, Option<usize>)> {
        Some(self.arity)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
