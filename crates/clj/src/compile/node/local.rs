//! Constants, locals and vars.

use std::sync::{Arc, OnceLock};

use super::{Frame, Node, Place};
use crate::macros::deferred::is_deferred;
use crate::{Cx, Result, Span, Thrown, Value, Var};

pub struct Constant(pub Value);

impl Node for Constant {
    fn value(&self, _: &mut Frame<'_>) -> Result {
        Ok(self.0.clone())
    }

    fn truth(&self, _: &mut Frame<'_>) -> Result<bool> {
        Ok(self.0.truthy())
    }

    fn peek<'f>(&'f self, _: &'f Frame<'_>) -> Option<&'f Value> {
        Some(&self.0)
    }
}

pub struct Local(pub Place);

impl Node for Local {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        Ok(match self.0 {
            Place::Argument(index) => frame.args[index].clone(),
            Place::Slot(index) => frame.slots[index].clone(),
            Place::Capture(index) => frame.closure.capture(index).clone(),
            Place::Sibling(index) => Value::Fn(Arc::new(frame.closure.sibling(index))),
        })
    }

    fn truth(&self, frame: &mut Frame<'_>) -> Result<bool> {
        Ok(frame.local(self.0).is_none_or(Value::truthy))
    }

    fn peek<'f>(&'f self, frame: &'f Frame<'_>) -> Option<&'f Value> {
        frame.local(self.0)
    }
}

/// A var as compiled code sees it: what it held when first used, as long as it has not changed.
pub struct CachedVar {
    var: Arc<Var>,
    cached: OnceLock<(u32, Value)>,
}

impl CachedVar {
    pub fn new(var: Arc<Var>) -> CachedVar {
        CachedVar {
            var,
            cached: OnceLock::new(),
        }
    }

    /// The root kept from the first use; `None` if it has changed, or the var is dynamic.
    pub fn unchanged(&self) -> Option<&Value> {
        let (version, value) = match self.cached.get() {
            Some(cached) => cached,
            None => {
                let version = self.var.version();
                if self.var.is_dynamic() {
                    return None;
                }
                let root = self.var.root()?;
                if is_deferred(&root) {
                    return None;
                }
                self.cached.get_or_init(|| (version, root))
            }
        };
        (*version == self.var.version()).then_some(value)
    }

    /// What the var is on this thread.
    pub fn get(&self) -> Result {
        match self.unchanged() {
            Some(value) => Ok(value.clone()),
            None => self.var.get().ok_or_else(|| unbound(&self.var)),
        }
    }

    pub fn call(&self, cx: &Cx<'_>, args: &[Value]) -> Result {
        match self.unchanged() {
            Some(Value::Fn(callable)) => callable.call(cx, args),
            Some(value) => cx.call(value, args),
            None => match self.var.get() {
                Some(value) => cx.call(&value, args),
                None => Err(Thrown::illegal_state(format!(
                    "Attempting to call unbound fn: #'{}/{}",
                    self.var.namespace, self.var.name
                ))),
            },
        }
    }
}

impl CachedVar {
    /// A wrong number of arguments, with those that are right.
    #[cold]
    pub fn explained(&self, thrown: Thrown) -> Thrown {
        let direct = thrown.trace().is_empty() && thrown.hint().is_none();
        if !direct || thrown.class() != "clojure.lang.ArityException" {
            return thrown;
        }
        match self.var.meta().get_keyword("arglists") {
            Some(arglists) => {
                let arglists = arglists.to_text();
                let forms = arglists.trim_start_matches('(').trim_end_matches(')');
                thrown.with_hint(format!("{} takes {forms}", self.var.name))
            }
            None => thrown,
        }
    }
}

fn unbound(var: &Var) -> Thrown {
    Thrown::illegal_state(format!("Var {}/{} is unbound.", var.namespace, var.name))
        .with_hint("it is declared here but never defined")
}

pub struct VarValue {
    pub var: CachedVar,
    pub span: Span,
}

impl Node for VarValue {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        self.var
            .get()
            .map_err(|thrown| frame.located(thrown, &self.span))
    }
}
