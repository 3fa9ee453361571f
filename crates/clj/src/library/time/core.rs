//! Making points in time, comparing them, and adding to them.

use jiff::civil;
use jiff::tz::TimeZone;

use super::instant::{DateTime, Local, civil, from_ms, instant, now, with_civil};
use super::interval::{Interval, interval};
use super::period::{Period, period};
use super::{out_of_range, zone};
use crate::core::arguments::int;
use crate::core::native;
use crate::{Cx, Native, Result, Thrown, Value};

const NONE: (usize, Option<usize>) = (0, Some(0));
const ONE: (usize, Option<usize>) = (1, Some(1));
const TWO: (usize, Option<usize>) = (2, Some(2));

pub const NATIVES: &[Native] = &[
    native("now", "([])", "What it is now, in UTC.", NONE, |cx, _| {
        Ok(Value::object(DateTime(now(cx)?)))
    }),
    native(
        "epoch",
        "([])",
        "The beginning of 1970, in UTC.",
        NONE,
        |_, _| from_ms(0),
    ),
    native(
        "date-time",
        DATE_TIME,
        "A point in time, in UTC.",
        (1, Some(7)),
        |_, a| {
            let at = parts(a)?.to_zoned(TimeZone::UTC).map_err(out_of_range)?;
            Ok(Value::object(DateTime(at)))
        },
    ),
    native(
        "date-midnight",
        DATE,
        "The beginning of a day, in UTC.",
        (1, Some(3)),
        |_, a| {
            let at = parts(a)?.to_zoned(TimeZone::UTC).map_err(out_of_range)?;
            Ok(Value::object(DateTime(at)))
        },
    ),
    native(
        "local-date-time",
        DATE_TIME,
        "A date and time without a zone.",
        (1, Some(7)),
        |_, a| {
            Ok(Value::object(Local {
                civil: parts(a)?,
                date_only: false,
            }))
        },
    ),
    native(
        "local-date",
        DATE,
        "A date without a zone.",
        (3, Some(3)),
        |_, a| {
            Ok(Value::object(Local {
                civil: parts(a)?,
                date_only: true,
            }))
        },
    ),
    native(
        "today",
        "([])",
        "The date where this machine is.",
        NONE,
        |cx, _| {
            let here = zone::moved(&now(cx)?, &zone::default(cx));
            Ok(Value::object(Local {
                civil: here.date().to_datetime(civil::Time::midnight()),
                date_only: true,
            }))
        },
    ),
    native(
        "today-at-midnight",
        "([] [tz])",
        "When today began, in UTC or a zone.",
        (0, Some(1)),
        today_at_midnight,
    ),
    native(
        "with-time-at-start-of-day",
        "([dt])",
        "When the day began.",
        ONE,
        |_, a| {
            with_civil(
                &a[0],
                civil(&a[0])?.date().to_datetime(civil::Time::midnight()),
            )
        },
    ),
    native(
        "today-at",
        "([hours minutes] [hours minutes seconds] [hours minutes seconds millis])",
        "A time of today, in UTC.",
        (1, Some(4)),
        today_at,
    ),
    native(
        "plus",
        "([dt & periods])",
        "Later by all periods; periods are added up.",
        (1, None),
        |_, a| {
            a[1..]
                .iter()
                .try_fold(a[0].clone(), |at, more| plus(&at, period(more)?))
        },
    ),
    native(
        "minus",
        "([dt & periods])",
        "Earlier by all periods.",
        (1, None),
        |_, a| {
            a[1..]
                .iter()
                .try_fold(a[0].clone(), |at, less| plus(&at, &period(less)?.negated()))
        },
    ),
    native(
        "ago",
        "([period])",
        "What it was a period ago.",
        ONE,
        |cx, a| {
            Ok(Value::object(DateTime(
                period(&a[0])?.negated().after(&now(cx)?)?,
            )))
        },
    ),
    native(
        "from-now",
        "([period])",
        "What it will be after a period.",
        ONE,
        |cx, a| Ok(Value::object(DateTime(period(&a[0])?.after(&now(cx)?)?))),
    ),
    native("yesterday", "([])", "A day ago.", NONE, |cx, _| {
        let day = Period::of(super::period::Unit::Days, -1);
        Ok(Value::object(DateTime(day.after(&now(cx)?)?)))
    }),
    native(
        "before?",
        "([this that])",
        "True if this is earlier.",
        TWO,
        |_, a| Ok(order(a)?.is_lt().into()),
    ),
    native(
        "after?",
        "([this that])",
        "True if this is later.",
        TWO,
        |_, a| Ok(order(a)?.is_gt().into()),
    ),
    native(
        "equal?",
        "([this that])",
        "True for the same point in time.",
        TWO,
        |_, a| Ok(order(a)?.is_eq().into()),
    ),
    native(
        "earliest",
        "([dt1 dt2] [dts])",
        "The earliest of all.",
        (1, Some(2)),
        |_, a| choose(a, std::cmp::Ordering::is_lt),
    ),
    native(
        "latest",
        "([dt1 dt2] [dts])",
        "The latest of all.",
        (1, Some(2)),
        |_, a| choose(a, std::cmp::Ordering::is_gt),
    ),
    native(
        "interval",
        "([start end])",
        "The time between two points.",
        TWO,
        |_, a| {
            let ends = (instant(&a[0])?.clone(), instant(&a[1])?.clone());
            Ok(Value::object(Interval::new(ends.0, ends.1)?))
        },
    ),
    native(
        "start",
        "([in])",
        "The start of an interval.",
        ONE,
        |_, a| Ok(Value::object(DateTime(interval(&a[0])?.start.clone()))),
    ),
    native("end", "([in])", "The end of an interval.", ONE, |_, a| {
        Ok(Value::object(DateTime(interval(&a[0])?.end.clone())))
    }),
    native(
        "extend",
        "([in & by])",
        "An interval whose end is later by the periods.",
        (1, None),
        |_, a| {
            let Interval { start, end } = interval(&a[0])?;
            let by = |end, by: &Value| period(by)?.after(&end);
            let end = a[1..].iter().try_fold(end.clone(), by)?;
            Ok(Value::object(Interval::new(start.clone(), end)?))
        },
    ),
    native(
        "within?",
        "([interval dt] [start end dt])",
        "True if the point in time lies in an interval, its end left out; or between two points, \
         both included.",
        (2, Some(3)),
        within,
    ),
    native(
        "overlaps?",
        "([i1 i2] [start1 end1 start2 end2])",
        "True if they share time.",
        (2, Some(4)),
        overlaps,
    ),
    native(
        "overlap",
        "([i1 i2])",
        "The time that two intervals share, nil if none.",
        TWO,
        |_, a| {
            let (one, other) = (interval(&a[0])?, interval(&a[1])?);
            if !one.overlaps(other) {
                return Ok(Value::Nil);
            }
            let start = one.start.clone().max(other.start.clone());
            Ok(Value::object(Interval::new(
                start,
                one.end.clone().min(other.end.clone()),
            )?))
        },
    ),
    native(
        "abuts?",
        "([i1 i2])",
        "True if one begins where the other ends.",
        TWO,
        |_, a| {
            let (one, other) = (interval(&a[0])?, interval(&a[1])?);
            Ok((one.start == other.end || other.start == one.end).into())
        },
    ),
];

