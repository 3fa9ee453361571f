//! Log levels, by the names that log4j and logback have for them.

use std::any::Any;

use super::{Field, JavaClass, Static, member};
use crate::{Cx, Object, Result, Value};

const FIELDS: &[Field] = &[
    ("ALL", || level("ALL")),
    ("TRACE", || level("TRACE")),
    ("DEBUG", || level("DEBUG")),
    ("INFO", || level("INFO")),
    ("WARN", || level("WARN")),
    ("ERROR", || level("ERROR")),
    ("FATAL", || level("FATAL")),
    ("OFF", || level("OFF")),
];

const STATICS: &[Static] = &[member("toLevel", 1, 2, |_, a| {
    let name = a[0].to_text();
    let found = FIELDS
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(&name));
    Ok(match (found, a.get(1)) {
        (Some((_, level)), _) => level(),
        (None, Some(default)) => default.clone(),
        (None, None) => level("DEBUG"),
    })
})];

pub(super) const CLASSES: &[JavaClass] = &[
    JavaClass {
        statics: STATICS,
        fields: FIELDS,
        ..JavaClass::named("org.apache.log4j.Level")
    },
    JavaClass {
        statics: STATICS,
        fields: FIELDS,
        ..JavaClass::named("ch.qos.logback.classic.Level")
    },
];

/// A log level; its text is its name.
struct Level(&'static str);

fn level(name: &'static str) -> Value {
    Value::object(Level(name))
}

impl Object for Level {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "ch.qos.logback.classic.Level"
    }

    fn text(&self) -> Option<String> {
        Some(self.0.to_owned())
    }

    fn print(&self, out: &mut String, _: bool) {
        out.push_str(self.0);
    }

    fn is_a(&self, class: &str) -> bool {
        class == "org.apache.log4j.Level"
    }

    fn equals(&self, other: &dyn Object) -> bool {
        other
            .as_any()
            .downcast_ref::<Level>()
            .is_some_and(|other| other.0 == self.0)
    }

    fn hash_code(&self) -> Option<u64> {
        Some(self.0.bytes().map(u64::from).sum())
    }

    fn method(&self, _: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        match (name, args) {
            ("toString" | "levelStr" | "name", []) => Some(Ok(Value::str(self.0))),
            _ => None,
        }
    }
}
