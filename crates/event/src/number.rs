//! Numbers that keep their kind, as Clojure's numeric tower does.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use num_bigint::BigInt;
use num_rational::Ratio;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::decimal::{DIGITS_DEFAULT, Decimal, Rounding};

/// A number of one of six kinds. `==` is Clojure's `=`: numbers of different categories (exact
/// integer, ratio, decimal, floating point) are never equal; `Int` and `Big`, `F64` and `F32`, are one category each.
/// A ratio is always in lowest terms and never whole ([`Number::ratio`]).
#[derive(Clone, Debug)]
pub enum Number {
    Int(i64),
    Big(Arc<BigInt>),
    Ratio(Arc<Ratio<BigInt>>),
    Decimal(Arc<Decimal>),
    F64(f64),
    F32(f32),
}

/// An exact integer result does not fit in 64 bits (`integer overflow` in Clojure's words).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow;

/// An exact division by zero (`Divide by zero`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DivideByZero;

impl Number {
    /// Makes an exact ratio in lowest terms; a whole one becomes `Int` or `Big` when `fold_big`
    /// cannot fit it in 64 bits. `None` when `denominator` is zero.
    pub fn ratio(numerator: BigInt, denominator: BigInt) -> Option<Number> {
        if denominator.is_zero() {
            return None;
        }
        Some(Number::from_ratio(Ratio::new(numerator, denominator)))
    }

    /// Normalises a ratio: whole values become integers, `Int` where they fit.
    pub fn from_ratio(ratio: Ratio<BigInt>) -> Number {
        if ratio.denom().is_one() {
            Number::from_big(ratio.numer().clone())
        } else {
            Number::Ratio(Arc::new(ratio))
        }
    }

    /// What arithmetic with ratios gives: a whole result is `Big`, as in Clojure.
    fn of_ratios(ratio: Ratio<BigInt>) -> Number {
        if ratio.denom().is_one() {
            Number::Big(Arc::new(ratio.numer().clone()))
        } else {
            Number::Ratio(Arc::new(ratio))
        }
    }

    /// An exact integer: `Int` where it fits in 64 bits, else `Big`.
    pub fn from_big(big: BigInt) -> Number {
        match big.to_i64() {
            Some(int) => Number::Int(int),
            None => Number::Big(Arc::new(big)),
        }
    }

    /// The nearest `f64`.
    pub fn to_f64(&self) -> f64 {
        match self {
            Number::Int(int) => *int as f64,
            Number::Big(big) => big.to_f64().unwrap_or(f64::NAN),
            Number::Ratio(ratio) => ratio_to_f64(ratio),
            Number::Decimal(decimal) => decimal.to_f64(),
            Number::F64(float) => *float,
            Number::F32(float) => f64::from(*float),
        }
    }

    /// Truncates towards zero to `i64`, saturating, as Java's `longValue` of a double does; NaN is 0.
    pub fn to_i64_lossy(&self) -> i64 {
        match self {
            Number::Int(int) => *int,
            Number::Big(big) => big.iter_u64_digits().next().map_or(0, |low| {
                let low = low as i64;
                if big.is_negative() {
                    low.wrapping_neg()
                } else {
                    low
                }
            }),
            Number::Ratio(ratio) => ratio.to_integer().to_i64().unwrap_or(i64::MAX),
            Number::Decimal(decimal) => decimal.to_i64().unwrap_or(i64::MAX),
            Number::F64(float) => *float as i64,
            Number::F32(float) => *float as i64,
        }
    }