const DATE: &str = "([year] [year month] [year month day])";
const DATE_TIME: &str = "([year] [year month] [year month day] [year month day hour] \
    [year month day hour minute] [year month day hour minute second] \
    [year month day hour minute second millis])";

/// Year, month, day, hour, minute, second, millisecond: as many as are given.
fn parts(args: &[Value]) -> Result<civil::DateTime> {
    const NAMES: [(&str, i64, i64); 7] = [
        ("year", -9999, 9999),
        ("monthOfYear", 1, 12),
        ("dayOfMonth", 1, 31),
        ("hourOfDay", 0, 23),
        ("minuteOfHour", 0, 59),
        ("secondOfMinute", 0, 59),
        ("millisOfSecond", 0, 999),
    ];
    let mut numbers = [0, 1, 1, 0, 0, 0, 0];
    for ((number, arg), (name, least, most)) in numbers.iter_mut().zip(args).zip(NAMES) {
        let value = int(arg)?;
        if !(least..=most).contains(&value) {
            return Err(Thrown::illegal_argument(format!(
                "Value {value} for {name} must be in the range [{least},{most}]"
            )));
        }
        *number = value as i32;
    }
    let [year, month, day, hour, minute, second, millis] = numbers;
    civil::DateTime::new(
        year as i16,
        month as i8,
        day as i8,
        hour as i8,
        minute as i8,
        second as i8,
        millis * 1_000_000,
    )
    .map_err(out_of_range)
}

