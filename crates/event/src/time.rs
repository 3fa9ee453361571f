//! Times: microseconds that remember how they were written.

use num_bigint::BigInt;
use num_rational::Ratio;
use num_traits::{One, ToPrimitive};

use crate::Number;

/// How a time reads as a number of seconds: `1` is an `Int`, `1.5` an `F64`, `3/2` a `Ratio`.
/// A whole `Ratio` reads as an integer, as in Clojure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TimeKind {
    Int,
    Ratio,
    F64,
}

/// A point in time since 1970, or a length of time, in microseconds, with the kind of number it
/// reads as. `Int` times are whole seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Time {
    pub us: i64,
    pub kind: TimeKind,
}

const US_PER_S: i64 = 1_000_000;

impl Time {
    /// Whole seconds; saturates beyond ±292 000 years.
    pub fn from_s(seconds: i64) -> Time {
        Time {
            us: seconds.saturating_mul(US_PER_S),
            kind: TimeKind::Int,
        }
    }

    /// Microseconds that read as a double of seconds, as `time_micros` on the wire does.
    pub fn from_us(us: i64) -> Time {
        Time {
            us,
            kind: TimeKind::F64,
        }
    }

    /// Microseconds that read as an exact ratio of seconds, as `(unix-time)` does.
    pub fn exact(us: i64) -> Time {
        Time {
            us,
            kind: TimeKind::Ratio,
        }
    }

    /// The time that reads as exactly `number` seconds; `None` if microseconds cannot hold it
    /// (a third, NaN, an integer beyond range).
    pub fn from_number(number: &Number) -> Option<Time> {
        let time = Time::nearest(number)?;
        (time.to_number() == *number).then_some(time)
    }

    /// The nearest time to `number` seconds; `None` for NaN and what is out of range.
    pub fn nearest(number: &Number) -> Option<Time> {
        match number {
            Number::Int(s) => Some(Time {
                us: s.checked_mul(US_PER_S)?,
                kind: TimeKind::Int,
            }),
            Number::Big(big) => Some(Time {
                us: big.to_i64()?.checked_mul(US_PER_S)?,
                kind: TimeKind::Int,
            }),
            Number::Decimal(_) => None,
            Number::Ratio(ratio) => {
                let us = (&**ratio * Ratio::from_integer(BigInt::from(US_PER_S))).round();
                Some(Time {
                    us: us.to_integer().to_i64()?,
                    kind: TimeKind::Ratio,
                })
            }
            Number::F64(_) | Number::F32(_) => {
                let us = (number.to_f64() * US_PER_S as f64).round();
                (us.abs() < i64::MAX as f64).then_some(Time {
                    us: us as i64,
                    kind: TimeKind::F64,
                })
            }
        }
    }

    /// Seconds, in the kind it was written in.
    pub fn to_number(self) -> Number {
        match self.kind {
            TimeKind::F64 => Number::F64(self.to_f64()),
            TimeKind::Int | TimeKind::Ratio if self.us % US_PER_S == 0 => {
                Number::Int(self.us / US_PER_S)
            }
            TimeKind::Int | TimeKind::Ratio => {
                let ratio = Ratio::new(BigInt::from(self.us), BigInt::from(US_PER_S));
                debug_assert!(!ratio.denom().is_one());
                Number::from_ratio(ratio)
            }
        }
    }

    /// Seconds as a double.
    pub fn to_f64(self) -> f64 {
        self.us as f64 / US_PER_S as f64
    }

    /// Whole seconds, rounded down.
    pub fn floor_s(self) -> i64 {
        self.us.div_euclid(US_PER_S)
    }

    /// The sum; its kind is a float if either is, else a ratio if either is.
    #[must_use]
    pub fn plus(self, other: Time) -> Time {
        Time {
            us: self.us.saturating_add(other.us),
            kind: self.kind.max(other.kind),
        }
    }

    /// The difference, of a kind as in [`Time::plus`].
    #[must_use]
    pub fn minus(self, other: Time) -> Time {
        Time {
            us: self.us.saturating_sub(other.us),
            kind: self.kind.max(other.kind),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(number: Number) {
        assert_eq!(
            Time::from_number(&number).map(Time::to_number),
            Some(number)
        );
    }

    #[test]
    fn numbers_come_back_as_they_were() {
        check(Number::Int(3));
        check(Number::F64(0.9));
        check(Number::F64(1_795_215_542.831));
        check(
            Number::Int(1_795_215_542_831)
                .div(&Number::Int(1000))
                .unwrap(),
        );
        check(Number::Int(-1).div(&Number::Int(2)).unwrap());
    }

    #[test]
    fn what_microseconds_cannot_hold_is_refused() {
        assert_eq!(
            Time::from_number(&Number::Int(1).div(&Number::Int(3)).unwrap()),
            None
        );
        assert_eq!(Time::from_number(&Number::F64(f64::NAN)), None);
        assert_eq!(Time::from_number(&Number::Int(i64::MAX)), None);
    }
}
