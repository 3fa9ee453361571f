//! The parts of sequences.

use super::arguments::count;
use super::native;
use crate::{Cx, Native, Result, Thrown, Value, seq};

pub const NATIVES: &[Native] = &[
    native(
        "seq",
        "([coll])",
        "The items as a sequence, nil for none.",
        (1, Some(1)),
        |_, a| seq::seq(&a[0]),
    ),
    native(
        "first",
        "([coll])",
        "The first item.",
        (1, Some(1)),
        |_, a| seq::first(&a[0]),
    ),
    native(
        "rest",
        "([coll])",
        "Without the first item.",
        (1, Some(1)),
        |_, a| seq::rest(&a[0]),
    ),
    native(
        "next",
        "([coll])",
        "Without the first item, nil if none is left.",
        (1, Some(1)),
        |_, a| seq::next(&a[0]),
    ),
    native(
        "second",
        "([coll])",
        "The second item.",
        (1, Some(1)),
        |_, a| seq::first(&seq::rest(&a[0])?),
    ),
    native(
        "ffirst",
        "([x])",
        "The first of the first.",
        (1, Some(1)),
        |_, a| seq::first(&seq::first(&a[0])?),
    ),
    native(
        "fnext",
        "([x])",
        "The second item.",
        (1, Some(1)),
        |_, a| seq::first(&seq::rest(&a[0])?),
    ),
    native(
        "nfirst",
        "([x])",
        "next of the first.",
        (1, Some(1)),
        |_, a| seq::next(&seq::first(&a[0])?),
    ),
    native("nnext", "([x])", "next of next.", (1, Some(1)), |_, a| {
        seq::next(&seq::next(&a[0])?)
    }),
    native(
        "nthnext",
        "([coll n])",
        "next, n times.",
        (2, Some(2)),
        |_, a| seq::seq(&super::lazy::drop(count(&a[1])?, &a[0])?),
    ),
    native(
        "nthrest",
        "([coll n])",
        "rest, n times.",
        (2, Some(2)),
        |_, a| match count(&a[1])? {
            0 => Ok(a[0].clone()),
            n => match super::lazy::drop(n, &a[0])? {
                Value::Nil => Ok(Value::list(Vec::new())),
                rest => Ok(rest),
            },
        },
    ),
    native("last", "([coll])", "The last item.", (1, Some(1)), last),
    native(
        "butlast",
        "([coll])",
        "Without the last item, nil if none is left.",
        (1, Some(1)),
        |_, a| {
            let mut items = seq::to_vec(&a[0])?;
            items.pop();
            Ok(seq::chunk(items, Value::Nil))
        },
    ),
    native(
        "cons",
        "([x seq])",
        "x, then the items.",
        (2, Some(2)),
        |_, a| match &a[1] {
            rest @ (Value::List(_) | Value::Lazy(_) | Value::Nil) => {
                Ok(seq::cons(a[0].clone(), rest.clone()))
            }
            coll => Ok(seq::cons(a[0].clone(), seq::seq(coll)?)),
        },
    ),
    native(
        "split-at",
        "([n coll])",
        "The first n items, and the others.",
        (2, Some(2)),
        |_, a| {
            let n = count(&a[0])?;
            let (mut items, mut first) = (seq::iter(&a[1]), Vec::new());
            for item in items.by_ref().take(n) {
                first.push(item?);
            }
            Ok(Value::vector(vec![
                Value::list(first),
                or_empty(items.into_rest()),
            ]))
        },
    ),
    native(
        "splitv-at",
        "([n coll])",
        "The first n items in a vector, and the others.",
        (2, Some(2)),
        |_, a| {
            let items = seq::to_vec(&a[1])?;
            let (first, rest) = items.split_at(count(&a[0])?.min(items.len()));
            Ok(Value::vector(vec![
                Value::vector(first.to_vec()),
                Value::list(rest.to_vec()),
            ]))
        },
    ),
    native(
        "split-with",
        "([pred coll])",
        "The items while pred is true, and the others.",
        (2, Some(2)),
        split_with,
    ),
    native(
        "chunked-seq?",
        "([s])",
        "False: no sequence here is.",
        (1, Some(1)),
        |_, _| Ok(Value::Bool(false)),
    ),
    native(
        "rand-nth",
        "([coll])",
        "One of the items.",
        (1, Some(1)),
        |cx, a| {
            let items = seq::to_vec(&a[0])?;
            let at = (cx.rt.host.random() * items.len() as f64) as usize;
            match items.get(at) {
                Some(item) => Ok(item.clone()),
                None if a[0].is_nil() => Ok(Value::Nil),
                None => Err(super::collections::out_of_bounds()),
            }
        },
    ),
    native(
        "shuffle",
        "([coll])",
        "The items in some other order.",
        (1, Some(1)),
        shuffle,
    ),
    native(
        "bounded-count",
        "([n coll])",
        "The number of items, counted to n at most.",
        (2, Some(2)),
        |_, a| {
            let mut found = 0;
            for item in seq::iter(&a[1]).take(count(&a[0])?) {
                item?;
                found += 1;
            }
            Ok(Value::Int(found))
        },
    ),
];

fn or_empty(items: Value) -> Value {
    if items.is_nil() {
        Value::list(Vec::new())
    } else {
        items
    }
}

fn last(_: &Cx<'_>, args: &[Value]) -> Result {
    if let Value::Vector(vector) = &args[0] {
        return super::collections::peek(&Value::Vector(vector.clone()));
    }
    let mut last = Value::Nil;
    for item in seq::iter(&args[0]) {
        last = item?;
    }
    Ok(last)
}

fn split_with(cx: &Cx<'_>, args: &[Value]) -> Result {
    let (mut first, mut rest) = (Vec::new(), seq::seq(&args[1])?);
    while let Value::List(items) = &rest {
        let item = items.first().cloned().unwrap_or_default();
        if !cx.call(&args[0], std::slice::from_ref(&item))?.truthy() {
            break;
        }
        first.push(item);
        rest = seq::seq(&items.rest())?;
    }
    Ok(Value::vector(vec![Value::list(first), or_empty(rest)]))
}

fn shuffle(cx: &Cx<'_>, args: &[Value]) -> Result {
    if !args[0].is_sequential() && !super::collections::is_set(&args[0]) {
        return Err(Thrown::class_cast(format!(
            "class {} cannot be cast to class java.util.Collection",
            args[0].class_name()
        )));
    }
    let mut items = seq::to_vec(&args[0])?;
    for at in (1..items.len()).rev() {
        let other = (cx.rt.host.random() * (at + 1) as f64) as usize;
        items.swap(at, other.min(at));
    }
    Ok(Value::vector(items))
}
