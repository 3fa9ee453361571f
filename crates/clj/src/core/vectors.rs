//! Vectors, sets and lists, and collections of any kind.

use super::arguments::{int, not_a};
use super::collections::{self, conj, is_set, nth, out_of_bounds};
use super::{native, reduce};
use crate::{Cx, Native, Result, Thrown, Value, seq};

pub const NATIVES: &[Native] = &[
    native(
        "conj",
        "([coll & xs])",
        "With the items added.",
        (0, None),
        conj_all,
    ),
    native(
        "into",
        "([to from] [to xform from])",
        "With all items added.",
        (0, Some(3)),
        into,
    ),
    native(
        "count",
        "([coll])",
        "The number of items.",
        (1, Some(1)),
        |_, a| Ok(Value::Int(collections::count(&a[0])? as i64)),
    ),
    native(
        "empty",
        "([coll])",
        "An empty collection of the same kind.",
        (1, Some(1)),
        |_, a| Ok(collections::empty(&a[0])),
    ),
    native(
        "empty?",
        "([coll])",
        "True if it has no items.",
        (1, Some(1)),
        |_, a| Ok(seq::seq(&a[0])?.is_nil().into()),
    ),
    native(
        "not-empty",
        "([coll])",
        "The collection, nil if it has no items.",
        (1, Some(1)),
        |_, a| {
            Ok(if seq::seq(&a[0])?.is_nil() {
                Value::Nil
            } else {
                a[0].clone()
            })
        },
    ),
    native(
        "nth",
        "([coll index] [coll index not-found])",
        "The item there.",
        (2, Some(3)),
        nth_item,
    ),
    native(
        "peek",
        "([coll])",
        "The last of a vector, the first of a list.",
        (1, Some(1)),
        |_, a| collections::peek(&a[0]),
    ),
    native(
        "pop",
        "([coll])",
        "Without what peek gives.",
        (1, Some(1)),
        |_, a| collections::pop(&a[0]),
    ),
    native(
        "vector",
        "([& args])",
        "A vector of the arguments.",
        (0, None),
        |_, a| Ok(Value::vector(a.to_vec())),
    ),
    native(
        "vec",
        "([coll])",
        "A vector of the items.",
        (1, Some(1)),
        |_, a| match &a[0] {
            Value::Vector(_) => Ok(a[0].clone()),
            coll => match seq::to_vec(coll) {
                Ok(items) => Ok(Value::vector(items)),
                Err(_)
                    if matches!(
                        coll,
                        Value::Int(_)
                            | Value::Double(_)
                            | Value::Bool(_)
                            | Value::Keyword(_)
                            | Value::Symbol(_)
                    ) =>
                {
                    let class = coll.class_name();
                    let message = format!("Unable to convert: class {class} to Object[]");
                    Err(Thrown::runtime(message))
                }
                Err(thrown) => Err(thrown),
            },
        },
    ),
    native(
        "subvec",
        "([v start] [v start end])",
        "The items from start to end.",
        (2, Some(3)),
        subvec,
    ),
    native(
        "list",
        "([& items])",
        "A list of the arguments.",
        (0, None),
        |_, a| Ok(Value::list(a.to_vec())),
    ),
    native(
        "list*",
        "([& args])",
        "The arguments, then the items of the last.",
        (1, None),
        |_, a| {
            let (last, first) = a.split_last().unwrap_or((&Value::Nil, &[]));
            let tail = seq::seq(last)?;
            Ok(first
                .iter()
                .rev()
                .fold(tail, |rest, item| seq::cons(item.clone(), rest)))
        },
    ),
    native(
        "set",
        "([coll])",
        "A set of the items.",
        (1, Some(1)),
        |_, a| match &a[0] {
            Value::Set(_) => Ok(a[0].clone()),
            coll => Ok(Value::Set(seq::iter(coll).collect::<Result<_>>()?)),
        },
    ),
    native(
        "hash-set",
        "([& items])",
        "A set of the arguments.",
        (0, None),
        |_, a| Ok(Value::Set(a.iter().cloned().collect())),
    ),
    native(
        "disj",
        "([set & items])",
        "Without the items.",
        (1, None),
        disj,
    ),
    native(
        "rseq",
        "([rev])",
        "The items of a vector backwards.",
        (1, Some(1)),
        rseq,
    ),
    native(
        "reverse",
        "([coll])",
        "The items backwards.",
        (1, Some(1)),
        |_, a| {
            let mut items = seq::to_vec(&a[0])?;
            items.reverse();
            Ok(Value::list(items))
        },
    ),
];

