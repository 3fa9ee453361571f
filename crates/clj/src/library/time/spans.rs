//! Periods of so many units, and how many units a period or an interval has.

use super::interval::Interval;
use super::period::{Period, Unit, period};
use crate::core::arguments::int;
use crate::core::native;
use crate::{Native, Result, Value};

const ONE: (usize, Option<usize>) = (1, Some(1));

pub const NATIVES: &[Native] = &[
    native("years", "([n])", "A period of n years.", ONE, |_, a| {
        of(Unit::Years, a)
    }),
    native("months", "([n])", "A period of n months.", ONE, |_, a| {
        of(Unit::Months, a)
    }),
    native("weeks", "([n])", "A period of n weeks.", ONE, |_, a| {
        of(Unit::Weeks, a)
    }),
    native("days", "([n])", "A period of n days.", ONE, |_, a| {
        of(Unit::Days, a)
    }),
    native("hours", "([n])", "A period of n hours.", ONE, |_, a| {
        of(Unit::Hours, a)
    }),
    native("minutes", "([n])", "A period of n minutes.", ONE, |_, a| {
        of(Unit::Minutes, a)
    }),
    native("seconds", "([n])", "A period of n seconds.", ONE, |_, a| {
        of(Unit::Seconds, a)
    }),
    native("secs", "([n])", "A period of n seconds.", ONE, |_, a| {
        of(Unit::Seconds, a)
    }),
    native(
        "millis",
        "([n])",
        "A period of n milliseconds.",
        ONE,
        |_, a| of(Unit::Millis, a),
    ),
    native(
        "in-years",
        IN,
        "How many whole years it is.",
        ONE,
        |_, a| whole(Unit::Years, a),
    ),
    native(
        "in-months",
        IN,
        "How many whole months it is.",
        ONE,
        |_, a| whole(Unit::Months, a),
    ),
    native(
        "in-weeks",
        IN,
        "How many whole weeks it is.",
        ONE,
        |_, a| whole(Unit::Weeks, a),
    ),
    native("in-days", IN, "How many whole days it is.", ONE, |_, a| {
        whole(Unit::Days, a)
    }),
    native(
        "in-hours",
        IN,
        "How many whole hours it is.",
        ONE,
        |_, a| whole(Unit::Hours, a),
    ),
    native(
        "in-minutes",
        IN,
        "How many whole minutes it is.",
        ONE,
        |_, a| whole(Unit::Minutes, a),
    ),
    native(
        "in-seconds",
        IN,
        "How many whole seconds it is.",
        ONE,
        |_, a| whole(Unit::Seconds, a),
    ),
    native(
        "in-secs",
        IN,
        "How many whole seconds it is.",
        ONE,
        |_, a| whole(Unit::Seconds, a),
    ),
    native(
        "in-millis",
        IN,
        "How many milliseconds it is.",
        ONE,
        |_, a| whole(Unit::Millis, a),
    ),
    native(
        "in-msecs",
        IN,
        "How many milliseconds it is.",
        ONE,
        |_, a| whole(Unit::Millis, a),
    ),
];

const IN: &str = "([interval-or-period])";

fn of(unit: Unit, args: &[Value]) -> Result {
    Ok(Value::object(Period::of(unit, int(&args[0])?)))
}

fn whole(unit: Unit, args: &[Value]) -> Result {
    if let Some(interval) = args[0].downcast::<Interval>() {
        return interval.whole(unit).map(Value::Int);
    }
    let period = period(&args[0])?;
    let [years, months, ..] = period.0;
    Ok(Value::Int(match unit {
        Unit::Years => years + months / 12,
        Unit::Months => years * 12 + months,
        _ => period.ms()? / unit.ms().unwrap_or(1),
    }))
}
