//! The distance between two runs of a periodic task.

use event::{Number, Time, TimeKind};
use num_bigint::BigInt;
use num_rational::Ratio;
use num_traits::ToPrimitive;

/// A positive length of time, kept exactly: the grid of a task that runs every third of a second is
/// found by multiplication, each point rounded to a microsecond, so it does not drift.
///
/// ```
/// use clock::Interval;
/// use event::{Number, Time};
/// let third = Interval::from_number(&Number::Int(1).div(&Number::Int(3)).unwrap()).unwrap();
/// assert_eq!(third.after(Time::from_s(0), 1).us, 333_333);
/// assert_eq!(third.after(Time::from_s(0), 3).to_number(), Number::Int(1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Microseconds, as a fraction; at least one, the numerator below 2^[`NUMERATOR_BITS`].
    numerator: i128,
    denominator: i128,
    kind: TimeKind,
}

/// Leaves room to multiply by any count of runs below 2^36 (one each microsecond for 19 hours, one each
/// second for 2 000 years).
const NUMERATOR_BITS: u64 = 90;

const US_PER_S: i64 = 1_000_000;

impl Interval {
    /// The interval of `seconds`, at least a microsecond. `None` unless it is positive and finite.
    pub fn from_number(seconds: &Number) -> Option<Interval> {
        let us = seconds.to_ratio()? * Ratio::from_integer(BigInt::from(US_PER_S));
        if us <= Ratio::from_integer(BigInt::ZERO) {
            return None;
        }
        let kind = match seconds {
            Number::Int(_) | Number::Big(_) => TimeKind::Int,
            Number::Ratio(_) => TimeKind::Ratio,
            Number::F64(_) | Number::F32(_) | Number::Decimal(_) => TimeKind::F64,
        };
        let exact = us.numer().bits() <= NUMERATOR_BITS && us.denom().bits() <= NUMERATOR_BITS;
        if us < Ratio::from_integer(BigInt::from(1)) || !exact {
            let nearest = us.round().to_integer().to_i64().unwrap_or(i64::MAX);
            return Some(Interval {
                numerator: nearest.max(1).into(),
                denominator: 1,
                kind,
            });
        }
        let (numerator, denominator) = (us.numer().to_i128()?, us.denom().to_i128()?);
        Some(Interval {
            numerator,
            denominator,
            kind,
        })
    }

    /// The interval of that length; `None` unless it is positive.
    pub fn from_time(length: Time) -> Option<Interval> {
        (length.us > 0).then_some(Interval {
            numerator: length.us.into(),
            denominator: 1,
            kind: length.kind,
        })
    }

    /// The time `count` intervals after `anchor`; its kind is a float if either is, else a ratio if
    /// either is. Saturates at the end of time.
    pub fn after(&self, anchor: Time, count: u64) -> Time {
        let half = self.denominator / 2;
        let past = self
            .numerator
            .checked_mul(count.into())
            .map_or(i128::from(i64::MAX), |product| {
                (product + half) / self.denominator
            });
        let us = i64::try_from(i128::from(anchor.us) + past).unwrap_or(i64::MAX);
        Time {
            us,
            kind: anchor.kind.max(self.kind),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(interval: Number, count: u64, us: i64) {
        let interval = Interval::from_number(&interval).unwrap();
        assert_eq!(interval.after(Time::from_s(0), count).us, us);
    }

    #[test]
    fn a_grid_does_not_drift() {
        check(
            Number::Int(1).div(&Number::Int(3)).unwrap(),
            3_000_000,
            1_000_000_000_000,
        );
        check(Number::F64(0.1), 10_000_000, 1_000_000_000_000);
        check(Number::F64(1.0 / 3.0), 3_000_000, 1_000_000_000_000);
        check(Number::F64(1e-300), 5, 5);
        check(Number::Int(i64::MAX), 2, i64::MAX);
    }

    #[test]
    fn only_positive_lengths_are_intervals() {
        for number in [Number::Int(0), Number::Int(-1), Number::F64(f64::NAN)] {
            assert_eq!(Interval::from_number(&number), None);
        }
        assert_eq!(Interval::from_number(&Number::F64(f64::INFINITY)), None);
        assert_eq!(Interval::from_time(Time::from_s(0)), None);
    }

    #[test]
    fn kinds_add_as_numbers_do() {
        let half = Interval::from_number(&Number::F64(0.5)).unwrap();
        assert_eq!(half.after(Time::from_s(1), 2).to_number(), Number::F64(2.0));
        let one = Interval::from_time(Time::from_s(1)).unwrap();
        assert_eq!(one.after(Time::from_s(1), 2).to_number(), Number::Int(3));
    }
}
