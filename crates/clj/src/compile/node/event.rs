//! Looking into events and maps by keyword, and changing them.

use std::borrow::Cow;

use event::{Draft, Event, Field, FieldRef, Fields, Number, Patch, Time};

use super::arithmetic::Comparison;
use super::local::CachedVar;
use super::operand::{Operand, with_one};
use super::{Frame, Node};
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

    /// The metric or ttl, if that is what the key names and the event has it.
    #[inline]
    fn number(&self, event: &Event) -> Option<Number> {
        match self.field {
            Some(Field::Metric) => event.metric(),
            Some(Field::Ttl) => event.ttl(),
            _ => None,
        }
    }

    /// The text of a field, if that is what the key names and the event has it.
    #[inline]
    fn text<'e>(&self, event: &'e Event) -> Option<&'e str> {
        match self.field {
            Some(Field::Host) => event.host(),
            Some(Field::Service) => event.service(),
            Some(Field::State) => event.state(),
            Some(Field::Description) => event.description(),
            _ => None,
        }
    }

    #[inline]
    fn look(&self, target: &Value) -> Option<Value> {
        match target {
            Value::Event(event) => match self.number(event) {
                Some(number) => Some(number.into()),
                None => self.look_into(event),
            },
            Value::Map(map) => map.get(&self.value).cloned(),
            other => seq::get(other, &self.value),
        }
    }

    fn look_into(&self, event: &Event) -> Option<Value> {
        match self.of(event) {
            Some(field) => event_value::field_value(field, event),
            None => event_value::get(event, &self.keyword),
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
    pub target: Operand,
}

impl Node for Get {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        with_one(&self.target, frame, |target| {
            self.key.look(target).unwrap_or_default()
        })
    }

    fn truth(&self, frame: &mut Frame<'_>) -> Result<bool> {
        with_one(&self.target, frame, |target| {
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
        let found = with_one(&self.get.target, frame, |target| self.get.key.look(target))?;
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
    #[inline]
    fn is_text(&self, target: &Value) -> bool {
        if let (Value::Event(event), Value::Str(text)) = (target, &self.text)
            && let Some(field) = self.get.key.text(event)
        {
            return *field == **text;
        }
        self.is_same(target)
    }

    fn is_same(&self, target: &Value) -> bool {
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
            let same = with_one(&self.get.target, frame, |target| self.is_text(target))?;
            return Ok(same != self.negated);
        }
        let args = [self.get.value(frame)?, self.text.clone()];
        let called = self.var.call(&frame.cx, &args);
        called
            .map(|value| value.truthy())
            .map_err(|thrown| frame.located(thrown, &self.span))
    }
}

/// `(> (:metric target) 10)`: compares in place.
pub struct FieldCompare {
    pub comparison: Comparison,
    pub var: CachedVar,
    pub get: Get,
    pub limit: Value,
    /// The limit stands first, as in `(< 10 (:metric target))`.
    pub turned: bool,
    pub span: Span,
}

impl FieldCompare {
    #[inline]
    fn usual(&self, target: &Value) -> Option<bool> {
        let value = match target {
            Value::Event(event) => Value::from(self.get.key.number(event)?),
            _ => self.get.key.look(target)?,
        };
        let truth = match self.turned {
            false => self.comparison.usual(&value, &self.limit),
            true => self.comparison.usual(&self.limit, &value),
        };
        value.discard();
        truth
    }
}

impl Node for FieldCompare {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        self.truth(frame).map(Value::Bool)
    }

    fn truth(&self, frame: &mut Frame<'_>) -> Result<bool> {
        let cx = frame.cx;
        let called = with_one(&self.get.target, frame, |target| {
            if self.var.is_original()
                && let Some(truth) = self.usual(target)
            {
                return Ok(truth);
            }
            let value = self.get.key.look(target).unwrap_or_default();
            let args = match self.turned {
                false => [value, self.limit.clone()],
                true => [self.limit.clone(), value],
            };
            self.var.call(&cx, &args).map(|value| value.truthy())
        })?;
        called.map_err(|thrown| frame.located(thrown, &self.span))
    }
}

/// `(assoc target :a x :b y)`: an event is copied once, whatever the number of keys.
pub struct Assoc {
    pub var: CachedVar,
    pub target: Operand,
    pub entries: Box<[(Key, Operand)]>,
    pub span: Span,
}

/// Most entries that are set in one copy; more are left to the native function.
pub const ENTRIES_MAX: usize = 4;

impl Assoc {
    /// The changed event; by way of a draft where something is unusual.
    #[inline]
    fn changed(&self, event: &Event, values: &[&Value]) -> Result {
        if let Some(mut patch) = event.patch()
            && self.patches(&mut patch, values)
        {
            return Ok(Value::Event(patch.build()));
        }
        let mut draft = event.draft();
        for ((key, _), value) in self.entries.iter().zip(values) {
            key.set(&mut draft, value)?;
        }
        Ok(Value::Event(draft.build()))
    }

    /// True if all values are such as their fields usually have.
    #[inline]
    fn patches<'v>(&self, patch: &mut Patch<'v>, values: &[&'v Value]) -> bool {
        self.entries
            .iter()
            .zip(values)
            .all(|((key, _), value)| match key.field {
                Some(field) => set_usual(patch, field, value),
                None => false,
            })
    }

    fn general(&self, frame: &Frame<'_>, target: Value, values: &[&Value]) -> Result {
        let mut args = vec![target];
        for ((key, _), value) in self.entries.iter().zip(values) {
            args.push(key.value.clone());
            args.push((*value).clone());
        }
        self.var
            .call(&frame.cx, &args)
            .map_err(|thrown| frame.located(thrown, &self.span))
    }
}

/// Sets a field to a value of its usual kind; false for any other.
#[inline]
fn set_usual<'v>(patch: &mut Patch<'v>, field: Field, value: &'v Value) -> bool {
    match (field, value) {
        (Field::Host | Field::Service | Field::State | Field::Description, Value::Str(text)) => {
            patch.set_text(field, Some(text));
        }
        (Field::Host | Field::Service | Field::State | Field::Description, Value::Nil) => {
            patch.set_text(field, None);
        }
        (Field::Metric, Value::Nil) => patch.set_metric(None),
        (Field::Ttl, Value::Nil) => patch.set_ttl(None),
        (Field::Time, Value::Nil) => patch.set_time(None),
        (Field::Metric | Field::Ttl | Field::Time, value) => match (field, value.as_number()) {
            (_, None) => return false,
            (Field::Metric, number) => patch.set_metric(number),
            (Field::Ttl, number) => patch.set_ttl(number),
            (_, Some(number)) => match Time::from_number(&number) {
                Some(time) => patch.set_time(Some(time)),
                None => return false,
            },
        },
        _ => return false,
    }
    true
}

impl Node for Assoc {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        const NIL: Value = Value::Nil;
        let own_target = self.target.run(frame)?;
        let mut own = [NIL; ENTRIES_MAX];
        for ((_, operand), own) in self.entries.iter().zip(&mut own) {
            if let Some(value) = operand.run(frame)? {
                *own = value;
            }
        }
        let mut values = [&NIL; ENTRIES_MAX];
        for (((_, operand), own), value) in self.entries.iter().zip(&own).zip(&mut values) {
            *value = operand.peek(frame).unwrap_or(own);
        }
        let values = &values[..self.entries.len()];
        let target = own_target.as_ref().or_else(|| self.target.peek(frame));
        match target.unwrap_or(&NIL) {
            Value::Event(event) if self.var.is_original() => self.changed(event, values),
            other => self.general(frame, other.clone(), values),
        }
    }
}
