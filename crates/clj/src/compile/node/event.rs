//! Looking into events and maps by keyword, and changing them.

use std::borrow::Cow;

use event::{Draft, Event, Field, FieldRef, Fields};

use super::local::CachedVar;
use super::{Frame, Node, with_one};
use crate::{Keyword, Result, Span, Value, event_value, seq};

/// A keyword to look up, and the field of an event it names.
pub struct Key {
    pub keyword: Keyword,
    value: Value,
    field: Option<Field>,
}

impl Key {
    pub fn new(keyword: Keyword) -> Key {
        let field = match keyword.namespace() {
            None => Field::named(keyword.name()),
            Some(_) => None,
        };
        Key {
            value: Value::Keyword(keyword.clone()),
            keyword,
            field,
        }
    }

    /// What an event has under the key; `None` where the key has a namespace.
    fn of<'e>(&self, event: &'e Event) -> Option<FieldRef<'e>> {
        match self.field {
            Some(field) => Some(event.field(field)),
            None if self.keyword.namespace().is_none() => Some(event.get(self.keyword.name())),
            None => None,
        }
    }

    fn look(&self, target: &Value) -> Option<Value> {
        match target {
            Value::Event(event) => match self.of(event) {
                Some(field) => event_value::field_value(field, event),
                None => event_value::get(event, &self.keyword),
            },
            Value::Map(map) => map.get(&self.value).cloned(),
            other => seq::get(other, &self.value),
        }
    }

    /// Sets the key in a draft, without a copy of a text that outlives it.
    fn set<'v>(&self, draft: &mut Draft<'v>, value: &'v Value) -> Result<()> {
        if let (Some(field), Value::Str(text)) = (self.field, value) {
            let text = Some(Cow::Borrowed(&**text));
            draft.clear(field);
            match field {
                Field::Host => draft.host = text,
                Field::Service => draft.service = text,
                Field::State => draft.state = text,
                Field::Description => draft.description = text,
                _ => return event_value::set(draft, &self.keyword, value),
            }
            return Ok(());
        }
        event_value::set(draft, &self.keyword, value)
    }
}

/// `(:keyword target)`
pub struct Get {
    pub key: Key,
    pub target: Box<dyn Node>,
}

impl Node for Get {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        with_one(&*self.target, frame, |target| {
            self.key.look(target).unwrap_or_default()
        })
    }

    fn truth(&self, frame: &mut Frame<'_>) -> Result<bool> {
        with_one(&*self.target, frame, |target| {
            let field = match target {
                Value::Event(event) => self.key.of(event),
                _ => None,
            };
            match field {
                Some(FieldRef::Absent | FieldRef::Nil) => false,
                Some(FieldRef::Odd(odd)) => event_value::attr_value(odd).truthy(),
                Some(_) => true,
                None => self.key.look(target).is_some_and(|value| value.truthy()),
            }
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
        let found = with_one(&*self.get.target, frame, |target| self.get.key.look(target))?;
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
        let field = match target {
            Value::Event(event) => self.get.key.of(event),
            _ => None,
        };
        match (field, &self.text) {
            (Some(FieldRef::Str(field)), Value::Str(text)) => *field == **text,
            (Some(FieldRef::Odd(odd)), _) => event_value::attr_value(odd) == self.text,
            (Some(_), _) => false,
            (None, _) => self
                .get
                .key
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
        if self.var.is_original() {
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
    pub entries: Box<[(Key, Box<dyn Node>)]>,
    pub span: Span,
}

/// Most entries that are set in one copy; more are left to the native function.
pub const ENTRIES_MAX: usize = 4;

impl Assoc {
    fn changed(&self, event: &Event, values: &[Value]) -> Result {
        let mut draft = event.draft();
        for ((key, _), value) in self.entries.iter().zip(values) {
            key.set(&mut draft, value)?;
        }
        Ok(Value::Event(draft.build()))
    }

    fn general(&self, frame: &Frame<'_>, target: Value, values: &[Value]) -> Result {
        let mut args = vec![target];
        for ((key, _), value) in self.entries.iter().zip(values) {
            args.push(key.value.clone());
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
            Value::Event(event) if self.var.is_original() => self.changed(event, values),
            other => self.general(frame, other.clone(), values),
        }
    }
}
