//! Sequences that go on for ever, or as far as one likes.

use std::sync::Arc;

use super::choosing::take;
use super::mapping::concat;
use crate::core::arguments::{count, number};
use crate::core::numbers::is_negative;
use crate::core::{arithmetic, native};
use crate::seq::{chunk, cons, lazy};
use crate::{Cx, Native, Result, Runtime, Value, seq};

pub const NATIVES: &[Native] = &[
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
];

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
    for part in [Some(&start), end.as_ref(), Some(&step)]
        .into_iter()
        .flatten()
    {
        number(part)?;
    }
    let downwards = is_negative(&number(&step)?);
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

fn chunk_list(items: Vec<Value>) -> Value {
    chunk(items, Value::list(Vec::new()))
}
