//! `with` and `default`: set fields.

use clj::{Cx, Keyword, Native, Result, Thrown, Value, event_value};

use crate::stream::operator;
use crate::{Batch, Children, Selection, Stream, StreamFn, fields};

pub const WITH: Native = operator(
    "with",
    "([k v & children] [m & children])",
    1,
    |_: &Cx<'_>, args: &[Value]| new("with", args, Rule::Always),
    "Passes on events with a field set, or with all fields of a map set. A field set to nil is taken \
     out. A vector of events has each of them changed.\n\n    (with :state \"ok\" index)\n    (with \
     {:state \"ok\" :ttl 10} index)",
);

pub const DEFAULT: Native = operator(
    "default",
    "([k v & children] [m & children])",
    1,
    |_: &Cx<'_>, args: &[Value]| new("default", args, Rule::WhereNil),
    "Passes on events with a field set where it is nil, or all fields of a map where they are \
     nil.\n\n    (default :ttl 60 index)",
);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    Always,
    WhereNil,
}

struct With {
    name: &'static str,
    entries: Vec<(Value, Value)>,
    rule: Rule,
    children: Children,
}

fn new(name: &'static str, args: &[Value], rule: Rule) -> Result {
    let (entries, children) = match args {
        [map, children @ ..] if fields::is_map(map) => (fields::entries(map), children),
        [key, value, children @ ..] => (vec![(key.clone(), value.clone())], children),
        _ => return Err(Thrown::arity(args.len(), name)),
    };
    let children = Children::of(children);
    Ok(StreamFn::value(
        name,
        With {
            name,
            entries,
            rule,
            children,
        },
    ))
}

impl With {
    fn change(&self, value: &Value) -> Result {
        match value {
            Value::Vector(events) if self.rule == Rule::Always => {
                let changed = events.iter().map(|event| self.change_one(event));
                Ok(Value::vector(changed.collect::<Result<Vec<_>>>()?))
            }
            _ => self.change_one(value),
        }
    }

    fn change_one(&self, value: &Value) -> Result {
        let mut changed = value.clone();
        for (key, new) in &self.entries {
            let wanted = match self.rule {
                Rule::Always => true,
                Rule::WhereNil => get_key(&changed, key).is_nil(),
            };
            if wanted && new.is_nil() && self.rule == Rule::Always {
                changed = fields::dissoc_key(&changed, key)?;
            } else if wanted {
                changed = fields::assoc_key(&changed, key, new.clone())?;
            }
        }
        Ok(changed)
    }

    /// A received event changed while it is packed; `None` where that cannot be done at once.
    fn change_received(&self, batch: &Batch<'_>, index: usize) -> Option<Value> {
        let mut draft = batch.draft(index)?;
        for (key, new) in &self.entries {
            let Value::Keyword(key) = key else {
                return None;
            };
            if self.rule == Rule::WhereNil && has(batch, index, key)? {
                continue;
            }
            if new.is_nil() {
                return None;
            }
            event_value::set(&mut draft, key, new).ok()?;
        }
        Some(Value::Event(draft.build()))
    }

    /// True if the event is already as it is to be.
    fn is_settled(&self, batch: &Batch<'_>, index: usize) -> bool {
        self.rule == Rule::WhereNil
            && self.entries.iter().all(|(key, _)| match key {
                Value::Keyword(key) => has(batch, index, key) == Some(true),
                _ => false,
            })
    }
}

/// Whether a received event has a value under a key.
fn has(batch: &Batch<'_>, index: usize, key: &Keyword) -> Option<bool> {
    use event::{FieldRef, Fields};
    if key.namespace().is_some() {
        return None;
    }
    let view = batch.views()?.get(index);
    Some(!matches!(
        view.get(key.name()),
        FieldRef::Absent | FieldRef::Nil
    ))
}

fn get_key(value: &Value, key: &Value) -> Value {
    clj::seq::get(value, key).unwrap_or_default()
}

impl Stream for With {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        match self.change(value) {
            Ok(changed) => self.children.call(cx, &changed),
            Err(thrown) => self.children.fail(cx, &thrown, value),
        }
        Ok(Value::Bool(true))
    }

    fn push(&self, cx: &Cx<'_>, batch: &Batch<'_>, chosen: &Selection) {
        if batch.views().is_some() && chosen.iter().all(|index| self.is_settled(batch, index)) {
            return self.children.push(cx, batch, chosen);
        }
        let mut changed = Vec::with_capacity(chosen.len());
        for index in chosen.iter() {
            let value = match self.change_received(batch, index) {
                Some(value) => Ok(value),
                None => self.change(batch.value(index)),
            };
            match value {
                Ok(value) => changed.push(value),
                Err(_) => {
                    self.children.push_values(cx, &changed);
                    changed.clear();
                    if let Err(thrown) = self.call(cx, batch.value(index)) {
                        batch.fail(cx, index, self.name, thrown);
                    }
                }
            }
        }
        self.children.push_values(cx, &changed);
    }

    fn is_contained(&self) -> bool {
        self.children.is_contained()
    }
}
