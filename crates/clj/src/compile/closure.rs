//! Functions made by running code, and the frames they run in.

use std::any::Any;
use std::sync::Arc;

use super::node::{Node, Place};
use crate::{Callable, Cx, Map, Result, Span, Thrown, Value, deep, interrupt};

/// Said of a recursion that uses up the stack.
const ENDLESS: &str = "a function calls itself too deep; use loop and recur, or trampoline";

/// The code of functions that see each other: one, or the siblings of a `letfn`. They share their
/// captures, so that no function refers to itself and nothing is kept alive by a cycle.
pub struct Group {
    pub functions: Vec<Template>,
}

/// The code of one function.
pub struct Template {
    /// As errors name it, `user/f`.
    pub name: Arc<str>,
    /// By number of parameters; the variadic one last.
    pub methods: Vec<Method>,
}

/// The code for one number of parameters.
pub struct Method {
    pub fixed: usize,
    /// The slot that the rest of the arguments goes to.
    pub rest: Option<usize>,
    pub slots: usize,
    /// Parameters that live in slots.
    pub moved: Vec<(usize, usize)>,
    /// The body may `recur` to the head.
    pub recurs: bool,
    pub body: Box<dyn Node>,
}

/// A function: code and the values it was made with.
#[derive(Clone)]
pub struct Closure {
    group: Arc<Group>,
    index: usize,
    captures: Captures,
    meta: Option<Map>,
}

/// The values a closure was made with. A long chain of closures, each capturing the one before, is
/// dropped without recursion.
#[derive(Clone)]
struct Captures(Arc<[Value]>);

impl Drop for Captures {
    fn drop(&mut self) {
        if !self.0.is_empty() && Arc::strong_count(&self.0) == 1 {
            deep::drop_nested(std::mem::take(&mut self.0));
        }
    }
}

/// One call in progress.
pub struct Frame<'a> {
    pub cx: Cx<'a>,
    pub args: &'a [Value],
    pub slots: &'a mut [Value],
    pub closure: &'a Closure,
    /// Set by a `recur`, taken by the loop it belongs to.
    pub recurring: bool,
    /// The arguments of a `recur` to the head.
    pub next_args: Vec<Value>,
}

impl Closure {
    pub fn new(group: Arc<Group>, index: usize, captures: Arc<[Value]>) -> Closure {
        Closure {
            group,
            index,
            captures: Captures(captures),
            meta: None,
        }
    }

    /// The function or one of its siblings, made with the same captures.
    pub fn sibling(&self, index: usize) -> Closure {
        Closure {
            index,
            meta: None,
            ..self.clone()
        }
    }

    pub fn index(&self) -> usize {
        self.index
    }

    pub fn capture(&self, index: usize) -> &Value {
        &self.captures.0[index]
    }

    pub fn template(&self) -> &Template {
        &self.group.functions[self.index]
    }

    /// The code for so many arguments, if there is stack left to run it.
    #[inline]
    fn method(&self, args: usize) -> Result<&Method> {
        deep::check_stack().map_err(|thrown| thrown.with_hint(ENDLESS))?;
        let template = self.template();
        let mut methods = template.methods.iter();
        methods
            .find(|method| method.takes(args))
            .ok_or_else(|| Thrown::arity(args, &template.name))
    }

    pub fn meta(&self) -> Option<&Map> {
        self.meta.as_ref()
    }

    #[must_use]
    pub fn with_meta(&self, meta: Option<Map>) -> Closure {
        Closure {
            meta,
            ..self.clone()
        }
    }
}

impl Callable for Closure {
    fn call(&self, cx: &Cx<'_>, args: &[Value]) -> Result {
        self.method(args.len())?.run(cx, self, args)
    }

    fn call_taking(&self, cx: &Cx<'_>, args: &mut [Value]) -> Result {
        self.method(args.len())?.run_taking(cx, self, args)
    }

    fn name(&self) -> Option<&str> {
        Some(&self.template().name)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Method {
    fn takes(&self, args: usize) -> bool {
        match self.rest {
            None => args == self.fixed,
            Some(_) => args >= self.fixed,
        }
    }

    pub fn run(&self, cx: &Cx<'_>, closure: &Closure, args: &[Value]) -> Result {
        self.with_slots(|slots| {
            for (argument, slot) in &self.moved {
                slots[*slot] = args[*argument].clone();
            }
            self.run_in(cx, closure, args, slots)
        })
    }

    /// As [`Method::run`], moving arguments where that helps.
    fn run_taking(&self, cx: &Cx<'_>, closure: &Closure, args: &mut [Value]) -> Result {
        self.with_slots(|slots| {
            self.move_in(args, slots);
            self.run_in(cx, closure, args, slots)
        })
    }

    fn move_in(&self, args: &mut [Value], slots: &mut [Value]) {
        for (argument, slot) in &self.moved {
            slots[*slot] = std::mem::take(&mut args[*argument]);
        }
    }

    /// Small frames live on the stack.
    #[inline]
    fn with_slots(&self, run: impl FnOnce(&mut [Value]) -> Result) -> Result {
        const NIL: Value = Value::Nil;
        match self.slots {
            0 => run(&mut []),
            1..=3 => run(&mut [NIL; 3]),
            4..=8 => run(&mut [NIL; 8]),
            slots => run(&mut vec![NIL; slots]),
        }
    }

    fn run_in(
        &self,
        cx: &Cx<'_>,
        closure: &Closure,
        args: &[Value],
        slots: &mut [Value],
    ) -> Result {
        if let Some(rest) = self.rest {
            slots[rest] = match &args[self.fixed..] {
                [] => Value::Nil,
                more => Value::list(more.to_vec()),
            };
        }
        let mut next: Vec<Value>;
        let mut args = args;
        loop {
            let mut frame = Frame {
                cx: *cx,
                args,
                slots: &mut *slots,
                closure,
                recurring: false,
                next_args: Vec::new(),
            };
            let value = self.body.value(&mut frame)?;
            if !frame.recurring {
                return Ok(value);
            }
            interrupt::check()?;
            next = std::mem::take(&mut frame.next_args);
            if let Some(rest) = self.rest {
                slots[rest] = next.pop().unwrap_or_default();
            }
            self.move_in(&mut next, slots);
            args = &next;
        }
    }
}

impl Frame<'_> {
    pub fn local(&self, place: Place) -> Option<&Value> {
        match place {
            Place::Argument(index) => Some(&self.args[index]),
            Place::Slot(index) => Some(&self.slots[index]),
            Place::Capture(index) => Some(self.closure.capture(index)),
            Place::Sibling(_) => None,
        }
    }

    #[inline]
    pub fn set(&mut self, slot: usize, value: Value) {
        std::mem::replace(&mut self.slots[slot], value).discard();
    }

    /// The exception with the place it passed.
    #[cold]
    pub fn located(&self, thrown: Thrown, span: &Span) -> Thrown {
        thrown.at(span.clone(), Some(self.closure.template().name.clone()))
    }
}
