//! Java's names: constructors, static members, methods.

use std::sync::Arc;

use super::{Frame, Node, with_args};
use crate::{Result, Span, java};

pub struct New {
    pub class: Arc<str>,
    pub args: Box<[Box<dyn Node>]>,
    pub span: Span,
}

impl Node for New {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        with_args(&self.args, frame, |frame, args| {
            let made = match frame.cx.rt.types.constructor(&self.class) {
                Some(constructor) => frame.cx.call(&constructor, args),
                None => java::construct(&frame.cx, &self.class, args),
            };
            made.map_err(|thrown| frame.located(thrown, &self.span))
        })
    }
}

pub struct StaticCall {
    pub class: Arc<str>,
    pub member: Arc<str>,
    pub args: Box<[Box<dyn Node>]>,
    pub span: Span,
}

impl Node for StaticCall {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        with_args(&self.args, frame, |frame, args| {
            java::static_call(&frame.cx, &self.class, &self.member, args)
                .map_err(|thrown| frame.located(thrown, &self.span))
        })
    }
}

pub struct StaticField {
    pub class: Arc<str>,
    pub member: Arc<str>,
    pub span: Span,
}

impl Node for StaticField {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        if let Some(value) = java::static_field(&self.class, &self.member) {
            return Ok(value);
        }
        let thrown = java::no_field(&self.class, &self.member);
        Err(frame.located(thrown, &self.span))
    }
}

pub struct Method {
    pub target: Box<dyn Node>,
    pub name: Arc<str>,
    pub args: Box<[Box<dyn Node>]>,
    pub span: Span,
}

impl Node for Method {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        let target = self.target.value(frame)?;
        with_args(&self.args, frame, |frame, args| {
            java::method(&frame.cx, &target, &self.name, args)
                .map_err(|thrown| frame.located(thrown, &self.span))
        })
    }
}
