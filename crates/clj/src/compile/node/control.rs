//! if, do, let, loop, recur, case.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::{Frame, Node};
use crate::{Result, Value, interrupt};

pub struct If {
    pub test: Box<dyn Node>,
    pub then: Box<dyn Node>,
    pub otherwise: Box<dyn Node>,
}

impl Node for If {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        if self.test.truth(frame)? {
            self.then.value(frame)
        } else {
            self.otherwise.value(frame)
        }
    }

    fn truth(&self, frame: &mut Frame<'_>) -> Result<bool> {
        if self.test.truth(frame)? {
            self.then.truth(frame)
        } else {
            self.otherwise.truth(frame)
        }
    }
}

/// The first value that is false, else the last.
pub struct And {
    pub first: Box<[Box<dyn Node>]>,
    pub last: Box<dyn Node>,
}

impl Node for And {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        for node in &self.first {
            let value = node.value(frame)?;
            if !value.truthy() {
                return Ok(value);
            }
        }
        self.last.value(frame)
    }

    fn truth(&self, frame: &mut Frame<'_>) -> Result<bool> {
        for node in &self.first {
            if !node.truth(frame)? {
                return Ok(false);
            }
        }
        self.last.truth(frame)
    }
}

/// The first value that is true, else the last.
pub struct Or {
    pub first: Box<[Box<dyn Node>]>,
    pub last: Box<dyn Node>,
}

impl Node for Or {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        for node in &self.first {
            let value = node.value(frame)?;
            if value.truthy() {
                return Ok(value);
            }
        }
        self.last.value(frame)
    }

    fn truth(&self, frame: &mut Frame<'_>) -> Result<bool> {
        for node in &self.first {
            if node.truth(frame)? {
                return Ok(true);
            }
        }
        self.last.truth(frame)
    }
}

/// `and` and `or` of tests that give true or false: their truth is their value.
pub struct Tests(pub Box<dyn Node>);

impl Node for Tests {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        self.0.truth(frame).map(Value::Bool)
    }

    fn truth(&self, frame: &mut Frame<'_>) -> Result<bool> {
        self.0.truth(frame)
    }
}

pub struct Do {
    pub first: Box<[Box<dyn Node>]>,
    pub last: Box<dyn Node>,
}

impl Node for Do {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        for node in &self.first {
            node.value(frame)?;
        }
        self.last.value(frame)
    }

    fn truth(&self, frame: &mut Frame<'_>) -> Result<bool> {
        for node in &self.first {
            node.value(frame)?;
        }
        self.last.truth(frame)
    }
}

pub struct Let {
    pub bindings: Box<[(usize, Box<dyn Node>)]>,
    pub body: Box<dyn Node>,
}

impl Node for Let {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        for (slot, node) in &self.bindings {
            let value = node.value(frame)?;
            frame.set(*slot, value);
        }
        self.body.value(frame)
    }

    fn truth(&self, frame: &mut Frame<'_>) -> Result<bool> {
        for (slot, node) in &self.bindings {
            let value = node.value(frame)?;
            frame.set(*slot, value);
        }
        self.body.truth(frame)
    }
}

pub struct Loop {
    pub bindings: Box<[(usize, Box<dyn Node>)]>,
    pub body: Box<dyn Node>,
}

impl Node for Loop {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        for (slot, node) in &self.bindings {
            let value = node.value(frame)?;
            frame.set(*slot, value);
        }
        loop {
            let value = self.body.value(frame)?;
            if !std::mem::take(&mut frame.recurring) {
                return Ok(value);
            }
            interrupt::check()?;
        }
    }
}

/// Rebinds the slots of a loop. Always in tail position, so that nothing runs before the loop
/// sees `recurring`.
pub struct RecurLoop(pub Box<[(usize, Box<dyn Node>)]>);

impl Node for RecurLoop {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        match &*self.0 {
            [] => {}
            [(slot, node)] => {
                let value = node.value(frame)?;
                frame.set(*slot, value);
            }
            [(slot_a, a), (slot_b, b)] => {
                let (a, b) = (a.value(frame)?, b.value(frame)?);
                frame.set(*slot_a, a);
                frame.set(*slot_b, b);
            }
            all => {
                let mut values = Vec::with_capacity(all.len());
                for (_, node) in all {
                    values.push(node.value(frame)?);
                }
                for ((slot, _), value) in all.iter().zip(values) {
                    frame.set(*slot, value);
                }
            }
        }
        frame.recurring = true;
        Ok(Value::Nil)
    }
}

pub struct RecurFn(pub Box<[Box<dyn Node>]>);

impl Node for RecurFn {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        let mut args = Vec::with_capacity(self.0.len());
        for node in &self.0 {
            args.push(node.value(frame)?);
        }
        frame.next_args = args;
        frame.recurring = true;
        Ok(Value::Nil)
    }
}

pub struct Case {
    pub subject: Box<dyn Node>,
    pub choices: HashMap<Value, usize, FixedState>,
    pub branches: Box<[Box<dyn Node>]>,
    pub default: Box<dyn Node>,
}

impl Node for Case {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        let subject = self.subject.value(frame)?;
        match self.choices.get(&subject) {
            Some(branch) => self.branches[*branch].value(frame),
            None => self.default.value(frame),
        }
    }
}
