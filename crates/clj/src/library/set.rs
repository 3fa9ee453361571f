//! `clojure.set`: sets, and relations, which are sets of maps.

use crate::core::arguments::not_a;
use crate::core::collections::{assoc, conj, contains, count, dissoc, is_set};
use crate::core::native;
use crate::{Cx, Map, Native, Result, Set, Value, seq};

const ONE: (usize, Option<usize>) = (1, Some(1));
const TWO: (usize, Option<usize>) = (2, Some(2));

pub const NATIVES: &[Native] = &[
    native(
        "union",
        "([& sets])",
        "What is in any of the sets.",
        (0, None),
        union,
    ),
    native(
        "intersection",
        "([s1 & sets])",
        "What is in all of the sets.",
        (1, None),
        |_, a| a[1..].iter().try_fold(a[0].clone(), intersection),
    ),
    native(
        "difference",
        "([s1 & sets])",
        "What is in the first set and in none of the others.",
        (1, None),
        |_, a| a[1..].iter().try_fold(a[0].clone(), difference),
    ),
    native(
        "select",
        "([pred xset])",
        "The items that pred is true for.",
        TWO,
        select,
    ),
    native(
        "project",
        "([xrel ks])",
        "The maps with only these keys.",
        TWO,
        |_, a| each(&a[0], |map| select_keys(map, &a[1])),
    ),
    native(
        "rename-keys",
        "([map kmap])",
        "With the keys of kmap called what kmap calls them.",
        TWO,
        |_, a| rename_keys(&a[0], &a[1]),
    ),
    native(
        "rename",
        "([xrel kmap])",
        "rename-keys of every map.",
        TWO,
        |_, a| each(&a[0], |map| rename_keys(map, &a[1])),
    ),
    native(
        "index",
        "([xrel ks])",
        "From each combination of values of the keys to the set of the maps that have it.",
        TWO,
        |_, a| Ok(Value::Map(index(&a[0], &a[1])?)),
    ),
    native(
        "map-invert",
        "([m])",
        "With values as keys and keys as values.",
        ONE,
        |_, a| Ok(Value::Map(map_invert(&a[0])?)),
    ),
    native(
        "join",
        "([xrel yrel] [xrel yrel km])",
        "Every map of one merged with every map of the other that agrees with it on the keys both \
         have, or on the keys that km pairs.",
        (2, Some(3)),
        join,
    ),
    native(
        "subset?",
        "([set1 set2])",
        "True if all of set1 is in set2.",
        TWO,
        |_, a| Ok(is_subset(&a[0], &a[1])?.into()),
    ),
    native(
        "superset?",
        "([set1 set2])",
        "True if all of set2 is in set1.",
        TWO,
        |_, a| Ok(is_subset(&a[1], &a[0])?.into()),
    ),
];

fn union(_: &Cx<'_>, args: &[Value]) -> Result {
    let Some(first) = args.first() else {
        return Ok(Value::Set(Set::default()));
    };
    let mut largest = (0, count(first)?);
    for (at, set) in args.iter().enumerate().skip(1) {
        let len = count(set)?;
        if len > largest.1 {
            largest = (at, len);
        }
    }
    let others = args.iter().enumerate().filter(|(at, _)| *at != largest.0);
    let mut all = args[largest.0].clone();
    for (_, set) in others {
        for item in seq::iter(set) {
            all = conj(all, item?)?;
        }
    }
    Ok(all)
}

fn intersection(a: Value, b: &Value) -> Result {
    let (small, large) = if count(b)? < count(&a)? {
        (b.clone(), a)
    } else {
        (a, b.clone())
    };
    keep(small, |item| contains(&large, item))
}

fn difference(a: Value, b: &Value) -> Result {
    if count(&a)? < count(b)? {
        return keep(a, |item| Ok(!contains(b, item)?));
    }
    seq::iter(b).try_fold(a, |set, item| disj(set, &item?))
}

fn select(cx: &Cx<'_>, args: &[Value]) -> Result {
    keep(args[1].clone(), |item| {
        Ok(cx.call(&args[0], std::slice::from_ref(item))?.truthy())
    })
}

/// The set with only what `wanted` is true for.
fn keep(set: Value, mut wanted: impl FnMut(&Value) -> Result<bool>) -> Result {
    let mut kept = set.clone();
    for item in seq::iter(&set) {
        let item = item?;
        if !wanted(&item)? {
            kept = disj(kept, &item)?;
        }
    }
    Ok(kept)
}

