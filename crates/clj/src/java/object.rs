//! Methods that every value has, and those of what can be called.

use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::{Class, Method, method_of};
use crate::{Result, Value, seq};

pub(super) const METHODS: &[Method] = &[
    method_of("toString", 0, 0, |_, it, _| Ok(Value::from(it.to_text()))),
    method_of("equals", 1, 1, |_, it, a| Ok(Value::Bool(*it == a[0]))),
    method_of("equiv", 1, 1, |_, it, a| Ok(Value::Bool(*it == a[0]))),
    method_of("hashCode", 0, 0, |_, it, _| Ok(Value::Int(hash_code(it)))),
    method_of("hasheq", 0, 0, |cx, it, a| {
        super::core_of(cx, "hash", it, a)
    }),
    method_of("getClass", 0, 0, |_, it, _| {
        Ok(Class::value(&it.class_name()))
    }),
    method_of("compareTo", 1, 1, |cx, it, a| {
        super::core_of(cx, "compare", it, a)
    }),
    method_of("meta", 0, 0, |cx, it, a| super::core_of(cx, "meta", it, a)),
    method_of("withMeta", 1, 1, |cx, it, a| {
        super::core_of(cx, "with-meta", it, a)
    }),
    method_of("deref", 0, 0, |cx, it, a| {
        super::core_of(cx, "deref", it, a)
    }),
];

/// Most arguments of `.invoke`.
const ARGS_MAX: usize = 20;

pub(super) const CALLS: &[Method] = &[
    method_of("invoke", 0, ARGS_MAX, |cx, it, a| cx.call(it, a)),
    method_of("call", 0, 0, |cx, it, _| cx.call(it, &[])),
    method_of("run", 0, 0, |cx, it, _| {
        cx.call(it, &[]).map(|_| Value::Nil)
    }),
    method_of("applyTo", 1, 1, |cx, it, a| {
        cx.call(it, &seq::to_vec(&a[0])?)
    }),
    method_of("compare", 2, 2, |cx, it, a| {
        Ok(match cx.call(it, a)? {
            Value::Bool(true) => Value::Int(-1),
            Value::Bool(false) => {
                let swapped = cx.call(it, &[a[1].clone(), a[0].clone()])?;
                Value::Int(i64::from(swapped.truthy()))
            }
            order => order,
        })
    }),
];

/// Java's hash of what Java has a rule for; some number that agrees with `=` for the rest.
pub(super) fn hash_code(value: &Value) -> i64 {
    let folded = |bits: u64| i64::from((bits ^ (bits >> 32)) as u32 as i32);
    match value {
        Value::Nil => 0,
        Value::Str(text) => {
            let units = text.encode_utf16();
            units
                .fold(0i32, |hash, unit| {
                    hash.wrapping_mul(31).wrapping_add(unit.into())
                })
                .into()
        }
        Value::Bool(bool) => {
            if *bool {
                1231
            } else {
                1237
            }
        }
        Value::Int(int) => folded(*int as u64),
        Value::Double(double) => folded(double.to_bits()),
        Value::Float(float) => i64::from(float.to_bits() as i32),
        Value::Char(char) => i64::from(u32::from(*char)),
        other => folded(FixedState::default().hash_one(other)),
    }
}

/// A number that tells one thing from another, even if they are equal.
pub(super) fn identity(value: &Value) -> i64 {
    match value {
        Value::Object(object) => Arc::as_ptr(object).addr() as u32 as i64,
        other => hash_code(other),
    }
}

/// A boolean from a test.
pub(super) fn truth(bool: bool) -> Result {
    Ok(Value::Bool(bool))
}
