//! Lazy sequences of items put together, apart or in between.

use std::sync::Arc;

use super::choosing::drop;
use super::mapping::{concat, map_one};
use crate::closure::function;
use crate::core::arguments::count;
use crate::core::{native, transducers};
use crate::seq::{cons, lazy};
use crate::{Cx, Native, Result, Runtime, Value, seq};

pub const NATIVES: &[Native] = &[
    native(
        "interpose",
        "([sep] [sep coll])",
        "The items with sep between them.",
        (1, Some(2)),
        |_, a| match a {
            [sep] => Ok(transducers::interpose(sep)),
            _ => {
                let (sep, coll) = (a[0].clone(), a[1].clone());
                Ok(lazy(move || match seq::seq(&coll)? {
                    Value::Nil => Ok(Value::Nil),
                    items => Ok(cons(
                        seq::first(&items)?,
                        with_separator(sep, seq::rest(&items)?),
                    )),
                }))
            }
        },
    ),
    native(
        "interleave",
        "([& colls])",
        "The first items of all, then the second …",
        (0, None),
        |_, a| Ok(interleave(a.to_vec())),
    ),
    native(
        "partition",
        "([n coll] [n step coll] [n step pad coll])",
        "Items in lists of n.",
        (2, Some(4)),
        |_, a| {
            let n = count(&a[0])?;
            let step = if a.len() > 2 { count(&a[1])? } else { n };
            let pad = if a.len() > 3 {
                Some(a[2].clone())
            } else {
                None
            };
            let rest = if pad.is_some() {
                Remainder::Padded
            } else {
                Remainder::Dropped
            };
            Ok(partition(
                n,
                step.max(1),
                pad.unwrap_or_default(),
                rest,
                a[a.len() - 1].clone(),
            ))
        },
    ),
    native(
        "partitionv",
        "([n coll] [n step coll])",
        "Items in vectors of n.",
        (2, Some(3)),
        |cx, a| {
            let n = count(&a[0])?;
            let step = if a.len() > 2 { count(&a[1])? } else { n };
            let parts = partition(
                n,
                step.max(1),
                Value::Nil,
                Remainder::Dropped,
                a[a.len() - 1].clone(),
            );
            let vec = function("vec", |_, a| Ok(Value::vector(seq::to_vec(&a[0])?)));
            Ok(map_one(cx.rt.clone(), vec, parts))
        },
    ),
    native(
        "partition-all",
        "([n] [n coll] [n step coll])",
        "Items in lists of n, or fewer at the end.",
        (1, Some(3)),
        |_, a| {
            let n = count(&a[0])?;
            match a {
                [_] => Ok(transducers::partition_all(n)),
                [_, coll] => Ok(partition(
                    n,
                    n.max(1),
                    Value::Nil,
                    Remainder::Kept,
                    coll.clone(),
                )),
                _ => Ok(partition(
                    n,
                    count(&a[1])?.max(1),
                    Value::Nil,
                    Remainder::Kept,
                    a[2].clone(),
                )),
            }
        },
    ),
    native(
        "partition-by",
        "([f] [f coll])",
        "Items in lists while f gives the same.",
        (1, Some(2)),
        |cx, a| match a {
            [f] => Ok(transducers::partition_by(f)),
            _ => Ok(partition_by(cx.rt.clone(), a[0].clone(), a[1].clone())),
        },
    ),
    native(
        "flatten",
        "([x])",
        "The items of nested sequences.",
        (1, Some(1)),
        |_, a| {
            if !a[0].is_sequential() {
                return Ok(Value::list(Vec::new()));
            }
            Ok(flatten(a[0].clone(), Value::Nil))
        },
    ),
    native(
        "tree-seq",
        "([branch? children root])",
        "The nodes of a tree, parents first.",
        (3, Some(3)),
        |cx, a| {
            Ok(tree(
                cx.rt.clone(),
                a[0].clone(),
                a[1].clone(),
                a[2].clone(),
                Value::Nil,
            ))
        },
    ),
    native(
        "xml-seq",
        "([root])",
        "The elements of a tree of :content.",
        (1, Some(1)),
        |cx, a| {
            let branch = function(
                "branch?",
                |_, a| Ok((!matches!(a[0], Value::Str(_))).into()),
            );
            Ok(tree(
                cx.rt.clone(),
                branch,
                Value::keyword("content"),
                a[0].clone(),
                Value::Nil,
            ))
        },
    ),
];

