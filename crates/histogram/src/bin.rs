//! One bin: two significant decimal digits and a power of ten.

use std::cmp::Ordering;
use std::fmt;

use crate::power::power_of_ten;

/// The least and the greatest digits of a bin, as its edge is 1.0 to 9.9 times a power of ten.
const DIGITS: std::ops::RangeInclusive<i8> = 10..=99;

/// Added to the digits before they are cut, so that a decimal literal of two digits, which a double
/// holds only nearly, falls into the bin that bears its name.
const NUDGE: f64 = 1e-13;

/// A bin of the log-linear scale.
///
/// `val` is ±10 to ±99 and `exp` -128 to 127: the bin's edge nearest to zero is
/// `val / 10 × 10^exp`, and it is `10^exp / 10` wide. A positive bin holds its edge and not its far
/// end, a negative one likewise, mirrored. Two bins have no width: zero, and NaN, which takes all
/// that is not a number or too great for the scale. As OpenHistogram's.
///
/// ```
/// use histogram::Bin;
/// let bin = Bin::of(0.0123);
/// assert_eq!((bin.val(), bin.exp()), (12, -2));
/// assert_eq!(bin.to_string(), "+12e-003");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bin {
    val: i8,
    exp: i8,
}

impl Bin {
    /// The bin of all that has no place on the scale.
    pub const NAN: Bin = Bin { val: -1, exp: 0 };
    /// The bin of zero, and of what is nearer to it than 1e-128.
    pub const ZERO: Bin = Bin { val: 0, exp: 0 };

    /// The bin with these digits and power, if there is one. `(-1, 0)` is NaN's, `(0, _)` zero's.
    pub fn new(val: i8, exp: i8) -> Option<Bin> {
        if val == 0 {
            Some(Bin::ZERO)
        } else if val == -1 && exp == 0 {
            Some(Bin::NAN)
        } else if DIGITS.contains(&val.saturating_abs()) {
            Some(Bin { val, exp })
        } else {
            None
        }
    }

    /// The bin that a number falls into.
    #[inline]
    pub fn of(number: f64) -> Bin {
        let magnitude = number.abs();
        if magnitude.is_nan() || magnitude >= 1e128 {
            return Bin::NAN;
        }
        if magnitude < 1e-128 {
            return Bin::ZERO;
        }
        let mut exp = floor_log10(magnitude);
        let mut digits = (magnitude / power_of_ten(exp) * 10.0 + NUDGE) as i32;
        if digits == 100 {
            digits = 10;
            exp += 1;
            if exp > i32::from(i8::MAX) {
                return Bin::NAN;
            }
        }
        let val = if number < 0.0 { -digits } else { digits };
        Bin {
            val: val as i8,
            exp: exp as i8,
        }
    }

    /// The bin of `value × 10^scale`, without rounding. The most negative integer counts as the one
    /// above it.
    #[inline]
    pub fn of_scaled(value: i64, scale: i32) -> Bin {
        if value == 0 {
            return Bin::ZERO;
        }
        let magnitude = value.unsigned_abs().min(i64::MAX as u64);
        let (digits, power) = leading_digits(magnitude);
        let exp = scale.saturating_add(power);
        if exp < i32::from(i8::MIN) {
            return Bin::ZERO;
        }
        if exp > i32::from(i8::MAX) {
            return Bin::NAN;
        }
        let val = if value < 0 { -digits } else { digits };
        Bin {
            val: val as i8,
            exp: exp as i8,
        }
    }

    /// The two digits with the sign; 0 for zero, -1 for NaN.
    #[inline]
    pub fn val(self) -> i8 {
        self.val
    }

    /// The power of ten of the first digit.
    #[inline]
    pub fn exp(self) -> i8 {
        self.exp
    }

    /// Whether this is the bin of what is not a number.
    #[inline]
    pub fn is_nan(self) -> bool {
        self.val == -1
    }

