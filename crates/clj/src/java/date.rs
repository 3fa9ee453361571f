//! `java.util.Date`.

use std::any::Any;
use std::cmp::Ordering;

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use parking_lot::Mutex;

use super::{JavaClass, constructor};
use crate::core::arguments::{int, not_a};
use crate::library::time::default_zone;
use crate::{Cx, Object, Result, Thrown, Value};

pub(super) const CLASSES: &[JavaClass] = &[JavaClass {
    name: "java.util.Date",
    construct: constructor(0, 1, |cx, a| match a {
        [] => Ok(Date::value(cx, cx.rt.host.now_ms())),
        [ms] => Ok(Date::value(cx, int(ms)?)),
        _ => Err(super::foreign::no_constructor("java.util.Date")),
    }),
    statics: &[],
    fields: &[],
}];

/// A point in time in milliseconds since 1970. `str` writes it in the zone of the machine.
pub struct Date {
    ms: Mutex<i64>,
    zone: TimeZone,
}

impl Date {
    pub fn value(cx: &Cx<'_>, ms: i64) -> Value {
        Value::object(Date {
            ms: Mutex::new(ms),
            zone: default_zone(cx),
        })
    }

    pub fn ms(&self) -> i64 {
        *self.ms.lock()
    }

    fn zoned(&self) -> Option<Zoned> {
        Some(
            Timestamp::from_millisecond(self.ms())
                .ok()?
                .to_zoned(self.zone.clone()),
        )
    }

    /// A field of the calendar; 0 beyond the years that there are names for.
    fn field(&self, field: fn(&Zoned) -> i64) -> Result {
        Ok(Value::Int(self.zoned().as_ref().map_or(0, field)))
    }
}

/// The milliseconds of a date.
pub fn ms_of(value: &Value) -> Result<i64> {
    match value.downcast::<Date>() {
        Some(date) => Ok(date.ms()),
        None => Err(not_a(value, "java.util.Date")),
    }
}

/// `2013-04-15T01:02:03.004-00:00`, as dates are written to be read.
fn readable(ms: i64) -> Option<String> {
    let at = Timestamp::from_millisecond(ms)
        .ok()?
        .to_zoned(TimeZone::UTC);
    Some(at.strftime("%Y-%m-%dT%H:%M:%S%.3f-00:00").to_string())
}

impl Object for Date {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.util.Date"
    }

    fn print(&self, out: &mut String, _: bool) {
        match readable(self.ms()) {
            Some(text) => {
                out.push_str("#inst \"");
                out.push_str(&text);
                out.push('"');
            }
            None => out.push_str("#object[java.util.Date]"),
        }
    }

    /// As Java's `toString`: `Thu Jan 01 00:00:00 UTC 1970`.
    fn text(&self) -> Option<String> {
        Some(
            self.zoned()?
                .strftime("%a %b %d %H:%M:%S %Z %Y")
                .to_string(),
        )
    }

    fn equals(&self, other: &dyn Object) -> bool {
        other
            .as_any()
            .downcast_ref::<Date>()
            .is_some_and(|other| self.ms() == other.ms())
    }

    fn hash_code(&self) -> Option<u64> {
        Some(self.ms() as u64)
    }

    fn compare(&self, other: &Value) -> Option<Ordering> {
        Some(self.ms().cmp(&other.downcast::<Date>()?.ms()))
    }

    fn is_a(&self, class: &str) -> bool {
        matches!(
            class,
            "java.lang.Comparable" | "java.io.Serializable" | "clojure.core.Inst"
        )
    }

    fn method(&self, cx: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        let ms = self.ms();
        Some(match (name, args) {
            ("getTime", []) => Ok(Value::Int(ms)),
            ("setTime", [to]) => int(to).map(|to| {
                *self.ms.lock() = to;
                Value::Nil
            }),
            ("before", [other]) => ms_of(other).map(|other| Value::Bool(ms < other)),
            ("after", [other]) => ms_of(other).map(|other| Value::Bool(ms > other)),
            ("compareTo", [other]) => ms_of(other).map(|other| Value::Int(ms.cmp(&other) as i64)),
            ("toInstant", []) => Ok(super::instant::of_ms(ms)),
            ("clone", []) => Ok(Date::value(cx, ms)),
            ("getYear", []) => self.field(|at| i64::from(at.year()) - 1900),
            ("getMonth", []) => self.field(|at| i64::from(at.month()) - 1),
            ("getDate", []) => self.field(|at| at.day().into()),
            ("getDay", []) => self.field(|at| at.weekday().to_sunday_zero_offset().into()),
            ("getHours", []) => self.field(|at| at.hour().into()),
            ("getMinutes", []) => self.field(|at| at.minute().into()),
            ("getSeconds", []) => self.field(|at| at.second().into()),
            ("getTimezoneOffset", []) => self.field(|at| -i64::from(at.offset().seconds()) / 60),
            ("toGMTString", []) => Ok(Timestamp::from_millisecond(ms)
                .map(|at| at.strftime("%-d %b %Y %H:%M:%S GMT").to_string())
                .ok()
                .into()),
            _ => return None,
        })
    }
}

/// A date from the text of a literal, `#inst "2013-04-15"`: RFC 3339 from which the end may be
/// missing, in UTC unless it says otherwise.
///
/// # Errors
/// `RuntimeException` for other texts.
pub fn parse(cx: &Cx<'_>, text: &str) -> Result {
    match parse_ms(text) {
        Some(ms) => Ok(Date::value(cx, ms)),
        None => Err(Thrown::runtime(format!(
            "Unrecognized date/time syntax: {text}"
        ))),
    }
}

/// What an incomplete text ends with.
const REST: &str = "0000-01-01T00:00:00Z";

fn parse_ms(text: &str) -> Option<i64> {
    let complete = match text.len() {
        4 | 7 | 10 => format!("{text}{}", &REST[text.len()..]),
        13 | 16 | 19 if text.is_ascii() && text.contains('T') => {
            format!("{text}{}", &REST[text.len()..])
        }
        _ => text.to_owned(),
    };
    let has_zone = complete.ends_with('Z') || complete.get(19..)?.contains(['+', '-']);
    let complete = if has_zone { complete } else { complete + "Z" };
    complete
        .parse::<Timestamp>()
        .ok()
        .map(Timestamp::as_millisecond)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_written_as_java_writes_it() {
        let date = Date {
            ms: Mutex::new(0),
            zone: TimeZone::UTC,
        };
        assert_eq!(date.text().as_deref(), Some("Thu Jan 01 00:00:00 UTC 1970"));
        let mut printed = String::new();
        date.print(&mut printed, true);
        assert_eq!(printed, "#inst \"1970-01-01T00:00:00.000-00:00\"");
    }

    #[test]
    fn literals_may_be_incomplete() {
        assert_eq!(parse_ms("1970"), Some(0));
        assert_eq!(parse_ms("1970-01-02"), Some(86_400_000));
        assert_eq!(parse_ms("1970-01-01T00:00:01.500-00:00"), Some(1500));
        assert_eq!(parse_ms("1970-01-01T01:00:00+01:00"), Some(0));
        assert_eq!(parse_ms("1970-01-01T00:01"), Some(60_000));
        assert_eq!(parse_ms("1970-01-01T00:00:02.250"), Some(2250));
        assert_eq!(parse_ms("soon"), None);
    }
}
