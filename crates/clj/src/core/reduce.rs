//! Reducing: with a function, or with transducers in front of it.

use std::any::Any;

use super::arguments::optional;
use super::native;
use crate::closure::function;
use crate::{Cx, Map, Native, Object, Result, Value, seq};

pub const NATIVES: &[Native] = &[
    native(
        "reduce",
        "([f coll] [f val coll])",
        "Folds the items with f.",
        (2, Some(3)),
        |cx, a| match a {
            [f, init, coll] => fold(cx, f, init.clone(), coll),
            _ => fold_from_first(cx, &a[0], &a[1]),
        },
    ),
    native(
        "reduce-kv",
        "([f init coll])",
        "Folds keys and values with f.",
        (3, Some(3)),
        reduce_kv,
    ),
    native(
        "transduce",
        "([xform f coll] [xform f init coll])",
        "Folds the items that xform passes on.",
        (3, Some(4)),
        |cx, a| match a {
            [xform, f, init, coll] => transduce(cx, xform, f, init.clone(), coll),
            _ => transduce(cx, &a[0], &a[1], cx.call(&a[1], &[])?, &a[2]),
        },
    ),
    native(
        "completing",
        "([f] [f cf])",
        "f, with cf to finish what it made.",
        (1, Some(2)),
        completing,
    ),
    native(
        "reduced",
        "([x])",
        "Ends a reduction with x.",
        (1, Some(1)),
        |_, a| Ok(reduced(a[0].clone())),
    ),
    native(
        "reduced?",
        "([x])",
        "True for what ends a reduction.",
        (1, Some(1)),
        |_, a| Ok(a[0].downcast::<Reduced>().is_some().into()),
    ),
    native(
        "unreduced",
        "([x])",
        "What was in reduced, or x.",
        (1, Some(1)),
        |_, a| Ok(unreduced(a[0].clone())),
    ),
    native(
        "ensure-reduced",
        "([x])",
        "x in reduced.",
        (1, Some(1)),
        |_, a| {
            Ok(if a[0].downcast::<Reduced>().is_some() {
                a[0].clone()
            } else {
                reduced(a[0].clone())
            })
        },
    ),
    native(
        "run!",
        "([proc coll])",
        "Calls proc with each item.",
        (2, Some(2)),
        |cx, a| {
            for item in seq::iter(&a[1]) {
                if cx.call(&a[0], &[item?])?.downcast::<Reduced>().is_some() {
                    break;
                }
            }
            Ok(Value::Nil)
        },
    ),
    native(
        "mapv",
        "([f coll] [f c1 c2 & colls])",
        "A vector of f of each item.",
        (2, None),
        mapv,
    ),
    native(
        "filterv",
        "([pred coll])",
        "A vector of the items that pred is true for.",
        (2, Some(2)),
        |cx, a| {
            let mut kept = Vec::new();
            for item in seq::iter(&a[1]) {
                let item = item?;
                if cx.call(&a[0], std::slice::from_ref(&item))?.truthy() {
                    kept.push(item);
                }
            }
            Ok(Value::vector(kept))
        },
    ),
    native(
        "group-by",
        "([f coll])",
        "The items in vectors by what f gives.",
        (2, Some(2)),
        group_by,
    ),
    native(
        "frequencies",
        "([coll])",
        "How often each item is there.",
        (1, Some(1)),
        frequencies,
    ),
    native(
        "every?",
        "([pred coll])",
        "True if pred is for all items.",
        (2, Some(2)),
        |cx, a| Ok((!any(cx, &a[0], &a[1], false)?).into()),
    ),
    native(
        "not-every?",
        "([pred coll])",
        "True if pred is not for all items.",
        (2, Some(2)),
        |cx, a| Ok(any(cx, &a[0], &a[1], false)?.into()),
    ),
    native(
        "not-any?",
        "([pred coll])",
        "True if pred is for no item.",
        (2, Some(2)),
        |cx, a| Ok((!any(cx, &a[0], &a[1], true)?).into()),
    ),
    native(
        "some",
        "([pred coll])",
        "The first truth that pred gives.",
        (2, Some(2)),
        some,
    ),
    native(
        "max-key",
        "([k x & more])",
        "The item for which k is greatest.",
        (2, None),
        |cx, a| {
            extreme_by(cx, a, |new, best| {
                super::arithmetic::greater_or_equal(new, best)
            })
        },
    ),
    native(
        "min-key",
        "([k x & more])",
        "The item for which k is least.",
        (2, None),
        |cx, a| {
            extreme_by(cx, a, |new, best| {
                super::arithmetic::less_or_equal(new, best)
            })
        },
    ),
];

/// The end of a reduction: it stops with this value.
pub struct Reduced(Value);

pub fn reduced(value: Value) -> Value {
    Value::object(Reduced(value))
}

/// The value in a `reduced`, or the value itself.
pub fn unreduced(value: Value) -> Value {
    match value.downcast::<Reduced>() {
        Some(reduced) => reduced.0.clone(),
        None => value,
    }
}

fn is_reduced(value: &Value) -> bool {
    matches!(value, Value::Object(_)) && value.downcast::<Reduced>().is_some()
}

impl Object for Reduced {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "clojure.lang.Reduced"
    }

    fn deref(&self, _: &Cx<'_>) -> Option<Result> {
        Some(Ok(self.0.clone()))
    }
}

