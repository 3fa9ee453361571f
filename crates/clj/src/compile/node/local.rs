//! Constants, locals and vars.

use std::sync::Arc;

use super::{Frame, Node, Place};
use crate::macros::deferred::is_deferred;
use crate::var::Memory;
use crate::{Cx, Result, Span, Thrown, Value, Var};

pub struct Constant(pub Value);

impl Node for Constant {
    fn value(&self, _: &mut Frame<'_>) -> Result {
        Ok(self.0.clone())
    }

    fn truth(&self, _: &mut Frame<'_>) -> Result<bool> {
        Ok(self.0.truthy())
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
}

/// A local used for the last time.
pub struct Last(pub usize);

impl Node for Last {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        Ok(std::mem::take(&mut frame.slots[self.0]))
    }
}

/// A var as compiled code sees it: what it held when last looked at, as long as it has not changed.
/// The var empties the memory when its root changes, so that functions that call each other do not
/// hold each other for ever.
pub struct CachedVar {
    var: Arc<Var>,
    /// The version when the code was compiled.
    born: u32,
    cached: Arc<Memory>,
}

impl CachedVar {
    pub fn new(var: Arc<Var>) -> CachedVar {
        CachedVar {
            born: var.version(),
            cached: var.remembered(),
            var,
        }
    }

    /// True while the var is what it was when the code was compiled.
    pub fn is_original(&self) -> bool {
        self.var.version() == self.born
    }

    /// Calls `body` with the root kept in memory; `None` if the var is dynamic or unbound, or
    /// what it holds is yet to be compiled.
    fn with_root<R>(&self, body: impl FnOnce(&Value) -> R) -> Option<R> {
        let version = self.var.version();
        let known = self.cached.load();
        if let Some(known) = known.as_deref()
            && known.0 == version
        {
            return Some(body(&known.1));
        }
        drop(known);
        if self.var.is_dynamic() {
            return None;
        }
        let root = self.var.root()?;
        if !is_deferred(&root) {
            self.cached.store(Some(Arc::new((version, root.clone()))));
            if self.var.version() != version {
                self.cached.store(None);
            }
        }
        Some(body(&root))
    }

    /// What the var is on this thread.
    pub fn get(&self) -> Result {
        match self.with_root(Value::clone) {
            Some(value) => Ok(value),
            None => self.var.get().ok_or_else(|| unbound(&self.var)),
        }
    }

    /// As [`CachedVar::call`], with arguments that nobody needs any more.
    pub fn call_taking(&self, cx: &Cx<'_>, args: &mut [Value]) -> Result {
        let called = self.with_root(|root| match root {
            Value::Fn(callable) => callable.call_taking(cx, args),
            root => cx.call(root, args),
        });
        match called {
            Some(result) => result,
            None => self.call(cx, args),
        }
    }

    pub fn call(&self, cx: &Cx<'_>, args: &[Value]) -> Result {
        let called = self.with_root(|root| match root {
            Value::Fn(callable) => callable.call(cx, args),
            root => cx.call(root, args),
        });
        match called {
            Some(result) => result,
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