    /// The exact `i64`, if this is an integer kind and fits.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Number::Int(int) => Some(*int),
            Number::Big(big) => big.to_i64(),
            _ => None,
        }
    }

    /// True for `F64` and `F32`.
    pub fn is_float(&self) -> bool {
        matches!(self, Number::F64(_) | Number::F32(_))
    }

    /// The exact value as a ratio; `None` for NaN and infinities.
    pub fn to_ratio(&self) -> Option<Ratio<BigInt>> {
        match self {
            Number::Int(int) => Some(Ratio::from_integer(BigInt::from(*int))),
            Number::Big(big) => Some(Ratio::from_integer((**big).clone())),
            Number::Ratio(ratio) => Some((**ratio).clone()),
            Number::Decimal(decimal) => Some(decimal.to_ratio()),
            Number::F64(float) => Ratio::<BigInt>::from_float(*float),
            Number::F32(float) => Ratio::<BigInt>::from_float(*float),
        }
    }

    /// The number as a decimal: `None` for floats, and for a ratio that has no end as one.
    pub fn to_decimal(&self) -> Option<Decimal> {
        match self {
            Number::Int(int) => Some(Decimal::from(*int)),
            Number::Big(big) => Some(Decimal::from_big((**big).clone())),
            Number::Decimal(decimal) => Some((**decimal).clone()),
            Number::Ratio(ratio) => Decimal::from_big(ratio.numer().clone())
                .div_exact(&Decimal::from_big(ratio.denom().clone())),
            Number::F64(_) | Number::F32(_) => None,
        }
    }

    /// Both as decimals, if either is one and neither is a float.
    fn decimals(&self, other: &Number) -> Option<(Decimal, Decimal)> {
        if !matches!(self, Number::Decimal(_)) && !matches!(other, Number::Decimal(_)) {
            return None;
        }
        Some((self.to_decimal()?, other.to_decimal()?))
    }

    fn to_big(&self) -> Option<BigInt> {
        match self {
            Number::Int(int) => Some(BigInt::from(*int)),
            Number::Big(big) => Some((**big).clone()),
            _ => None,
        }
    }

    /// `+` with Clojure's contagion (float over decimal over ratio over big over int).
    ///
    /// # Errors
    /// `Overflow` when two `Int`s leave 64 bits.
    pub fn add(&self, other: &Number) -> Result<Number, Overflow> {
        self.exact(
            other,
            i64::checked_add,
            |a, b| a + b,
            |a, b| a + b,
            Decimal::add,
            |a, b| a + b,
        )
    }

    /// `-`, as [`Number::add`].
    ///
    /// # Errors
    /// `Overflow` when two `Int`s leave 64 bits.
    pub fn sub(&self, other: &Number) -> Result<Number, Overflow> {
        self.exact(
            other,
            i64::checked_sub,
            |a, b| a - b,
            |a, b| a - b,
            Decimal::sub,
            |a, b| a - b,
        )
    }

    /// `*`, as [`Number::add`].
    ///
    /// # Errors
    /// `Overflow` when two `Int`s leave 64 bits.
    pub fn mul(&self, other: &Number) -> Result<Number, Overflow> {
        self.exact(
            other,
            i64::checked_mul,
            |a, b| a * b,
            |a, b| a * b,
            Decimal::mul,
            |a, b| a * b,
        )
    }

    /// `/`: exact integers give a ratio or an integer; with a float, IEEE division; decimals a
    /// decimal, of 34 digits where it has no end.
    ///
    /// # Errors
    /// `DivideByZero` when `other` is zero, of any kind, as in Clojure where the kinds are not known to
    /// its compiler.
    pub fn div(&self, other: &Number) -> Result<Number, DivideByZero> {
        if self.is_float() || other.is_float() {
            if other.is_zero() && !self.to_f64().is_nan() {
                return Err(DivideByZero);
            }
            return Ok(Number::F64(self.to_f64() / other.to_f64()));
        }
        if other.is_zero() {
            return Err(DivideByZero);
        }
        if let (Number::Int(a), Number::Int(b)) = (self, other)
            && a.checked_rem(*b) == Some(0)
        {
            return Ok(Number::Int(a / b));
        }
        if let Some((a, b)) = self.decimals(other)
            && let Some(quotient) = a.div_to(&b, DIGITS_DEFAULT, Rounding::HalfEven)
        {
            return Ok(Number::Decimal(Arc::new(quotient)));
        }
        let (Some(a), Some(b)) = (self.to_ratio(), other.to_ratio()) else {
            return Err(DivideByZero);
        };
        let quotient = a / b;
        let is_int = |number: &Number| matches!(number, Number::Int(_));
        let keep_big = !is_int(self) || !is_int(other);
        if keep_big && quotient.denom().is_one() {
            return Ok(Number::Big(Arc::new(quotient.numer().clone())));
        }
        Ok(Number::from_ratio(quotient))
    }

    fn exact(
        &self,
        other: &Number,
        int: fn(i64, i64) -> Option<i64>,
        big: fn(BigInt, BigInt) -> BigInt,
        ratio: fn(Ratio<BigInt>, Ratio<BigInt>) -> Ratio<BigInt>,
        decimal: fn(&Decimal, &Decimal) -> Decimal,
        float: fn(f64, f64) -> f64,
    ) -> Result<Number, Overflow> {
        if let (Number::Int(a), Number::Int(b)) = (self, other) {
            return int(*a, *b).map(Number::Int).ok_or(Overflow);
        }
        if self.is_float() || other.is_float() {
            return Ok(Number::F64(float(self.to_f64(), other.to_f64())));
        }
        if let (Some(a), Some(b)) = (self.to_big(), other.to_big()) {
            return Ok(Number::Big(Arc::new(big(a, b))));
        }
        if let Some((a, b)) = self.decimals(other) {
            return Ok(Number::Decimal(Arc::new(decimal(&a, &b))));
        }
        match (self.to_ratio(), other.to_ratio()) {
            (Some(a), Some(b)) => Ok(Number::of_ratios(ratio(a, b))),
            _ => Ok(Number::F64(float(self.to_f64(), other.to_f64()))),
        }
    }

    /// True for zero of any kind.
    pub fn is_zero(&self) -> bool {
        match self {
            Number::Int(int) => *int == 0,
            Number::Big(big) => big.is_zero(),
            Number::Ratio(_) => false,
            Number::Decimal(decimal) => decimal.is_zero(),
            Number::F64(float) => *float == 0.0,
            Number::F32(float) => *float == 0.0,
        }
    }

    /// Compares by value across kinds, as `<` and `==` do; `None` when either is NaN.
    pub fn compare(&self, other: &Number) -> Option<Ordering> {
        match (self, other) {
            (Number::Int(a), Number::Int(b)) => Some(a.cmp(b)),
            _ if self.is_float() || other.is_float() => self.to_f64().partial_cmp(&other.to_f64()),
            _ => Some(self.to_ratio()?.cmp(&other.to_ratio()?)),
        }
    }
}

