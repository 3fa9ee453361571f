//! Arithmetic on values, as Clojure's numeric tower does it.

use std::cmp::Ordering;
use std::sync::Arc;

use event::{Decimal, Number};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{FromPrimitive, Signed, Zero};

use super::arguments::{not_a, number};
use super::decimals;
use crate::{Result, Thrown, Value};

fn overflow() -> Thrown {
    Thrown::arithmetic("integer overflow")
}

fn divide_by_zero() -> Thrown {
    Thrown::arithmetic("Divide by zero")
}

/// Both numbers. A ratio beside a decimal has to have an end, so it is tried as one here.
fn numbers(a: &Value, b: &Value) -> Result<(Number, Number)> {
    let (a, b) = (number(a)?, number(b)?);
    Ok(match decimals::both(&a, &b)? {
        Some((a, b)) => (Number::Decimal(a.into()), Number::Decimal(b.into())),
        None => (a, b),
    })
}

/// `(+ a b)`.
///
/// # Errors
/// `ArithmeticException` on overflow, `NullPointerException` and `ClassCastException` for what is not
/// a number; so also for the others here.
pub fn add(a: &Value, b: &Value) -> Result {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a.checked_add(*b).map(Value::Int).ok_or_else(overflow),
        (Value::Double(a), Value::Double(b)) => Ok(Value::Double(a + b)),
        _ => {
            let (a, b) = numbers(a, b)?;
            decimals::rounded(a.add(&b).map_err(|_| overflow())?)
        }
    }
}

/// `(- a b)`.
pub fn sub(a: &Value, b: &Value) -> Result {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a.checked_sub(*b).map(Value::Int).ok_or_else(overflow),
        (Value::Double(a), Value::Double(b)) => Ok(Value::Double(a - b)),
        _ => {
            let (a, b) = numbers(a, b)?;
            decimals::rounded(a.sub(&b).map_err(|_| overflow())?)
        }
    }
}

/// `(* a b)`.
pub fn mul(a: &Value, b: &Value) -> Result {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a.checked_mul(*b).map(Value::Int).ok_or_else(overflow),
        (Value::Double(a), Value::Double(b)) => Ok(Value::Double(a * b)),
        _ => {
            let (a, b) = numbers(a, b)?;
            decimals::rounded(a.mul(&b).map_err(|_| overflow())?)
        }
    }
}

/// `(/ a b)` of numbers that nobody knew the kind of before: by zero of any kind it throws.
pub fn div(a: &Value, b: &Value) -> Result {
    if let (Value::Double(a), Value::Double(b)) = (a, b)
        && *b != 0.0
    {
        return Ok(Value::Double(a / b));
    }
    let (a, b) = numbers(a, b)?;
    match decimals::both(&a, &b)? {
        Some((_, b)) if b.is_zero() => Err(divide_by_zero()),
        Some((a, b)) => decimals::quotient(&a, &b).map(decimals::value),
        None => Ok(a.div(&b).map_err(|_| divide_by_zero())?.into()),
    }
}

/// `(+' a b)`: grows instead of overflowing.
pub fn add_growing(a: &Value, b: &Value) -> Result {
    grow(a, b, add, |a, b| a + b)
}

/// `(-' a b)`.
pub fn sub_growing(a: &Value, b: &Value) -> Result {
    grow(a, b, sub, |a, b| a - b)
}

/// `(*' a b)`.
pub fn mul_growing(a: &Value, b: &Value) -> Result {
    grow(a, b, mul, |a, b| a * b)
}

fn grow(
    a: &Value,
    b: &Value,
    exact: fn(&Value, &Value) -> Result,
    big: fn(BigInt, BigInt) -> BigInt,
) -> Result {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => exact(a, b).or_else(|_| {
            Ok(Value::Big(Arc::new(big(
                BigInt::from(*x),
                BigInt::from(*y),
            ))))
        }),
        _ => exact(a, b),
    }
}

/// How a division is rounded, and what of it is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Division {
    Quotient,
    Remainder,
    /// The remainder with the divisor's sign.
    Modulus,
}

/// `(quot a b)`, `(rem a b)`, `(mod a b)`.
pub fn divide(a: &Value, b: &Value, want: Division) -> Result {
    if let (Value::Int(a), Value::Int(b)) = (a, b) {
        let result = match want {
            _ if *b == 0 => return Err(divide_by_zero()),
            Division::Quotient => a.checked_div(*b),
            Division::Remainder => Some(a.checked_rem(*b).unwrap_or(0)),
            Division::Modulus => Some(a.checked_rem(*b).unwrap_or(0)).map(|rem| {
                if rem != 0 && (rem < 0) != (*b < 0) {
                    rem + b
                } else {
                    rem
                }
            }),
        };
        return result.map(Value::Int).ok_or_else(overflow);
    }
    let (x, y) = (number(a)?, number(b)?);
    if y.is_zero() {
        return Err(divide_by_zero());
    }
    if x.is_float() || y.is_float() {
        let (x, y) = (x.to_f64(), y.to_f64());
        let quotient = (x / y).trunc();
        let rem = x - quotient * y;
        return Ok(Value::Double(match want {
            Division::Quotient => quotient,
            Division::Remainder => rem,
            Division::Modulus if rem != 0.0 && (rem < 0.0) != (y < 0.0) => rem + y,
            Division::Modulus => rem,
        }));
    }
    if let Some((x, y)) = decimals::both(&x, &y)? {
        return divide_decimals(&x, &y, want);
    }
    let (Some(x), Some(y)) = (x.to_ratio(), y.to_ratio()) else {
        return Err(divide_by_zero());
    };
    let quotient = (&x / &y).trunc();
    let rem = &x - &quotient * &y;
    Ok(Value::from(match want {
        Division::Quotient => whole(a, b, quotient.to_integer()),
        Division::Modulus if !rem.is_zero() && rem.is_negative() != y.is_negative() => {
            exact(a, b, rem + y)
        }
        Division::Remainder | Division::Modulus => exact(a, b, rem),
    }))
}

