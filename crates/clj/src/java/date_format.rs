//! `java.text.SimpleDateFormat`, and `java.util.TimeZone`.

use std::any::Any;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use parking_lot::Mutex;

use super::date::{Date, ms_of};
use super::{JavaClass, constructor, member};
use crate::core::arguments::{int, not_a, string};
use crate::library::time::{Pattern, default_zone};
use crate::{Cx, Object, Result, Thrown, Value};

pub(super) const CLASSES: &[JavaClass] = &[
    JavaClass {
        name: "java.text.SimpleDateFormat",
        construct: constructor(1, 2, |cx, a| {
            let text = string(&a[0])?;
            Ok(Value::object(SimpleDateFormat {
                text: text.to_owned(),
                pattern: Pattern::parse(text)?,
                zone: Mutex::new(default_zone(cx)),
            }))
        }),
        statics: &[],
        fields: &[],
    },
    JavaClass {
        name: "java.util.TimeZone",
        construct: None,
        statics: &[
            // A name nobody knows is GMT, as in Java.
            member("getTimeZone", 1, 1, |_, a| {
                let name = string(&a[0])?;
                let zone = TimeZone::get(name).unwrap_or(TimeZone::UTC);
                Ok(Value::object(Zone {
                    name: name.to_owned(),
                    zone,
                }))
            }),
            member("getDefault", 0, 0, |cx, _| {
                Ok(Zone::value(&default_zone(cx)))
            }),
        ],
        fields: &[],
    },
    JavaClass {
        name: "java.util.Locale",
        construct: None,
        statics: &[member("getDefault", 0, 0, |_, _| Ok(Value::str("en_US")))],
        fields: &[
            ("US", || Value::str("en_US")),
            ("ENGLISH", || Value::str("en")),
            ("ROOT", || Value::str("")),
        ],
    },
];

struct SimpleDateFormat {
    text: String,
    pattern: Pattern,
    zone: Mutex<TimeZone>,
}

impl SimpleDateFormat {
    fn format(&self, value: &Value) -> Result {
        let ms = match value {
            Value::Int(ms) => *ms,
            date => ms_of(date)?,
        };
        let at = Timestamp::from_millisecond(ms)
            .map_err(|error| Thrown::illegal_argument(error.to_string()))?;
        Ok(Value::from(
            self.pattern.format(&at.to_zoned(self.zone.lock().clone())),
        ))
    }

    fn parse(&self, cx: &Cx<'_>, text: &str) -> Result {
        match self.pattern.read(text, &self.zone.lock().clone()) {
            Ok(at) => Ok(Date::value(cx, at.timestamp().as_millisecond())),
            Err(_) => {
                let message = format!("Unparseable date: \"{text}\"");
                Err(Thrown::new("java.text.ParseException", message))
            }
        }
    }
}

impl Object for SimpleDateFormat {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.text.SimpleDateFormat"
    }

    fn is_a(&self, class: &str) -> bool {
        class == "java.text.DateFormat"
    }

    fn method(&self, cx: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        Some(match (name, args) {
            ("format", [date]) => self.format(date),
            ("parse", [text]) => string(text).and_then(|text| self.parse(cx, text)),
            ("setTimeZone", [zone]) => match zone.downcast::<Zone>() {
                Some(Zone { zone, .. }) => {
                    *self.zone.lock() = zone.clone();
                    Ok(Value::Nil)
                }
                None => Err(not_a(zone, "java.util.TimeZone")),
            },
            ("setLenient", [_]) => Ok(Value::Nil),
            ("toPattern", []) => Ok(Value::str(&self.text)),
            _ => return None,
        })
    }
}

/// `java.util.TimeZone`
pub(super) struct Zone {
    name: String,
    pub(super) zone: TimeZone,
}

impl Zone {
    pub(super) fn value(zone: &TimeZone) -> Value {
        Value::object(Zone {
            name: zone.iana_name().unwrap_or("UTC").to_owned(),
            zone: zone.clone(),
        })
    }
}

impl Object for Zone {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.util.TimeZone"
    }

    fn method(&self, _: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        Some(match (name, args) {
            ("getID", []) => Ok(Value::str(&self.name)),
            ("getOffset", [ms]) => int(ms).map(|ms| {
                let at = Timestamp::from_millisecond(ms).unwrap_or(Timestamp::UNIX_EPOCH);
                Value::Int(i64::from(self.zone.to_offset(at).seconds()) * 1000)
            }),
            _ => return None,
        })
    }
}
