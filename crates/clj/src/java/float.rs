//! `Double` and `Float`.

use super::math::{double, parse_double};
use super::{JavaClass, constructor, member};
use crate::{Result, Thrown, Value};

pub(super) const CLASSES: &[JavaClass] = &[
    JavaClass {
        name: "java.lang.Double",
        construct: constructor(1, 1, |_, a| of(&a[0])),
        statics: &[
            member("parseDouble", 1, 1, |_, a| parse(&a[0])),
            member("valueOf", 1, 1, |_, a| of(&a[0])),
            member("toString", 1, 1, |_, a| {
                Ok(Value::from(Value::Double(double(&a[0])?).to_text()))
            }),
            member("isNaN", 1, 1, |_, a| {
                Ok(Value::Bool(double(&a[0])?.is_nan()))
            }),
            member("isInfinite", 1, 1, |_, a| {
                Ok(Value::Bool(double(&a[0])?.is_infinite()))
            }),
            member("isFinite", 1, 1, |_, a| {
                Ok(Value::Bool(double(&a[0])?.is_finite()))
            }),
            member("compare", 2, 2, |_, a| compare(a)),
            member("max", 2, 2, |cx, a| {
                super::static_call(cx, "java.lang.Math", "max", a)
            }),
            member("min", 2, 2, |cx, a| {
                super::static_call(cx, "java.lang.Math", "min", a)
            }),
            member("sum", 2, 2, |_, a| {
                Ok(Value::Double(double(&a[0])? + double(&a[1])?))
            }),
            member("doubleToLongBits", 1, 1, |_, a| {
                Ok(Value::Int(double(&a[0])?.to_bits() as i64))
            }),
            member("longBitsToDouble", 1, 1, |_, a| {
                let bits = crate::core::arguments::int(&a[0])?;
                Ok(Value::Double(f64::from_bits(bits as u64)))
            }),
        ],
        fields: &[
            ("TYPE", || super::Class::value("double")),
            ("MAX_VALUE", || Value::Double(f64::MAX)),
            ("MIN_VALUE", || Value::Double(f64::from_bits(1))),
            ("POSITIVE_INFINITY", || Value::Double(f64::INFINITY)),
            ("NEGATIVE_INFINITY", || Value::Double(f64::NEG_INFINITY)),
            ("NaN", || Value::Double(f64::NAN)),
        ],
    },
    JavaClass {
        name: "java.lang.Float",
        construct: constructor(1, 1, |_, a| of(&a[0]).and_then(|it| single(&it))),
        statics: &[
            member("parseFloat", 1, 1, |_, a| {
                parse(&a[0]).and_then(|it| single(&it))
            }),
            member("valueOf", 1, 1, |_, a| of(&a[0]).and_then(|it| single(&it))),
            member("toString", 1, 1, |_, a| {
                Ok(Value::from(single(&a[0])?.to_text()))
            }),
            member("isNaN", 1, 1, |_, a| {
                Ok(Value::Bool(double(&a[0])?.is_nan()))
            }),
            member("isInfinite", 1, 1, |_, a| {
                Ok(Value::Bool(double(&a[0])?.is_infinite()))
            }),
            member("compare", 2, 2, |_, a| compare(a)),
        ],
        fields: &[
            ("TYPE", || super::Class::value("float")),
            ("MAX_VALUE", || Value::Float(f32::MAX)),
            ("MIN_VALUE", || Value::Float(f32::from_bits(1))),
            ("POSITIVE_INFINITY", || Value::Float(f32::INFINITY)),
            ("NEGATIVE_INFINITY", || Value::Float(f32::NEG_INFINITY)),
            ("NaN", || Value::Float(f32::NAN)),
        ],
    },
];

fn of(value: &Value) -> Result {
    match value {
        Value::Str(_) => parse(value),
        _ => double(value).map(Value::Double),
    }
}

fn parse(value: &Value) -> Result {
    match value {
        Value::Nil => Err(Thrown::without_message("java.lang.NullPointerException")),
        _ => parse_double(crate::core::arguments::string(value)?).map(Value::Double),
    }
}

fn single(value: &Value) -> Result {
    Ok(Value::Float(double(value)? as f32))
}

/// Java's order of all doubles: -0.0 before 0.0, and NaN last.
fn compare(args: &[Value]) -> Result {
    let (a, b) = (double(&args[0])?, double(&args[1])?);
    let order = match (a.is_nan(), b.is_nan()) {
        (false, false) => a.total_cmp(&b),
        (a, b) => a.cmp(&b),
    };
    Ok(Value::Int(order as i64))
}
