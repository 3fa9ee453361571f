//! Exact decimals, as Java's `BigDecimal`: digits and where the point is.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::Ratio;
use num_traits::{Signed, ToPrimitive, Zero};

/// `digits · 10^-scale`. `1.50` is 150 at scale 2, and equal to `1.5` though it prints otherwise.
#[derive(Clone, Debug)]
pub struct Decimal {
    digits: BigInt,
    scale: i32,
}

/// Largest magnitude of a scale: powers of ten beyond would not fit in memory.
pub const SCALE_MAX: i32 = 10_000;

/// Digits of a quotient that has no end, where no precision is asked for: IEEE's decimal128.
pub const DIGITS_DEFAULT: u32 = 34;

/// How a decimal is cut to fewer digits; the names are Java's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    Up,
    Down,
    Ceiling,
    Floor,
    HalfUp,
    HalfDown,
    HalfEven,
    /// Refuses to cut.
    Unnecessary,
}

impl Decimal {
    /// `None` where the scale is beyond `SCALE_MAX`.
    pub fn new(digits: BigInt, scale: i64) -> Option<Decimal> {
        let scale = i32::try_from(scale)
            .ok()
            .filter(|scale| scale.unsigned_abs() <= SCALE_MAX.unsigned_abs())?;
        Some(Decimal { digits, scale })
    }

    pub fn from_big(digits: BigInt) -> Decimal {
        Decimal { digits, scale: 0 }
    }

