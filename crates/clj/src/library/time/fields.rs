//! The parts of a date and time of day.

use jiff::ToSpan;
use jiff::civil::DateTime;

use super::instant::{civil, with_civil};
use super::out_of_range;
use crate::core::arguments::int;
use crate::core::native;
use crate::{Native, Result, Value};

const ONE: (usize, Option<usize>) = (1, Some(1));

pub const NATIVES: &[Native] = &[
    native("year", "([dt])", "The year.", ONE, |_, a| {
        field(a, |at| at.year().into())
    }),
    native("month", "([dt])", "The month, from 1.", ONE, |_, a| {
        field(a, |at| at.month().into())
    }),
    native(
        "day",
        "([dt])",
        "The day of the month, from 1.",
        ONE,
        |_, a| field(a, |at| at.day().into()),
    ),
    native(
        "day-of-week",
        "([dt])",
        "The day of the week, from 1, Monday.",
        ONE,
        |_, a| field(a, |at| at.weekday().to_monday_one_offset().into()),
    ),
    native(
        "day-of-year",
        "([dt])",
        "The day of the year, from 1.",
        ONE,
        |_, a| field(a, |at| at.day_of_year().into()),
    ),
    native(
        "hour",
        "([dt])",
        "The hour of the day, from 0.",
        ONE,
        |_, a| field(a, |at| at.hour().into()),
    ),
    native(
        "minute",
        "([dt])",
        "The minute of the hour.",
        ONE,
        |_, a| field(a, |at| at.minute().into()),
    ),
    native(
        "second",
        "([dt])",
        "The second of the minute.",
        ONE,
        |_, a| field(a, |at| at.second().into()),
    ),
    native("sec", "([dt])", "The second of the minute.", ONE, |_, a| {
        field(a, |at| at.second().into())
    }),
    native(
        "milli",
        "([dt])",
        "The millisecond of the second.",
        ONE,
        |_, a| field(a, |at| at.millisecond().into()),
    ),
    native(
        "week-number-of-year",
        "([dt])",
        "The ISO week, from 1.",
        ONE,
        |_, a| field(a, |at| at.date().iso_week_date().week().into()),
    ),
    native(
        "week-year",
        "([dt])",
        "The year that the ISO week is of.",
        ONE,
        |_, a| field(a, |at| at.date().iso_week_date().year().into()),
    ),
    native(
        "first-day-of-the-month",
        "([dt] [year month])",
        "Its first day.",
        (1, Some(2)),
        |_, a| changed(a, |at| Ok(at.first_of_month())),
    ),
    native(
        "last-day-of-the-month",
        "([dt] [year month])",
        "Its last day.",
        (1, Some(2)),
        |_, a| changed(a, |at| Ok(at.last_of_month())),
    ),
    native(
        "nth-day-of-the-month",
        "([dt n])",
        "Its nth day.",
        (2, Some(2)),
        |_, a| {
            let days = int(&a[1])? - 1;
            changed(&a[..1], |at| {
                let span = jiff::Span::new().try_days(days).map_err(out_of_range)?;
                at.first_of_month().checked_add(span).map_err(out_of_range)
            })
        },
    ),
    native(
        "number-of-days-in-the-month",
        "([dt] [year month])",
        "How many days it has.",
        (1, Some(2)),
        |_, a| field(&[of_month(a)?], |at| at.days_in_month().into()),
    ),
    native(
        "floor",
        "([dt dt-fn])",
        "The beginning of the unit that dt-fn names.",
        (2, Some(2)),
        |cx, a| floor(cx, &a[0], &a[1]),
    ),
];

fn field(args: &[Value], part: impl Fn(&DateTime) -> i64) -> Result {
    Ok(Value::Int(part(&civil(&args[0])?)))
}

fn changed(args: &[Value], change: impl Fn(DateTime) -> Result<DateTime>) -> Result {
    let value = of_month(args)?;
    with_civil(&value, change(civil(&value)?)?)
}

/// The point in time given, or the beginning of a year and month, in UTC.
fn of_month(args: &[Value]) -> Result {
    let [year, month] = args else {
        return Ok(args[0].clone());
    };
    let (year, month) = (int(year)?, int(month)?);
    let first = jiff::civil::Date::new(year as i16, month as i8, 1).map_err(out_of_range)?;
    let zoned = first
        .to_zoned(jiff::tz::TimeZone::UTC)
        .map_err(out_of_range)?;
    Ok(Value::object(super::instant::DateTime(zoned)))
}

/// Cuts off what is smaller than a unit. The unit is told by what `dt-fn` gives for a probe all of
/// whose parts differ.
fn floor(cx: &crate::Cx<'_>, value: &Value, unit: &Value) -> Result {
    let at = civil(value)?;
    let probe = jiff::civil::datetime(2003, 4, 5, 6, 7, 8, 9_000_000);
    let probe = Value::object(super::instant::Local {
        civil: probe,
        date_only: false,
    });
    let midnight = at.date().to_datetime(jiff::civil::Time::midnight());
    let cut = match cx.call(unit, &[probe])?.as_i64() {
        Some(2003) => midnight.first_of_year(),
        Some(4) => midnight.first_of_month(),
        Some(5) => midnight,
        Some(6) => midnight + i64::from(at.hour()).hours(),
        Some(7) => midnight + i64::from(at.hour()).hours().minutes(at.minute()),
        Some(8) => at - i64::from(at.subsec_nanosecond()).nanoseconds(),
        _ => at,
    };
    with_civil(value, cut)
}
