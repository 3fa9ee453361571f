//! `java.time.Instant`.

use std::any::Any;
use std::cmp::Ordering;

use jiff::Timestamp;

use super::{JavaClass, member};
use crate::core::arguments::{int, not_a, string};
use crate::{Cx, Object, Result, Thrown, Value};

pub(super) const CLASSES: &[JavaClass] = &[JavaClass {
    name: "java.time.Instant",
    construct: None,
    statics: &[
        member("now", 0, 0, |cx, _| Ok(of_ms(cx.rt.host.now_ms()))),
        member("ofEpochMilli", 1, 1, |_, a| Ok(of_ms(int(&a[0])?))),
        member("ofEpochSecond", 1, 1, |_, a| {
            Ok(of_ms(int(&a[0])?.saturating_mul(1000)))
        }),
        member("parse", 1, 1, |_, a| {
            let text = string(&a[0])?;
            let at: Timestamp = text.parse().map_err(|_| {
                let message = format!("Text '{text}' could not be parsed at index 0");
                Thrown::new("java.time.format.DateTimeParseException", message)
            })?;
            Ok(Value::object(Instant(at)))
        }),
    ],
    fields: &[("EPOCH", || of_ms(0))],
}];

struct Instant(Timestamp);

/// The instant so many milliseconds after 1970; the first or last there is, if beyond.
pub(super) fn of_ms(ms: i64) -> Value {
    let beyond = if ms < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    };
    Value::object(Instant(Timestamp::from_millisecond(ms).unwrap_or(beyond)))
}

fn instant(value: &Value) -> Result<Timestamp> {
    match value.downcast::<Instant>() {
        Some(Instant(at)) => Ok(*at),
        None => Err(not_a(value, "java.time.Instant")),
    }
}

impl Object for Instant {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.time.Instant"
    }

    fn print(&self, out: &mut String, _: bool) {
        let text = self.0.strftime("%Y-%m-%dT%H:%M:%S%.3f-00:00");
        out.push_str(&format!("#inst \"{text}\""));
    }

    fn text(&self) -> Option<String> {
        Some(self.0.to_string())
    }

    fn equals(&self, other: &dyn Object) -> bool {
        other
            .as_any()
            .downcast_ref::<Instant>()
            .is_some_and(|other| self.0 == other.0)
    }

    fn hash_code(&self) -> Option<u64> {
        Some(self.0.as_microsecond() as u64)
    }

    fn compare(&self, other: &Value) -> Option<Ordering> {
        Some(self.0.cmp(&other.downcast::<Instant>()?.0))
    }

    fn method(&self, _: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        let ms = self.0.as_millisecond();
        let later =
            |by: &Value, factor: i64| Ok(of_ms(ms.saturating_add(int(by)?.saturating_mul(factor))));
        Some(match (name, args) {
            ("toEpochMilli", []) => Ok(Value::Int(ms)),
            ("getEpochSecond", []) => Ok(Value::Int(self.0.as_second())),
            ("getNano", []) => Ok(Value::Int(self.0.subsec_nanosecond().into())),
            ("plusSeconds", [by]) => later(by, 1000),
            ("minusSeconds", [by]) => later(by, -1000),
            ("plusMillis", [by]) => later(by, 1),
            ("minusMillis", [by]) => later(by, -1),
            ("isBefore", [other]) => instant(other).map(|other| Value::Bool(self.0 < other)),
            ("isAfter", [other]) => instant(other).map(|other| Value::Bool(self.0 > other)),
            _ => return None,
        })
    }
}