    /// Whether this is the bin of zero.
    #[inline]
    pub fn is_zero(self) -> bool {
        self.val == 0
    }

    /// The end nearest to zero, which the bin holds.
    #[inline]
    pub fn edge(self) -> f64 {
        if self.is_nan() {
            return f64::NAN;
        }
        f64::from(self.val) / 10.0 * power_of_ten(i32::from(self.exp))
    }

    /// The length of the bin; 0 for zero.
    #[inline]
    pub fn width(self) -> f64 {
        match self.val {
            -1 => f64::NAN,
            0 => 0.0,
            _ => power_of_ten(i32::from(self.exp)) / 10.0,
        }
    }

    /// The lower end.
    #[inline]
    pub fn left(self) -> f64 {
        if self.val < 0 {
            self.edge() - self.width()
        } else {
            self.edge()
        }
    }

    /// The upper end.
    #[inline]
    pub fn right(self) -> f64 {
        if self.val < 0 {
            self.edge()
        } else {
            self.edge() + self.width()
        }
    }

    /// The number of the bin whose greatest relative error over the bin is least: at most 1/21.
    ///
    /// ```
    /// let middle = histogram::Bin::of(1.0).middle();
    /// assert!((middle - 1.0476).abs() < 1e-4);
    /// ```
    #[inline]
    pub fn middle(self) -> f64 {
        if self.val <= 0 && self.val >= -1 {
            return self.edge();
        }
        let near = self.edge();
        let far = if self.val < 0 {
            near - self.width()
        } else {
            near + self.width()
        };
        near + (far - near) * near / (near + far)
    }

    /// The bin's place among those of its sign, counted from zero outwards.
    #[inline]
    pub(crate) fn place(self) -> u16 {
        let digits = self.val.unsigned_abs();
        let decade = (i16::from(self.exp) + 128) as u16;
        decade * PLACES_PER_DECADE + u16::from(digits) - 10
    }

    /// The bin at a place; `negative` picks the sign.
    #[inline]
    pub(crate) fn at(place: u16, negative: bool) -> Bin {
        let digits = (place % PLACES_PER_DECADE + 10) as i8;
        Bin {
            val: if negative { -digits } else { digits },
            exp: ((place / PLACES_PER_DECADE) as i16 - 128) as i8,
        }
    }
}

/// Bins of one sign and one power of ten.
const PLACES_PER_DECADE: u16 = 90;

/// Bins of one sign.
pub(crate) const PLACES: usize = 256 * PLACES_PER_DECADE as usize;

/// NaN first, then as the numbers in the bins.
impl Ord for Bin {
    fn cmp(&self, other: &Bin) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl PartialOrd for Bin {
    fn partial_cmp(&self, other: &Bin) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Bin {
    fn rank(self) -> i32 {
        match self.val {
            -1 => i32::MIN,
            0 => 0,
            val if val < 0 => -1 - i32::from(self.place()),
            _ => 1 + i32::from(self.place()),
        }
    }
}

/// The reference library's text of a bin: sign, the two digits as an integer, and its power.
impl fmt::Display for Bin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.val {
            -1 => f.write_str("NaN"),
            0 => f.write_str("0"),
            val => {
                let exp = i32::from(self.exp) - 1;
                let sign = if exp < 0 { '-' } else { '+' };
                write!(f, "{val:+}e{sign}{:03}", exp.abs())
            }
        }
    }
}

impl fmt::Debug for Bin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bin({self})")
    }
}

/// The greatest `exp` with `10^exp <= magnitude`, for 1e-128 to 1e128.
#[inline]
fn floor_log10(magnitude: f64) -> i32 {
    let binary = (magnitude.to_bits() >> 52) as i32 - 1023;
    // log10(2) as a fraction of 2^19: exact to the integer for all powers of two of a double.
    let guess = (binary * 157_826) >> 19;
    guess + i32::from(magnitude >= power_of_ten(guess + 1))
}