    /// The decimal that text spells: `-1.25`, `1E3`; `None` if it spells none.
    pub fn parse(text: &str) -> Option<Decimal> {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (negative, mantissa) = match mantissa.as_bytes().first()? {
            b'-' => (true, &mantissa[1..]),
            b'+' => (false, &mantissa[1..]),
            _ => (false, mantissa),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let text = format!("{whole}{fraction}");
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let digits: BigInt = text.parse().ok()?;
        let exponent = exponent.strip_prefix('+').unwrap_or(exponent);
        let scale = i64::try_from(fraction.len()).ok()? - i64::from(exponent.parse::<i32>().ok()?);
        Decimal::new(if negative { -digits } else { digits }, scale)
    }

    pub fn digits(&self) -> &BigInt {
        &self.digits
    }

    pub fn scale(&self) -> i32 {
        self.scale
    }

    /// The number of digits; 1 for zero.
    pub fn precision(&self) -> u32 {
        u32::try_from(self.digits.magnitude().to_string().len()).unwrap_or(u32::MAX)
    }

    pub fn is_zero(&self) -> bool {
        self.digits.is_zero()
    }

    pub fn is_negative(&self) -> bool {
        self.digits.is_negative()
    }

    #[must_use]
    pub fn negated(&self) -> Decimal {
        Decimal {
            digits: -&self.digits,
            scale: self.scale,
        }
    }

    pub fn to_f64(&self) -> f64 {
        self.to_string().parse().unwrap_or(f64::NAN)
    }

    pub fn to_ratio(&self) -> Ratio<BigInt> {
        let power = power_of_ten(self.scale.unsigned_abs());
        if self.scale < 0 {
            Ratio::from_integer(&self.digits * power)
        } else {
            Ratio::new(self.digits.clone(), power)
        }
    }

    /// The whole part, cut towards zero.
    pub fn to_integer(&self) -> BigInt {
        self.to_ratio().to_integer()
    }

    #[must_use]
    pub fn add(&self, other: &Decimal) -> Decimal {
        let (a, b, scale) = aligned(self, other);
        Decimal {
            digits: a + b,
            scale,
        }
    }

    #[must_use]
    pub fn sub(&self, other: &Decimal) -> Decimal {
        self.add(&other.negated())
    }

    /// The product; its scale saturates at `SCALE_MAX`, cutting digits far behind the point.
    #[must_use]
    pub fn mul(&self, other: &Decimal) -> Decimal {
        let product = Decimal {
            digits: &self.digits * &other.digits,
            scale: self.scale + other.scale,
        };
        product.within_bounds()
    }

    fn within_bounds(self) -> Decimal {
        let bound = self.scale.clamp(-SCALE_MAX, SCALE_MAX);
        match self.with_scale(bound, Rounding::HalfEven) {
            Some(within) => within,
            None => self,
        }
    }

    /// The exact quotient with the fewest digits that Java gives; `None` where it has no end.
    /// `other` is not zero.
    pub fn div_exact(&self, other: &Decimal) -> Option<Decimal> {
        let preferred = i64::from(self.scale) - i64::from(other.scale);
        if self.is_zero() {
            return Decimal::new(BigInt::zero(), preferred);
        }
        let quotient = self.to_ratio() / other.to_ratio();
        let scale = i64::from(places(quotient.denom())?);
        let digits =
            (quotient * Ratio::from_integer(power_of_ten(u32::try_from(scale).ok()?))).to_integer();
        Decimal::new(digits, scale)?.preferring(preferred)
    }

    /// The quotient to a number of digits. `other` is not zero.
    pub fn div_to(&self, other: &Decimal, digits: u32, rounding: Rounding) -> Option<Decimal> {
        if let Some(exact) = self.div_exact(other)
            && exact.precision() <= digits
        {
            return Some(exact);
        }
        let (a, b) = (self.to_ratio(), other.to_ratio());
        let size = |ratio: &Ratio<BigInt>| {
            let len = |big: &BigInt| big.magnitude().to_string().len() as i64;
            len(ratio.numer()) - len(ratio.denom())
        };
        let quotient = a / b;
        // Two digits more than wanted, so that rounding again cuts at the right place.
        let scale = i64::from(digits) + 2 - size(&quotient);
        let cut = ratio_at(
            &quotient,
            i32::try_from(scale).ok()?,
            rounding_wide(rounding),
        )?;
        cut.rounded(digits, rounding)
    }

    /// Cut to at most this many digits; 0 is any number. `None` if that is refused.
    pub fn rounded(&self, digits: u32, rounding: Rounding) -> Option<Decimal> {
        let surplus = i64::from(self.precision()) - i64::from(digits);
        if digits == 0 || surplus <= 0 {
            return Some(self.clone());
        }
        let cut = self.with_scale(
            i32::try_from(i64::from(self.scale) - surplus).ok()?,
            rounding,
        )?;
        // 9.99 to two digits is 10.0, which has one too many.
        cut.rounded(digits, rounding)
    }

    /// With so many digits behind the point. `None` if digits would be lost that must not be.
    pub fn with_scale(&self, scale: i32, rounding: Rounding) -> Option<Decimal> {
        if scale >= self.scale {
            let power = power_of_ten(scale.abs_diff(self.scale));
            return Some(Decimal {
                digits: &self.digits * power,
                scale,
            });
        }
        let divisor = power_of_ten(scale.abs_diff(self.scale));
        Some(Decimal {
            digits: divided(&self.digits, &divisor, rounding)?,
            scale,
        })
    }

    /// An integer divided by another; `None` if it must not be rounded and has to be.
    pub fn quotient(digits: &BigInt, divisor: &BigInt, rounding: Rounding) -> Option<BigInt> {
        divided(digits, divisor, rounding)
    }

    /// Without zeros at the end.
    #[must_use]
    pub fn stripped(&self) -> Decimal {
        if self.is_zero() {
            return Decimal::from_big(BigInt::zero());
        }
        self.preferring(-i64::from(SCALE_MAX))
            .unwrap_or_else(|| self.clone())
    }

    /// Without zeros at the end, as long as there are more places than preferred; with more zeros
    /// where there are fewer.
    fn preferring(&self, preferred: i64) -> Option<Decimal> {
        let ten = BigInt::from(10);
        let mut cut = self.clone();
        while i64::from(cut.scale) > preferred {
            let (quotient, rest) = cut.digits.div_rem(&ten);
            if !rest.is_zero() {
                break;
            }
            cut = Decimal {
                digits: quotient,
                scale: cut.scale - 1,
            };
        }
        if i64::from(cut.scale) < preferred {
            let preferred = i32::try_from(preferred).ok()?;
            return cut.with_scale(preferred.min(SCALE_MAX), Rounding::Unnecessary);
        }
        Some(cut)
    }

    /// Without an exponent: `1000` for `1E+3`.
    pub fn to_plain(&self) -> String {
        if self.scale <= 0 {
            let power = power_of_ten(self.scale.unsigned_abs());
            return (&self.digits * power).to_string();
        }
        self.with_point(self.scale)
    }

    fn with_point(&self, scale: i32) -> String {
        let digits = self.digits.magnitude().to_string();
        let places = usize::try_from(scale).unwrap_or(0);
        let padded = format!("{digits:0>width$}", width = places + 1);
        let (whole, fraction) = padded.split_at(padded.len() - places);
        let sign = if self.is_negative() { "-" } else { "" };
        format!("{sign}{whole}.{fraction}")
    }
}

fn power_of_ten(exponent: u32) -> BigInt {
    BigInt::from(10).pow(exponent)
}

fn aligned(a: &Decimal, b: &Decimal) -> (BigInt, BigInt, i32) {
    let scale = a.scale.max(b.scale);
    let raised = |it: &Decimal| &it.digits * power_of_ten(scale.abs_diff(it.scale));
    (raised(a), raised(b), scale)
}

/// The places behind the point that a fraction of this denominator needs; `None` if it has no end.
fn places(denominator: &BigInt) -> Option<u32> {
    let mut rest = denominator.clone();
    let mut count = |factor: u32| {
        let factor = BigInt::from(factor);
        let mut times = 0;
        loop {
            let (quotient, left) = rest.div_rem(&factor);
            if !left.is_zero() {
                return times;
            }
            rest = quotient;
            times += 1;
        }
    };
    let (twos, fives) = (count(2), count(5));
    (rest == BigInt::from(1)).then_some(twos.max(fives))
}

/// Towards zero but never losing that there was more, so that a second rounding is right.
fn rounding_wide(rounding: Rounding) -> Rounding {
    match rounding {
        Rounding::HalfUp | Rounding::HalfDown | Rounding::HalfEven => Rounding::Down,
        other => other,
    }
}

fn ratio_at(ratio: &Ratio<BigInt>, scale: i32, rounding: Rounding) -> Option<Decimal> {
    let power = power_of_ten(scale.unsigned_abs());
    let (numerator, denominator) = if scale >= 0 {
        (ratio.numer() * power, ratio.denom().clone())
    } else {
        (ratio.numer().clone(), ratio.denom() * power)
    };
    let mut digits = divided(&numerator, &denominator, rounding)?;
    if rounding == Rounding::Down && !(&numerator % &denominator).is_zero() {
        // A last digit that marks the rest, lest half of something be taken for half.
        digits = digits * 10 + numerator.signum();
        return Decimal::new(digits, i64::from(scale) + 1);
    }
    Decimal::new(digits, i64::from(scale))
}

fn divided(digits: &BigInt, divisor: &BigInt, rounding: Rounding) -> Option<BigInt> {
    let (quotient, rest) = digits.div_rem(divisor);
    if rest.is_zero() {
        return Some(quotient);
    }
    let half = (rest.magnitude() * 2u32).cmp(divisor.magnitude());
    let away = match rounding {
        Rounding::Up => true,
        Rounding::Down => false,
        Rounding::Ceiling => digits.is_positive(),
        Rounding::Floor => digits.is_negative(),
        Rounding::HalfUp => half != Ordering::Less,
        Rounding::HalfDown => half == Ordering::Greater,
        Rounding::HalfEven => {
            half == Ordering::Greater || half == Ordering::Equal && quotient.is_odd()
        }
        Rounding::Unnecessary => return None,
    };
    Some(if away {
        quotient + digits.signum()
    } else {
        quotient
    })
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Decimal) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Decimal {}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Decimal) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Decimal) -> Ordering {
        let (a, b, _) = aligned(self, other);
        a.cmp(&b)
    }
}

