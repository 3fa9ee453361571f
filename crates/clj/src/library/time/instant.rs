//! Points in time with a zone, and dates without one.

use std::any::Any;
use std::cmp::Ordering;
use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use jiff::Zoned;
use jiff::civil;
use jiff::tz::TimeZone;

use super::pattern::Pattern;
use super::zone::Zone;
use crate::core::arguments::not_a;
use crate::{Cx, Object, Result, Value};

/// `org.joda.time.DateTime`: a point in time, seen from a zone.
pub struct DateTime(pub Zoned);

/// `org.joda.time.LocalDateTime`, or `LocalDate` where the time of day is left out.
pub struct Local {
    pub civil: civil::DateTime,
    pub date_only: bool,
}

/// The point in time that an argument is.
///
/// # Errors
/// `ClassCastException` for something else.
pub fn instant(value: &Value) -> Result<&Zoned> {
    match value.downcast::<DateTime>() {
        Some(DateTime(zoned)) => Ok(zoned),
        None => Err(not_a(value, "org.joda.time.ReadableInstant")),
    }
}

/// A point in time from milliseconds since 1970, in UTC.
///
/// # Errors
/// `IllegalArgumentException` beyond the year 9999.
pub fn from_ms(ms: i64) -> Result {
    Ok(Value::object(DateTime(
        super::timestamp(ms)?.to_zoned(TimeZone::UTC),
    )))
}

/// What it is now, in UTC.
///
/// # Errors
/// `IllegalArgumentException` beyond the year 9999.
pub fn now(cx: &Cx<'_>) -> Result<Zoned> {
    Ok(super::timestamp(cx.rt.host.now_ms())?.to_zoned(TimeZone::UTC))
}

/// The calendar date and time of day of a point in time or a date without a zone.
///
/// # Errors
/// `ClassCastException` for something else.
pub fn civil(value: &Value) -> Result<civil::DateTime> {
    match value.downcast::<Local>() {
        Some(local) => Ok(local.civil),
        None => Ok(instant(value)?.datetime()),
    }
}

/// The same kind of value with another calendar date or time of day.
///
/// # Errors
/// As [`civil`]; `IllegalArgumentException` beyond the year 9999.
pub fn with_civil(value: &Value, civil: civil::DateTime) -> Result {
    match value.downcast::<Local>() {
        Some(local) => Ok(Value::object(Local {
            civil,
            date_only: local.date_only,
        })),
        None => {
            let zone = instant(value)?.time_zone().clone();
            Ok(Value::object(DateTime(
                civil.to_zoned(zone).map_err(super::out_of_range)?,
            )))
        }
    }
}

impl DateTime {
    fn iso(&self) -> String {
        Pattern::iso().format(&self.0)
    }
}

impl Object for DateTime {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "org.joda.time.DateTime"
    }

    fn print(&self, out: &mut String, _: bool) {
        super::print(self, &self.iso(), out);
    }

    fn text(&self) -> Option<String> {
        Some(self.iso())
    }

    fn compare(&self, other: &Value) -> Option<Ordering> {
        instant(other).ok().map(|other| self.0.cmp(other))
    }

    fn equals(&self, other: &dyn Object) -> bool {
        other
            .as_any()
            .downcast_ref::<DateTime>()
            .is_some_and(|other| {
                self.0.timestamp() == other.0.timestamp()
                    && self.0.time_zone() == other.0.time_zone()
            })
    }

    fn is_a(&self, class: &str) -> bool {
        matches!(
            class,
            "org.joda.time.ReadableInstant"
                | "org.joda.time.ReadableDateTime"
                | "org.joda.time.base.AbstractInstant"
                | "java.lang.Comparable"
        )
    }

    fn hash_code(&self) -> Option<u64> {
        Some(FixedState::default().hash_one(self.0.timestamp()))
    }

    fn method(&self, _: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        let at = self.0.datetime();
        let int = |int: i64| Some(Ok(Value::Int(int)));
        match (name, args) {
            ("getMillis", []) => int(self.0.timestamp().as_millisecond()),
            ("getYear", []) => int(at.year().into()),
            ("getMonthOfYear", []) => int(at.month().into()),
            ("getDayOfMonth", []) => int(at.day().into()),
            ("getDayOfWeek", []) => int(at.weekday().to_monday_one_offset().into()),
            ("getDayOfYear", []) => int(at.day_of_year().into()),
            ("getHourOfDay", []) => int(at.hour().into()),
            ("getMinuteOfHour", []) => int(at.minute().into()),
            ("getSecondOfMinute", []) => int(at.second().into()),
            ("getMillisOfSecond", []) => int(at.millisecond().into()),
            ("getZone", []) => Some(Ok(Value::object(Zone(self.0.time_zone().clone())))),
            ("toString", []) => Some(Ok(Value::from(self.iso()))),
            ("toString", [pattern]) => {
                let pattern = Pattern::parse(&pattern.to_text());
                Some(pattern.map(|pattern| Value::from(pattern.format(&self.0))))
            }
            ("isBefore", [other]) => Some(instant(other).map(|other| (self.0 < *other).into())),
            ("isAfter", [other]) => Some(instant(other).map(|other| (self.0 > *other).into())),
            ("isEqual", [other]) => Some(instant(other).map(|other| (self.0 == *other).into())),
            ("compareTo", [other]) => {
                Some(instant(other).map(|other| Value::Int(self.0.cmp(other) as i64)))
            }
            _ => None,
        }
    }
}

impl Local {
    fn iso(&self) -> String {
        match self.date_only {
            true => self.civil.date().to_string(),
            false => self.civil.strftime("%Y-%m-%dT%H:%M:%S.%3f").to_string(),
        }
    }
}

impl Object for Local {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        if self.date_only {
            "org.joda.time.LocalDate"
        } else {
            "org.joda.time.LocalDateTime"
        }
    }

    fn print(&self, out: &mut String, _: bool) {
        super::print(self, &self.iso(), out);
    }

    fn text(&self) -> Option<String> {
        Some(self.iso())
    }

    fn compare(&self, other: &Value) -> Option<Ordering> {
        other
            .downcast::<Local>()
            .map(|other| self.civil.cmp(&other.civil))
    }

    fn equals(&self, other: &dyn Object) -> bool {
        other
            .as_any()
            .downcast_ref::<Local>()
            .is_some_and(|other| self.civil == other.civil && self.date_only == other.date_only)
    }

    fn hash_code(&self) -> Option<u64> {
        Some(FixedState::default().hash_one(self.civil))
    }
}
