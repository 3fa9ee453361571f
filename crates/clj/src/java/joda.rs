//! `org.joda.time`: the classes behind `clj-time`, by name.

use jiff::tz::TimeZone;

use super::{JavaClass, constructor, member};
use crate::core::arguments::string;
use crate::library::time::{self, DateTime, Zone};
use crate::{Cx, Result, Value};

pub(super) const CLASSES: &[JavaClass] = &[
    JavaClass {
        name: "org.joda.time.DateTime",
        construct: constructor(0, 1, |cx, a| match a {
            [] => now(cx, &time::default_zone(cx)),
            [value, ..] => {
                let at =
                    time::zoned(cx, value)?.map(|at| at.with_time_zone(time::default_zone(cx)));
                Ok(at.map(|at| Value::object(DateTime(at))).unwrap_or_default())
            }
        }),
        statics: &[member("now", 0, 1, |cx, a| match a {
            [zone, ..] => now(cx, time::zone(zone)?),
            [] => now(cx, &time::default_zone(cx)),
        })],
        fields: &[],
    },
    JavaClass {
        name: "org.joda.time.DateTimeZone",
        construct: None,
        statics: &[
            member("forID", 1, 1, |_, a| {
                Ok(Value::object(Zone(time::zone_named(string(&a[0])?)?)))
            }),
            member("getDefault", 0, 0, |cx, _| {
                Ok(Value::object(Zone(time::default_zone(cx))))
            }),
        ],
        fields: &[("UTC", || Value::object(Zone(TimeZone::UTC)))],
    },
    JavaClass::named("org.joda.time.Interval"),
    JavaClass::named("org.joda.time.LocalDate"),
    JavaClass::named("org.joda.time.LocalDateTime"),
    JavaClass::named("org.joda.time.Period"),
    JavaClass::named("org.joda.time.ReadableInstant"),
    JavaClass::named("org.joda.time.format.DateTimeFormatter"),
];

fn now(cx: &Cx<'_>, zone: &TimeZone) -> Result {
    Ok(Value::object(DateTime(
        time::now(cx)?.with_time_zone(zone.clone()),
    )))
}