fn ratio_to_f64(ratio: &Ratio<BigInt>) -> f64 {
    if let (Some(n), Some(d)) = (ratio.numer().to_i64(), ratio.denom().to_i64())
        && n.unsigned_abs() < 1 << 53
        && d.unsigned_abs() < 1 << 53
    {
        return n as f64 / d as f64;
    }
    ratio.to_f64().unwrap_or(f64::NAN)
}

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        match (self, other) {
            (Number::Int(a), Number::Int(b)) => a == b,
            (Number::Ratio(a), Number::Ratio(b)) => a == b,
            (Number::Decimal(a), Number::Decimal(b)) => a == b,
            _ if self.is_float() && other.is_float() => self.to_f64() == other.to_f64(),
            _ => match (self.to_big(), other.to_big()) {
                (Some(a), Some(b)) => a == b,
                _ => false,
            },
        }
    }
}

/// Equal numbers hash alike: `Int` as a fitting `Big`, `F32` as the `F64` of its value.
impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Number::Int(int) => int.hash(state),
            Number::Big(big) => match big.to_i64() {
                Some(int) => int.hash(state),
                None => big.hash(state),
            },
            Number::Ratio(ratio) => ratio.hash(state),
            Number::Decimal(decimal) => decimal.hash(state),
            Number::F64(_) | Number::F32(_) => {
                let float = self.to_f64();
                let bits = if float == 0.0 { 0 } else { float.to_bits() };
                (1u8, bits).hash(state);
            }
        }
    }
}

/// Prints as Clojure's `pr`: `1`, `1N`, `1.5M`, `1/2`, `1.0`, `1.0E10`, `##Inf`, `##NaN`.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Int(int) => write!(f, "{int}"),
            Number::Big(big) => write!(f, "{big}N"),
            Number::Ratio(ratio) => write!(f, "{}/{}", ratio.numer(), ratio.denom()),
            Number::Decimal(decimal) => write!(f, "{decimal}M"),
            Number::F64(float) => match non_finite(*float) {
                Some(name) => write!(f, "##{name}"),
                None => f.write_str(&java_double(*float)),
            },
            Number::F32(float) => match non_finite(f64::from(*float)) {
                Some(name) => write!(f, "##{name}"),
                None => f.write_str(&java_float(*float)),
            },
        }
    }
}

