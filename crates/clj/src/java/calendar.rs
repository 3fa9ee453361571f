//! `java.util.Calendar` and `java.util.GregorianCalendar`, with weeks that begin on Sunday.

use std::any::Any;
use std::cmp::Ordering;

use jiff::civil::date;
use jiff::{Span, Timestamp, ToSpan, Zoned};
use parking_lot::Mutex;

use super::date::{Date, ms_of};
use super::date_format::Zone;
use super::{Field, JavaClass, constructor, member};
use crate::core::arguments::{int, not_a};
use crate::library::time::default_zone;
use crate::{Cx, Object, Result, Thrown, Value};

pub(super) const CLASSES: &[JavaClass] = &[
    JavaClass {
        name: "java.util.Calendar",
        construct: None,
        statics: &[member("getInstance", 0, 2, now)],
        fields: FIELDS,
    },
    JavaClass {
        name: "java.util.GregorianCalendar",
        construct: constructor(0, 6, |cx, a| match a {
            [_, _, _, ..] => {
                let calendar = Calendar::now(cx, &[])?;
                calendar.set_all(a, true)?;
                Ok(Value::object(calendar))
            }
            _ => now(cx, a),
        }),
        statics: &[member("getInstance", 0, 2, now)],
        fields: FIELDS,
    },
];

const YEAR: i64 = 1;
const MONTH: i64 = 2;
const WEEK_OF_YEAR: i64 = 3;
const WEEK_OF_MONTH: i64 = 4;
const DAY_OF_MONTH: i64 = 5;
const DAY_OF_YEAR: i64 = 6;
const DAY_OF_WEEK: i64 = 7;
const DAY_OF_WEEK_IN_MONTH: i64 = 8;
const AM_PM: i64 = 9;
const HOUR: i64 = 10;
const HOUR_OF_DAY: i64 = 11;
const MINUTE: i64 = 12;
const SECOND: i64 = 13;
const MILLISECOND: i64 = 14;

const FIELDS: &[Field] = &[
    ("YEAR", || Value::Int(YEAR)),
    ("MONTH", || Value::Int(MONTH)),
    ("WEEK_OF_YEAR", || Value::Int(WEEK_OF_YEAR)),
    ("WEEK_OF_MONTH", || Value::Int(WEEK_OF_MONTH)),
    ("DATE", || Value::Int(DAY_OF_MONTH)),
    ("DAY_OF_MONTH", || Value::Int(DAY_OF_MONTH)),
    ("DAY_OF_YEAR", || Value::Int(DAY_OF_YEAR)),
    ("DAY_OF_WEEK", || Value::Int(DAY_OF_WEEK)),
    ("DAY_OF_WEEK_IN_MONTH", || Value::Int(DAY_OF_WEEK_IN_MONTH)),
    ("AM_PM", || Value::Int(AM_PM)),
    ("HOUR", || Value::Int(HOUR)),
    ("HOUR_OF_DAY", || Value::Int(HOUR_OF_DAY)),
    ("MINUTE", || Value::Int(MINUTE)),
    ("SECOND", || Value::Int(SECOND)),
    ("MILLISECOND", || Value::Int(MILLISECOND)),
    ("AM", || Value::Int(0)),
    ("PM", || Value::Int(1)),
    ("SUNDAY", || Value::Int(1)),
    ("MONDAY", || Value::Int(2)),
    ("TUESDAY", || Value::Int(3)),
    ("WEDNESDAY", || Value::Int(4)),
    ("THURSDAY", || Value::Int(5)),
    ("FRIDAY", || Value::Int(6)),
    ("SATURDAY", || Value::Int(7)),
    ("JANUARY", || Value::Int(0)),
    ("FEBRUARY", || Value::Int(1)),
    ("MARCH", || Value::Int(2)),
    ("APRIL", || Value::Int(3)),
    ("MAY", || Value::Int(4)),
    ("JUNE", || Value::Int(5)),
    ("JULY", || Value::Int(6)),
    ("AUGUST", || Value::Int(7)),
    ("SEPTEMBER", || Value::Int(8)),
    ("OCTOBER", || Value::Int(9)),
    ("NOVEMBER", || Value::Int(10)),
    ("DECEMBER", || Value::Int(11)),
];

