//! Lazy sequences of what a function gives.

use std::sync::Arc;

use super::choosing::{filter_map, keep_result};
use crate::closure::function;
use crate::core::{collections, native, reduce, transducers};
use crate::seq::{Piece, chunk, cons, lazy, piece};
use crate::{Cx, Native, Result, Runtime, Value, seq};

pub const NATIVES: &[Native] = &[
    native(
        "lazy-seq*",
        "([f])",
        "A sequence that f gives when it is looked at.",
        (1, Some(1)),
        |cx, a| {
            let (rt, f) = (cx.rt.clone(), a[0].clone());
            Ok(lazy(move || Cx::new(&rt).call(&f, &[])))
        },
    ),
    native(
        "map",
        "([f] [f coll] [f c1 c2 & colls])",
        "f of each item, or of the first items, the second …",
        (1, None),
        map,
    ),
    native(
        "keep",
        "([f] [f coll])",
        "What f gives that is not nil.",
        (1, Some(2)),
        |cx, a| match a {
            [f] => Ok(transducers::keep(f)),
            _ => Ok(filter_map(cx, &a[0], &a[1], keep_result)),
        },
    ),
    native(
        "map-indexed",
        "([f] [f coll])",
        "f of index and item.",
        (1, Some(2)),
        |cx, a| match a {
            [f] => Ok(transducers::indexed(f, false)),
            _ => Ok(indexed(cx, a[0].clone(), a[1].clone(), 0, false)),
        },
    ),
    native(
        "keep-indexed",
        "([f] [f coll])",
        "What f gives of index and item that is not nil.",
        (1, Some(2)),
        |cx, a| match a {
            [f] => Ok(transducers::indexed(f, true)),
            _ => Ok(indexed(cx, a[0].clone(), a[1].clone(), 0, true)),
        },
    ),
    native(
        "mapcat",
        "([f] [f & colls])",
        "The items of all that f gives.",
        (1, None),
        |cx, a| match a {
            [f] => Ok(transducers::mapcat(f)),
            _ => Ok(concat_all(map(cx, a)?)),
        },
    ),
    native(
        "concat",
        "([& colls])",
        "The items of all in turn.",
        (0, None),
        |_, a| Ok(concat(a.to_vec())),
    ),
    native(
        "reductions",
        "([f coll] [f init coll])",
        "What reduce has after each item.",
        (2, Some(3)),
        reductions,
    ),
    native(
        "replace",
        "([smap] [smap coll])",
        "Items replaced by what smap has for them.",
        (1, Some(2)),
        |cx, a| {
            let table = a[0].clone();
            let swap = function("replace", move |_, a| {
                Ok(if collections::contains(&table, &a[0])? {
                    seq::get(&table, &a[0]).unwrap_or_default()
                } else {
                    a[0].clone()
                })
            });
            match a.get(1) {
                None => Ok(transducers::map(&swap)),
                Some(Value::Vector(items)) => items
                    .iter()
                    .map(|x| cx.call(&swap, std::slice::from_ref(x)))
                    .collect::<Result<Vec<_>>>()
                    .map(Value::vector),
                Some(coll) => map(cx, &[swap, coll.clone()]),
            }
        },
    ),
];

fn map(cx: &Cx<'_>, args: &[Value]) -> Result {
    match args {
        [f] => Ok(transducers::map(f)),
        [f, coll] => Ok(map_one(cx.rt.clone(), f.clone(), coll.clone())),
        [f, colls @ ..] => Ok(map_many(cx.rt.clone(), f.clone(), colls.to_vec())),
        [] => Ok(Value::Nil),
    }
}

/// `(map f coll)`.
pub fn map_one(rt: Arc<Runtime>, f: Value, coll: Value) -> Value {
    lazy(move || {
        let cx = Cx::new(&rt);
        match piece(&coll)? {
            Piece::End => Ok(Value::Nil),
            Piece::One(first, rest) => Ok(cons(
                cx.call(&f, &[first])?,
                map_one(rt.clone(), f.clone(), rest),
            )),
            Piece::Chunk(items, rest) => {
                let mut mapped = Vec::with_capacity(items.len());
                for item in items {
                    mapped.push(cx.call(&f, &[item])?);
                }
                Ok(chunk(mapped, map_rest(rt.clone(), f.clone(), rest)))
            }
        }
    })
}

