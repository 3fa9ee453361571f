//! `with` and `default`: set fields.

use clj::{Cx, Keyword, Native, Result, Thrown, Value, event_value};
use event::{Field, Number, Scalar, Time, View};

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
    /// The same as what a received event may hold; `None` if there is no such thing for all.
    patches: Option<Box<[Patch]>>,
    rule: Rule,
    children: Children,
}

/// A field as a received event has it.
enum Patch {
    Host(Box<str>),
    Service(Box<str>),
    State(Box<str>),
    Description(Box<str>),
    Metric(Scalar),
    Ttl(Scalar),
    Time(Time),
}

fn new(name: &'static str, args: &[Value], rule: Rule) -> Result {
    let (entries, children) = match args {
        [map, children @ ..] if fields::is_map(map) => (fields::entries(map), children),
        [key, value, children @ ..] => (vec![(key.clone(), value.clone())], children),
        _ => return Err(Thrown::arity(args.len(), name)),
    };
    let children = Children::of(children);
    let patches = entries.iter().map(|(key, new)| Patch::of(key, new));
    Ok(StreamFn::value(
        name,
        With {
            name,
            patches: patches.collect(),
            entries,
            rule,
            children,
        },
    ))
}

impl Patch {
    fn of(key: &Value, new: &Value) -> Option<Patch> {
        let Value::Keyword(key) = key else {
            return None;
        };
        if key.namespace().is_some() {
            return None;
        }
        let text = || new.as_str().map(Box::from);
        match Field::named(key.name())? {
            Field::Host => text().map(Patch::Host),
            Field::Service => text().map(Patch::Service),
            Field::State => text().map(Patch::State),
            Field::Description => text().map(Patch::Description),
            Field::Metric => scalar(new).map(Patch::Metric),
            Field::Ttl => scalar(new).map(Patch::Ttl),
            Field::Time => Time::from_number(&new.as_number()?).map(Patch::Time),
            Field::Tags => None,
        }
    }

    fn set<'a>(&'a self, view: &mut View<'a>, rule: Rule) {
        fn put<T>(place: &mut Option<T>, new: T, rule: Rule) {
            if rule == Rule::Always || place.is_none() {
                *place = Some(new);
            }
        }
        match self {
            Patch::Host(text) => put(&mut view.host, text, rule),
            Patch::Service(text) => put(&mut view.service, text, rule),
            Patch::State(text) => put(&mut view.state, text, rule),
            Patch::Description(text) => put(&mut view.description, text, rule),
            Patch::Metric(_) if rule != Rule::Always && view.histogram.is_some() => {}
            Patch::Metric(number) => put(&mut view.metric, *number, rule),
            Patch::Ttl(number) => put(&mut view.ttl, *number, rule),
            Patch::Time(time) => put(&mut view.time, *time, rule),
        }
    }

    /// True if the event has a value already.
    fn is_there(&self, view: &View<'_>) -> bool {
        match self {
            Patch::Host(_) => view.host.is_some(),
            Patch::Service(_) => view.service.is_some(),
            Patch::State(_) => view.state.is_some(),
            Patch::Description(_) => view.description.is_some(),
            Patch::Metric(_) => view.metric.is_some() || view.histogram.is_some(),
            Patch::Ttl(_) => view.ttl.is_some(),
            Patch::Time(_) => view.time.is_some(),
        }
    }
}

/// A number that a received event can hold.
fn scalar(value: &Value) -> Option<Scalar> {
    match value.as_number()? {
        Number::Int(int) => Some(Scalar::Int(int)),
        Number::F64(float) => Some(Scalar::F64(float)),
        Number::F32(float) => Some(Scalar::F32(float)),
        _ => None,
    }
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

    /// Passes on received events as they lie, with the patches. False if that cannot be done.
    fn push_received(&self, cx: &Cx<'_>, batch: &Batch<'_>, chosen: &Selection) -> bool {
        let (Some(views), Some(patches)) = (batch.views(), &self.patches) else {
            return false;
        };
        let settled = |index| {
            let view = views.head(index);
            patches.iter().all(|patch| patch.is_there(view))
        };
        if self.rule == Rule::WhereNil && chosen.iter().all(settled) {
            self.children.push(cx, batch, chosen);
            return true;
        }
        batch.derive(
            |derived| {
                for index in chosen.iter() {
                    let mut view = views.get(index);
                    patches
                        .iter()
                        .for_each(|patch| patch.set(&mut view, self.rule));
                    derived.push_whole(view);
                }
            },
            |derived| {
                self.children
                    .push(cx, derived, &Selection::first(derived.len()))
            },
        );
        true
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
        if self.push_received(cx, batch, chosen) {
            return;
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
