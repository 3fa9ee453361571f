//! `tag` and `untag`.

use clj::{Cx, Native, Result, Value};

use crate::predicate::tag_names;
use crate::stream::operator;
use crate::{Batch, Children, Selection, Stream, StreamFn, fields};

pub const TAG: Native = operator(
    "tag",
    "([tags & children])",
    1,
    |_: &Cx<'_>, args: &[Value]| new("tag", args, Change::Add),
    "Passes on events with tags added, before those that they have; tags is one, or a collection.\n\n  \
     \u{20} (tag \"slow\" index)",
);

pub const UNTAG: Native = operator(
    "untag",
    "([tags & children])",
    1,
    |_: &Cx<'_>, args: &[Value]| new("untag", args, Change::Remove),
    "Passes on events without these tags; tags is one, or a collection.",
);

#[derive(Clone, Copy)]
enum Change {
    Add,
    Remove,
}

struct Tag {
    name: &'static str,
    change: Change,
    tags: Box<[Value]>,
    children: Children,
}

fn new(name: &'static str, args: &[Value], change: Change) -> Result {
    let tags = tag_names(&args[0])?;
    let children = Children::of(&args[1..]);
    Ok(StreamFn::value(
        name,
        Tag {
            name,
            change,
            tags,
            children,
        },
    ))
}

impl Tag {
    fn change(&self, value: &Value) -> Result {
        let own = fields::tags(value)?.unwrap_or_default();
        let tags = match self.change {
            Change::Add => {
                let mut tags: Vec<Value> = Vec::with_capacity(self.tags.len() + own.len());
                for tag in self.tags.iter().chain(&own) {
                    if !tags.contains(tag) {
                        tags.push(tag.clone());
                    }
                }
                tags
            }
            Change::Remove => own
                .into_iter()
                .filter(|tag| !self.tags.contains(tag))
                .collect(),
        };
        fields::assoc(value, "tags", Value::list(tags))
    }
}

impl Stream for Tag {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        self.children.call(cx, &self.change(value)?);
        Ok(Value::Bool(true))
    }

    fn push(&self, cx: &Cx<'_>, batch: &Batch<'_>, chosen: &Selection) {
        self.children
            .push_mapped(cx, batch, chosen, self.name, |value| self.change(value));
    }

    fn is_contained(&self) -> bool {
        self.children.is_contained()
    }
}
