//! `clj-time.predicates`: questions about the day.

use jiff::civil::Weekday;

use super::instant::civil;
use crate::core::native;
use crate::{Native, Result, Value};

const ONE: (usize, Option<usize>) = (1, Some(1));

pub const NATIVES: &[Native] = &[
    native("monday?", "([dt])", "True on Mondays.", ONE, |_, a| {
        is(a, Weekday::Monday)
    }),
    native("tuesday?", "([dt])", "True on Tuesdays.", ONE, |_, a| {
        is(a, Weekday::Tuesday)
    }),
    native(
        "wednesday?",
        "([dt])",
        "True on Wednesdays.",
        ONE,
        |_, a| is(a, Weekday::Wednesday),
    ),
    native("thursday?", "([dt])", "True on Thursdays.", ONE, |_, a| {
        is(a, Weekday::Thursday)
    }),
    native("friday?", "([dt])", "True on Fridays.", ONE, |_, a| {
        is(a, Weekday::Friday)
    }),
    native("saturday?", "([dt])", "True on Saturdays.", ONE, |_, a| {
        is(a, Weekday::Saturday)
    }),
    native("sunday?", "([dt])", "True on Sundays.", ONE, |_, a| {
        is(a, Weekday::Sunday)
    }),
    native(
        "weekend?",
        "([dt])",
        "True on Saturdays and Sundays.",
        ONE,
        |_, a| Ok(is_weekend(a)?.into()),
    ),
    native(
        "weekday?",
        "([dt])",
        "True from Monday to Friday.",
        ONE,
        |_, a| Ok((!is_weekend(a)?).into()),
    ),
];

fn is(args: &[Value], day: Weekday) -> Result {
    Ok((civil(&args[0])?.weekday() == day).into())
}

fn is_weekend(args: &[Value]) -> Result<bool> {
    Ok(matches!(
        civil(&args[0])?.weekday(),
        Weekday::Saturday | Weekday::Sunday
    ))
}
