//! Maps, and what else has keys.

use super::arguments::optional;
use super::collections::{assoc, conj, contains, dissoc};
use super::native;
use crate::{Cx, Map, Native, Result, Thrown, Value, event_value, seq};

pub const NATIVES: &[Native] = &[
    native(
        "get",
        "([map key] [map key not-found])",
        "The value under key.",
        (2, Some(3)),
        get,
    ),
    native(
        "get-in",
        "([m ks] [m ks not-found])",
        "The value along keys.",
        (2, Some(3)),
        get_in,
    ),
    native(
        "assoc",
        "([map key val & kvs])",
        "With key set to val.",
        (1, None),
        assoc_all,
    ),
    native(
        "assoc-in",
        "([m ks v])",
        "With v set along keys.",
        (3, Some(3)),
        assoc_in,
    ),
    native(
        "update",
        "([m k f & args])",
        "With f applied to the value under k.",
        (3, None),
        update,
    ),
    native(
        "update-in",
        "([m ks f & args])",
        "With f applied along keys.",
        (3, None),
        update_in,
    ),
    native(
        "dissoc",
        "([map & ks])",
        "Without the keys.",
        (1, None),
        dissoc_all,
    ),
    native(
        "merge",
        "([& maps])",
        "All entries; later ones win.",
        (0, None),
        merge,
    ),
    native(
        "merge-with",
        "([f & maps])",
        "All entries; f joins values.",
        (1, None),
        merge_with,
    ),
    native(
        "select-keys",
        "([map ks])",
        "Only the entries of these keys.",
        (2, Some(2)),
        select_keys,
    ),
    native(
        "contains?",
        "([coll key])",
        "True if the key is there.",
        (2, Some(2)),
        |_, a| Ok(contains(&a[0], &a[1])?.into()),
    ),
    native(
        "find",
        "([map key])",
        "The entry of the key.",
        (2, Some(2)),
        |_, a| {
            Ok(if contains(&a[0], &a[1])? {
                seq::entry(a[1].clone(), seq::get(&a[0], &a[1]).unwrap_or_default())
            } else {
                Value::Nil
            })
        },
    ),
    native(
        "keys",
        "([map])",
        "The keys, nil for none.",
        (1, Some(1)),
        |_, a| entry_part(&a[0], 0),
    ),
    native(
        "vals",
        "([map])",
        "The values, nil for none.",
        (1, Some(1)),
        |_, a| entry_part(&a[0], 1),
    ),
    native(
        "key",
        "([e])",
        "The key of an entry.",
        (1, Some(1)),
        |_, a| pair_part(&a[0], 0),
    ),
    native(
        "val",
        "([e])",
        "The value of an entry.",
        (1, Some(1)),
        |_, a| pair_part(&a[0], 1),
    ),
    native(
        "hash-map",
        "([& kvs])",
        "A map of keys and values in turn.",
        (0, None),
        hash_map,
    ),
    native(
        "array-map",
        "([& kvs])",
        "A map of keys and values in turn.",
        (0, None),
        hash_map,
    ),
    native(
        "zipmap",
        "([keys vals])",
        "A map of keys to values.",
        (2, Some(2)),
        zipmap,
    ),
    native(
        "map-entry?",
        "([x])",
        "True for a pair.",
        (1, Some(1)),
        |_, a| Ok(matches!(&a[0], Value::Vector(pair) if pair.len() == 2).into()),
    ),
    native(
        "update-vals",
        "([m f])",
        "With f applied to all values.",
        (2, Some(2)),
        |cx, a| each_entry(&a[0], |key, value| Ok((key, cx.call(&a[1], &[value])?))),
    ),
    native(
        "update-keys",
        "([m f])",
        "With f applied to all keys.",
        (2, Some(2)),
        |cx, a| each_entry(&a[0], |key, value| Ok((cx.call(&a[1], &[key])?, value))),
    ),
];

fn get(_: &Cx<'_>, args: &[Value]) -> Result {
    Ok(seq::get(&args[0], &args[1]).unwrap_or_else(|| optional(args, 2).clone()))
}

fn get_in(_: &Cx<'_>, args: &[Value]) -> Result {
    let mut value = args[0].clone();
    for key in seq::iter(&args[1]) {
        match seq::get(&value, &key?) {
            Some(inner) => value = inner,
            None => return Ok(optional(args, 2).clone()),
        }
    }
    Ok(value)
}

fn assoc_all(_: &Cx<'_>, args: &[Value]) -> Result {
    let (coll, pairs) = (&args[0], &args[1..]);
    if !pairs.len().is_multiple_of(2) {
        return Err(Thrown::illegal_argument(
            "assoc expects even number of arguments after map/vector, found odd number",
        ));
    }
    if let (Value::Event(event), true) = (coll, pairs.len() > 2)
        && pairs
            .chunks(2)
            .all(|pair| matches!(pair[0], Value::Keyword(_)))
    {
        let mut draft = event.draft();
        for pair in pairs.chunks(2) {
            if let Value::Keyword(key) = &pair[0] {
                event_value::set(&mut draft, key, &pair[1])?;
            }
        }
        return Ok(Value::Event(draft.build()));
    }
    let mut coll = coll.clone();
    for pair in pairs.chunks(2) {
        coll = assoc(coll, pair[0].clone(), pair[1].clone())?;
    }
    Ok(coll)
}

