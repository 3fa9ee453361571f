//! Values to JSON text.

use std::fmt::Write;

use crate::core::collections::is_map;
use crate::object::Kind;
use crate::{Cx, Result, Thrown, Value, deep, histogram_value, java, seq};

/// How dates are written unless `:date-format` says otherwise.
const DATE_FORMAT: &str = "yyyy-MM-dd'T'HH:mm:ss'Z'";

struct Generator<'a> {
    cx: &'a Cx<'a>,
    out: String,
    pretty: bool,
    escape_non_ascii: bool,
    key_fn: Option<Value>,
    date_format: String,
    /// Objects around the current one.
    level: usize,
}

/// The text of a value, as the map `options` says.
///
/// # Errors
/// `JsonGenerationException` for what has no JSON form; what a lazy sequence or `:key-fn` throws.
pub fn generate(cx: &Cx<'_>, value: &Value, options: &Value) -> Result<String> {
    let option = |name: &str| seq::get(options, &Value::keyword(name)).filter(Value::truthy);
    let mut generator = Generator {
        cx,
        out: String::new(),
        pretty: option("pretty").is_some(),
        escape_non_ascii: option("escape-non-ascii").is_some(),
        key_fn: option("key-fn"),
        date_format: option("date-format").map_or_else(|| DATE_FORMAT.into(), |f| f.to_text()),
        level: 0,
    };
    generator.value(value)?;
    Ok(generator.out)
}

impl Generator<'_> {
    fn value(&mut self, value: &Value) -> Result<()> {
        match value {
            Value::Nil => self.out.push_str("null"),
            Value::Bool(bool) => self.out.push_str(if *bool { "true" } else { "false" }),
            Value::Str(text) => self.string(text),
            Value::Char(_) | Value::Keyword(_) | Value::Symbol(_) => self.string(&name(value)),
            Value::Map(_) | Value::Event(_) => deep::with_stack(|| self.object(value))?,
            Value::List(_) | Value::Lazy(_) | Value::Vector(_) | Value::Set(_) => {
                deep::with_stack(|| self.array(value))?;
            }
            Value::Object(object) => match object.kind() {
                _ if is_map(value) => deep::with_stack(|| self.object(value))?,
                Kind::Set | Kind::Sequence => deep::with_stack(|| self.array(value))?,
                _ => self.opaque(value)?,
            },
            _ => match value.as_number() {
                Some(number) => self.number(&number),
                None => return Err(no_json(value)),
            },
        }
        Ok(())
    }

    fn number(&mut self, number: &event::Number) {
        let number = match number {
            event::Number::Ratio(_) => &event::Number::F64(number.to_f64()),
            number => number,
        };
        let text = number.to_text();
        if number.is_float() && !number.to_f64().is_finite() {
            self.string(&text);
        } else {
            self.out.push_str(&text);
        }
    }

    fn array(&mut self, items: &Value) -> Result<()> {
        self.out.push('[');
        let mut is_empty = true;
        for item in seq::iter(items) {
            if !is_empty {
                self.out.push(',');
            }
            if self.pretty {
                self.out.push(' ');
            }
            is_empty = false;
            self.value(&item?)?;
        }
        self.out.push_str(if self.pretty { " ]" } else { "]" });
        Ok(())
    }

    fn object(&mut self, map: &Value) -> Result<()> {
        self.out.push('{');
        self.level += 1;
        let mut is_empty = true;
        for entry in seq::iter(map) {
            let Value::Vector(entry) = entry? else {
                continue;
            };
            let part = |at| entry.get(at).cloned().unwrap_or_default();
            if !is_empty {
                self.out.push(',');
            }
            self.new_line();
            is_empty = false;
            let key = self.key(&part(0))?;
            self.string(&key);
            self.out.push_str(if self.pretty { " : " } else { ":" });
            self.value(&part(1))?;
        }
        self.level -= 1;
        if is_empty && self.pretty {
            self.out.push(' ');
        } else {
            self.new_line();
        }
        self.out.push('}');
        Ok(())
    }

    fn new_line(&mut self) {
        if self.pretty {
            self.out.push('\n');
            self.out.push_str(&"  ".repeat(self.level));
        }
    }

    fn key(&self, key: &Value) -> Result<String> {
        match (key, &self.key_fn) {
            (Value::Keyword(_), Some(key_fn)) => {
                Ok(self.cx.call(key_fn, std::slice::from_ref(key))?.to_text())
            }
            (Value::Keyword(_), None) => Ok(name(key)),
            _ => Ok(key.to_text()),
        }
    }

    fn opaque(&mut self, value: &Value) -> Result<()> {
        if let Some(text) = super::encoders::written(self.cx, value)? {
            self.out.push_str(&text);
            return Ok(());
        }
        match &*value.class_name() {
            "java.util.Date" | "java.sql.Timestamp" => {
                let ms = java::method(self.cx, value, "getTime", &[])?;
                let text =
                    super::super::time::date_text(ms.as_i64().unwrap_or(0), &self.date_format)?;
                self.string(&text);
            }
            "java.util.UUID" | "java.math.BigDecimal" => self.string(&value.to_text()),
            _ => match histogram_value::of(value) {
                Some(histogram) => self.string(&histogram.to_base64()),
                None => return Err(no_json(value)),
            },
        }
        Ok(())
    }

    fn string(&mut self, text: &str) {
        self.out.push('"');
        for char in text.chars() {
            match char {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                '\t' => self.out.push_str("\\t"),
                '\u{8}' => self.out.push_str("\\b"),
                '\u{c}' => self.out.push_str("\\f"),
                char if char < ' ' || self.escape_non_ascii && !char.is_ascii() => {
                    for unit in char.encode_utf16(&mut [0; 2]) {
                        let _ = write!(self.out, "\\u{unit:04X}");
                    }
                }
                _ => self.out.push(char),
            }
        }
        self.out.push('"');
    }
}

/// A keyword or symbol with its namespace and without the colon.
fn name(value: &Value) -> String {
    match value {
        Value::Keyword(_) => value.to_readable().split_off(1),
        _ => value.to_text(),
    }
}

fn no_json(value: &Value) -> Thrown {
    let message = format!(
        "Cannot JSON encode object of class: class {}: {}",
        value.class_name(),
        value.to_readable()
    );
    Thrown::new(
        "com.fasterxml.jackson.core.JsonGenerationException",
        message,
    )
}
