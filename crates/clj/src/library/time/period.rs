//! Lengths of time in calendar units.

use std::any::Any;
use std::fmt::Write;
use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use jiff::{Span, Zoned};

use crate::core::arguments::not_a;
use crate::{Object, Result, Thrown, Value};

/// A unit of a period, largest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Years,
    Months,
    Weeks,
    Days,
    Hours,
    Minutes,
    Seconds,
    Millis,
}

impl Unit {
    /// Milliseconds in the unit; a day has 24 hours. `None` where it depends on the date.
    pub fn ms(self) -> Option<i64> {
        Some(match self {
            Unit::Years | Unit::Months => return None,
            Unit::Weeks => 7 * 24 * 60 * 60 * 1000,
            Unit::Days => 24 * 60 * 60 * 1000,
            Unit::Hours => 60 * 60 * 1000,
            Unit::Minutes => 60 * 1000,
            Unit::Seconds => 1000,
            Unit::Millis => 1,
        })
    }
}

/// `org.joda.time.Period`: how many of each unit, in the order of [`Unit`].
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Period(pub [i64; 8]);

/// The period that an argument is.
///
/// # Errors
/// `ClassCastException` for something else.
pub fn period(value: &Value) -> Result<&Period> {
    value
        .downcast()
        .ok_or_else(|| not_a(value, "org.joda.time.ReadablePeriod"))
}

impl Period {
    pub fn of(unit: Unit, count: i64) -> Period {
        let mut counts = [0; 8];
        counts[unit as usize] = count;
        Period(counts)
    }

    /// # Errors
    /// `ArithmeticException` when a count leaves 64 bits.
    pub fn plus(&self, other: &Period) -> Result<Period> {
        let mut counts = self.0;
        for (count, more) in counts.iter_mut().zip(other.0) {
            *count = count.checked_add(more).ok_or_else(overflow)?;
        }
        Ok(Period(counts))
    }

    #[must_use]
    pub fn negated(&self) -> Period {
        Period(self.0.map(i64::wrapping_neg))
    }

    /// The point in time that is this much later.
    ///
    /// # Errors
    /// `IllegalArgumentException` beyond the year 9999.
    pub fn after(&self, instant: &Zoned) -> Result<Zoned> {
        instant
            .checked_add(self.span()?)
            .map_err(super::out_of_range)
    }

    /// # Errors
    /// `IllegalArgumentException` for more than jiff's greatest span.
    pub fn span(&self) -> Result<Span> {
        let [years, months, weeks, days, hours, minutes, seconds, millis] = self.0;
        Span::new()
            .try_years(years)
            .and_then(|span| span.try_months(months))
            .and_then(|span| span.try_weeks(weeks))
            .and_then(|span| span.try_days(days))
            .and_then(|span| span.try_hours(hours))
            .and_then(|span| span.try_minutes(minutes))
            .and_then(|span| span.try_seconds(seconds))
            .and_then(|span| span.try_milliseconds(millis))
            .map_err(super::out_of_range)
    }

    /// The length in milliseconds.
    ///
    /// # Errors
    /// `UnsupportedOperationException` with years or months in it, whose length depends on the date.
    pub fn ms(&self) -> Result<i64> {
        if self.0[Unit::Years as usize] != 0 || self.0[Unit::Months as usize] != 0 {
            return Err(Thrown::new(
                "java.lang.UnsupportedOperationException",
                "Cannot convert to Duration as this period contains months or years, whose \
                 lengths vary",
            ));
        }
        let units = [
            Unit::Weeks,
            Unit::Days,
            Unit::Hours,
            Unit::Minutes,
            Unit::Seconds,
            Unit::Millis,
        ];
        units.into_iter().try_fold(0_i64, |sum, unit| {
            let ms = self.0[unit as usize].checked_mul(unit.ms().unwrap_or(0));
            ms.and_then(|ms| sum.checked_add(ms)).ok_or_else(overflow)
        })
    }

    /// As ISO 8601 has it, `P1DT2H`.
    fn iso(&self) -> String {
        let [years, months, weeks, days, hours, minutes, seconds, millis] = self.0;
        let mut text = String::from("P");
        for (count, letter) in [(years, 'Y'), (months, 'M'), (weeks, 'W'), (days, 'D')] {
            if count != 0 {
                let _ = write!(text, "{count}{letter}");
            }
        }
        let ms = seconds.saturating_mul(1000).saturating_add(millis);
        if hours != 0 || minutes != 0 || ms != 0 {
            text.push('T');
        }
        for (count, letter) in [(hours, 'H'), (minutes, 'M')] {
            if count != 0 {
                let _ = write!(text, "{count}{letter}");
            }
        }
        if ms % 1000 != 0 {
            let sign = if ms < 0 { "-" } else { "" };
            let _ = write!(
                text,
                "{sign}{}.{:03}S",
                (ms / 1000).abs(),
                (ms % 1000).abs()
            );
        } else if ms != 0 || text == "P" {
            let _ = write!(text, "{}{}S", if text == "P" { "T" } else { "" }, ms / 1000);
        }
        text
    }
}

fn overflow() -> Thrown {
    Thrown::arithmetic("The calculation caused an overflow")
}

impl Object for Period {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "org.joda.time.Period"
    }

    fn print(&self, out: &mut String, _: bool) {
        super::print(self, &self.iso(), out);
    }

    fn text(&self) -> Option<String> {
        Some(self.iso())
    }

    fn equals(&self, other: &dyn Object) -> bool {
        other.as_any().downcast_ref::<Period>() == Some(self)
    }

    fn is_a(&self, class: &str) -> bool {
        class == "org.joda.time.ReadablePeriod"
    }

    fn hash_code(&self) -> Option<u64> {
        Some(FixedState::default().hash_one(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_iso_8601() {
        let check = |counts, text: &str| assert_eq!(Period(counts).iso(), text);
        check([0; 8], "PT0S");
        check([1, 2, 3, 4, 5, 6, 7, 8], "P1Y2M3W4DT5H6M7.008S");
        check([0, 0, 0, 0, 0, 5, 0, 0], "PT5M");
        check([0, 0, 0, 0, 0, 0, -1, -500], "PT-1.500S");
    }
}