fn divide_decimals(x: &Decimal, y: &Decimal, want: Division) -> Result {
    let quotient = decimals::whole_quotient(x, y);
    let rem = x.sub(&quotient.mul(y));
    let result = match want {
        Division::Quotient => quotient,
        Division::Modulus if !rem.is_zero() && rem.is_negative() != y.is_negative() => rem.add(y),
        Division::Remainder | Division::Modulus => rem,
    };
    decimals::rounded(Number::Decimal(Arc::new(result)))
}

fn whole(a: &Value, b: &Value, big: BigInt) -> Number {
    if matches!((a, b), (Value::Int(_), Value::Int(_))) {
        return Number::from_big(big);
    }
    Number::Big(Arc::new(big))
}

fn exact(a: &Value, b: &Value, ratio: num_rational::BigRational) -> Number {
    if ratio.is_integer() {
        whole(a, b, ratio.to_integer())
    } else {
        Number::from_ratio(ratio)
    }
}

/// The order of two numbers by value; `None` if either is NaN.
///
/// # Errors
/// `NullPointerException` and `ClassCastException` for what is not a number.
pub fn order(a: &Value, b: &Value) -> Result<Option<Ordering>> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Ok(Some(a.cmp(b))),
        (Value::Double(a), Value::Double(b)) => Ok(a.partial_cmp(b)),
        _ => Ok(number(a)?.compare(&number(b)?)),
    }
}

/// `(< a b)`.
pub fn less(a: &Value, b: &Value) -> Result<bool> {
    Ok(order(a, b)? == Some(Ordering::Less))
}

/// `(<= a b)`.
pub fn less_or_equal(a: &Value, b: &Value) -> Result<bool> {
    Ok(matches!(
        order(a, b)?,
        Some(Ordering::Less | Ordering::Equal)
    ))
}

/// `(> a b)`.
pub fn greater(a: &Value, b: &Value) -> Result<bool> {
    less(b, a)
}

/// `(>= a b)`.
pub fn greater_or_equal(a: &Value, b: &Value) -> Result<bool> {
    less_or_equal(b, a)
}

/// `(== a b)`.
pub fn equivalent(a: &Value, b: &Value) -> Result<bool> {
    Ok(order(a, b)? == Some(Ordering::Equal))
}

/// `(zero? a)`, `(pos? a)`, `(neg? a)`: the order of a number against zero.
pub fn sign(a: &Value) -> Result<Option<Ordering>> {
    order(a, &Value::Int(0))
}

/// `(bigint a)`, cut towards zero.
pub fn to_big(value: &Value) -> Result<BigInt> {
    let not_finite = || Thrown::new("java.lang.NumberFormatException", "Infinite or NaN");
    Ok(match value {
        Value::Int(int) => BigInt::from(*int),
        Value::Big(big) => (**big).clone(),
        Value::Ratio(ratio) => ratio.to_integer(),
        Value::Decimal(decimal) => decimal.to_integer(),
        Value::Double(float) => BigInt::from_f64(float.trunc()).ok_or_else(not_finite)?,
        Value::Float(float) => {
            BigInt::from_f64(f64::from(*float).trunc()).ok_or_else(not_finite)?
        }
        Value::Str(text) => text.trim().parse().map_err(|_| {
            Thrown::new(
                "java.lang.NumberFormatException",
                format!("For input string: \"{text}\""),
            )
        })?,
        _ => return Err(not_a(value, "java.lang.Number")),
    })
}

/// An exact integer, or `IllegalArgumentException` with `message`.
pub fn integer(value: &Value, message: impl FnOnce() -> String) -> Result<BigInt> {
    match value {
        Value::Int(int) => Ok(BigInt::from(*int)),
        Value::Big(big) => Ok((**big).clone()),
        Value::Nil => Err(not_a(value, "java.lang.Number")),
        _ => Err(Thrown::illegal_argument(message())),
    }
}

/// `(even? a)`.
pub fn is_even(value: &Value) -> Result<bool> {
    match value {
        Value::Int(int) => Ok(int % 2 == 0),
        _ => Ok(integer(value, || {
            format!("Argument must be an integer: {}", value.to_text())
        })?
        .is_even()),
    }
}