/// A point in time in a zone, of which fields can be read, set and added to.
struct Calendar(Mutex<Zoned>);

fn now(cx: &Cx<'_>, a: &[Value]) -> Result {
    Ok(Value::object(Calendar::now(cx, a)?))
}

fn out_of_range(error: jiff::Error) -> Thrown {
    Thrown::illegal_argument(error.to_string())
}

fn at_ms(ms: i64, like: &Zoned) -> Result<Zoned> {
    let at = Timestamp::from_millisecond(ms).map_err(out_of_range)?;
    Ok(at.to_zoned(like.time_zone().clone()))
}

/// As many of a field as make up that field's part of a longer or shorter time.
fn span(field: i64, count: i64) -> Result<Span> {
    let none = Span::new();
    let span = match field {
        YEAR => none.try_years(count),
        MONTH => none.try_months(count),
        WEEK_OF_YEAR | WEEK_OF_MONTH | DAY_OF_WEEK_IN_MONTH => none.try_weeks(count),
        DAY_OF_MONTH | DAY_OF_YEAR | DAY_OF_WEEK => none.try_days(count),
        AM_PM => none.try_hours(count.saturating_mul(12)),
        HOUR | HOUR_OF_DAY => none.try_hours(count),
        MINUTE => none.try_minutes(count),
        SECOND => none.try_seconds(count),
        MILLISECOND => none.try_milliseconds(count),
        _ => return Err(no_field(field)),
    };
    span.map_err(out_of_range)
}

fn no_field(field: i64) -> Thrown {
    Thrown::illegal_argument(format!("No such field of a calendar: {field}"))
        .with_hint("name it, as in java.util.Calendar/HOUR_OF_DAY")
}

fn field(at: &Zoned, field: i64) -> Result<i64> {
    let weekday = |at: &Zoned| i64::from(at.weekday().to_sunday_zero_offset());
    // Days before the first of the span that belong to its first week.
    let offset = |day: i64| (weekday(at) - (day - 1)).rem_euclid(7);
    let day = i64::from(at.day());
    Ok(match field {
        0 => 1,
        YEAR => at.year().into(),
        MONTH => i64::from(at.month()) - 1,
        WEEK_OF_YEAR => {
            let day = i64::from(at.day_of_year());
            let saturday = day + 6 - weekday(at);
            if saturday > i64::from(at.days_in_year()) {
                1
            } else {
                (day - 1 + offset(day)) / 7 + 1
            }
        }
        WEEK_OF_MONTH => (day - 1 + offset(day)) / 7 + 1,
        DAY_OF_MONTH => day,
        DAY_OF_YEAR => at.day_of_year().into(),
        DAY_OF_WEEK => weekday(at) + 1,
        DAY_OF_WEEK_IN_MONTH => (day - 1) / 7 + 1,
        AM_PM => i64::from(at.hour()) / 12,
        HOUR => i64::from(at.hour()) % 12,
        HOUR_OF_DAY => at.hour().into(),
        MINUTE => at.minute().into(),
        SECOND => at.second().into(),
        MILLISECOND => at.millisecond().into(),
        15 => i64::from(at.offset().seconds()) * 1000,
        16 => 0,
        _ => return Err(no_field(field)),
    })
}

/// The time at which a field has a value. What is too large or too small runs over, as in Java.
fn with_field(at: &Zoned, which: i64, to: i64) -> Result<Zoned> {
    let change = to.saturating_sub(field(at, which)?);
    let moved = match which {
        YEAR | MONTH => {
            let first = at.datetime().date().first_of_month();
            let first = first.checked_add(span(which, change)?);
            let days = i64::from(at.day()) - 1;
            let date = first.and_then(|first| first.checked_add(days.days()));
            date.map(|date| date.to_datetime(at.time()))
        }
        _ => at.datetime().checked_add(span(which, change)?),
    };
    let moved = moved.and_then(|moved| moved.to_zoned(at.time_zone().clone()));
    moved.map_err(out_of_range)
}

impl Calendar {
    fn now(cx: &Cx<'_>, a: &[Value]) -> Result<Calendar> {
        let zone = a.iter().find_map(|it| it.downcast::<Zone>());
        let zone = zone.map_or_else(|| default_zone(cx), |it| it.zone.clone());
        let at = Timestamp::from_millisecond(cx.rt.host.now_ms()).map_err(out_of_range)?;
        Ok(Calendar(Mutex::new(at.to_zoned(zone))))
    }

