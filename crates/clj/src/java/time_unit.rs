//! `java.util.concurrent.TimeUnit`.

use std::any::Any;
use std::time::Duration;

use super::{JavaClass, member};
use crate::core::arguments::{int, not_a};
use crate::{Cx, Object, Result, Thrown, Value};

pub(super) const CLASSES: &[JavaClass] = &[JavaClass {
    name: "java.util.concurrent.TimeUnit",
    construct: None,
    statics: &[
        member("valueOf", 1, 1, |_, a| {
            let name = a[0].to_text();
            match UNITS.iter().position(|(known, _)| *known == name) {
                Some(index) => Ok(unit(index)),
                None => Err(Thrown::illegal_argument(format!(
                    "No enum constant java.util.concurrent.TimeUnit.{name}"
                ))),
            }
        }),
        member("values", 0, 0, |_, _| {
            Ok(Value::list((0..UNITS.len()).map(unit).collect()))
        }),
    ],
    fields: &[
        ("NANOSECONDS", || unit(0)),
        ("MICROSECONDS", || unit(1)),
        ("MILLISECONDS", || unit(2)),
        ("SECONDS", || unit(3)),
        ("MINUTES", || unit(4)),
        ("HOURS", || unit(5)),
        ("DAYS", || unit(6)),
    ],
}];

/// Name and length in nanoseconds, shortest first.
const UNITS: &[(&str, i64)] = &[
    ("NANOSECONDS", 1),
    ("MICROSECONDS", 1_000),
    ("MILLISECONDS", 1_000_000),
    ("SECONDS", 1_000_000_000),
    ("MINUTES", 60_000_000_000),
    ("HOURS", 3_600_000_000_000),
    ("DAYS", 86_400_000_000_000),
];

/// A unit, by its place among [`UNITS`].
struct TimeUnit(usize);

fn unit(index: usize) -> Value {
    Value::object(TimeUnit(index))
}

fn nanoseconds(unit: &Value) -> Result<i64> {
    match unit.downcast::<TimeUnit>() {
        Some(TimeUnit(index)) => Ok(UNITS[*index].1),
        None => Err(not_a(unit, "java.util.concurrent.TimeUnit")),
    }
}

/// So much of a unit; nothing if negative.
pub(super) fn duration(amount: &Value, unit: &Value) -> Result<Duration> {
    let (amount, length) = (int(amount)?, nanoseconds(unit)?);
    let amount = u64::try_from(amount).unwrap_or(0);
    Ok(Duration::from_nanos(amount.saturating_mul(length as u64)))
}

/// An amount in another unit: cut when that is longer, as large as can be when it does not fit.
fn converted(amount: i64, from: i64, to: i64) -> Value {
    Value::Int(if from >= to {
        amount.saturating_mul(from / to)
    } else {
        amount / (to / from)
    })
}

impl Object for TimeUnit {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.util.concurrent.TimeUnit"
    }

    fn text(&self) -> Option<String> {
        Some(UNITS[self.0].0.to_owned())
    }

    fn equals(&self, other: &dyn Object) -> bool {
        other
            .as_any()
            .downcast_ref::<TimeUnit>()
            .is_some_and(|other| self.0 == other.0)
    }

    fn hash_code(&self) -> Option<u64> {
        Some(self.0 as u64)
    }

    fn method(&self, cx: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        let (own_name, length) = UNITS[self.0];
        let to = |amount: &Value, index: usize| {
            int(amount).map(|amount| converted(amount, length, UNITS[index].1))
        };
        Some(match (name, args) {
            ("toNanos", [amount]) => to(amount, 0),
            ("toMicros", [amount]) => to(amount, 1),
            ("toMillis", [amount]) => to(amount, 2),
            ("toSeconds", [amount]) => to(amount, 3),
            ("toMinutes", [amount]) => to(amount, 4),
            ("toHours", [amount]) => to(amount, 5),
            ("toDays", [amount]) => to(amount, 6),
            ("convert", [amount, unit]) => nanoseconds(unit)
                .and_then(|from| int(amount).map(|amount| converted(amount, from, length))),
            ("sleep", [amount]) => to(amount, 2).and_then(|ms| {
                cx.rt.host.sleep_ms(u64::try_from(int(&ms)?).unwrap_or(0));
                Ok(Value::Nil)
            }),
            ("name" | "toString", []) => Ok(Value::str(own_name)),
            ("ordinal", []) => Ok(Value::Int(self.0 as i64)),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converts_between_units() {
        assert_eq!(converted(2, UNITS[3].1, UNITS[2].1), Value::Int(2000));
        assert_eq!(converted(90, UNITS[3].1, UNITS[4].1), Value::Int(1));
        assert_eq!(
            converted(i64::MAX, UNITS[6].1, UNITS[0].1),
            Value::Int(i64::MAX)
        );
    }
}
