//! Which names mean which places, function by function.

use super::expr::Place;
use crate::{Map, Symbol, Value};

/// The functions around the code being analysed, outermost first.
pub struct Scope {
    functions: Vec<Function>,
}

/// What is known of a function while its body is analysed.
pub struct Function {
    /// As errors name it.
    pub name: String,
    locals: Vec<(Symbol, Place)>,
    /// Locals of the function around this one that this one needs.
    captures: Vec<(Symbol, Place)>,
    slots: usize,
    slots_max: usize,
    /// Where a `recur` here goes.
    pub target: Option<Target>,
    /// A `recur` to the head of the function has been seen.
    pub recurs: bool,
}

/// What a `recur` rebinds.
#[derive(Clone)]
pub enum Target {
    /// The parameters, this many.
    Head(usize),
    /// The slots of a loop.
    Loop(Vec<usize>),
    /// Nothing: `recur` may not leave a `try`.
    Barred,
}

/// A point to come back to when locals go out of scope.
pub struct Mark {
    locals: usize,
    slots: usize,
}

/// A point to come back to when a form could not be analysed.
pub struct Checkpoint {
    functions: usize,
    target: Option<Target>,
    mark: Mark,
}

impl Function {
    fn new(name: String) -> Function {
        Function {
            name,
            locals: Vec::new(),
            captures: Vec::new(),
            slots: 0,
            slots_max: 0,
            target: None,
            recurs: false,
        }
    }
}

impl Scope {
    /// The scope of a top-level form.
    pub fn new(name: String) -> Scope {
        Scope {
            functions: vec![Function::new(name)],
        }
    }

    pub fn enter(&mut self, name: String) {
        self.functions.push(Function::new(name));
    }

    /// Leaves a function; gives the places around it that it captures.
    pub fn leave(&mut self) -> Vec<Place> {
        let function = self.functions.pop();
        let captures = function
            .map(|function| function.captures)
            .unwrap_or_default();
        captures.into_iter().map(|(_, place)| place).collect()
    }

    pub fn current(&mut self) -> &mut Function {
        self.functions
            .last_mut()
            .expect("the top-level form is never left")
    }

    /// Begins another arity or another `letfn` sibling: only what is captured stays.
    pub fn restart(&mut self) {
        let function = self.current();
        function.locals.clear();
        function.slots = 0;
        function.slots_max = 0;
        function.target = None;
        function.recurs = false;
    }

    pub fn bind(&mut self, name: Symbol, place: Place) {
        self.current().locals.push((name, place));
    }

    /// Reserves a slot, which has no name yet.
    pub fn slot(&mut self) -> usize {
        let function = self.current();
        let slot = function.slots;
        function.slots += 1;
        function.slots_max = function.slots_max.max(function.slots);
        slot
    }

    /// Most slots in use at once since the function or arity began.
    pub fn slots_max(&mut self) -> usize {
        self.current().slots_max
    }

    pub fn mark(&mut self) -> Mark {
        let function = self.current();
        Mark {
            locals: function.locals.len(),
            slots: function.slots,
        }
    }

    pub fn release(&mut self, mark: &Mark) {
        let function = self.current();
        function.locals.truncate(mark.locals);
        function.slots = mark.slots;
    }

    /// True in code that runs where the form stands, and not in a function or a `try`.
    pub fn is_top(&self) -> bool {
        let [only] = &self.functions[..] else {
            return false;
        };
        !matches!(only.target, Some(Target::Barred))
    }

    /// Where to go on after an error.
    pub fn checkpoint(&mut self) -> Checkpoint {
        Checkpoint {
            functions: self.functions.len(),
            target: self.current().target.clone(),
            mark: self.mark(),
        }
    }

    pub fn restore(&mut self, checkpoint: Checkpoint) {
        self.functions.truncate(checkpoint.functions);
        self.release(&checkpoint.mark);
        self.current().target = checkpoint.target;
    }

    /// The place of a local, captured from the functions around if need be.
    pub fn find(&mut self, name: &Symbol) -> Option<Place> {
        if name.namespace().is_some() {
            return None;
        }
        self.find_at(self.functions.len() - 1, name)
    }

    fn find_at(&mut self, level: usize, name: &Symbol) -> Option<Place> {
        let function = &self.functions[level];
        if let Some((_, place)) = function
            .locals
            .iter()
            .rev()
            .find(|(local, _)| local == name)
        {
            return Some(*place);
        }
        if let Some(index) = function
            .captures
            .iter()
            .position(|(local, _)| local == name)
        {
            return Some(Place::Capture(index));
        }
        let outer = self.find_at(level.checked_sub(1)?, name)?;
        let captures = &mut self.functions[level].captures;
        captures.push((name.clone(), outer));
        Some(Place::Capture(captures.len() - 1))
    }

    /// The names of all locals in sight, as a macro's `&env`.
    pub fn environment(&self) -> Value {
        let names = self.functions.iter().flat_map(|function| &function.locals);
        let map: Map = names
            .map(|(name, _)| (Value::Symbol(name.clone()), Value::Symbol(name.clone())))
            .collect();
        if map.is_empty() {
            Value::Nil
        } else {
            Value::Map(map)
        }
    }

    /// All locals in sight, for suggestions.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.functions
            .iter()
            .flat_map(|function| &function.locals)
            .map(|(name, _)| name.name())
    }
}
