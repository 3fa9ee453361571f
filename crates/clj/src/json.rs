//! Values as JSON text, as `cheshire.core/generate-string` writes them.

use std::fmt::Write;

use crate::{Value, event_value, histogram_value, seq};

/// The value as compact JSON. Keywords and symbols are their names, ratios doubles, anything
/// without a JSON form its printed text.
pub fn to_json(value: &Value) -> String {
    let mut out = String::new();
    write_json(value, &mut out);
    out
}

fn write_json(value: &Value, out: &mut String) {
    match value {
        Value::Nil => out.push_str("null"),
        Value::Bool(bool) => out.push_str(if *bool { "true" } else { "false" }),
        Value::Str(text) => write_string(text, out),
        Value::Char(char) => write_string(&char.to_string(), out),
        Value::Keyword(_) | Value::Symbol(_) => write_string(&key_text(value), out),
        Value::Map(map) => write_entries(map.iter().map(|(k, v)| (k.clone(), v.clone())), out),
        Value::Event(event) => write_entries(event_value::entries(event), out),
        Value::List(_) | Value::Lazy(_) | Value::Vector(_) | Value::Set(_) => {
            out.push('[');
            for (index, item) in seq::iter(value).map_while(Result::ok).enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_json(&item, out);
            }
            out.push(']');
        }
        _ => match value.as_number() {
            Some(number) => write_number(&number, out),
            None => match histogram_value::of(value) {
                Some(histogram) => write_string(&histogram.to_base64(), out),
                None => write_string(&value.to_text(), out),
            },
        },
    }
}

fn write_number(number: &event::Number, out: &mut String) {
    match number {
        event::Number::Ratio(_) => write_number(&event::Number::F64(number.to_f64()), out),
        _ if number.is_float() && !number.to_f64().is_finite() => {
            write_string(&number.to_text(), out);
        }
        _ => out.push_str(&number.to_text()),
    }
}

fn write_entries(entries: impl Iterator<Item = (Value, Value)>, out: &mut String) {
    out.push('{');
    for (index, (key, value)) in entries.enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_string(&key_text(&key), out);
        out.push(':');
        write_json(&value, out);
    }
    out.push('}');
}

/// A key's text: `ns/name` without the colon for a keyword.
fn key_text(key: &Value) -> String {
    match key {
        Value::Keyword(_) => key.to_readable().split_off(1),
        _ => key.to_text(),
    }
}

fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            control if control < ' ' => {
                let _ = write!(out, "\\u{:04X}", u32::from(control));
            }
            _ => out.push(char),
        }
    }
    out.push('"');
}