/// The first two digits of a magnitude that is not zero (one digit counts as followed by 0), and
/// the power of ten of the first.
#[inline]
fn leading_digits(magnitude: u64) -> (i32, i32) {
    if magnitude < 10 {
        return (magnitude as i32 * 10, 0);
    }
    // The length by way of a double: a bit scan waits for the one before it on many processors
    // (10.0 ns an insertion became 4.4). A double may round up to the next power of two, but no
    // power of ten is skipped so.
    let exponent = (magnitude as i64 as f64).to_bits() >> 52;
    let length = &LENGTHS[(exponent - 1023) as usize & 63];
    let power = length.power + usize::from(magnitude >= length.next_power);
    let inverse = &INVERSES[power & 31];
    let product = u128::from(magnitude * 2) * u128::from(inverse.factor);
    let digits = (product >> 64) as u64 >> inverse.shift;
    (digits as i32, power as i32)
}

/// Integers of one length in binary.
#[derive(Clone, Copy)]
struct Length {
    /// The power of ten of the first digit of the least of them.
    power: usize,
    /// The next power of ten, which the greater of them may reach.
    next_power: u64,
}

/// By the place of the highest bit.
const LENGTHS: [Length; 64] = {
    let mut lengths = [Length {
        power: 0,
        next_power: 0,
    }; 64];
    let mut highest = 0;
    while highest < 64 {
        let least: u64 = 1 << highest;
        let power = least.ilog10();
        let next_power = match 10u64.checked_pow(power + 1) {
            Some(next) => next,
            None => u64::MAX,
        };
        lengths[highest] = Length {
            power: power as usize,
            next_power,
        };
        highest += 1;
    }
    lengths
};

/// Multiplication by `factor / 2^(63 + shift)` and rounding down, for a division by a power of ten.
#[derive(Clone, Copy)]
struct Inverse {
    factor: u64,
    shift: u32,
}

/// What leaves two digits of an integer, by the power of ten of its first digit.
const INVERSES: [Inverse; 32] = {
    let mut inverses = [Inverse {
        factor: 0,
        shift: 0,
    }; 32];
    let mut power = 1;
    while power < 19 {
        let divisor = 10u64.pow(power - 1);
        let shift = divisor.ilog2();
        let factor = (1u128 << (63 + shift)).div_ceil(divisor as u128);
        let greatest = match divisor.checked_mul(100) {
            Some(next) if next <= i64::MAX as u64 => next - 1,
            _ => i64::MAX as u64,
        };
        // The factor is rounded up, so that a quotient may come out too large, but not for these.
        let excess = factor * divisor as u128 - (1u128 << (63 + shift));
        assert!(excess * (greatest as u128) < 1u128 << (63 + shift));
        inverses[power as usize] = Inverse {
            factor: factor as u64,
            shift,
        };
        power += 1;
    }
    inverses
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_fall_where_division_puts_them() {
        let mut value: u64 = 1;
        for step in 0..4_000_u64 {
            value = value
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(step);
            for magnitude in [
                value >> (step % 63 + 1),
                10u64.pow((step % 19) as u32) + step - 1,
                (1 << (step % 63)) - 1 + step / 63,
            ] {
                if magnitude < 10 {
                    continue;
                }
                let power = magnitude.ilog10();
                let digits = magnitude / 10u64.pow(power - 1);
                assert_eq!(
                    leading_digits(magnitude),
                    (digits as i32, power as i32),
                    "{magnitude}"
                );
            }
        }
    }

    #[test]
    fn every_place_is_its_bins() {
        for place in 0..256 * PLACES_PER_DECADE {
            for negative in [false, true] {
                assert_eq!(Bin::at(place, negative).place(), place);
            }
        }
    }

    #[test]
    fn the_logarithm_is_right_at_its_steps() {
        for exp in -127..=127 {
            let power = power_of_ten(exp);
            assert_eq!(floor_log10(power), exp);
            assert_eq!(floor_log10(power.next_down()), exp - 1);
        }
    }
}