fn with_separator(sep: Value, coll: Value) -> Value {
    lazy(move || {
        let Value::List(items) = seq::seq(&coll)? else {
            return Ok(Value::Nil);
        };
        let first = items.first().cloned().unwrap_or_default();
        Ok(cons(
            sep.clone(),
            cons(first, with_separator(sep, items.rest())),
        ))
    })
}

fn interleave(colls: Vec<Value>) -> Value {
    lazy(move || {
        let (mut firsts, mut rests) = (Vec::new(), Vec::new());
        for coll in &colls {
            let Value::List(items) = seq::seq(coll)? else {
                return Ok(Value::Nil);
            };
            firsts.push(items.first().cloned().unwrap_or_default());
            rests.push(items.rest());
        }
        let more = if rests.is_empty() {
            Value::Nil
        } else {
            interleave(rests)
        };
        Ok(firsts
            .into_iter()
            .rev()
            .fold(more, |rest, item| cons(item, rest)))
    })
}

#[derive(Clone, Copy)]
enum Remainder {
    Dropped,
    Kept,
    Padded,
}

fn partition(n: usize, step: usize, pad: Value, remainder: Remainder, coll: Value) -> Value {
    lazy(move || {
        let items = seq::seq(&coll)?;
        if items.is_nil() {
            return Ok(Value::Nil);
        }
        let mut part: Vec<Value> = seq::iter(&items).take(n).collect::<Result<_>>()?;
        if part.len() < n {
            match remainder {
                Remainder::Dropped => return Ok(Value::Nil),
                Remainder::Padded => {
                    for item in seq::iter(&pad).take(n - part.len()) {
                        part.push(item?);
                    }
                    return Ok(cons(Value::list(part), Value::Nil));
                }
                Remainder::Kept => {}
            }
        }
        let rest = lazy(move || drop(step, &items));
        Ok(cons(
            Value::list(part),
            partition(n, step, pad, remainder, rest),
        ))
    })
}

fn partition_by(rt: Arc<Runtime>, f: Value, coll: Value) -> Value {
    lazy(move || {
        let cx = Cx::new(&rt);
        let Value::List(items) = seq::seq(&coll)? else {
            return Ok(Value::Nil);
        };
        let first = items.first().cloned().unwrap_or_default();
        let key = cx.call(&f, std::slice::from_ref(&first))?;
        let (mut run, mut rest) = (vec![first], items.rest());
        while let Value::List(items) = seq::seq(&rest)? {
            let item = items.first().cloned().unwrap_or_default();
            if cx.call(&f, std::slice::from_ref(&item))? != key {
                break;
            }
            run.push(item);
            rest = items.rest();
        }
        Ok(cons(Value::list(run), partition_by(rt.clone(), f, rest)))
    })
}

/// The leaves of `coll`, then those of the sequence `after`.
fn flatten(coll: Value, after: Value) -> Value {
    lazy(move || {
        let (mut coll, mut after) = (coll, after);
        loop {
            match seq::seq(&coll)? {
                Value::List(items) => {
                    let first = items.first().cloned().unwrap_or_default();
                    if first.is_sequential() {
                        after = cons(items.rest(), after);
                        coll = first;
                    } else {
                        return Ok(cons(first, flatten(items.rest(), after)));
                    }
                }
                _ => match seq::seq(&after)? {
                    Value::List(above) => {
                        coll = above.first().cloned().unwrap_or_default();
                        after = above.rest();
                    }
                    _ => return Ok(Value::Nil),
                },
            }
        }
    })
}

/// The nodes below `node` and itself, then those of the siblings in `after`.
fn tree(rt: Arc<Runtime>, branch: Value, children: Value, node: Value, after: Value) -> Value {
    lazy(move || {
        let cx = Cx::new(&rt);
        let below = if cx.call(&branch, std::slice::from_ref(&node))?.truthy() {
            cx.call(&children, std::slice::from_ref(&node))?
        } else {
            Value::Nil
        };
        let next = concat(vec![below, after]);
        let rt = rt.clone();
        Ok(cons(
            node,
            lazy(move || match seq::seq(&next)? {
                Value::List(nodes) => {
                    let first = nodes.first().cloned().unwrap_or_default();
                    Ok(tree(rt, branch, children, first, nodes.rest()))
                }
                _ => Ok(Value::Nil),
            }),
        ))
    })
}
