//! `clj-time.local`: points in time seen from where this machine is.

use super::coerce::zoned;
use super::instant::{DateTime, now};
use super::{format, zone};
use crate::core::native;
use crate::{Cx, Native, Result, Value};

pub const NATIVES: &[Native] = &[
    native(
        "local-now",
        "([])",
        "What it is now, here.",
        (0, Some(0)),
        |cx, _| {
            Ok(Value::object(DateTime(zone::moved(
                &now(cx)?,
                &zone::default(cx),
            ))))
        },
    ),
    native(
        "to-local-date-time",
        "([obj])",
        "Anything like a point in time, seen from here.",
        (1, Some(1)),
        |cx, a| {
            Ok(here(cx, &a[0])?
                .map(|at| Value::object(DateTime(at)))
                .unwrap_or_default())
        },
    ),
    native(
        "format-local-time",
        "([obj format-key])",
        "The text of a point in time, seen from here, as the formatter of that name has it.",
        (2, Some(2)),
        |cx, a| match (here(cx, &a[0])?, format::named(&a[1])) {
            (Some(at), Some(formatter)) => Ok(Value::from(formatter.text(&at))),
            _ => Ok(Value::Nil),
        },
    ),
];

fn here(cx: &Cx<'_>, value: &Value) -> Result<Option<jiff::Zoned>> {
    Ok(zoned(cx, value)?.map(|at| zone::moved(&at, &zone::default(cx))))
}
