//! Exact decimals: making them, and the precision they are worked out to.

use std::cell::Cell;
use std::sync::Arc;

use event::{Decimal, Number, Rounding};

use super::arguments::{int, number};
use super::native;
use crate::{Native, Result, Thrown, Value};

pub const NATIVES: &[Native] = &[
    native(
        "bigdec",
        "([x])",
        "As an exact decimal.",
        (1, Some(1)),
        |_, a| bigdec(&a[0]),
    ),
    native(
        "decimal?",
        "([n])",
        "True for an exact decimal.",
        (1, Some(1)),
        |_, a| Ok(matches!(a[0], Value::Decimal(_)).into()),
    ),
    native(
        "with-precision*",
        "([digits rounding f])",
        "Calls f; decimals are worked out to so many digits.",
        (3, Some(3)),
        |cx, a| {
            let digits =
                u32::try_from(int(&a[0])?).map_err(|_| Thrown::illegal_argument("Digits < 0"))?;
            let rounding = match &a[1] {
                Value::Nil => Rounding::HalfUp,
                name => rounding(&name.to_text())?,
            };
            let _restored = Restored(PRECISION.replace(Some((digits, rounding))));
            cx.call(&a[2], &[])
        },
    ),
];

thread_local! {
    /// Digits and rounding of results, inside `with-precision`.
    static PRECISION: Cell<Option<(u32, Rounding)>> = const { Cell::new(None) };
}

struct Restored(Option<(u32, Rounding)>);

impl Drop for Restored {
    fn drop(&mut self) {
        PRECISION.set(self.0);
    }
}

const ROUNDINGS: &[(&str, Rounding)] = &[
    ("UP", Rounding::Up),
    ("DOWN", Rounding::Down),
    ("CEILING", Rounding::Ceiling),
    ("FLOOR", Rounding::Floor),
    ("HALF_UP", Rounding::HalfUp),
    ("HALF_DOWN", Rounding::HalfDown),
    ("HALF_EVEN", Rounding::HalfEven),
    ("UNNECESSARY", Rounding::Unnecessary),
];

/// The rounding of a Java name, `HALF_UP`.
///
/// # Errors
/// `IllegalArgumentException` for another name.
pub fn rounding(name: &str) -> Result<Rounding> {
    let found = ROUNDINGS.iter().find(|(known, _)| *known == name);
    found.map(|(_, rounding)| *rounding).ok_or_else(|| {
        Thrown::illegal_argument(format!("No enum constant java.math.RoundingMode.{name}"))
    })
}

/// Java's name of a rounding.
pub fn rounding_name(rounding: Rounding) -> &'static str {
    let found = ROUNDINGS.iter().find(|(_, known)| *known == rounding);
    found.map_or("UNNECESSARY", |(name, _)| name)
}

pub fn value(decimal: Decimal) -> Value {
    Value::Decimal(Arc::new(decimal))
}

/// What cutting digits throws where none may be lost.
pub fn rounding_necessary() -> Thrown {
    Thrown::arithmetic("Rounding necessary")
}

/// A result, to the digits of `with-precision` if it is a decimal.
pub(super) fn rounded(number: Number) -> Result {
    match (&number, PRECISION.get()) {
        (Number::Decimal(decimal), Some((digits, rounding))) => decimal
            .rounded(digits, rounding)
            .map(value)
            .ok_or_else(rounding_necessary),
        _ => Ok(number.into()),
    }
}

/// The two as decimals, if either is one and neither is a float.
///
/// # Errors
/// `ArithmeticException` for a ratio that has no end as a decimal.
pub(super) fn both(a: &Number, b: &Number) -> Result<Option<(Decimal, Decimal)>> {
    let either = matches!(a, Number::Decimal(_)) || matches!(b, Number::Decimal(_));
    if !either || a.is_float() || b.is_float() {
        return Ok(None);
    }
    let decimal = |number: &Number| match (number, PRECISION.get()) {
        (Number::Ratio(ratio), Some(_)) => {
            let part = |big: &num_bigint::BigInt| Decimal::from_big(big.clone());
            quotient(&part(ratio.numer()), &part(ratio.denom()))
        }
        _ => number.to_decimal().ok_or_else(endless),
    };
    Ok(Some((decimal(a)?, decimal(b)?)))
}

fn endless() -> Thrown {
    Thrown::arithmetic("Non-terminating decimal expansion; no exact representable decimal result.")
}

/// `a / b`, exact unless a precision is asked for. `b` is not zero.
pub(super) fn quotient(a: &Decimal, b: &Decimal) -> Result<Decimal> {
    match PRECISION.get() {
        Some((digits, rounding)) if digits > 0 => {
            a.div_to(b, digits, rounding).ok_or_else(rounding_necessary)
        }
        _ => a.div_exact(b).ok_or_else(endless),
    }
}

/// The whole part of `a / b`, with the places that Java gives it. `b` is not zero.
pub fn whole_quotient(a: &Decimal, b: &Decimal) -> Decimal {
    let whole = Decimal::from_big((a.to_ratio() / b.to_ratio()).to_integer());
    let preferred = a.scale().saturating_sub(b.scale());
    let stripped = whole.stripped();
    let scale = if preferred > 0 {
        preferred
    } else {
        preferred.max(stripped.scale())
    };
    whole
        .with_scale(scale, Rounding::Unnecessary)
        .unwrap_or(whole)
}

/// `(bigdec x)`.
///
/// # Errors
/// `NumberFormatException` for text and floats that are no decimals, `ClassCastException` for
/// what is no number.
pub fn bigdec(x: &Value) -> Result {
    let text = match x {
        Value::Str(text) => text.to_string(),
        Value::Double(_) | Value::Float(_) => x.to_text(),
        _ => {
            let number = number(x)?;
            let decimal = match &number {
                Number::Ratio(ratio) => {
                    let part = |big: &num_bigint::BigInt| Decimal::from_big(big.clone());
                    quotient(&part(ratio.numer()), &part(ratio.denom()))?
                }
                _ => number.to_decimal().ok_or_else(endless)?,
            };
            return Ok(value(decimal));
        }
    };
    Decimal::parse(&text)
        .map(value)
        .ok_or_else(|| Thrown::without_message("java.lang.NumberFormatException"))
}