fn conj_all(_: &Cx<'_>, args: &[Value]) -> Result {
    match args {
        [] => Ok(Value::vector(Vec::new())),
        [coll, items @ ..] => items.iter().cloned().try_fold(coll.clone(), conj),
    }
}

fn into(cx: &Cx<'_>, args: &[Value]) -> Result {
    match args {
        [] => Ok(Value::vector(Vec::new())),
        [to] => Ok(to.clone()),
        [Value::Vector(to), from] if to.is_empty() && to.meta().is_none() => {
            Ok(Value::vector(seq::to_vec(from)?))
        }
        [to, from] => {
            let mut to = to.clone();
            for item in seq::iter(from) {
                to = conj(to, item?)?;
            }
            Ok(to)
        }
        [to, xform, from, ..] => {
            let add = crate::closure::function("conj", |_, a| match a {
                [coll, item, ..] => conj(coll.clone(), item.clone()),
                _ => Ok(a.first().cloned().unwrap_or_default()),
            });
            reduce::transduce(cx, xform, &add, to.clone(), from)
        }
    }
}

fn nth_item(_: &Cx<'_>, args: &[Value]) -> Result {
    match (nth(&args[0], int(&args[1])?)?, args) {
        (Some(item), _) => Ok(item),
        (None, [_, _, default, ..]) => Ok(default.clone()),
        (None, _) if args[0].is_nil() => Ok(Value::Nil),
        (None, _) => Err(out_of_bounds()),
    }
}

fn subvec(_: &Cx<'_>, args: &[Value]) -> Result {
    let Value::Vector(vector) = &args[0] else {
        return Err(not_a(&args[0], "clojure.lang.IPersistentVector"));
    };
    let start = int(&args[1])?;
    let end = match args.get(2) {
        Some(end) => int(end)?,
        None => vector.len() as i64,
    };
    if start < 0 || end < start || end > vector.len() as i64 {
        return Err(out_of_bounds());
    }
    let (start, end) = (start as usize, end as usize);
    Ok(Value::vector(
        (start..end)
            .filter_map(|at| vector.get(at))
            .cloned()
            .collect(),
    ))
}

fn disj(_: &Cx<'_>, args: &[Value]) -> Result {
    let mut set = args[0].clone();
    for item in &args[1..] {
        set = match &set {
            Value::Nil => return Ok(Value::Nil),
            Value::Set(set) => Value::Set(set.disj(item)),
            Value::Object(object) if is_set(&set) => object
                .dissoc(item)
                .unwrap_or_else(|| Err(not_a(&set, "clojure.lang.IPersistentSet")))?,
            _ => return Err(not_a(&set, "clojure.lang.IPersistentSet")),
        };
    }
    Ok(set)
}

fn rseq(_: &Cx<'_>, args: &[Value]) -> Result {
    match &args[0] {
        Value::Vector(vector) => Ok(seq::chunk(
            vector.iter().rev().cloned().collect(),
            Value::Nil,
        )),
        Value::Object(object) if object.kind() != crate::object::Kind::Opaque => {
            let mut items = seq::to_vec(&args[0])?;
            items.reverse();
            Ok(seq::chunk(items, Value::Nil))
        }
        Value::Nil => Err(Thrown::without_message("java.lang.NullPointerException")),
        other => Err(not_a(other, "clojure.lang.Reversible")),
    }
}
