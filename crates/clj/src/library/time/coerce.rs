//! `clj-time.coerce`: points in time from numbers, dates and texts, and back.

use jiff::Zoned;
use jiff::tz::TimeZone;

use super::instant::{DateTime, Local, from_ms};
use super::{format, out_of_range, pattern::Pattern, zone};
use crate::core::arguments::int;
use crate::core::native;
use crate::{Cx, Native, Result, Value, java};

const ONE: (usize, Option<usize>) = (1, Some(1));

pub const NATIVES: &[Native] = &[
    native(
        "from-long",
        "([millis])",
        "The point in time so many ms after 1970.",
        ONE,
        |_, a| match &a[0] {
            Value::Nil => Ok(Value::Nil),
            ms => from_ms(int(ms)?),
        },
    ),
    native(
        "from-epoch",
        "([seconds])",
        "The point in time so many s after 1970.",
        ONE,
        |_, a| match &a[0] {
            Value::Nil => Ok(Value::Nil),
            seconds => from_ms(int(seconds)?.saturating_mul(1000)),
        },
    ),
    native(
        "from-date",
        "([date])",
        "The point in time of a java.util.Date.",
        ONE,
        to_date_time,
    ),
    native(
        "from-string",
        "([s])",
        "The point in time that a text says, nil if none.",
        ONE,
        |_, a| match &a[0] {
            Value::Nil => Ok(Value::Nil),
            text => format::parse_any(&text.to_text()),
        },
    ),
    native(
        "to-date-time",
        "([obj])",
        "Anything like a point in time as one.",
        ONE,
        to_date_time,
    ),
    native(
        "to-long",
        "([obj])",
        "Milliseconds since 1970.",
        ONE,
        |cx, a| {
            Ok(zoned(cx, &a[0])?
                .map(|at| at.timestamp().as_millisecond())
                .into())
        },
    ),
    native(
        "to-epoch",
        "([obj])",
        "Whole seconds since 1970.",
        ONE,
        |cx, a| {
            Ok(zoned(cx, &a[0])?
                .map(|at| at.timestamp().as_millisecond() / 1000)
                .into())
        },
    ),
    native(
        "to-date",
        "([obj])",
        "A java.util.Date.",
        ONE,
        |cx, a| match zoned(cx, &a[0])? {
            None => Ok(Value::Nil),
            Some(at) => {
                let ms = Value::Int(at.timestamp().as_millisecond());
                java::construct(cx, "java.util.Date", &[ms])
            }
        },
    ),
    native(
        "to-string",
        "([obj])",
        "The ISO 8601 text, in UTC.",
        ONE,
        |cx, a| {
            let text = |at: Zoned| Pattern::iso().format(&zone::moved(&at, &TimeZone::UTC));
            Ok(zoned(cx, &a[0])?.map(text).into())
        },
    ),
    native(
        "to-local-date",
        "([obj])",
        "The date in UTC, without a zone.",
        ONE,
        |cx, a| to_local(cx, &a[0], true),
    ),
    native(
        "to-local-date-time",
        "([obj])",
        "The date and time in UTC, without a zone.",
        ONE,
        |cx, a| to_local(cx, &a[0], false),
    ),
];

fn to_date_time(cx: &Cx<'_>, args: &[Value]) -> Result {
    Ok(zoned(cx, &args[0])?
        .map(|at| Value::object(DateTime(at)))
        .unwrap_or_default())
}

fn to_local(cx: &Cx<'_>, value: &Value, date_only: bool) -> Result {
    let Some(at) = zoned(cx, value)? else {
        return Ok(Value::Nil);
    };
    let at = zone::moved(&at, &TimeZone::UTC);
    let civil = if date_only {
        at.date().into()
    } else {
        at.datetime()
    };
    Ok(Value::object(Local { civil, date_only }))
}

/// The point in time that a value stands for; `None` for nil and for a text that says none.
///
/// # Errors
/// `IllegalArgumentException` for a value of another kind.
pub fn zoned(cx: &Cx<'_>, value: &Value) -> Result<Option<Zoned>> {
    if let Some(DateTime(at)) = value.downcast() {
        return Ok(Some(at.clone()));
    }
    if let Some(local) = value.downcast::<Local>() {
        return local
            .civil
            .to_zoned(TimeZone::UTC)
            .map(Some)
            .map_err(out_of_range);
    }
    let made = match value {
        Value::Nil => return Ok(None),
        Value::Str(text) => format::parse_any(text)?,
        Value::Object(_) => from_ms(int(&java::method(cx, value, "getTime", &[])?)?)?,
        number => from_ms(int(number)?)?,
    };
    Ok(made.downcast::<DateTime>().map(|DateTime(at)| at.clone()))
}