impl Hash for Decimal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let stripped = self.stripped();
        stripped.digits.hash(state);
        stripped.scale.hash(state);
    }
}

/// As Java's `toString`: `1.50`, `1E+3`, `1.0E-10`.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.digits.magnitude().to_string();
        let adjusted = digits.len() as i64 - 1 - i64::from(self.scale);
        if self.scale == 0 {
            return write!(f, "{}", self.digits);
        }
        if self.scale > 0 && adjusted >= -6 {
            return f.write_str(&self.with_point(self.scale));
        }
        let sign = if self.is_negative() { "-" } else { "" };
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        write!(f, "{sign}{first}{point}{rest}E{adjusted:+}")
    }
}

impl From<i64> for Decimal {
    fn from(int: i64) -> Decimal {
        Decimal::from_big(BigInt::from(int))
    }
}

impl Decimal {
    /// The exact `i64`, cut towards zero; `None` if it does not fit.
    pub fn to_i64(&self) -> Option<i64> {
        self.to_integer().to_i64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).expect("a decimal")
    }

    #[test]
    fn prints_as_java_does() {
        for text in ["1.50", "0.001", "-3", "1E+3", "1.0E-10", "0.00", "-0.5"] {
            assert_eq!(decimal(text).to_string(), text);
        }
        assert_eq!(decimal("1E3").to_plain(), "1000");
        assert_eq!(decimal("1E-10").to_plain(), "0.0000000001");
    }

    #[test]
    fn keeps_places() {
        assert_eq!(decimal("1.10").mul(&decimal("2")).to_string(), "2.20");
        assert_eq!(decimal("1.10").add(&decimal("2.1")).to_string(), "3.20");
        assert_eq!(decimal("1.0"), decimal("1.00"));
    }

    #[test]
    fn divides_exactly_or_to_digits() {
        let (one, three) = (decimal("1"), decimal("3"));
        assert_eq!(one.div_exact(&three), None);
        let quotient = |a: &str, b: &str| {
            let exact = decimal(a).div_exact(&decimal(b)).expect("an end");
            exact.to_string()
        };
        assert_eq!(quotient("1", "4"), "0.25");
        assert_eq!(quotient("4.00", "2.0"), "2.0");
        assert_eq!(quotient("100", "10"), "10");
        let rounded = |a: &str, b: &str, digits, rounding| {
            let (a, b) = (decimal(a), decimal(b));
            a.div_to(&b, digits, rounding).expect("rounded").to_string()
        };
        assert_eq!(rounded("1", "3", 5, Rounding::HalfUp), "0.33333");
        assert_eq!(rounded("2", "3", 3, Rounding::Up), "0.667");
        assert_eq!(rounded("200000", "3", 3, Rounding::HalfUp), "6.67E+4");
        assert_eq!(rounded("1", "8", 2, Rounding::HalfEven), "0.12");
    }

    #[test]
    fn rounds_in_each_way() {
        let round = |text: &str, rounding| {
            let cut = decimal(text).with_scale(0, rounding);
            cut.map(|cut| cut.to_string())
        };
        assert_eq!(round("2.5", Rounding::HalfEven).as_deref(), Some("2"));
        assert_eq!(round("2.5", Rounding::HalfUp).as_deref(), Some("3"));
        assert_eq!(round("2.5", Rounding::HalfDown).as_deref(), Some("2"));
        assert_eq!(round("-2.1", Rounding::Floor).as_deref(), Some("-3"));
        assert_eq!(round("-2.1", Rounding::Ceiling).as_deref(), Some("-2"));
        assert_eq!(round("2.1", Rounding::Unnecessary), None);
        assert_eq!(round("2.0", Rounding::Unnecessary).as_deref(), Some("2"));
    }
}