/// `(reduce f init coll)`.
///
/// # Errors
/// What `f` or the sequence throws.
pub fn fold(cx: &Cx<'_>, f: &Value, init: Value, coll: &Value) -> Result {
    fold_items(cx, f, init, seq::iter(coll))
}

fn fold_items(
    cx: &Cx<'_>,
    f: &Value,
    mut sum: Value,
    items: impl Iterator<Item = Result>,
) -> Result {
    for item in items {
        sum = cx.call(f, &[sum, item?])?;
        if is_reduced(&sum) {
            return Ok(unreduced(sum));
        }
    }
    Ok(sum)
}

fn fold_from_first(cx: &Cx<'_>, f: &Value, coll: &Value) -> Result {
    let mut items = seq::iter(coll);
    match items.next() {
        None => cx.call(f, &[]),
        Some(first) => fold_items(cx, f, first?, items),
    }
}

/// `(transduce xform f init coll)`.
///
/// # Errors
/// What the functions or the sequence throw.
pub fn transduce(cx: &Cx<'_>, xform: &Value, f: &Value, init: Value, coll: &Value) -> Result {
    let step = cx.call(xform, std::slice::from_ref(f))?;
    let result = fold(cx, &step, init, coll)?;
    cx.call(&step, &[result])
}

fn reduce_kv(cx: &Cx<'_>, args: &[Value]) -> Result {
    let (f, coll) = (&args[0], &args[2]);
    let mut sum = args[1].clone();
    let indexed = matches!(coll, Value::Vector(_));
    for (index, item) in seq::iter(coll).enumerate() {
        let item = item?;
        let (key, value) = if indexed {
            (Value::Int(index as i64), item)
        } else {
            (
                super::maps::pair_part(&item, 0)?,
                super::maps::pair_part(&item, 1)?,
            )
        };
        sum = cx.call(f, &[sum, key, value])?;
        if is_reduced(&sum) {
            return Ok(unreduced(sum));
        }
    }
    Ok(sum)
}

fn completing(_: &Cx<'_>, args: &[Value]) -> Result {
    let (f, finish) = (args[0].clone(), args.get(1).cloned());
    Ok(function("completing", move |cx, a| match (a, &finish) {
        ([made], Some(finish)) => cx.call(finish, std::slice::from_ref(made)),
        ([made], None) => Ok(made.clone()),
        _ => cx.call(&f, a),
    }))
}

fn mapv(cx: &Cx<'_>, args: &[Value]) -> Result {
    let (f, colls) = (&args[0], &args[1..]);
    let mut mapped = Vec::new();
    if let [coll] = colls {
        for item in seq::iter(coll) {
            mapped.push(cx.call(f, &[item?])?);
        }
        return Ok(Value::vector(mapped));
    }
    let mut iters: Vec<seq::Iter> = colls.iter().map(seq::iter).collect();
    loop {
        let mut row = Vec::with_capacity(iters.len());
        for items in &mut iters {
            match items.next() {
                Some(item) => row.push(item?),
                None => return Ok(Value::vector(mapped)),
            }
        }
        mapped.push(cx.call(f, &row)?);
    }
}

fn group_by(cx: &Cx<'_>, args: &[Value]) -> Result {
    let mut keys: Map = Map::default();
    let mut groups: Vec<(Value, Vec<Value>)> = Vec::new();
    for item in seq::iter(&args[1]) {
        let item = item?;
        let key = cx.call(&args[0], std::slice::from_ref(&item))?;
        match keys.get(&key) {
            Some(Value::Int(at)) => groups[*at as usize].1.push(item),
            _ => {
                keys.insert(key.clone(), Value::Int(groups.len() as i64));
                groups.push((key, vec![item]));
            }
        }
    }
    Ok(Value::map(
        groups
            .into_iter()
            .map(|(key, items)| (key, Value::vector(items))),
    ))
}

fn frequencies(_: &Cx<'_>, args: &[Value]) -> Result {
    let mut counts = Map::default();
    for item in seq::iter(&args[0]) {
        let item = item?;
        let count = counts.get(&item).and_then(Value::as_i64).unwrap_or(0);
        counts.insert(item, Value::Int(count + 1));
    }
    Ok(Value::Map(counts))
}

/// True if the predicate's answer is `wanted` for any item.
fn any(cx: &Cx<'_>, pred: &Value, coll: &Value, wanted: bool) -> Result<bool> {
    for item in seq::iter(coll) {
        if cx.call(pred, &[item?])?.truthy() == wanted {
            return Ok(true);
        }
    }
    Ok(false)
}

fn some(cx: &Cx<'_>, args: &[Value]) -> Result {
    for item in seq::iter(&args[1]) {
        let found = cx.call(&args[0], &[item?])?;
        if found.truthy() {
            return Ok(found);
        }
    }
    Ok(Value::Nil)
}

fn extreme_by(cx: &Cx<'_>, args: &[Value], better: fn(&Value, &Value) -> Result<bool>) -> Result {
    let (key, mut best) = (&args[0], optional(args, 1).clone());
    if args.len() == 2 {
        return Ok(best);
    }
    let mut best_key = cx.call(key, std::slice::from_ref(&best))?;
    for item in &args[2..] {
        let item_key = cx.call(key, std::slice::from_ref(item))?;
        if better(&item_key, &best_key)? {
            (best, best_key) = (item.clone(), item_key);
        }
    }
    Ok(best)
}