fn assoc_in(_: &Cx<'_>, args: &[Value]) -> Result {
    let keys = seq::to_vec(&args[1])?;
    change_in(args[0].clone(), &keys, &mut |_| Ok(args[2].clone()))
}

fn change_in(coll: Value, keys: &[Value], change: &mut dyn FnMut(Value) -> Result) -> Result {
    let (key, rest) = match keys {
        [] => (&Value::Nil, keys),
        [key, rest @ ..] => (key, rest),
    };
    let inner = seq::get(&coll, key).unwrap_or_default();
    let changed = if rest.is_empty() {
        change(inner)?
    } else {
        change_in(inner, rest, change)?
    };
    assoc(coll, key.clone(), changed)
}

fn update(cx: &Cx<'_>, args: &[Value]) -> Result {
    let old = seq::get(&args[0], &args[1]).unwrap_or_default();
    let new = call_with(cx, &args[2], old, &args[3..])?;
    assoc(args[0].clone(), args[1].clone(), new)
}

fn update_in(cx: &Cx<'_>, args: &[Value]) -> Result {
    let keys = seq::to_vec(&args[1])?;
    change_in(args[0].clone(), &keys, &mut |old| {
        call_with(cx, &args[2], old, &args[3..])
    })
}

/// `(f first more…)`.
pub(super) fn call_with(cx: &Cx<'_>, f: &Value, first: Value, more: &[Value]) -> Result {
    if more.is_empty() {
        return cx.call(f, &[first]);
    }
    let mut args = Vec::with_capacity(more.len() + 1);
    args.push(first);
    args.extend_from_slice(more);
    cx.call(f, &args)
}

fn dissoc_all(_: &Cx<'_>, args: &[Value]) -> Result {
    args[1..].iter().try_fold(args[0].clone(), dissoc)
}

fn merge(_: &Cx<'_>, args: &[Value]) -> Result {
    if !args.iter().any(Value::truthy) {
        return Ok(Value::Nil);
    }
    let mut merged = args[0].clone();
    for map in &args[1..] {
        if merged.is_nil() {
            merged = Value::map([]);
        }
        merged = conj(merged, map.clone())?;
    }
    Ok(merged)
}

fn merge_with(cx: &Cx<'_>, args: &[Value]) -> Result {
    let (f, maps) = (&args[0], &args[1..]);
    let mut merged = Value::Nil;
    for map in maps {
        if merged.is_nil() {
            merged = map.clone();
            continue;
        }
        for entry in seq::iter(map) {
            let entry = entry?;
            let (key, value) = (pair_part(&entry, 0)?, pair_part(&entry, 1)?);
            let value = match seq::get(&merged, &key) {
                Some(old) => cx.call(f, &[old, value])?,
                None => value,
            };
            merged = assoc(merged, key, value)?;
        }
    }
    Ok(merged)
}

fn select_keys(_: &Cx<'_>, args: &[Value]) -> Result {
    let mut selected = Map::default();
    for key in seq::iter(&args[1]) {
        let key = key?;
        if let Some(value) = seq::get(&args[0], &key) {
            selected.insert(key, value);
        }
    }
    Ok(Value::Map(selected))
}

fn entry_part(map: &Value, part: usize) -> Result {
    if let Value::Map(map) = map {
        let items = map
            .iter()
            .map(|(key, value)| if part == 0 { key } else { value });
        return Ok(seq::chunk(items.cloned().collect(), Value::Nil));
    }
    let mut parts = Vec::new();
    for entry in seq::iter(map) {
        parts.push(pair_part(&entry?, part)?);
    }
    Ok(seq::chunk(parts, Value::Nil))
}

/// One side of a map's entry.
pub(super) fn pair_part(entry: &Value, part: usize) -> Result {
    match entry {
        Value::Vector(pair) if pair.len() == 2 => Ok(pair.get(part).cloned().into()),
        _ => Err(super::arguments::not_a(entry, "java.util.Map$Entry")),
    }
}

fn hash_map(_: &Cx<'_>, args: &[Value]) -> Result {
    if !args.len().is_multiple_of(2) {
        let last = args.last().cloned().unwrap_or_default();
        return Err(Thrown::illegal_argument(format!(
            "No value supplied for key: {}",
            last.to_text()
        )));
    }
    Ok(Value::map(
        args.chunks(2)
            .map(|pair| (pair[0].clone(), pair[1].clone())),
    ))
}

fn zipmap(_: &Cx<'_>, args: &[Value]) -> Result {
    let mut map = Map::default();
    for (key, value) in seq::iter(&args[0]).zip(seq::iter(&args[1])) {
        map.insert(key?, value?);
    }
    Ok(Value::Map(map))
}

fn each_entry(
    map: &Value,
    mut change: impl FnMut(Value, Value) -> Result<(Value, Value)>,
) -> Result {
    let mut changed = Map::default();
    for entry in seq::iter(map) {
        let entry = entry?;
        let (key, value) = change(pair_part(&entry, 0)?, pair_part(&entry, 1)?)?;
        changed.insert(key, value);
    }
    Ok(Value::Map(changed))
}
