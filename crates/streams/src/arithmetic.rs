//! Arithmetic on values, with the exceptions that the language throws.

use std::cmp::Ordering;

use clj::{Result, Thrown, Value};
use event::Number;

/// The number that a value is.
///
/// # Errors
/// `NullPointerException` for nil, `ClassCastException` for anything else that is no number.
pub fn number(value: &Value) -> Result<Number> {
    value.as_number().ok_or_else(|| not_a_number(value))
}

#[cold]
fn not_a_number(value: &Value) -> Thrown {
    match value {
        Value::Nil => Thrown::without_message("java.lang.NullPointerException"),
        _ => Thrown::class_cast(format!(
            "class {} cannot be cast to class java.lang.Number",
            value.class_name()
        )),
    }
}

/// # Errors
/// `integer overflow`.
pub fn sum(a: &Number, b: &Number) -> Result<Number> {
    a.add(b).map_err(|_| overflow())
}

/// # Errors
/// `integer overflow`.
pub fn difference(a: &Number, b: &Number) -> Result<Number> {
    a.sub(b).map_err(|_| overflow())
}

/// # Errors
/// `integer overflow`.
pub fn product(a: &Number, b: &Number) -> Result<Number> {
    a.mul(b).map_err(|_| overflow())
}

/// # Errors
/// `Divide by zero`.
pub fn quotient(a: &Number, b: &Number) -> Result<Number> {
    a.div(b).map_err(|_| Thrown::arithmetic("Divide by zero"))
}

#[cold]
fn overflow() -> Thrown {
    Thrown::arithmetic("integer overflow")
}

/// The sum of all, 0 for none.
///
/// # Errors
/// `integer overflow`.
pub fn total<'a>(numbers: impl IntoIterator<Item = &'a Number>) -> Result<Number> {
    numbers
        .into_iter()
        .try_fold(Number::Int(0), |total, number| sum(&total, number))
}

/// `a < b`; false where either is NaN.
pub fn less(a: &Number, b: &Number) -> bool {
    a.compare(b) == Some(Ordering::Less)
}

/// The order of two values as `compare` gives it: nil first, then numbers by value, strings,
/// keywords and booleans among themselves.
///
/// # Errors
/// `ClassCastException` for values of different kinds.
pub fn compare(a: &Value, b: &Value) -> Result<Ordering> {
    if let (Some(a), Some(b)) = (a.as_number(), b.as_number()) {
        return Ok(a.compare(&b).unwrap_or(Ordering::Equal));
    }
    match (a, b) {
        (Value::Nil, Value::Nil) => Ok(Ordering::Equal),
        (Value::Nil, _) => Ok(Ordering::Less),
        (_, Value::Nil) => Ok(Ordering::Greater),
        (Value::Str(a), Value::Str(b)) => Ok(a.cmp(b)),
        (Value::Bool(a), Value::Bool(b)) => Ok(a.cmp(b)),
        (Value::Keyword(a), Value::Keyword(b)) => {
            Ok((a.namespace(), a.name()).cmp(&(b.namespace(), b.name())))
        }
        (Value::Vector(a), Value::Vector(b)) => {
            if a.len() != b.len() {
                return Ok(a.len().cmp(&b.len()));
            }
            for (a, b) in a.iter().zip(b.iter()) {
                match compare(a, b)? {
                    Ordering::Equal => {}
                    order => return Ok(order),
                }
            }
            Ok(Ordering::Equal)
        }
        _ => Err(Thrown::class_cast(format!(
            "class {} cannot be cast to class {}",
            a.class_name(),
            b.class_name()
        ))),
    }
}
