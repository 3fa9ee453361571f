//! Transducers: what the functions of lazy sequences give without a sequence.

use std::sync::Arc;

use parking_lot::Mutex;

use super::native;
use super::reduce::{Reduced, reduced, unreduced};
use crate::closure::function;
use crate::seq::{chunk, lazy};
use crate::{Cx, Native, Result, Runtime, Set, Value, seq};

pub const NATIVES: &[Native] = &[
    native(
        "cat",
        "([rf])",
        "Passes on the items of each item.",
        (1, Some(1)),
        |_, a| {
            let rf = a[0].clone();
            Ok(step(rf, each))
        },
    ),
    native(
        "halt-when",
        "([pred] [pred retf])",
        "Ends with the item that pred is true for.",
        (1, Some(2)),
        |_, a| {
            let (pred, finish) = (a[0].clone(), a.get(1).cloned());
            Ok(stateless(move |cx, rf, sum, item| {
                if !cx.call(&pred, std::slice::from_ref(&item))?.truthy() {
                    return cx.call(rf, &[sum, item]);
                }
                match &finish {
                    Some(finish) => Ok(reduced(cx.call(finish, &[cx.call(rf, &[sum])?, item])?)),
                    None => Ok(reduced(item)),
                }
            }))
        },
    ),
];