fn map_rest(rt: Arc<Runtime>, f: Value, rest: Value) -> Value {
    if rest.is_nil() {
        Value::Nil
    } else {
        map_one(rt, f, rest)
    }
}

pub(super) fn map_many(rt: Arc<Runtime>, f: Value, colls: Vec<Value>) -> Value {
    lazy(move || {
        let (mut firsts, mut rests) = (Vec::new(), Vec::new());
        for coll in &colls {
            match seq::seq(coll)? {
                Value::Nil => return Ok(Value::Nil),
                items => {
                    firsts.push(seq::first(&items)?);
                    rests.push(seq::rest(&items)?);
                }
            }
        }
        let first = Cx::new(&rt).call(&f, &firsts)?;
        Ok(cons(first, map_many(rt.clone(), f.clone(), rests)))
    })
}

fn indexed(cx: &Cx<'_>, f: Value, coll: Value, from: i64, only_some: bool) -> Value {
    let rt = cx.rt.clone();
    lazy(move || {
        let cx = Cx::new(&rt);
        let (mut coll, mut index) = (coll, from);
        loop {
            let Value::List(items) = seq::seq(&coll)? else {
                return Ok(Value::Nil);
            };
            let item = items.first().cloned().unwrap_or_default();
            let result = cx.call(&f, &[Value::Int(index), item])?;
            (coll, index) = (items.rest(), index + 1);
            if !only_some || !result.is_nil() {
                return Ok(cons(result, indexed(&cx, f, coll, index, only_some)));
            }
        }
    })
}

/// `(concat …)`.
pub fn concat(colls: Vec<Value>) -> Value {
    if colls.is_empty() {
        return Value::list(Vec::new());
    }
    joined(colls.into(), 0, Value::Nil)
}

/// The rest of the current sequence, then those from `next` on.
fn joined(colls: Arc<[Value]>, next: usize, current: Value) -> Value {
    lazy(move || {
        let (mut next, mut current) = (next, current);
        loop {
            match piece(&current)? {
                Piece::One(first, rest) => return Ok(cons(first, joined(colls, next, rest))),
                Piece::Chunk(items, rest) => return Ok(chunk(items, joined(colls, next, rest))),
                Piece::End if next < colls.len() => {
                    current = colls[next].clone();
                    next += 1;
                }
                Piece::End => return Ok(Value::Nil),
            }
        }
    })
}

/// The items of all sequences in a sequence.
fn concat_all(colls: Value) -> Value {
    fn from(current: Value, colls: Value) -> Value {
        lazy(move || {
            let (mut current, mut colls) = (current, colls);
            loop {
                match piece(&current)? {
                    Piece::One(first, rest) => return Ok(cons(first, from(rest, colls))),
                    Piece::Chunk(items, rest) => return Ok(chunk(items, from(rest, colls))),
                    Piece::End => match seq::seq(&colls)? {
                        Value::List(list) => {
                            current = list.first().cloned().unwrap_or_default();
                            colls = list.rest();
                        }
                        _ => return Ok(Value::Nil),
                    },
                }
            }
        })
    }
    from(Value::Nil, colls)
}

fn reductions(cx: &Cx<'_>, args: &[Value]) -> Result {
    let (rt, f) = (cx.rt.clone(), args[0].clone());
    if let [_, init, coll] = args {
        return Ok(running(rt, f, init.clone(), coll.clone()));
    }
    let coll = args[1].clone();
    Ok(lazy(move || match seq::seq(&coll)? {
        Value::Nil => Ok(Value::list(vec![Cx::new(&rt).call(&f, &[])?])),
        items => Ok(running(
            rt.clone(),
            f,
            seq::first(&items)?,
            seq::rest(&items)?,
        )),
    }))
}

fn running(rt: Arc<Runtime>, f: Value, sum: Value, coll: Value) -> Value {
    if sum.downcast::<reduce::Reduced>().is_some() {
        return Value::list(vec![reduce::unreduced(sum)]);
    }
    cons(
        sum.clone(),
        lazy(move || {
            let Value::List(items) = seq::seq(&coll)? else {
                return Ok(Value::Nil);
            };
            let first = items.first().cloned().unwrap_or_default();
            let next = Cx::new(&rt).call(&f, &[sum, first])?;
            Ok(running(rt.clone(), f, next, items.rest()))
        }),
    )
}
