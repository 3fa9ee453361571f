//! The time from one point to another.

use std::any::Any;
use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use jiff::Zoned;

use super::period::Unit;
use super::{out_of_range, pattern::Pattern};
use crate::core::arguments::not_a;
use crate::{Object, Result, Thrown, Value};

/// `org.joda.time.Interval`: from its start, included, to its end, left out.
pub struct Interval {
    pub start: Zoned,
    pub end: Zoned,
}

/// The interval that an argument is.
///
/// # Errors
/// `ClassCastException` for something else.
pub fn interval(value: &Value) -> Result<&Interval> {
    value
        .downcast()
        .ok_or_else(|| not_a(value, "org.joda.time.ReadableInterval"))
}

impl Interval {
    /// # Errors
    /// `IllegalArgumentException` when the end is before the start.
    pub fn new(start: Zoned, end: Zoned) -> Result<Interval> {
        if end < start {
            return Err(Thrown::illegal_argument(
                "The end instant must be greater than the start instant",
            ));
        }
        Ok(Interval { start, end })
    }

    pub fn contains(&self, instant: &Zoned) -> bool {
        self.start <= *instant && *instant < self.end
    }

    pub fn overlaps(&self, other: &Interval) -> bool {
        self.start < other.end && other.start < self.end
    }

    fn iso(&self) -> String {
        let iso = Pattern::iso();
        format!("{}/{}", iso.format(&self.start), iso.format(&self.end))
    }

    /// How many whole units fit in.
    ///
    /// # Errors
    /// `IllegalArgumentException` for more than jiff's greatest span.
    pub fn whole(&self, unit: Unit) -> Result<i64> {
        let calendar = match unit {
            Unit::Years => jiff::Unit::Year,
            Unit::Months => jiff::Unit::Month,
            Unit::Weeks => jiff::Unit::Week,
            Unit::Days => jiff::Unit::Day,
            Unit::Hours | Unit::Minutes | Unit::Seconds | Unit::Millis => {
                let ms =
                    self.end.timestamp().as_millisecond() - self.start.timestamp().as_millisecond();
                return Ok(ms / unit.ms().unwrap_or(1));
            }
        };
        let end = self.end.with_time_zone(self.start.time_zone().clone());
        let span = self.start.until((calendar, &end)).map_err(out_of_range)?;
        Ok(match unit {
            Unit::Years => span.get_years().into(),
            Unit::Months => span.get_months().into(),
            Unit::Weeks => span.get_weeks().into(),
            _ => span.get_days().into(),
        })
    }
}

impl Object for Interval {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "org.joda.time.Interval"
    }

    fn print(&self, out: &mut String, _: bool) {
        super::print(self, &self.iso(), out);
    }

    fn text(&self) -> Option<String> {
        Some(self.iso())
    }

    fn equals(&self, other: &dyn Object) -> bool {
        other
            .as_any()
            .downcast_ref::<Interval>()
            .is_some_and(|other| self.start == other.start && self.end == other.end)
    }

    fn is_a(&self, class: &str) -> bool {
        class == "org.joda.time.ReadableInterval"
    }

    fn hash_code(&self) -> Option<u64> {
        let ends = (self.start.timestamp(), self.end.timestamp());
        Some(FixedState::default().hash_one(ends))
    }
}
