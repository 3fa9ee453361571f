//! Order: `compare`, and sorting with it or with a function.

use std::cmp::Ordering;

use super::native;
use crate::{Cx, Native, Result, Thrown, Value, seq};

pub const NATIVES: &[Native] = &[
    native(
        "compare",
        "([x y])",
        "Negative, zero or positive, as x is before, with or after y.",
        (2, Some(2)),
        |_, a| Ok(Value::Int(compare_amount(&a[0], &a[1])?)),
    ),
    native(
        "comparator",
        "([pred])",
        "A comparator of a function that says if one is before another.",
        (1, Some(1)),
        |_, a| {
            let pred = a[0].clone();
            Ok(crate::closure::function("comparator", move |cx, a| {
                Ok(Value::Int(match compare_with(cx, &pred, &a[0], &a[1])? {
                    Ordering::Less => -1,
                    Ordering::Equal => 0,
                    Ordering::Greater => 1,
                }))
            }))
        },
    ),
    native(
        "sort",
        "([coll] [comp coll])",
        "The items in order.",
        (1, Some(2)),
        |cx, a| match a {
            [coll] => sorted(seq::to_vec(coll)?, &mut |a, b| compare(a, b)),
            _ => sorted(seq::to_vec(&a[1])?, &mut |x, y| {
                compare_with(cx, &a[0], x, y)
            }),
        },
    ),
    native(
        "sort-by",
        "([keyfn coll] [keyfn comp coll])",
        "The items in the order of what keyfn gives.",
        (2, Some(3)),
        sort_by,
    ),
];

/// The order of two values, as `compare` sees it.
///
/// # Errors
/// `ClassCastException` for values that have no order.
pub fn compare(a: &Value, b: &Value) -> Result<Ordering> {
    Ok(compare_amount(a, b)?.cmp(&0))
}

/// What `compare` gives: for texts how far they are apart, as Java does.
fn compare_amount(a: &Value, b: &Value) -> Result<i64> {
    let sign = |order: Ordering| order as i64;
    Ok(match (a, b) {
        (Value::Nil, Value::Nil) => 0,
        (Value::Nil, _) => -1,
        (_, Value::Nil) => 1,
        (Value::Str(a), Value::Str(b)) => compare_text(a, b),
        (Value::Char(a), Value::Char(b)) => i64::from(u32::from(*a)) - i64::from(u32::from(*b)),
        (Value::Bool(a), Value::Bool(b)) => sign(a.cmp(b)),
        (Value::Keyword(a), Value::Keyword(b)) => {
            compare_names((a.namespace(), a.name()), (b.namespace(), b.name()))
        }
        (Value::Symbol(a), Value::Symbol(b)) => {
            compare_names((a.namespace(), a.name()), (b.namespace(), b.name()))
        }
        (Value::Vector(x), Value::Vector(y)) => {
            if x.len() != y.len() {
                return Ok(sign(x.len().cmp(&y.len())));
            }
            for (x, y) in x.iter().zip(y.iter()) {
                let order = crate::deep::with_stack(|| compare_amount(x, y))?;
                if order != 0 {
                    return Ok(order);
                }
            }
            0
        }
        (Value::Object(object), _) => match object.compare(b) {
            Some(order) => sign(order),
            None if a == b => 0,
            None => return Err(no_order(a)),
        },
        _ if a.as_number().is_some() => {
            sign(super::arithmetic::order(a, b)?.unwrap_or(Ordering::Equal))
        }
        _ => {
            return Err(if b.as_number().is_some() || !has_order(a) {
                no_order(a)
            } else {
                not_same(a, b)
            });
        }
    })
}

fn has_order(value: &Value) -> bool {
    crate::java::instance_of(value, "java.lang.Comparable")
}

fn no_order(value: &Value) -> Thrown {
    Thrown::class_cast(format!(
        "class {} cannot be cast to class java.lang.Comparable",
        value.class_name()
    ))
}

