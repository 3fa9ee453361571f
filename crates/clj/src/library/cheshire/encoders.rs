//! `cheshire.generate`: how values of a class are written as JSON, as code says.

use std::any::Any;

use parking_lot::Mutex;

use super::generate;
use crate::core::arguments::class_name;
use crate::core::native;
use crate::{Cx, Map, Native, Object, Result, Value, java};

pub const NAMESPACE: &str = "cheshire.generate";
/// The var that holds the functions by class.
const ENCODERS: &str = "-encoders";

pub const NATIVES: &[Native] = &[
    native(
        "add-encoder",
        "([cls encoder])",
        "Writes values of a class with a function of value and generator.",
        (2, Some(2)),
        |cx, a| {
            let class = Value::from(class_name(&a[0])?);
            set(cx, known(cx).assoc(class, a[1].clone()));
            Ok(Value::Nil)
        },
    ),
    native(
        "remove-encoder",
        "([cls])",
        "Takes the function of a class away.",
        (1, Some(1)),
        |cx, a| {
            set(cx, known(cx).dissoc(&Value::from(class_name(&a[0])?)));
            Ok(Value::Nil)
        },
    ),
    native(
        "encode-str",
        "([s jg])",
        "Writes a value's text.",
        (2, Some(2)),
        |cx, a| java::method(cx, &a[1], "writeString", &[Value::from(a[0].to_text())]),
    ),
    native(
        "encode-nil",
        "([_ jg])",
        "Writes null.",
        (2, Some(2)),
        |cx, a| java::method(cx, &a[1], "writeNull", &[]),
    ),
    native(
        "encode-map",
        "([m jg])",
        "Writes a map.",
        (2, Some(2)),
        json,
    ),
    native(
        "encode-seq",
        "([s jg])",
        "Writes items.",
        (2, Some(2)),
        json,
    ),
    native(
        "encode-number",
        "([n jg])",
        "Writes a number.",
        (2, Some(2)),
        json,
    ),
    native(
        "encode-date",
        "([d jg])",
        "Writes a date.",
        (2, Some(2)),
        json,
    ),
];

fn json(cx: &Cx<'_>, args: &[Value]) -> Result {
    let text = generate::generate(cx, &args[0], &Value::Nil)?;
    java::method(cx, &args[1], "writeRawValue", &[Value::from(text)])
}

fn known(cx: &Cx<'_>) -> Map {
    match cx.rt.var(NAMESPACE, ENCODERS).and_then(|var| var.get()) {
        Some(Value::Map(map)) => map,
        _ => Map::default(),
    }
}

fn set(cx: &Cx<'_>, encoders: Map) {
    let namespace = cx.rt.ensure_namespace(NAMESPACE);
    namespace.define(ENCODERS, Value::Map(encoders));
}

/// What code that was added writes of a value; `None` if none was added for it.
///
/// # Errors
/// What that code throws.
pub fn written(cx: &Cx<'_>, value: &Value) -> Result<Option<String>> {
    for (class, encoder) in known(cx).iter() {
        if java::instance_of(value, &class.to_text()) {
            let generator = std::sync::Arc::new(JsonGenerator::default());
            let target = Value::Object(generator.clone());
            cx.call(encoder, &[value.clone(), target])?;
            let text = generator.0.lock().clone();
            return Ok(Some(text));
        }
    }
    Ok(None)
}

/// What such a function writes with.
#[derive(Default)]
struct JsonGenerator(Mutex<String>);

impl JsonGenerator {
    /// Appends a value, after a comma where one is due.
    fn value(&self, text: &str) {
        let mut out = self.0.lock();
        if out.ends_with(|end: char| !"[{:".contains(end)) {
            out.push(',');
        }
        out.push_str(text);
    }
}

impl Object for JsonGenerator {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "com.fasterxml.jackson.core.JsonGenerator"
    }

    fn method(&self, cx: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        let json = |value: &Value| generate::generate(cx, value, &Value::Nil);
        let written = match (name, args) {
            ("writeString" | "writeNumber" | "writeBoolean" | "writeObject", [value]) => {
                json(value).map(|text| self.value(&text))
            }
            ("writeNull", []) => {
                self.value("null");
                Ok(())
            }
            ("writeRaw" | "writeRawValue", [text]) => {
                self.value(&text.to_text());
                Ok(())
            }
            ("writeStartObject" | "writeStartArray", []) => {
                self.value(if name == "writeStartObject" { "{" } else { "[" });
                Ok(())
            }
            ("writeEndObject" | "writeEndArray", []) => {
                let close = if name == "writeEndObject" { '}' } else { ']' };
                self.0.lock().push(close);
                Ok(())
            }
            ("writeFieldName", [field]) => json(&Value::from(field.to_text())).map(|text| {
                self.value(&text);
                self.0.lock().push(':');
            }),
            (
                "writeStringField" | "writeNumberField" | "writeBooleanField" | "writeObjectField",
                [field, value],
            ) => json(&Value::from(field.to_text())).and_then(|field| {
                let value = json(value)?;
                self.value(&format!("{field}:{value}"));
                Ok(())
            }),
            _ => return None,
        };
        Some(written.map(|()| Value::Nil))
    }
}
