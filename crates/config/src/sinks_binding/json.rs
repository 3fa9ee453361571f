//! Values of the language as JSON, and back.

use clj::{Result, Thrown, Value};
use serde_json::{Map, Value as Json};

pub fn from_value(value: &Value) -> Json {
    serde_json::from_str(&clj::json::to_json(value)).unwrap_or_default()
}

/// What a function of the configuration gave, which must be a map. `what` names the function.
///
/// # Errors
/// When it is something else.
pub fn object(what: &str, value: &Value) -> Result<Map<String, Json>> {
    match from_value(value) {
        Json::Object(object) => Ok(object),
        _ => Err(Thrown::class_cast(format!(
            "{what} must give a map, not {}",
            value.class_name()
        ))),
    }
}

/// Names of objects become keywords.
pub fn to_value(json: &Json) -> Value {
    to_value_with(json, &|name| Value::keyword(name))
}

/// As [`to_value`], with another way to make keys of names.
pub fn to_value_with(json: &Json, key: &dyn Fn(&str) -> Value) -> Value {
    match json {
        Json::Null => Value::Nil,
        Json::Bool(bool) => Value::Bool(*bool),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(int), _) => Value::Int(int),
            (None, Some(float)) => Value::Double(float),
            (None, None) => Value::str(number.to_string()),
        },
        Json::String(text) => Value::str(text),
        Json::Array(items) => {
            Value::vector(items.iter().map(|item| to_value_with(item, key)).collect())
        }
        Json::Object(entries) => Value::map(
            entries
                .iter()
                .map(|(name, value)| (key(name), to_value_with(value, key))),
        ),
    }
}
