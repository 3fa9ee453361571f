//! What comes after a stream, called so that one that throws does not stop the others.

use std::sync::Arc;

use clj::{Cx, Result, Value};

use crate::filter::Filter;
use crate::rescue::rescue;
use crate::siblings::Siblings;
use crate::{Batch, Selection, Stream, StreamFn};

/// The children of a stream: streams, or any functions.
pub struct Children(Siblings);

/// One child; its function is looked through once, when the parent is built.
pub enum Child {
    Native(Arc<dyn Stream>, &'static str),
    Other(Value),
}

impl Child {
    pub fn of(value: &Value) -> Child {
        match StreamFn::of(value) {
            Some(function) => Child::Native(function.stream().clone(), function.static_name()),
            None => Child::Other(value.clone()),
        }
    }

    /// Calls it; what it throws is the caller's.
    ///
    /// # Errors
    /// What the child throws.
    pub fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        match self {
            Child::Native(stream, _) => stream.call(cx, value),
            Child::Other(function) => cx.call(function, std::slice::from_ref(value)),
        }
    }

    pub(crate) fn push(&self, cx: &Cx<'_>, batch: &Batch<'_>, chosen: &Selection) {
        match self {
            Child::Native(stream, name) => {
                batch.with_name(name, || stream.push(cx, batch, chosen));
            }
            Child::Other(function) => {
                for index in chosen.iter() {
                    if let Err(thrown) = cx.call(function, &[batch.value(index).clone()]) {
                        batch.fail(cx, index, &self.name(), thrown);
                    }
                }
            }
        }
    }

    pub(crate) fn is_contained(&self) -> bool {
        matches!(self, Child::Native(stream, _) if stream.is_contained())
    }

    /// The filter that it is, if it is one.
    pub(crate) fn as_filter(&self) -> Option<&Filter> {
        match self {
            Child::Native(stream, _) => stream.as_filter(),
            Child::Other(_) => None,
        }
    }

    /// What errors call it.
    pub fn name(&self) -> String {
        match self {
            Child::Native(_, name) => (*name).to_owned(),
            Child::Other(Value::Fn(function)) => function.name().unwrap_or("fn").to_owned(),
            Child::Other(other) => other.to_readable(),
        }
    }
}

impl Children {
    pub fn of(values: &[Value]) -> Children {
        Children(Siblings::of(values.iter().map(Child::of).collect()))
    }

    /// The children in a sequence value; nil is none.
    ///
    /// # Errors
    /// When the value is not a sequence.
    pub fn of_sequence(values: &Value) -> Result<Children> {
        Ok(Children::of(&clj::seq::to_vec(values)?))
    }

    pub fn len(&self) -> usize {
        self.0.as_slice().len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.as_slice().is_empty()
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Child> {
        self.0.as_slice().iter()
    }

    /// Calls each with the value; what one throws goes to the exception stream, or is reported.
    pub fn call(&self, cx: &Cx<'_>, value: &Value) {
        if self.0.are_found() {
            let batch = Batch::of_values(std::slice::from_ref(value));
            return self.push(cx, &batch, &Selection::single(0));
        }
        for child in self.iter() {
            if let Err(thrown) = child.call(cx, value) {
                rescue(cx, &child.name(), thrown, value);
            }
        }
    }

    /// As each child's own failure, when the value meant for them could not be made.
    pub fn fail(&self, cx: &Cx<'_>, thrown: &clj::Thrown, value: &Value) {
        for child in self.iter() {
            rescue(cx, &child.name(), thrown.clone(), value);
        }
    }

    /// Gives each the chosen events, with the effect of [`Children::call`] on one after the other.
    pub fn push(&self, cx: &Cx<'_>, batch: &Batch<'_>, chosen: &Selection) {
        if !chosen.is_empty() {
            batch.with_rescue(true, || self.0.push(cx, batch, chosen, |_| ()));
        }
    }

    /// Pushes values made by the parent, as [`Children::push`].
    pub fn push_values(&self, cx: &Cx<'_>, values: &[Value]) {
        match values {
            [] => {}
            [value] => self.call(cx, value),
            _ => self.push(
                cx,
                &Batch::of_values(values),
                &Selection::first(values.len()),
            ),
        }
    }

    /// Pushes what `change` makes of each chosen event; `who` is blamed for what it throws.
    pub fn push_mapped(
        &self,
        cx: &Cx<'_>,
        batch: &Batch<'_>,
        chosen: &Selection,
        who: &str,
        change: impl Fn(&Value) -> Result,
    ) {
        let mut changed = Vec::with_capacity(chosen.len());
        for index in chosen.iter() {
            match change(batch.value(index)) {
                Ok(value) => changed.push(value),
                Err(thrown) => {
                    self.push_values(cx, &changed);
                    changed.clear();
                    batch.fail(cx, index, who, thrown);
                }
            }
        }
        self.push_values(cx, &changed);
    }

    pub fn is_contained(&self) -> bool {
        self.iter().all(Child::is_contained)
    }
}
