//! Methods that Java's collections have, of the language's own. What would change one throws.

use super::{Method, method_of};
use crate::core::arguments::int;
use crate::{Cx, Result, Thrown, Value, seq};

pub(super) const ANY: &[Method] = &[
    method_of("size", 0, 0, |cx, it, a| super::core_of(cx, "count", it, a)),
    method_of("length", 0, 0, |cx, it, a| {
        super::core_of(cx, "count", it, a)
    }),
    method_of("count", 0, 0, |cx, it, a| {
        super::core_of(cx, "count", it, a)
    }),
    method_of("isEmpty", 0, 0, |_, it, _| {
        Ok(Value::Bool(seq::seq(it)?.is_nil()))
    }),
    method_of("seq", 0, 0, |_, it, _| seq::seq(it)),
    method_of("first", 0, 0, |_, it, _| seq::first(it)),
    method_of("next", 0, 0, |_, it, _| seq::next(it)),
    method_of("more", 0, 0, |_, it, _| seq::rest(it)),
    method_of("empty", 0, 0, |cx, it, a| {
        super::core_of(cx, "empty", it, a)
    }),
    method_of("cons", 1, 1, |cx, it, a| super::core_of(cx, "conj", it, a)),
    method_of("peek", 0, 0, |cx, it, a| super::core_of(cx, "peek", it, a)),
    method_of("pop", 0, 0, |cx, it, a| super::core_of(cx, "pop", it, a)),
    method_of("toArray", 0, 1, |_, it, _| {
        Ok(Value::object(super::Array::new(
            "[Ljava.lang.Object;",
            seq::to_vec(it)?,
        )))
    }),
    method_of("iterator", 0, 0, |_, it, _| {
        Ok(super::mutable::iterator(seq::to_vec(it)?))
    }),
    method_of("forEach", 1, 1, for_each),
    method_of("containsAll", 1, 1, |cx, it, a| {
        for item in seq::to_vec(&a[0])? {
            if !super::method(cx, it, "contains", &[item])?.truthy() {
                return Ok(Value::Bool(false));
            }
        }
        Ok(Value::Bool(true))
    }),
    method_of("add", 1, 2, immutable),
    method_of("addAll", 1, 2, immutable),
    method_of("put", 2, 2, immutable),
    method_of("remove", 1, 2, immutable),
    method_of("clear", 0, 0, immutable),
];

pub(super) const SEQUENCE: &[Method] = &[
    method_of("get", 1, 1, |cx, it, a| super::core_of(cx, "nth", it, a)),
    method_of("nth", 1, 2, |cx, it, a| super::core_of(cx, "nth", it, a)),
    method_of("getKey", 0, 0, |_, it, _| seq::first(it)),
    method_of("key", 0, 0, |_, it, _| seq::first(it)),
    method_of("getValue", 0, 0, |_, it, _| seq::first(&seq::rest(it)?)),
    method_of("val", 0, 0, |_, it, _| seq::first(&seq::rest(it)?)),
    method_of("contains", 1, 1, |_, it, a| {
        Ok(Value::Bool(position(it, &a[0])? >= 0))
    }),
    method_of("indexOf", 1, 1, |_, it, a| {
        Ok(Value::Int(position(it, &a[0])?))
    }),
    method_of("lastIndexOf", 1, 1, |_, it, a| {
        let found = seq::to_vec(it)?.iter().rposition(|item| *item == a[0]);
        Ok(Value::Int(found.map_or(-1, |index| index as i64)))
    }),
    method_of("subList", 2, 2, |_, it, a| {
        let (from, to) = (int(&a[0])?, int(&a[1])?);
        let items = seq::to_vec(it)?;
        let range = usize::try_from(from).ok().zip(usize::try_from(to).ok());
        match range.and_then(|(from, to)| items.get(from..to)) {
            Some(part) => Ok(Value::vector(part.to_vec())),
            None => Err(Thrown::without_message(
                "java.lang.IndexOutOfBoundsException",
            )),
        }
    }),
    method_of("assocN", 2, 2, |cx, it, a| {
        super::core(cx, "assoc", &[it.clone(), a[0].clone(), a[1].clone()])
    }),
    method_of("valAt", 1, 2, |cx, it, a| super::core_of(cx, "get", it, a)),
    method_of("containsKey", 1, 1, |cx, it, a| {
        super::core_of(cx, "contains?", it, a)
    }),
];

pub(super) const MAP: &[Method] = &[
    method_of("get", 1, 1, |cx, it, a| super::core_of(cx, "get", it, a)),
    method_of("getOrDefault", 2, 2, |cx, it, a| {
        super::core_of(cx, "get", it, a)
    }),
    method_of("valAt", 1, 2, |cx, it, a| super::core_of(cx, "get", it, a)),
    method_of("containsKey", 1, 1, |cx, it, a| {
        super::core_of(cx, "contains?", it, a)
    }),
    method_of("containsValue", 1, 1, |cx, it, a| {
        let values = super::core_of(cx, "vals", it, &[])?;
        Ok(Value::Bool(position(&values, &a[0])? >= 0))
    }),
    method_of("keySet", 0, 0, |cx, it, _| {
        let keys = super::core_of(cx, "keys", it, &[])?;
        Ok(Value::Set(seq::to_vec(&keys)?.into_iter().collect()))
    }),
    method_of("values", 0, 0, |cx, it, _| {
        let values = super::core_of(cx, "vals", it, &[])?;
        Ok(Value::list(seq::to_vec(&values)?))
    }),
    method_of("entrySet", 0, 0, |_, it, _| {
        Ok(Value::Set(seq::to_vec(it)?.into_iter().collect()))
    }),
    method_of("entryAt", 1, 1, |cx, it, a| {
        super::core_of(cx, "find", it, a)
    }),
    method_of("assoc", 2, 2, |cx, it, a| {
        super::core_of(cx, "assoc", it, a)
    }),
    method_of("without", 1, 1, |cx, it, a| {
        super::core_of(cx, "dissoc", it, a)
    }),
];

pub(super) const SET: &[Method] = &[
    method_of("contains", 1, 1, |cx, it, a| {
        super::core_of(cx, "contains?", it, a)
    }),
    method_of("get", 1, 1, |cx, it, a| super::core_of(cx, "get", it, a)),
    method_of("disjoin", 1, 1, |cx, it, a| {
        super::core_of(cx, "disj", it, a)
    }),
];

fn position(items: &Value, wanted: &Value) -> Result<i64> {
    for (index, item) in seq::iter(items).enumerate() {
        if item? == *wanted {
            return Ok(index as i64);
        }
    }
    Ok(-1)
}

/// Calls a function with each item, of a map with each key and value.
pub(super) fn for_each(cx: &Cx<'_>, it: &Value, args: &[Value]) -> Result {
    let is_map = super::instance_of(it, "java.util.Map");
    for item in seq::iter(it) {
        let item = item?;
        let with = if is_map {
            seq::to_vec(&item)?
        } else {
            vec![item]
        };
        cx.call(&args[0], &with)?;
    }
    Ok(Value::Nil)
}

fn immutable(_: &Cx<'_>, it: &Value, _: &[Value]) -> Result {
    Err(
        Thrown::without_message("java.lang.UnsupportedOperationException").with_hint(format!(
            "a {} cannot be changed; conj and assoc make another",
            it.class_name()
        )),
    )
}