fn today_at_midnight(cx: &Cx<'_>, args: &[Value]) -> Result {
    let zone = match args {
        [zone] => zone::zone(zone)?.clone(),
        _ => TimeZone::UTC,
    };
    let today = zone::moved(&now(cx)?, &zone);
    Ok(Value::object(DateTime(
        today.start_of_day().map_err(out_of_range)?,
    )))
}

fn today_at(cx: &Cx<'_>, args: &[Value]) -> Result {
    let today = now(cx)?;
    let date = [
        today.year().into(),
        today.month().into(),
        today.day().into(),
    ]
    .map(Value::Int);
    let at = parts(&[&date[..], args].concat())?;
    Ok(Value::object(DateTime(
        at.to_zoned(TimeZone::UTC).map_err(out_of_range)?,
    )))
}

fn plus(at: &Value, more: &Period) -> Result {
    if let Some(one) = at.downcast::<Period>() {
        return Ok(Value::object(one.plus(more)?));
    }
    if at.downcast::<Local>().is_some() {
        return with_civil(
            at,
            civil(at)?.checked_add(more.span()?).map_err(out_of_range)?,
        );
    }
    Ok(Value::object(DateTime(more.after(instant(at)?)?)))
}

fn order(args: &[Value]) -> Result<std::cmp::Ordering> {
    match args[0].downcast::<Local>() {
        Some(local) => Ok(local.civil.cmp(&civil(&args[1])?)),
        None => Ok(instant(&args[0])?.cmp(instant(&args[1])?)),
    }
}

fn choose(args: &[Value], better: fn(std::cmp::Ordering) -> bool) -> Result {
    let all = match args {
        [all] => crate::seq::to_vec(all)?,
        both => both.to_vec(),
    };
    let mut all = all.into_iter();
    let mut chosen = all.next().unwrap_or_default();
    for other in all {
        if better(order(&[other.clone(), chosen.clone()])?) {
            chosen = other;
        }
    }
    Ok(chosen)
}

fn within(_: &Cx<'_>, args: &[Value]) -> Result {
    match args {
        [interval_arg, at] => Ok(interval(interval_arg)?.contains(instant(at)?).into()),
        [start, end, at] => {
            let after_start = order(&[start.clone(), at.clone()])?.is_le();
            Ok((after_start && order(&[at.clone(), end.clone()])?.is_le()).into())
        }
        _ => Ok(Value::Nil),
    }
}

fn overlaps(_: &Cx<'_>, args: &[Value]) -> Result {
    match args {
        [one, other] => Ok(interval(one)?.overlaps(interval(other)?).into()),
        [start_1, end_1, start_2, end_2] => {
            let before = |a: &Value, b: &Value| Ok(order(&[a.clone(), b.clone()])?.is_lt());
            Ok((before(start_1, end_2)? && before(start_2, end_1)?).into())
        }
        _ => Err(Thrown::arity(args.len(), "clj-time.core/overlaps?")),
    }
}
