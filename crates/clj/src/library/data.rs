//! `clojure.data`: what differs between two values.

use crate::core::collections::{is_map, is_set};
use crate::core::native;
use crate::{Map, Native, Result, Set, Value, deep, seq};

pub const NATIVES: &[Native] = &[native(
    "diff",
    "([a b])",
    "What is only in a, what is only in b, and what is in both: maps are compared key by key, \
     sequences place by place, sets item by item, anything else as a whole.",
    (2, Some(2)),
    |_, a| {
        let Parts {
            only_a,
            only_b,
            both,
        } = diff(&a[0], &a[1])?;
        Ok(Value::vector(vec![only_a, only_b, both]))
    },
)];

struct Parts {
    only_a: Value,
    only_b: Value,
    both: Value,
}

fn diff(a: &Value, b: &Value) -> Result<Parts> {
    if a == b {
        return Ok(Parts {
            only_a: Value::Nil,
            only_b: Value::Nil,
            both: a.clone(),
        });
    }
    deep::with_stack(|| {
        if is_map(a) && is_map(b) {
            maps(a, b)
        } else if is_set(a) && is_set(b) {
            sets(a, b)
        } else if a.is_sequential() && b.is_sequential() {
            sequences(&seq::to_vec(a)?, &seq::to_vec(b)?)
        } else {
            Ok(Parts {
                only_a: a.clone(),
                only_b: b.clone(),
                both: Value::Nil,
            })
        }
    })
}

fn maps(a: &Value, b: &Value) -> Result<Parts> {
    let mut parts = [Map::default(), Map::default(), Map::default()];
    for key in keys(a)?.into_iter().chain(keys(b)?) {
        if parts.iter().any(|part| part.contains_key(&key)) {
            continue;
        }
        let (in_a, in_b) = (seq::get(a, &key), seq::get(b, &key));
        insert(&mut parts, key, in_a, in_b)?;
    }
    let [only_a, only_b, both] = parts.map(|part| {
        if part.is_empty() {
            Value::Nil
        } else {
            Value::Map(part)
        }
    });
    Ok(Parts {
        only_a,
        only_b,
        both,
    })
}

/// Puts what two values under one key have each and in common under that key.
fn insert(
    parts: &mut [Map; 3],
    key: Value,
    in_a: Option<Value>,
    in_b: Option<Value>,
) -> Result<()> {
    let nil = Value::Nil;
    let found = diff(in_a.as_ref().unwrap_or(&nil), in_b.as_ref().unwrap_or(&nil))?;
    let both_nil = in_a == Some(Value::Nil) && in_b == Some(Value::Nil);
    let same = in_a.is_some() && in_b.is_some() && (!found.both.is_nil() || both_nil);
    if in_a.is_some() && (!found.only_a.is_nil() || !same) {
        parts[0].insert(key.clone(), found.only_a);
    }
    if in_b.is_some() && (!found.only_b.is_nil() || !same) {
        parts[1].insert(key.clone(), found.only_b);
    }
    if same {
        parts[2].insert(key, found.both);
    }
    Ok(())
}

fn keys(map: &Value) -> Result<Vec<Value>> {
    seq::iter(map).map(|entry| seq::first(&entry?)).collect()
}

fn sets(a: &Value, b: &Value) -> Result<Parts> {
    let pick = |from: &Value, other: &Value, shared: bool| -> Result {
        let mut picked = Set::default();
        for item in seq::iter(from) {
            let item = item?;
            if seq::get(other, &item).is_some() == shared {
                picked = picked.conj(item);
            }
        }
        Ok(if picked.is_empty() {
            Value::Nil
        } else {
            Value::Set(picked)
        })
    };
    Ok(Parts {
        only_a: pick(a, b, false)?,
        only_b: pick(b, a, false)?,
        both: pick(a, b, true)?,
    })
}

fn sequences(a: &[Value], b: &[Value]) -> Result<Parts> {
    let mut parts = [Map::default(), Map::default(), Map::default()];
    for index in 0..a.len().max(b.len()) {
        let key = Value::Int(index as i64);
        insert(
            &mut parts,
            key,
            a.get(index).cloned(),
            b.get(index).cloned(),
        )?;
    }
    let [only_a, only_b, both] = parts.map(|part| vector(&part));
    Ok(Parts {
        only_a,
        only_b,
        both,
    })
}

/// Items at their places, nil between them; nil if there are none.
fn vector(items: &Map) -> Value {
    let last = items.iter().filter_map(|(index, _)| index.as_i64()).max();
    let Some(last) = last else {
        return Value::Nil;
    };
    let item = |index| items.get(&Value::Int(index)).cloned().unwrap_or_default();
    Value::vector((0..=last).map(item).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_differences() {
        let int = Value::Int;
        let map = |b, c| {
            Value::map([
                (Value::keyword("a"), int(1)),
                (Value::keyword("b"), Value::vector(vec![int(1), b])),
                (Value::keyword("c"), c),
            ])
        };
        let Parts {
            only_a,
            only_b,
            both,
        } = diff(&map(int(2), int(3)), &map(int(4), int(3))).expect("plain");
        assert_eq!(only_a.to_readable(), "{:b [nil 2]}");
        assert_eq!(only_b.to_readable(), "{:b [nil 4]}");
        assert_eq!(both.to_readable(), "{:a 1, :b [1], :c 3}");
    }

    #[test]
    fn atoms_differ_as_a_whole() {
        let parts = diff(&Value::Int(1), &Value::str("1")).expect("plain");
        assert_eq!(
            (parts.only_a, parts.only_b, parts.both),
            (Value::Int(1), Value::str("1"), Value::Nil)
        );
    }
}
