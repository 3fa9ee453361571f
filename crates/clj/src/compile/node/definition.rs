//! def and set!.

use std::sync::Arc;

use super::{Frame, Node};
use crate::{Result, Span, Thrown, Value, Var, dynamic};

pub struct Def {
    pub var: Arc<Var>,
    pub value: Option<Box<dyn Node>>,
    pub meta: Box<dyn Node>,
}

impl Node for Def {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        if let Some(node) = &self.value {
            let value = node.value(frame)?;
            self.var.change_root(&frame.cx, value)?;
        }
        if let Value::Map(meta) = self.meta.value(frame)?
            && (self.value.is_some() || self.var.meta().is_empty())
        {
            self.var
                .set_macro(meta.get_keyword("macro").is_some_and(Value::truthy));
            self.var.set_meta(meta);
        }
        Ok(Value::Var(self.var.clone()))
    }
}

pub struct SetVar {
    pub var: Arc<Var>,
    pub node: Box<dyn Node>,
    pub span: Span,
}

impl Node for SetVar {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        let value = self.node.value(frame)?;
        if dynamic::set(&self.var, value.clone()) {
            return Ok(value);
        }
        // Settings of the language, `*warn-on-reflection*` and its like, may be set anywhere.
        if &*self.var.namespace == "clojure.core" && self.var.is_dynamic() {
            self.var.set_root(Some(value.clone()));
            return Ok(value);
        }
        let message = format!(
            "Can't change/establish root binding of: {} with set",
            self.var.name
        );
        Err(frame.located(Thrown::illegal_state(message), &self.span))
    }
}
