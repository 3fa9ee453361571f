//! `clj-time`: points in time with a zone, periods, intervals, and their texts. What it is now is
//! asked of the host.

mod coerce;
mod core;
mod fields;
mod format;
mod instant;
mod interval;
mod local;
mod parse;
mod pattern;
mod period;
mod periodic;
mod predicates;
mod spans;
mod zone;

use std::fmt::Write;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::{Native, Object, Result, Runtime, Thrown, Value};

pub use coerce::zoned;
pub use instant::{DateTime, now};
pub use pattern::Pattern;
pub use zone::{Zone, default as default_zone, named as zone_named, zone};

/// Defines the namespaces.
pub fn install(rt: &Runtime) {
    const TABLES: &[(&str, &[Native])] = &[
        ("clj-time.core", core::NATIVES),
        ("clj-time.core", fields::NATIVES),
        ("clj-time.core", spans::NATIVES),
        ("clj-time.core", zone::NATIVES),
        ("clj-time.format", format::NATIVES),
        ("clj-time.coerce", coerce::NATIVES),
        ("clj-time.local", local::NATIVES),
        ("clj-time.periodic", periodic::NATIVES),
        ("clj-time.predicates", predicates::NATIVES),
    ];
    for (namespace, natives) in TABLES {
        rt.define_natives(namespace, natives);
    }
    rt.ensure_namespace("clj-time.core")
        .define("utc", Value::object(zone::Zone(TimeZone::UTC)));
    let formatters = rt.ensure_namespace("clj-time.format");
    formatters.define("formatters", Value::Map(format::formatters()));
}

/// A time in milliseconds since 1970 as a pattern writes it, in UTC.
///
/// # Errors
/// `IllegalArgumentException` for a pattern with letters that mean nothing.
pub fn date_text(ms: i64, pattern: &str) -> Result<String> {
    let instant = timestamp(ms)?.to_zoned(TimeZone::UTC);
    Ok(Pattern::parse(pattern)?.format(&instant))
}

fn timestamp(ms: i64) -> Result<Timestamp> {
    Timestamp::from_millisecond(ms).map_err(out_of_range)
}

/// Appends an object as Clojure prints those of Java, with its text.
fn print(object: &dyn Object, text: &str, out: &mut String) {
    let _ = write!(out, "#object[{} \"{text}\"]", object.class_name());
}

fn out_of_range(error: jiff::Error) -> Thrown {
    Thrown::illegal_argument(error.to_string())
}