fn not_same(a: &Value, b: &Value) -> Thrown {
    Thrown::class_cast(format!(
        "class {} cannot be cast to class {}",
        b.class_name(),
        a.class_name()
    ))
}

fn compare_text(a: &str, b: &str) -> i64 {
    let (mut x, mut y) = (a.encode_utf16(), b.encode_utf16());
    loop {
        match (x.next(), y.next()) {
            (Some(x), Some(y)) if x == y => {}
            (Some(x), Some(y)) => return i64::from(x) - i64::from(y),
            (None, None) => return 0,
            (Some(_), None) => return x.count() as i64 + 1,
            (None, Some(_)) => return -(y.count() as i64 + 1),
        }
    }
}

fn compare_names(a: (Option<&str>, &str), b: (Option<&str>, &str)) -> i64 {
    match (a.0, b.0) {
        (None, Some(_)) => -1,
        (Some(_), None) => 1,
        (Some(x), Some(y)) if x != y => compare_text(x, y),
        _ => compare_text(a.1, b.1),
    }
}

/// The order that a comparator function gives: a number, or true if `a` is before `b`.
///
/// # Errors
/// What the function throws.
pub fn compare_with(cx: &Cx<'_>, comparator: &Value, a: &Value, b: &Value) -> Result<Ordering> {
    match cx.call(comparator, &[a.clone(), b.clone()])? {
        Value::Bool(true) => Ok(Ordering::Less),
        Value::Bool(false) | Value::Nil => {
            let after = cx.call(comparator, &[b.clone(), a.clone()])?.truthy();
            Ok(if after {
                Ordering::Greater
            } else {
                Ordering::Equal
            })
        }
        number => Ok(super::arithmetic::sign(&number)?.unwrap_or(Ordering::Equal)),
    }
}

fn sorted(items: Vec<Value>, order: &mut dyn FnMut(&Value, &Value) -> Result<Ordering>) -> Result {
    Ok(Value::list(merge_sort(items, order)?))
}

fn sort_by(cx: &Cx<'_>, args: &[Value]) -> Result {
    let (key, coll) = (&args[0], &args[args.len() - 1]);
    let mut keyed = Vec::new();
    for item in seq::iter(coll) {
        let item = item?;
        keyed.push((cx.call(key, std::slice::from_ref(&item))?, item));
    }
    let keyed = match args {
        [_, comparator, _] => {
            merge_sort(keyed, &mut |a, b| compare_with(cx, comparator, &a.0, &b.0))?
        }
        _ => merge_sort(keyed, &mut |a, b| compare(&a.0, &b.0))?,
    };
    Ok(Value::list(
        keyed.into_iter().map(|(_, item)| item).collect(),
    ))
}

/// Runs shorter than this are sorted by insertion.
const INSERTION_LEN_MAX: usize = 8;

/// A stable sort whose comparisons may throw, and may contradict each other: the result is some
/// order then. (The standard library may panic on those.)
///
/// # Errors
/// What a comparison throws.
pub fn merge_sort<T: Clone>(
    mut items: Vec<T>,
    order: &mut dyn FnMut(&T, &T) -> Result<Ordering>,
) -> Result<Vec<T>> {
    if items.len() <= INSERTION_LEN_MAX {
        for next in 1..items.len() {
            let mut at = next;
            while at > 0 && order(&items[at - 1], &items[at])? == Ordering::Greater {
                items.swap(at - 1, at);
                at -= 1;
            }
        }
        return Ok(items);
    }
    let right = merge_sort(items.split_off(items.len() / 2), order)?;
    let left = merge_sort(items, order)?;
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let from = if order(a, b)? == Ordering::Greater {
            &mut right
        } else {
            &mut left
        };
        merged.extend(from.next());
    }
    merged.extend(left);
    merged.extend(right);
    Ok(merged)
}