/// A reducing function around `rf`, whose step with an item is `code`.
fn step(
    rf: Value,
    code: impl Fn(&Cx<'_>, &Value, Value, Value) -> Result + Send + Sync + 'static,
) -> Value {
    function("transducer", move |cx, args| match args {
        [sum, item] => code(cx, &rf, sum.clone(), item.clone()),
        _ => cx.call(&rf, args),
    })
}

/// A transducer that keeps nothing from item to item.
fn stateless(
    code: impl Fn(&Cx<'_>, &Value, Value, Value) -> Result + Send + Sync + 'static,
) -> Value {
    let code = Arc::new(code);
    function("transducer", move |_, args| {
        let code = code.clone();
        let rf = args.first().cloned().unwrap_or_default();
        Ok(step(rf, move |cx, rf, sum, item| code(cx, rf, sum, item)))
    })
}

/// A transducer whose every reduction has a state of its own. The lock is not held while `rf` runs:
/// `code` says what to pass on.
fn stateful<S: Clone + Send + 'static>(
    start: S,
    code: impl Fn(&Cx<'_>, &mut S, Value) -> Result<Pass> + Send + Sync + 'static,
) -> Value {
    let (start, code) = (Mutex::new(start), Arc::new(code));
    function("transducer", move |_, args| {
        let (state, code) = (Mutex::new(start.lock().clone()), code.clone());
        let rf = args.first().cloned().unwrap_or_default();
        Ok(step(rf, move |cx, rf, sum, item| {
            let mut held = state.lock().clone();
            let pass = code(cx, &mut held, item)?;
            *state.lock() = held;
            match pass {
                Pass::Nothing => Ok(sum),
                Pass::Item(item) => cx.call(rf, &[sum, item]),
                Pass::Last(item) => match cx.call(rf, &[sum, item])? {
                    end if end.downcast::<Reduced>().is_some() => Ok(end),
                    end => Ok(reduced(end)),
                },
                Pass::Two(a, b) => match cx.call(rf, &[sum, a])? {
                    end if end.downcast::<Reduced>().is_some() => Ok(end),
                    sum => cx.call(rf, &[sum, b]),
                },
                Pass::End => Ok(reduced(sum)),
            }
        }))
    })
}

enum Pass {
    Nothing,
    Item(Value),
    Two(Value, Value),
    /// This item, and then no more.
    Last(Value),
    End,
}

fn each(cx: &Cx<'_>, rf: &Value, mut sum: Value, items: Value) -> Result {
    for item in seq::iter(&items) {
        sum = cx.call(rf, &[sum, item?])?;
        if sum.downcast::<Reduced>().is_some() {
            return Ok(sum);
        }
    }
    Ok(sum)
}

pub(super) fn map(f: &Value) -> Value {
    let f = f.clone();
    function("transducer", move |_, args| {
        let (f, rf) = (f.clone(), args.first().cloned().unwrap_or_default());
        Ok(function("transducer", move |cx, args| match args {
            [] | [_] => cx.call(&rf, args),
            [sum, items @ ..] => cx.call(&rf, &[sum.clone(), cx.call(&f, items)?]),
        }))
    })
}

pub(super) fn filter(pred: &Value, wanted: bool) -> Value {
    let pred = pred.clone();
    stateless(move |cx, rf, sum, item| {
        if cx.call(&pred, std::slice::from_ref(&item))?.truthy() == wanted {
            cx.call(rf, &[sum, item])
        } else {
            Ok(sum)
        }
    })
}

pub(super) fn keep(f: &Value) -> Value {
    let f = f.clone();
    stateless(move |cx, rf, sum, item| match cx.call(&f, &[item])? {
        Value::Nil => Ok(sum),
        result => cx.call(rf, &[sum, result]),
    })
}

pub(super) fn mapcat(f: &Value) -> Value {
    let f = f.clone();
    stateless(move |cx, rf, sum, item| {
        let items = cx.call(&f, &[item])?;
        each(cx, rf, sum, items)
    })
}

pub(super) fn indexed(f: &Value, only_some: bool) -> Value {
    let f = f.clone();
    stateful(0, move |cx, index, item| {
        let result = cx.call(&f, &[Value::Int(*index), item])?;
        *index += 1;
        Ok(if only_some && result.is_nil() {
            Pass::Nothing
        } else {
            Pass::Item(result)
        })
    })
}

pub(super) fn take(n: usize) -> Value {
    stateful(n, |_, left, item| {
        *left = left.saturating_sub(1);
        Ok(if *left == 0 {
            Pass::Last(item)
        } else {
            Pass::Item(item)
        })
    })
}

pub(super) fn drop(n: usize) -> Value {
    stateful(n, |_, left, item| {
        if *left == 0 {
            return Ok(Pass::Item(item));
        }
        *left -= 1;
        Ok(Pass::Nothing)
    })
}

pub(super) fn take_while(pred: &Value) -> Value {
    let pred = pred.clone();
    stateful((), move |cx, (), item| {
        let go_on = cx.call(&pred, std::slice::from_ref(&item))?.truthy();
        Ok(if go_on { Pass::Item(item) } else { Pass::End })
    })
}

pub(super) fn drop_while(pred: &Value) -> Value {
    let pred = pred.clone();
    stateful(true, move |cx, dropping, item| {
        *dropping = *dropping && cx.call(&pred, std::slice::from_ref(&item))?.truthy();
        Ok(if *dropping {
            Pass::Nothing
        } else {
            Pass::Item(item)
        })
    })
}

pub(super) fn take_nth(n: usize) -> Value {
    stateful(0, move |_, index, item| {
        *index += 1;
        Ok(if (*index - 1) % n == 0 {
            Pass::Item(item)
        } else {
            Pass::Nothing
        })
    })
}

pub(super) fn interpose(separator: &Value) -> Value {
    let separator = separator.clone();
    stateful(false, move |_, begun, item| {
        Ok(if std::mem::replace(begun, true) {
            Pass::Two(separator.clone(), item)
        } else {
            Pass::Item(item)
        })
    })
}

pub(super) fn distinct() -> Value {
    stateful(Set::default(), |_, seen, item| {
        if seen.contains(&item) {
            return Ok(Pass::Nothing);
        }
        *seen = seen.conj(item.clone());
        Ok(Pass::Item(item))
    })
}

pub(super) fn dedupe() -> Value {
    stateful(None, |_, before: &mut Option<Value>, item| {
        if before.as_ref() == Some(&item) {
            return Ok(Pass::Nothing);
        }
        *before = Some(item.clone());
        Ok(Pass::Item(item))
    })
}

pub(super) fn partition_all(n: usize) -> Value {
    collecting(move |_, part, _| Ok(part.len() >= n))
}

pub(super) fn partition_by(f: &Value) -> Value {
    let f = f.clone();
    collecting(move |cx, part, next| match part.last() {
        Some(last) => {
            let (before, now) = (
                cx.call(&f, std::slice::from_ref(last))?,
                cx.call(&f, std::slice::from_ref(next))?,
            );
            Ok(before != now)
        }
        None => Ok(false),
    })
}

/// A transducer of vectors of items; `full` says if a vector ends before the next item.
fn collecting(
    full: impl Fn(&Cx<'_>, &[Value], &Value) -> Result<bool> + Send + Sync + 'static,
) -> Value {
    let full = Arc::new(full);
    function("transducer", move |_, args| {
        let (full, rf) = (full.clone(), args.first().cloned().unwrap_or_default());
        let part: Mutex<Vec<Value>> = Mutex::default();
        Ok(function("transducer", move |cx, args| match args {
            [sum, item] => {
                let held = part.lock().clone();
                if !full(cx, &held, item)? {
                    part.lock().push(item.clone());
                    return Ok(sum.clone());
                }
                *part.lock() = vec![item.clone()];
                let sum = cx.call(&rf, &[sum.clone(), Value::vector(held)])?;
                if sum.downcast::<Reduced>().is_some() {
                    part.lock().clear();
                }
                Ok(sum)
            }
            [sum] => {
                let held = std::mem::take(&mut *part.lock());
                if held.is_empty() {
                    return cx.call(&rf, args);
                }
                let sum = cx.call(&rf, &[sum.clone(), Value::vector(held)])?;
                cx.call(&rf, &[unreduced(sum)])
            }
            _ => cx.call(&rf, args),
        }))
    })
}

/// The items that a transducer passes on, worked out as they are looked at. With `rows`, each item
/// is a vector of arguments.
pub(super) fn lazily(cx: &Cx<'_>, xform: &Value, coll: &Value, rows: bool) -> Result {
    let passed: Arc<Mutex<Vec<Value>>> = Arc::default();
    let rf = {
        let passed = passed.clone();
        function("collect", move |_, args| match args {
            [sum, item] => {
                passed.lock().push(item.clone());
                Ok(sum.clone())
            }
            _ => Ok(args.first().cloned().unwrap_or_default()),
        })
    };
    let step = cx.call(xform, &[rf])?;
    Ok(pulled(cx.rt.clone(), step, passed, coll.clone(), rows))
}

fn pulled(
    rt: Arc<Runtime>,
    step: Value,
    passed: Arc<Mutex<Vec<Value>>>,
    coll: Value,
    rows: bool,
) -> Value {
    lazy(move || {
        let cx = Cx::new(&rt);
        let mut coll = coll;
        loop {
            let Value::List(items) = seq::seq(&coll)? else {
                cx.call(&step, &[Value::Nil])?;
                return Ok(chunk(std::mem::take(&mut *passed.lock()), Value::Nil));
            };
            let item = items.first().cloned().unwrap_or_default();
            let mut args = vec![Value::Nil];
            if rows {
                args.extend(seq::to_vec(&item)?)
            } else {
                args.push(item)
            }
            let ended = cx.call(&step, &args)?.downcast::<Reduced>().is_some();
            if ended {
                cx.call(&step, &[Value::Nil])?;
                return Ok(chunk(std::mem::take(&mut *passed.lock()), Value::Nil));
            }
            coll = items.rest();
            let found = std::mem::take(&mut *passed.lock());
            if !found.is_empty() {
                return Ok(chunk(found, pulled(rt.clone(), step, passed, coll, rows)));
            }
        }
    })
}
