//! `clojure.walk`: replacing the parts of nested collections.

use std::sync::Arc;

use crate::core::collections::{conj, contains, empty, is_map};
use crate::core::native;
use crate::object::Kind;
use crate::{Cx, Keyword, List, Native, Result, Symbol, Value, deep, seq};

const TWO: (usize, Option<usize>) = (2, Some(2));
const ONE: (usize, Option<usize>) = (1, Some(1));

pub const NATIVES: &[Native] = &[
    native(
        "walk",
        "([inner outer form])",
        "What outer gives for the form with inner applied to each of its parts.",
        (3, Some(3)),
        |cx, a| {
            let walked = parts(&a[2], &mut |part| cx.call(&a[0], &[part]))?;
            cx.call(&a[1], &[walked])
        },
    ),
    native(
        "postwalk",
        "([f form])",
        "With f applied to every part at any depth, inner ones first.",
        TWO,
        |cx, a| postwalk(a[1].clone(), &mut |part| cx.call(&a[0], &[part])),
    ),
    native(
        "prewalk",
        "([f form])",
        "With f applied to every part at any depth, outer ones first.",
        TWO,
        |cx, a| prewalk(a[1].clone(), &mut |part| cx.call(&a[0], &[part])),
    ),
    native(
        "postwalk-replace",
        "([smap form])",
        "With every part that is a key of smap replaced by its value, inner ones first.",
        TWO,
        |_, a| replace_all(&a[0], a[1].clone()),
    ),
    native(
        "prewalk-replace",
        "([smap form])",
        "With every part that is a key of smap replaced by its value, outer ones first.",
        TWO,
        |_, a| prewalk(a[1].clone(), &mut |part| replaced(&a[0], part)),
    ),
    native(
        "keywordize-keys",
        "([m])",
        "With keywords for the strings that are keys of maps, at any depth.",
        ONE,
        |_, a| {
            postwalk(a[0].clone(), &mut |part| {
                with_keys(part, |key| match key {
                    Value::Str(name) => keyword(name),
                    _ => key.clone(),
                })
            })
        },
    ),
    native(
        "stringify-keys",
        "([m])",
        "With strings for the keywords that are keys of maps, at any depth.",
        ONE,
        |_, a| {
            postwalk(a[0].clone(), &mut |part| {
                with_keys(part, |key| match key {
                    Value::Keyword(keyword) => Value::str(keyword.name()),
                    _ => key.clone(),
                })
            })
        },
    ),
    native(
        "macroexpand-all",
        "([form])",
        "With every macro call in the form expanded.",
        ONE,
        |cx, a| {
            prewalk(a[0].clone(), &mut |part| match part {
                Value::List(_) | Value::Lazy(_) => macroexpand(cx, part),
                part => Ok(part),
            })
        },
    ),
];

type Change<'a> = dyn FnMut(Value) -> Result + 'a;

fn postwalk(form: Value, change: &mut Change<'_>) -> Result {
    let walked = deep::with_stack(|| parts(&form, &mut |part| postwalk(part, change)))?;
    change(walked)
}

fn prewalk(form: Value, change: &mut Change<'_>) -> Result {
    let form = change(form)?;
    deep::with_stack(|| parts(&form, &mut |part| prewalk(part, change)))
}

/// The form with each of its parts changed: the items of a collection, the entries of a map.
fn parts(form: &Value, change: &mut Change<'_>) -> Result {
    match form {
        Value::List(list) => {
            let items = seq::iter(form)
                .map(|item| change(item?))
                .collect::<Result<Vec<_>>>()?;
            let mut walked = List::from(items);
            walked.meta = list.meta.clone();
            walked.span = list.span.clone();
            Ok(Value::List(Arc::new(walked)))
        }
        Value::Lazy(_) => Ok(Value::list(
            seq::iter(form)
                .map(|item| change(item?))
                .collect::<Result<_>>()?,
        )),
        Value::Event(_) => entries(form.clone(), form, change),
        Value::Vector(_) | Value::Map(_) | Value::Set(_) => entries(empty(form), form, change),
        Value::Object(object) => match object.kind() {
            Kind::Opaque => Ok(form.clone()),
            Kind::Record => entries(form.clone(), form, change),
            Kind::Map | Kind::Set | Kind::Sequence => entries(empty(form), form, change),
        },
        _ => Ok(form.clone()),
    }
}

fn entries(into: Value, form: &Value, change: &mut Change<'_>) -> Result {
    seq::iter(form).try_fold(into, |all, item| conj(all, change(item?)?))
}

/// The form with every part that is a key of `replacements` replaced, inner ones first.
pub fn replace_all(replacements: &Value, form: Value) -> Result {
    postwalk(form, &mut |part| replaced(replacements, part))
}

fn replaced(replacements: &Value, part: Value) -> Result {
    if contains(replacements, &part)? {
        return Ok(seq::get(replacements, &part).unwrap_or_default());
    }
    Ok(part)
}

/// A map with its keys changed; anything else as it is.
fn with_keys(part: Value, change: impl Fn(&Value) -> Value) -> Result {
    if !is_map(&part) {
        return Ok(part);
    }
    let mut changed = Vec::new();
    for entry in seq::iter(&part) {
        if let Value::Vector(entry) = entry? {
            let part = |at| entry.get(at).cloned().unwrap_or_default();
            changed.push((change(&part(0)), part(1)));
        }
    }
    Ok(Value::map(changed))
}

/// As `(keyword name)`.
pub fn keyword(name: &str) -> Value {
    let symbol = Symbol::parse(name);
    Value::Keyword(Keyword::new(symbol.namespace(), symbol.name()))
}

fn macroexpand(cx: &Cx<'_>, mut form: Value) -> Result {
    loop {
        let expanded = crate::compile::macroexpand_1(cx, &form)?;
        if expanded == form {
            return Ok(expanded);
        }
        form = expanded;
    }
}
