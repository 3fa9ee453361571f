//! Time zones.

use std::any::Any;

use jiff::Zoned;
use jiff::tz::{Offset, TimeZone};

use super::instant::{DateTime, instant};
use super::out_of_range;
use crate::core::arguments::{int, not_a, optional, string};
use crate::core::native;
use crate::{Cx, Native, Object, Result, Thrown, Value};

/// `org.joda.time.DateTimeZone`.
pub struct Zone(pub TimeZone);

pub const NATIVES: &[Native] = &[
    native(
        "default-time-zone",
        "([])",
        "The zone of this machine.",
        (0, Some(0)),
        |cx, _| Ok(Value::object(Zone(default(cx)))),
    ),
    native(
        "time-zone-for-id",
        "([id])",
        "The zone of that name, as in \"Europe/London\".",
        (1, Some(1)),
        |_, a| Ok(Value::object(Zone(named(string(&a[0])?)?))),
    ),
    native(
        "time-zone-for-offset",
        "([hours] [hours minutes])",
        "The zone that is so many hours and minutes ahead of UTC.",
        (1, Some(2)),
        for_offset,
    ),
    native(
        "to-time-zone",
        "([dt tz])",
        "The same point in time, seen from a zone.",
        (2, Some(2)),
        |_, a| {
            Ok(Value::object(DateTime(moved(
                instant(&a[0])?,
                zone(&a[1])?,
            ))))
        },
    ),
    native(
        "from-time-zone",
        "([dt tz])",
        "The same date and time of day in a zone: another point in time.",
        (2, Some(2)),
        |_, a| {
            let there = instant(&a[0])?.datetime().to_zoned(zone(&a[1])?.clone());
            Ok(Value::object(DateTime(there.map_err(out_of_range)?)))
        },
    ),
];

/// The same point in time, seen from a zone.
pub fn moved(instant: &Zoned, zone: &TimeZone) -> Zoned {
    instant.with_time_zone(zone.clone())
}

/// The zone that an argument is.
///
/// # Errors
/// `ClassCastException` for something else.
pub fn zone(value: &Value) -> Result<&TimeZone> {
    match value.downcast::<Zone>() {
        Some(Zone(zone)) => Ok(zone),
        None => Err(not_a(value, "org.joda.time.DateTimeZone")),
    }
}

/// The zone of this machine: what the environment says, else what the system says.
pub fn default(cx: &Cx<'_>) -> TimeZone {
    let of_environment = cx.rt.host.env("TZ").and_then(|name| named(&name).ok());
    of_environment.unwrap_or_else(TimeZone::system)
}

/// The zone of a name, or of an offset such as `+02:00`.
///
/// # Errors
/// `IllegalArgumentException` for no zone's name.
pub fn named(id: &str) -> Result<TimeZone> {
    if matches!(id, "UTC" | "Z" | "Etc/UTC" | "GMT") {
        return Ok(TimeZone::UTC);
    }
    if let Some(offset) = offset(id) {
        return Ok(TimeZone::fixed(offset));
    }
    TimeZone::get(id).map_err(|_| {
        Thrown::illegal_argument(format!("The datetime zone id '{id}' is not recognised"))
    })
}

/// `+02:00`, `-0530`, `+02`.
fn offset(text: &str) -> Option<Offset> {
    let digits = text.strip_prefix(['+', '-'])?.replace(':', "");
    if !matches!(digits.len(), 2 | 4) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let hours: i32 = digits[..2].parse().ok()?;
    let minutes: i32 = digits[2..].parse().unwrap_or(0);
    let seconds = (hours * 60 + minutes) * 60;
    Offset::from_seconds(if text.starts_with('-') {
        -seconds
    } else {
        seconds
    })
    .ok()
}

fn for_offset(_: &Cx<'_>, args: &[Value]) -> Result {
    let hours = int(&args[0])?;
    let minutes = match optional(args, 1) {
        Value::Nil => 0,
        minutes => int(minutes)?,
    };
    let minutes = if hours < 0 { -minutes } else { minutes };
    let seconds = hours
        .checked_mul(3600)
        .and_then(|seconds| seconds.checked_add(minutes * 60));
    let offset = seconds.and_then(|seconds| i32::try_from(seconds).ok());
    let offset = offset.and_then(|seconds| Offset::from_seconds(seconds).ok());
    let offset =
        offset.ok_or_else(|| Thrown::illegal_argument(format!("Hours out of range: {hours}")))?;
    Ok(Value::object(Zone(TimeZone::fixed(offset))))
}

impl Zone {
    fn id(&self) -> String {
        if self.0 == TimeZone::UTC {
            return "UTC".into();
        }
        match (self.0.iana_name(), self.0.to_fixed_offset()) {
            (Some(name), _) => name.to_owned(),
            (None, Ok(offset)) => super::pattern::offset_text(offset.seconds(), true),
            (None, Err(_)) => "local".into(),
        }
    }
}

impl Object for Zone {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "org.joda.time.DateTimeZone"
    }

    fn print(&self, out: &mut String, _: bool) {
        super::print(self, &self.id(), out);
    }

    fn text(&self) -> Option<String> {
        Some(self.id())
    }

    fn equals(&self, other: &dyn Object) -> bool {
        other
            .as_any()
            .downcast_ref::<Zone>()
            .is_some_and(|other| self.0 == other.0)
    }

    fn hash_code(&self) -> Option<u64> {
        use std::hash::BuildHasher;
        Some(foldhash::fast::FixedState::default().hash_one(self.id()))
    }

    fn method(&self, _: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        match (name, args) {
            ("getID" | "toString", []) => Some(Ok(Value::from(self.id()))),
            _ => None,
        }
    }
}
