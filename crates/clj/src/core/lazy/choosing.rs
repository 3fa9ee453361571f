//! Lazy sequences of some of the items.

use std::sync::Arc;

use crate::closure::function;
use crate::core::arguments::{count, number};
use crate::core::{native, transducers};
use crate::seq::{Piece, chunk, cons, lazy, piece};
use crate::{Cx, Native, Result, Runtime, Set, Value, seq};

pub const NATIVES: &[Native] = &[
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
        "random-sample",
        "([prob] [prob coll])",
        "Each item with a probability.",
        (1, Some(2)),
        |cx, a| {
            let probability = number(&a[0])?.to_f64();
            let toss = function("toss", move |cx, _| {
                Ok((cx.rt.host.random() < probability).into())
            });
            match a.get(1) {
                None => Ok(transducers::filter(&toss, true)),
                Some(coll) => Ok(filter_map(cx, &toss, coll, keep_true)),
            }
        },
    ),
];

pub(super) type Keep = fn(&Cx<'_>, &Value, Value) -> Result<Option<Value>>;

fn keep_true(cx: &Cx<'_>, pred: &Value, item: Value) -> Result<Option<Value>> {
    Ok(cx
        .call(pred, std::slice::from_ref(&item))?
        .truthy()
        .then_some(item))
}

fn keep_false(cx: &Cx<'_>, pred: &Value, item: Value) -> Result<Option<Value>> {
    Ok((!cx.call(pred, std::slice::from_ref(&item))?.truthy()).then_some(item))
}

pub(super) fn keep_result(cx: &Cx<'_>, f: &Value, item: Value) -> Result<Option<Value>> {
    let result = cx.call(f, &[item])?;
    Ok((!result.is_nil()).then_some(result))
}

pub(super) fn filter_map(cx: &Cx<'_>, f: &Value, coll: &Value, keep: Keep) -> Value {
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

pub(super) fn take(n: usize, coll: Value) -> Value {
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
