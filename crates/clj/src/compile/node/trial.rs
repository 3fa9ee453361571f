//! try, catch, finally, throw.

use std::sync::Arc;

use super::{Frame, Node};
use crate::{Exception, Result, Span, Thrown, java};

pub struct Try {
    pub body: Box<dyn Node>,
    pub catches: Box<[Catch]>,
    pub finally: Option<Box<dyn Node>>,
}

pub struct Catch {
    pub class: Arc<str>,
    pub slot: usize,
    pub body: Box<dyn Node>,
}

impl Node for Try {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        let result = match self.body.value(frame) {
            Err(thrown) => self.handle(frame, thrown),
            done => done,
        };
        if let Some(finally) = &self.finally {
            finally.value(frame)?;
        }
        result
    }
}

impl Try {
    fn handle(&self, frame: &mut Frame<'_>, thrown: Thrown) -> Result {
        let fits = |catch: &&Catch| java::instance_of(thrown.value(), &catch.class);
        match self.catches.iter().find(fits) {
            Some(catch) => {
                frame.slots[catch.slot] = thrown.caught();
                catch.body.value(frame)
            }
            None => Err(thrown),
        }
    }
}

pub struct Throw {
    pub node: Box<dyn Node>,
    pub span: Span,
}

impl Node for Throw {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        let value = self.node.value(frame)?;
        let thrown = if value.is_nil() {
            Thrown::null_pointer("throw of nil")
        } else if value.downcast::<Exception>().is_some() {
            Thrown::again(value)
        } else {
            Thrown::class_cast(format!(
                "class {} cannot be cast to class java.lang.Throwable",
                value.class_name()
            ))
            .with_hint("throw (ex-info \"message\" {}) or an exception")
        };
        Err(frame.located(thrown, &self.span))
    }
}
