//! Equality, identity and hashes of values, and their classes.

use std::sync::Arc;

use super::arguments::class_name;
use super::native;
use crate::equality::equal;
use crate::java::{self, Class};
use crate::{Native, Result, Value};

pub const NATIVES: &[Native] = &[
    native(
        "=",
        "([x & more])",
        "True if all are equal.",
        (1, None),
        |_, a| Ok(all_equal(a)?.into()),
    ),
    native(
        "not=",
        "([x & more])",
        "True if not all are equal.",
        (1, None),
        |_, a| Ok((!all_equal(a)?).into()),
    ),
    native(
        "not",
        "([x])",
        "True for nil and false.",
        (1, Some(1)),
        |_, a| Ok((!a[0].truthy()).into()),
    ),
    native(
        "boolean",
        "([x])",
        "False for nil and false, else true.",
        (1, Some(1)),
        |_, a| Ok(a[0].truthy().into()),
    ),
    native(
        "identical?",
        "([x y])",
        "True if both are the same thing.",
        (2, Some(2)),
        |_, a| Ok(identical(&a[0], &a[1]).into()),
    ),
    native(
        "instance?",
        "([c x])",
        "True if x is of the class.",
        (2, Some(2)),
        |_, a| Ok(java::instance_of(&a[1], &class_name(&a[0])?).into()),
    ),
    native("class", "([x])", "The class of x.", (1, Some(1)), |_, a| {
        Ok(class(&a[0]))
    }),
    native(
        "type",
        "([x])",
        "The :type in the metadata of x, or its class.",
        (1, Some(1)),
        |_, a| {
            let meta = super::metadata::meta(&a[0]);
            Ok(meta
                .and_then(|meta| meta.get_keyword("type").cloned())
                .unwrap_or_else(|| class(&a[0])))
        },
    ),
    native(
        "class?",
        "([x])",
        "True for a class.",
        (1, Some(1)),
        |_, a| Ok(a[0].downcast::<Class>().is_some().into()),
    ),
    native(
        "cast",
        "([c x])",
        "x, which must be of the class.",
        (2, Some(2)),
        |_, a| {
            let class = class_name(&a[0])?;
            if a[1].is_nil() || java::instance_of(&a[1], &class) {
                return Ok(a[1].clone());
            }
            Err(crate::Thrown::class_cast(format!(
                "Cannot cast {} to {class}",
                a[1].class_name()
            )))
        },
    ),
    native(
        "distinct?",
        "([x & more])",
        "True if no two are equal.",
        (1, None),
        |_, a| {
            let set: crate::Set = a.iter().cloned().collect();
            Ok((set.len() == a.len()).into())
        },
    ),
    native(
        "hash",
        "([x])",
        "A number that equal values share.",
        (1, Some(1)),
        |_, a| Ok(Value::Int(hash(&a[0]))),
    ),
    native(
        "hash-ordered-coll",
        "([coll])",
        "A hash of items in order.",
        (1, Some(1)),
        |_, a| Ok(Value::Int(hash(&Value::vector(crate::seq::to_vec(&a[0])?)))),
    ),
    native(
        "hash-unordered-coll",
        "([coll])",
        "A hash of items in any order.",
        (1, Some(1)),
        |_, a| {
            Ok(Value::Int(hash(&Value::Set(
                crate::seq::to_vec(&a[0])?.into_iter().collect(),
            ))))
        },
    ),
    native(
        "hash-combine",
        "([x y])",
        "One hash of two.",
        (2, Some(2)),
        |_, a| {
            Ok(Value::Int(hash(&Value::vector(vec![
                a[0].clone(),
                a[1].clone(),
            ]))))
        },
    ),
];

fn all_equal(values: &[Value]) -> Result<bool> {
    for pair in values.windows(2) {
        if !equal(&pair[0], &pair[1])? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn class(value: &Value) -> Value {
    if value.is_nil() {
        Value::Nil
    } else {
        Class::value(&value.class_name())
    }
}

fn identical(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            Arc::ptr_eq(a, b)
                || matches!((a.as_any().downcast_ref::<Class>(), b.as_any().downcast_ref::<Class>()), (Some(a), Some(b)) if a.name() == b.name())
        }
        (Value::Vector(a), Value::Vector(b)) => a.same(b),
        (Value::Map(a), Value::Map(b)) => a.same(b),
        (Value::Set(a), Value::Set(b)) => a.same(b),
        (Value::List(a), Value::List(b)) => Arc::ptr_eq(a, b),
        (Value::Lazy(a), Value::Lazy(b)) => Arc::ptr_eq(a, b),
        (Value::Double(a), Value::Double(b)) => a.to_bits() == b.to_bits(),
        (Value::Ratio(a), Value::Ratio(b)) => Arc::ptr_eq(a, b),
        _ if seq_like(a) || seq_like(b) => false,
        _ => a.class_name() == b.class_name() && a == b,
    }
}

fn seq_like(value: &Value) -> bool {
    matches!(
        value,
        Value::Vector(_) | Value::Map(_) | Value::Set(_) | Value::List(_) | Value::Lazy(_)
    )
}

/// The hash of a value in 32 bits, which equal values share.
pub fn hash(value: &Value) -> i64 {
    use std::hash::BuildHasher;
    match value {
        Value::Nil => 0,
        _ => {
            let hash = foldhash::fast::FixedState::default().hash_one(value);
            i64::from((hash ^ (hash >> 32)) as i32)
        }
    }
}