    /// Year, month, day, and perhaps hour, minute and second; if it is to be `whole`, what is not
    /// told is 0.
    fn set_all(&self, a: &[Value], whole: bool) -> Result {
        let order = [YEAR, MONTH, DAY_OF_MONTH, HOUR_OF_DAY, MINUTE, SECOND];
        let mut at = self.0.lock();
        let first = date(at.year(), 1, 1).to_datetime(at.time());
        let mut new = first
            .to_zoned(at.time_zone().clone())
            .map_err(out_of_range)?;
        for (index, which) in order.into_iter().enumerate() {
            match a.get(index) {
                Some(to) => new = with_field(&new, which, int(to)?)?,
                None if whole => new = with_field(&new, which, 0)?,
                None => {}
            }
        }
        if whole {
            new = with_field(&new, MILLISECOND, 0)?;
        }
        *at = new;
        Ok(Value::Nil)
    }

    fn change(&self, to: Result<Zoned>) -> Result {
        *self.0.lock() = to?;
        Ok(Value::Nil)
    }

    fn order(&self, other: &Value) -> Result<Ordering> {
        match other.downcast::<Calendar>() {
            Some(other) => Ok(self.ms().cmp(&other.ms())),
            None => Err(not_a(other, "java.util.Calendar")),
        }
    }

    fn ms(&self) -> i64 {
        self.0.lock().timestamp().as_millisecond()
    }
}

impl Object for Calendar {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.util.GregorianCalendar"
    }

    fn is_a(&self, class: &str) -> bool {
        matches!(class, "java.util.Calendar" | "java.lang.Comparable")
    }

    fn equals(&self, other: &dyn Object) -> bool {
        let other = other.as_any().downcast_ref::<Calendar>();
        other.is_some_and(|other| self.ms() == other.ms())
    }

    fn hash_code(&self) -> Option<u64> {
        Some(self.ms() as u64)
    }

    fn compare(&self, other: &Value) -> Option<Ordering> {
        self.order(other).ok()
    }

    fn method(&self, cx: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        let at = self.0.lock().clone();
        Some(match (name, args) {
            ("get", [which]) => int(which).and_then(|it| field(&at, it)).map(Value::Int),
            ("set", [which, to]) => int(which)
                .and_then(|which| with_field(&at, which, int(to)?))
                .and_then(|to| self.change(Ok(to))),
            ("set", [_, _, _, ..]) if args.len() != 4 && args.len() < 7 => {
                self.set_all(args, false)
            }
            ("add", [which, count]) => int(which)
                .and_then(|which| span(which, int(count)?))
                .and_then(|span| self.change(at.checked_add(span).map_err(out_of_range))),
            ("getTime", []) => Ok(Date::value(cx, self.ms())),
            ("setTime", [date]) => self.change(ms_of(date).and_then(|ms| at_ms(ms, &at))),
            ("getTimeInMillis", []) => Ok(Value::Int(self.ms())),
            ("setTimeInMillis", [ms]) => self.change(int(ms).and_then(|ms| at_ms(ms, &at))),
            ("getTimeZone", []) => Ok(Zone::value(at.time_zone())),
            ("setTimeZone", [zone]) => match zone.downcast::<Zone>() {
                Some(zone) => self.change(Ok(at.with_time_zone(zone.zone.clone()))),
                None => Err(not_a(zone, "java.util.TimeZone")),
            },
            ("before", [other]) => self.order(other).map(|it| Value::Bool(it.is_lt())),
            ("after", [other]) => self.order(other).map(|it| Value::Bool(it.is_gt())),
            ("compareTo", [other]) => self.order(other).map(|it| Value::Int(it as i64)),
            ("getActualMaximum", [which]) if int(which).ok() == Some(DAY_OF_MONTH) => {
                Ok(Value::Int(at.days_in_month().into()))
            }
            ("toInstant", []) => Ok(super::instant::of_ms(self.ms())),
            ("clone", []) => Ok(Value::object(Calendar(Mutex::new(at)))),
            _ => return None,
        })
    }
}
