//! Functions made by functions: what `comp`, `partial` and transducers give.

use std::any::Any;
use std::sync::Arc;

use crate::{Callable, Cx, Result, Value, deep};

type Code = Box<dyn Fn(&Cx<'_>, &[Value]) -> Result + Send + Sync>;

struct Closure {
    name: &'static str,
    /// `None` only while it is dropped.
    code: Option<Code>,
}

/// A function value that runs a Rust closure.
pub fn function(
    name: &'static str,
    code: impl Fn(&Cx<'_>, &[Value]) -> Result + Send + Sync + 'static,
) -> Value {
    Value::Fn(Arc::new(Closure {
        name,
        code: Some(Box::new(code)),
    }))
}

impl Callable for Closure {
    fn call(&self, cx: &Cx<'_>, args: &[Value]) -> Result {
        deep::check_stack()?;
        match &self.code {
            Some(code) => code(cx, args),
            None => Ok(Value::Nil),
        }
    }

    fn name(&self) -> Option<&str> {
        Some(self.name)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A composition may hold another, and so on for any depth.
impl Drop for Closure {
    fn drop(&mut self) {
        deep::drop_nested(self.code.take());
    }
}
