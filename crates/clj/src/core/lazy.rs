//! Lazy sequences made from others.

use std::sync::Arc;

use super::arguments::count;
use super::{arithmetic, native, transducers};
use crate::closure::function;
use crate::seq::{Piece, chunk, cons, lazy, piece};
use crate::{Cx, Native, Result, Runtime, Set, Value, seq};

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
        "filter",
        "([pred] [pred coll])",
        "The items that pred is true for.",
        (1, Some(2)),
        |cx, a| match a {
            [pred] => Ok(transducers::filter(pred, true)),
            _ => Ok(filter_map(cx, &a[0], &a[1], keep_true)),
        },
    ),
    native(
        "remove",
        "([pred] [pred coll])",
        "The items that pred is not true for.",
        (1, Some(2)),
        |cx, a| match a {
            [pred] => Ok(transducers::filter(pred, false)),
            _ => Ok(filter_map(cx, &a[0], &a[1], keep_false)),
        },
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
        "concat",
        "([& colls])",
        "The items of all in turn.",
        (0, None),
        |_, a| Ok(concat(a.to_vec())),
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
        "take",
        "([n] [n coll])",
        "The first n items.",
        (1, Some(2)),
        |_, a| match a {
            [n] => Ok(transducers::take(count(n)?)),
            _ => Ok(take(count(&a[0])?, a[1].clone())),
        },
    ),
    native(
        "take-while",
        "([pred] [pred coll])",
        "Items up to the first that pred is not true for.",
        (1, Some(2)),
        |cx, a| match a {
            [pred] => Ok(transducers::take_while(pred)),
            _ => Ok(take_while(cx.rt.clone(), a[0].clone(), a[1].clone())),
        },
    ),
    native(
        "drop",
        "([n] [n coll])",
        "Without the first n items.",
        (1, Some(2)),
        |_, a| match a {
            [n] => Ok(transducers::drop(count(n)?)),
            _ => {
                let (n, coll) = (count(&a[0])?, a[1].clone());
                Ok(lazy(move || drop(n, &coll)))
            }
        },
    ),
    native(
        "drop-while",
        "([pred] [pred coll])",
        "Items from the first that pred is not true for.",
        (1, Some(2)),
        |cx, a| match a {
            [pred] => Ok(transducers::drop_while(pred)),
            _ => Ok(drop_while(cx.rt.clone(), a[0].clone(), a[1].clone())),
        },
    ),
    native(
        "drop-last",
        "([s] [n s])",
        "Without the last n items.",
        (1, Some(2)),
        |_, a| {
            let (n, coll) = match a {
                [coll] => (1, coll),
                _ => (count(&a[0])?, &a[1]),
            };
            let (coll, ahead) = (
                coll.clone(),
                lazy({
                    let coll = coll.clone();
                    move || drop(n, &coll)
                }),
            );
            Ok(shorter(coll, ahead))
        },
    ),
    native(
        "take-last",
        "([n coll])",
        "The last n items.",
        (2, Some(2)),
        |_, a| {
            let items = seq::to_vec(&a[1])?;
            let from = items.len().saturating_sub(count(&a[0])?);
            Ok(chunk(items[from..].to_vec(), Value::Nil))
        },
    ),
    native(
        "take-nth",
        "([n] [n coll])",
        "Every nth item.",
        (1, Some(2)),
        |_, a| match a {
            [n] => Ok(transducers::take_nth(count(n)?.max(1))),
            _ => Ok(take_nth(count(&a[0])?, a[1].clone())),
        },
    ),
    native(
        "cycle",
        "([coll])",
        "The items over and over.",
        (1, Some(1)),
        |_, a| Ok(cycle(a[0].clone())),
    ),
    native(
        "repeat",
        "([x] [n x])",
        "x for ever, or n times.",
        (1, Some(2)),
        |_, a| match a {
            [x] => Ok(forever(x.clone())),
            _ => Ok(chunk_list(vec![a[1].clone(); count(&a[0])?])),
        },
    ),
    native(
        "replicate",
        "([n x])",
        "x, n times.",
        (2, Some(2)),
        |_, a| Ok(chunk_list(vec![a[1].clone(); count(&a[0])?])),
    ),
    native(
        "repeatedly",
        "([f] [n f])",
        "What f gives, for ever, or n times.",
        (1, Some(2)),
        |cx, a| match a {
            [f] => Ok(repeatedly(cx.rt.clone(), f.clone())),
            _ => Ok(take(count(&a[0])?, repeatedly(cx.rt.clone(), a[1].clone()))),
        },
    ),
    native(
        "iterate",
        "([f x])",
        "x, f of x, f of that …",
        (2, Some(2)),
        |cx, a| Ok(iterate(cx.rt.clone(), a[0].clone(), a[1].clone())),
    ),
    native(
        "range",
        "([] [end] [start end] [start end step])",
        "Numbers from start (0) to before end.",
        (0, Some(3)),
        range,
    ),
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
        "reductions",
        "([f coll] [f init coll])",
        "What reduce has after each item.",
        (2, Some(3)),
        reductions,
    ),
    native(
        "distinct",
        "([] [coll])",
        "Each item once.",
        (0, Some(1)),
        |_, a| match a {
            [coll] => Ok(distinct(coll.clone(), Set::default())),
            _ => Ok(transducers::distinct()),
        },
    ),
    native(
        "dedupe",
        "([] [coll])",
        "Without items equal to the one before.",
        (0, Some(1)),
        |_, a| match a {
            [coll] => Ok(dedupe(coll.clone(), None)),
            _ => Ok(transducers::dedupe()),
        },
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
        "replace",
        "([smap] [smap coll])",
        "Items replaced by what smap has for them.",
        (1, Some(2)),
        |cx, a| {
            let table = a[0].clone();
            let swap = function("replace", move |_, a| {
                Ok(if super::collections::contains(&table, &a[0])? {
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
    native(
        "random-sample",
        "([prob] [prob coll])",
        "Each item with a probability.",
        (1, Some(2)),
        |cx, a| {
            let probability = super::arguments::number(&a[0])?.to_f64();
            let toss = function("toss", move |cx, _| {
                Ok((cx.rt.host.random() < probability).into())
            });
            match a.get(1) {
                None => Ok(transducers::filter(&toss, true)),
                Some(coll) => Ok(filter_map(cx, &toss, coll, keep_true)),
            }
        },
    ),
    native(
        "sequence",
        "([coll] [xform coll] [xform & colls])",
        "A sequence of the items that xform passes on.",
        (1, None),
        sequence,
    ),
    native(
        "eduction",
        "([xform* coll])",
        "The items that all xforms pass on.",
        (1, None),
        |cx, a| {
            let (coll, xforms) = a.split_last().unwrap_or((&Value::Nil, &[]));
            xforms.iter().try_fold(coll.clone(), |coll, xform| {
                sequence(cx, &[xform.clone(), coll])
            })
        },
    ),
    native(
        "seque",
        "([s] [n-or-q s])",
        "The sequence itself.",
        (1, Some(2)),
        |_, a| Ok(a[a.len() - 1].clone()),
    ),
    native(
        "iterator-seq",
        "([iter])",
        "The items as a sequence.",
        (1, Some(1)),
        |_, a| seq::seq(&a[0]),
    ),
    native(
        "enumeration-seq",
        "([e])",
        "The items as a sequence.",
        (1, Some(1)),
        |_, a| seq::seq(&a[0]),
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
    native(
        "doall",
        "([coll] [n coll])",
        "The sequence, all worked out.",
        (1, Some(2)),
        |_, a| {
            let coll = a.last().unwrap_or(&Value::Nil);
            walk(
                coll,
                if a.len() > 1 {
                    count(&a[0])?
                } else {
                    usize::MAX
                },
            )?;
            Ok(coll.clone())
        },
    ),
    native(
        "dorun",
        "([coll] [n coll])",
        "Works out a sequence; gives nil.",
        (1, Some(2)),
        |_, a| {
            walk(
                a.last().unwrap_or(&Value::Nil),
                if a.len() > 1 {
                    count(&a[0])?
                } else {
                    usize::MAX
                },
            )?;
            Ok(Value::Nil)
        },
    ),
];

fn walk(coll: &Value, most: usize) -> Result<()> {
    for item in seq::iter(coll).take(most) {
        item?;
    }
    Ok(())
}

fn chunk_list(items: Vec<Value>) -> Value {
    chunk(items, Value::list(Vec::new()))
}

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

fn map_many(rt: Arc<Runtime>, f: Value, colls: Vec<Value>) -> Value {
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

type Keep = fn(&Cx<'_>, &Value, Value) -> Result<Option<Value>>;

fn keep_true(cx: &Cx<'_>, pred: &Value, item: Value) -> Result<Option<Value>> {
    Ok(cx
        .call(pred, std::slice::from_ref(&item))?
        .truthy()
        .then_some(item))
}

fn keep_false(cx: &Cx<'_>, pred: &Value, item: Value) -> Result<Option<Value>> {
    Ok((!cx.call(pred, std::slice::from_ref(&item))?.truthy()).then_some(item))
}

fn keep_result(cx: &Cx<'_>, f: &Value, item: Value) -> Result<Option<Value>> {
    let result = cx.call(f, &[item])?;
    Ok((!result.is_nil()).then_some(result))
}

fn filter_map(cx: &Cx<'_>, f: &Value, coll: &Value, keep: Keep) -> Value {
    filtered(cx.rt.clone(), f.clone(), coll.clone(), keep)
}

fn filtered(rt: Arc<Runtime>, f: Value, coll: Value, keep: Keep) -> Value {
    lazy(move || {
        let cx = Cx::new(&rt);
        let mut coll = coll;
        loop {
            match piece(&coll)? {
                Piece::End => return Ok(Value::Nil),
                Piece::One(first, rest) => match keep(&cx, &f, first)? {
                    Some(item) => return Ok(cons(item, filtered(rt.clone(), f, rest, keep))),
                    None => coll = rest,
                },
                Piece::Chunk(items, rest) => {
                    let mut kept = Vec::new();
                    for item in items {
                        kept.extend(keep(&cx, &f, item)?);
                    }
                    if !kept.is_empty() {
                        let more = if rest.is_nil() {
                            Value::Nil
                        } else {
                            filtered(rt.clone(), f, rest, keep)
                        };
                        return Ok(chunk(kept, more));
                    }
                    coll = rest;
                }
            }
        }
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

fn take(n: usize, coll: Value) -> Value {
    lazy(move || {
        if n == 0 {
            return Ok(Value::Nil);
        }
        match piece(&coll)? {
            Piece::End => Ok(Value::Nil),
            Piece::One(first, rest) => Ok(cons(
                first,
                if n == 1 {
                    Value::Nil
                } else {
                    take(n - 1, rest)
                },
            )),
            Piece::Chunk(mut items, rest) => {
                items.truncate(n);
                let left = n - items.len();
                Ok(chunk(
                    items,
                    if left == 0 {
                        Value::Nil
                    } else {
                        take(left, rest)
                    },
                ))
            }
        }
    })
}

fn take_while(rt: Arc<Runtime>, pred: Value, coll: Value) -> Value {
    lazy(move || {
        let Value::List(items) = seq::seq(&coll)? else {
            return Ok(Value::Nil);
        };
        let first = items.first().cloned().unwrap_or_default();
        if !Cx::new(&rt)
            .call(&pred, std::slice::from_ref(&first))?
            .truthy()
        {
            return Ok(Value::Nil);
        }
        Ok(cons(first, take_while(rt.clone(), pred, items.rest())))
    })
}

/// The sequence after its first `n` items.
pub fn drop(n: usize, coll: &Value) -> Result {
    let mut items = seq::iter(coll);
    for _ in 0..n {
        match items.next() {
            Some(item) => item?,
            None => return Ok(Value::Nil),
        };
    }
    Ok(items.into_rest())
}

fn drop_while(rt: Arc<Runtime>, pred: Value, coll: Value) -> Value {
    lazy(move || {
        let cx = Cx::new(&rt);
        let mut coll = seq::seq(&coll)?;
        while let Value::List(items) = &coll {
            let first = items.first().cloned().unwrap_or_default();
            if !cx.call(&pred, &[first])?.truthy() {
                break;
            }
            coll = seq::seq(&items.rest())?;
        }
        Ok(coll)
    })
}

/// The items of `coll` for which there is one of `ahead`.
fn shorter(coll: Value, ahead: Value) -> Value {
    lazy(move || {
        let (Value::List(items), Value::List(ahead)) = (seq::seq(&coll)?, seq::seq(&ahead)?) else {
            return Ok(Value::Nil);
        };
        let first = items.first().cloned().unwrap_or_default();
        Ok(cons(first, shorter(items.rest(), ahead.rest())))
    })
}

fn take_nth(n: usize, coll: Value) -> Value {
    lazy(move || {
        let Value::List(items) = seq::seq(&coll)? else {
            return Ok(Value::Nil);
        };
        let first = items.first().cloned().unwrap_or_default();
        let rest = items.rest();
        let next = if n == 0 {
            Value::List(items)
        } else {
            lazy(move || drop(n - 1, &rest))
        };
        Ok(cons(first, take_nth(n, next)))
    })
}

fn cycle(coll: Value) -> Value {
    lazy(move || match seq::seq(&coll)? {
        Value::Nil => Ok(Value::Nil),
        items => {
            let again = cycle(items.clone());
            seq::seq(&concat(vec![items, again]))
        }
    })
}

fn forever(x: Value) -> Value {
    lazy(move || Ok(cons(x.clone(), forever(x))))
}

fn repeatedly(rt: Arc<Runtime>, f: Value) -> Value {
    lazy(move || {
        let first = Cx::new(&rt).call(&f, &[])?;
        Ok(cons(first, repeatedly(rt.clone(), f)))
    })
}

fn iterate(rt: Arc<Runtime>, f: Value, x: Value) -> Value {
    cons(
        x.clone(),
        lazy(move || {
            let next = Cx::new(&rt).call(&f, &[x])?;
            Ok(iterate(rt.clone(), f, next))
        }),
    )
}

/// Numbers of a range that are worked out at once.
const RANGE_CHUNK_LEN: usize = 32;

fn range(_: &Cx<'_>, args: &[Value]) -> Result {
    let (start, end, step) = match args {
        [] => (Value::Int(0), None, Value::Int(1)),
        [end] => (Value::Int(0), Some(end.clone()), Value::Int(1)),
        [start, end] => (start.clone(), Some(end.clone()), Value::Int(1)),
        _ => (args[0].clone(), Some(args[1].clone()), args[2].clone()),
    };
    for number in [Some(&start), end.as_ref(), Some(&step)]
        .into_iter()
        .flatten()
    {
        super::arguments::number(number)?;
    }
    let downwards = super::numbers::is_negative(&super::arguments::number(&step)?);
    Ok(
        match ranged(start.clone(), end.clone(), step.clone(), downwards) {
            first if end.is_none() => first,
            first => match seq::seq(&first)? {
                Value::Nil => Value::list(Vec::new()),
                items => items,
            },
        },
    )
}

fn ranged(start: Value, end: Option<Value>, step: Value, downwards: bool) -> Value {
    lazy(move || {
        let (mut items, mut next) = (Vec::new(), start);
        while items.len() < RANGE_CHUNK_LEN {
            if let Some(end) = &end {
                let inside = if downwards {
                    arithmetic::greater(&next, end)?
                } else {
                    arithmetic::less(&next, end)?
                };
                if !inside {
                    return Ok(chunk(items, Value::Nil));
                }
            }
            let after = arithmetic::add_growing(&next, &step)?;
            items.push(std::mem::replace(&mut next, after));
        }
        Ok(chunk(items, ranged(next, end, step, downwards)))
    })
}

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
    if sum.downcast::<super::reduce::Reduced>().is_some() {
        return Value::list(vec![super::reduce::unreduced(sum)]);
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

fn distinct(coll: Value, seen: Set) -> Value {
    lazy(move || {
        let mut coll = coll;
        while let Value::List(items) = seq::seq(&coll)? {
            let first = items.first().cloned().unwrap_or_default();
            coll = items.rest();
            if !seen.contains(&first) {
                let seen = seen.conj(first.clone());
                return Ok(cons(first, distinct(coll, seen)));
            }
        }
        Ok(Value::Nil)
    })
}

fn dedupe(coll: Value, before: Option<Value>) -> Value {
    lazy(move || {
        let mut coll = coll;
        while let Value::List(items) = seq::seq(&coll)? {
            let first = items.first().cloned().unwrap_or_default();
            coll = items.rest();
            if before.as_ref() != Some(&first) {
                return Ok(cons(first.clone(), dedupe(coll, Some(first))));
            }
        }
        Ok(Value::Nil)
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

fn sequence(cx: &Cx<'_>, args: &[Value]) -> Result {
    match args {
        [coll] => match seq::seq(coll)? {
            Value::Nil => Ok(Value::list(Vec::new())),
            items => Ok(items),
        },
        [xform, coll] => transducers::lazily(cx, xform, coll, false),
        [xform, colls @ ..] => {
            let row = function("vector", |_, a| Ok(Value::vector(a.to_vec())));
            let rows = map_many(cx.rt.clone(), row, colls.to_vec());
            transducers::lazily(cx, xform, &rows, true)
        }
        [] => Ok(Value::Nil),
    }
}
