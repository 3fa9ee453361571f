//! `clj-time.periodic`: points in time at equal distances.

use super::instant::{DateTime, instant};
use super::period::{Period, period};
use crate::core::native;
use crate::{Cx, Native, Result, Value, seq};
use jiff::Zoned;

pub const NATIVES: &[Native] = &[native(
    "periodic-seq",
    "([start period] [start end period])",
    "The points in time from start on, a period apart, without an end or before one; lazily.",
    (2, Some(3)),
    periodic_seq,
)];

fn periodic_seq(_: &Cx<'_>, args: &[Value]) -> Result {
    match args {
        [start, end, by] => Ok(from(
            instant(start)?.clone(),
            0,
            *period(by)?,
            Some(instant(end)?.clone()),
        )),
        _ => Ok(from(
            instant(&args[0])?.clone(),
            0,
            *period(&args[1])?,
            None,
        )),
    }
}

/// The points from the one of that number on. Each is counted from the start, so that the 31st of a
/// month comes back after a shorter month.
fn from(start: Zoned, number: i64, by: Period, end: Option<Zoned>) -> Value {
    seq::lazy(move || {
        let at = Period(by.0.map(|count| count.wrapping_mul(number))).after(&start)?;
        if end.as_ref().is_some_and(|end| at >= *end) {
            return Ok(Value::Nil);
        }
        Ok(seq::cons(
            Value::object(DateTime(at)),
            from(start, number + 1, by, end),
        ))
    })
}
