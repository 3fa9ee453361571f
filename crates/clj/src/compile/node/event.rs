//! Looking into events and maps by keyword, and changing them.

use event::{Event, FieldRef, Fields};

use super::local::CachedVar;
use super::{Frame, Node, with_one};
use crate::{Keyword, Result, Span, Value, event_value, seq};

/// `(:keyword target)`
pub struct Get {
    pub keyword: Keyword,
    /// The same keyword as a value.
    pub key: Value,
    pub target: Box<dyn Node>,
}

impl Get {
    pub fn new(keyword: Keyword, target: Box<dyn Node>) -> Get {
        Get {
            key: Value::Keyword(keyword.clone()),
            keyword,
            target,
        }
    }

    fn look(&self, target: &Value) -> Option<Value> {
        match target {
            Value::Event(event) => event_value::get(event, &self.keyword),
            Value::Map(map) => map.get(&self.key).cloned(),
            other => seq::get(other, &self.key),
        }
    }
}

impl Node for Get {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        with_one(&*self.target, frame, |target| {
            self.look(target).unwrap_or_default()
        })
    }

    fn truth(&self, frame: &mut Frame<'_>) -> Result<bool> {
        with_one(&*self.target, frame, |target| match target {
            Value::Event(event) if self.keyword.namespace().is_none() => {
                match event.get(self.keyword.name()) {
                    FieldRef::Absent | FieldRef::Nil => false,
                    FieldRef::Odd(odd) => event_value::attr_value(odd).truthy(),
                    _ => true,
                }
            }
            _ => self.look(target).is_some_and(|value| value.truthy()),
        })
    }
}

/// `(:keyword target default)`
pub struct GetOr {
    pub get: Get,
    pub default: Box<dyn Node>,
}

impl Node for GetOr {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        let found = with_one(&*self.get.target, frame, |target| self.get.look(target))?;
        let default = self.default.value(frame)?;
        Ok(found.unwrap_or(default))
    }
}

/// `(= (:keyword target) "text")`: compares in place.
pub struct FieldIs {
    pub negated: bool,
    pub var: CachedVar,
    pub get: Get,
    pub text: Value,
    pub span: Span,
}

impl FieldIs {
    fn is_text(&self, target: &Value) -> bool {
        match (target, &self.text) {
            (Value::Event(event), Value::Str(text)) if self.get.keyword.namespace().is_none() => {
                match event.get(self.get.keyword.name()) {
                    FieldRef::Str(field) => *field == **text,
                    FieldRef::Odd(odd) => event_value::attr_value(odd) == self.text,
                    _ => false,
                }
            }
            _ => self
                .get
                .look(target)
                .is_some_and(|value| value == self.text),
        }
    }
}

impl Node for FieldIs {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        self.truth(frame).map(Value::Bool)
    }

    fn truth(&self, frame: &mut Frame<'_>) -> Result<bool> {
        if self.var.unchanged().is_some() {
            let same = with_one(&*self.get.target, frame, |target| self.is_text(target))?;
            return Ok(same != self.negated);
        }
        let args = [self.get.value(frame)?, self.text.clone()];
        let called = self.var.call(&frame.cx, &args);
        called
            .map(|value| value.truthy())
            .map_err(|thrown| frame.located(thrown, &self.span))
    }
}

/// `(assoc target :a x :b y)`: an event is copied once, whatever the number of keys.
pub struct Assoc {
    pub var: CachedVar,
    pub target: Box<dyn Node>,
    pub entries: Box<[(Keyword, Box<dyn Node>)]>,
    pub span: Span,
}

/// Most entries that are set in one copy; more are left to the native function.
pub const ENTRIES_MAX: usize = 4;

impl Assoc {
    fn changed(&self, event: &Event, values: &[Value]) -> Result {
        let mut draft = event.draft();
        for ((keyword, _), value) in self.entries.iter().zip(values) {
            event_value::set(&mut draft, keyword, value)?;
        }
        Ok(Value::Event(draft.build()))
    }

    fn general(&self, frame: &Frame<'_>, target: Value, values: &[Value]) -> Result {
        let mut args = vec![target];
        for ((keyword, _), value) in self.entries.iter().zip(values) {
            args.push(Value::Keyword(keyword.clone()));
            args.push(value.clone());
        }
        self.var
            .call(&frame.cx, &args)
            .map_err(|thrown| frame.located(thrown, &self.span))
    }
}

impl Node for Assoc {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        const NIL: Value = Value::Nil;
        let own = if self.target.peek(frame).is_some() {
            None
        } else {
            Some(self.target.value(frame)?)
        };
        let mut values = [NIL; ENTRIES_MAX];
        for ((_, node), value) in self.entries.iter().zip(&mut values) {
            *value = node.value(frame)?;
        }
        let values = &values[..self.entries.len()];
        let target = own
            .as_ref()
            .or_else(|| self.target.peek(frame))
            .unwrap_or(&NIL);
        match target {
            Value::Event(event) if self.var.unchanged().is_some() => self.changed(event, values),
            other => self.general(frame, other.clone(), values),
        }
    }
}