impl Number {
    /// The text that Clojure's `str` gives: as `pr`, but `1` for `1N` and `1M`, `Infinity`, `NaN`.
    pub fn to_text(&self) -> String {
        match self {
            Number::Big(big) => big.to_string(),
            Number::Decimal(decimal) => decimal.to_string(),
            Number::F64(_) | Number::F32(_) => match self.to_f64() {
                float if float.is_nan() => "NaN".into(),
                float if float == f64::INFINITY => "Infinity".into(),
                float if float == f64::NEG_INFINITY => "-Infinity".into(),
                _ => self.to_string(),
            },
            _ => self.to_string(),
        }
    }
}

fn non_finite(float: f64) -> Option<&'static str> {
    if float.is_nan() {
        Some("NaN")
    } else if float.is_infinite() {
        Some(if float > 0.0 { "Inf" } else { "-Inf" })
    } else {
        None
    }
}

/// `Double.toString`: shortest digits that read back, scientific below 1e-3 and from 1e7.
fn java_double(float: f64) -> String {
    java_digits(
        &format!("{float:e}"),
        float == 0.0,
        float.is_sign_negative(),
    )
}

fn java_float(float: f32) -> String {
    java_digits(
        &format!("{float:e}"),
        float == 0.0,
        float.is_sign_negative(),
    )
}

/// Turns Rust's shortest scientific form (`-1.25e-7`) into Java's.
fn java_digits(scientific: &str, zero: bool, negative: bool) -> String {
    if zero {
        return if negative {
            "-0.0".into()
        } else {
            "0.0".into()
        };
    }
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    if !(-3..7).contains(&exponent) {
        let (head, tail) = digits.split_at(1);
        let tail = if tail.is_empty() { "0" } else { tail };
        return format!("{sign}{head}.{tail}E{exponent}");
    }
    if exponent < 0 {
        let zeros = "0".repeat(usize::try_from(-exponent - 1).unwrap_or(0));
        return format!("{sign}0.{zeros}{digits}");
    }
    let point = usize::try_from(exponent).unwrap_or(0) + 1;
    if digits.len() <= point {
        format!("{sign}{digits}{}.0", "0".repeat(point - digits.len()))
    } else {
        format!("{sign}{}.{}", &digits[..point], &digits[point..])
    }
}

impl From<i64> for Number {
    fn from(int: i64) -> Number {
        Number::Int(int)
    }
}

impl From<f64> for Number {
    fn from(float: f64) -> Number {
        Number::F64(float)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(number: Number, text: &str) {
        assert_eq!(number.to_string(), text);
    }

    #[test]
    fn prints_as_java_does() {
        check(Number::F64(1.0), "1.0");
        check(Number::F64(0.1), "0.1");
        check(Number::F64(100.5), "100.5");
        check(Number::F64(1e7), "1.0E7");
        check(Number::F64(1234567.0), "1234567.0");
        check(Number::F64(0.001), "0.001");
        check(Number::F64(0.00012), "1.2E-4");
        check(Number::F64(-0.0), "-0.0");
        check(Number::F32(0.1), "0.1");
        check(Number::F64(f64::NAN), "##NaN");
        check(Number::Int(1).div(&Number::Int(2)).unwrap(), "1/2");
    }

    #[test]
    fn equality_is_by_category() {
        assert_ne!(Number::Int(1), Number::F64(1.0));
        assert_eq!(Number::F32(0.5), Number::F64(0.5));
        assert_eq!(Number::Int(1), Number::Big(Arc::new(BigInt::from(1))));
        assert_eq!(
            Number::Int(1).compare(&Number::F64(1.0)),
            Some(Ordering::Equal)
        );
    }

    #[test]
    fn arithmetic_is_exact_until_a_float_comes() {
        let half = Number::Int(1).div(&Number::Int(2)).unwrap();
        assert_eq!(half.add(&half).unwrap(), Number::Int(1));
        assert_eq!(half.mul(&Number::F64(1.0)).unwrap(), Number::F64(0.5));
        assert_eq!(Number::Int(i64::MAX).add(&Number::Int(1)), Err(Overflow));
        assert_eq!(Number::Int(1).div(&Number::Int(0)), Err(DivideByZero));
    }
}