fn disj(set: Value, item: &Value) -> Result {
    match set {
        Value::Nil => Ok(Value::Nil),
        Value::Set(set) => Ok(Value::Set(set.disj(item))),
        Value::Object(ref object) if is_set(&set) => match object.dissoc(item) {
            Some(result) => result,
            None => Err(not_a(&set, "clojure.lang.IPersistentSet")),
        },
        _ => Err(not_a(&set, "clojure.lang.IPersistentSet")),
    }
}

/// The set of what `change` makes of each map, with the metadata of the relation.
fn each(relation: &Value, mut change: impl FnMut(&Value) -> Result) -> Result {
    let mut changed = Set::default();
    for map in seq::iter(relation) {
        changed = changed.conj(change(&map?)?);
    }
    Ok(Value::Set(match relation {
        Value::Set(relation) => changed.with_meta(relation.meta().cloned()),
        _ => changed,
    }))
}

fn select_keys(map: &Value, keys: &Value) -> Result {
    let mut selected = Map::default();
    for key in seq::iter(keys) {
        let key = key?;
        if let Some(value) = seq::get(map, &key) {
            selected.insert(key, value);
        }
    }
    Ok(Value::Map(selected))
}

fn rename_keys(map: &Value, names: &Value) -> Result {
    let names = pairs(names)?;
    let without = |map: Value, (old, _): &(Value, Value)| dissoc(map, old);
    let mut renamed = names.iter().try_fold(map.clone(), without)?;
    for (old, new) in names {
        if let Some(value) = seq::get(map, &old) {
            renamed = assoc(renamed, new, value)?;
        }
    }
    Ok(renamed)
}

fn index(relation: &Value, keys: &Value) -> Result<Map> {
    let mut found = Map::default();
    for map in seq::iter(relation) {
        let map = map?;
        let key = select_keys(&map, keys)?;
        let set = match found.get(&key) {
            Some(Value::Set(set)) => set.conj(map),
            _ => Set::default().conj(map),
        };
        found.insert(key, Value::Set(set));
    }
    Ok(found)
}

fn map_invert(map: &Value) -> Result<Map> {
    Ok(pairs(map)?
        .into_iter()
        .map(|(key, value)| (value, key))
        .collect())
}

fn pairs(map: &Value) -> Result<Vec<(Value, Value)>> {
    let mut pairs = Vec::new();
    for entry in seq::iter(map) {
        match entry? {
            Value::Vector(entry) if entry.len() == 2 => {
                let part = |at| entry.get(at).cloned().unwrap_or_default();
                pairs.push((part(0), part(1)));
            }
            other => return Err(not_a(&other, "java.util.Map$Entry")),
        }
    }
    Ok(pairs)
}

fn join(_: &Cx<'_>, args: &[Value]) -> Result {
    let (xs, ys) = (&args[0], &args[1]);
    let (a, b) = (seq::first(xs)?, seq::first(ys)?);
    if a.is_nil() || b.is_nil() {
        return Ok(Value::Set(Set::default()));
    }
    let names = match args.get(2) {
        Some(names) => pairs(names)?,
        None => {
            let shared = |(key, _): (Value, Value)| seq::get(&b, &key).map(|_| (key.clone(), key));
            pairs(&a)?.into_iter().filter_map(shared).collect()
        }
    };
    merge_agreeing(xs, ys, &names)
}

/// Merges the maps of two relations that agree: a key of `xs` with its partner of `ys`. A key of
/// both has the value of the larger relation.
fn merge_agreeing(xs: &Value, ys: &Value, names: &[(Value, Value)]) -> Result {
    let ys_larger = count(xs)? <= count(ys)?;
    let keys = Value::vector(names.iter().map(|(x, _)| x.clone()).collect());
    let by_key = index(xs, &keys)?;
    let mut joined = Set::default();
    for y in seq::iter(ys) {
        let y = y?;
        let wanted: Map = names
            .iter()
            .filter_map(|(x_key, y_key)| Some((x_key.clone(), seq::get(&y, y_key)?)))
            .collect();
        let Some(agreeing) = by_key.get(&Value::Map(wanted)) else {
            continue;
        };
        for x in seq::iter(agreeing) {
            let merged = if ys_larger {
                conj(x?, y.clone())
            } else {
                conj(y.clone(), x?)
            };
            joined = joined.conj(merged?);
        }
    }
    Ok(Value::Set(joined))
}

fn is_subset(small: &Value, large: &Value) -> Result<bool> {
    if count(small)? > count(large)? {
        return Ok(false);
    }
    for item in seq::iter(small) {
        if !contains(large, &item?)? {
            return Ok(false);
        }
    }
    Ok(true)
}
