//! `riemann.common/match`: what may stand for a value in a filter.

use clj::{Cx, Result, Thrown, Value, seq};

use super::regex::Finder;
use super::{Reading, tag_names, tagged};

/// A pattern, looked through once. Regular expressions find (they need not match the whole),
/// functions are called, sets and vectors of tags want all of theirs, a keyword its own name, a map
/// its entries; all else is `=`.
pub enum Matcher {
    Nil,
    Equal(Value),
    Regex(Finder),
    Keyword(Value),
    Set(Value),
    Vector(Value),
    Map(Value),
    /// A function, or what else can be called.
    Call(Value),
}

impl Matcher {
    pub fn of(pattern: &Value) -> Matcher {
        let pattern = pattern.clone();
        match &pattern {
            Value::Nil => Matcher::Nil,
            Value::Keyword(_) => Matcher::Keyword(pattern),
            Value::Set(_) => Matcher::Set(pattern),
            Value::Vector(_) => Matcher::Vector(pattern),
            Value::Map(_) | Value::Event(_) => Matcher::Map(pattern),
            Value::Fn(_) | Value::Symbol(_) | Value::Var(_) => Matcher::Call(pattern),
            Value::Object(object) => match Finder::of(&pattern) {
                Some(finder) => Matcher::Regex(finder),
                None if object.as_callable().is_some() => Matcher::Call(pattern),
                None => Matcher::Equal(pattern),
            },
            _ => Matcher::Equal(pattern),
        }
    }

    /// True if the value matches.
    ///
    /// # Errors
    /// What a function throws; a vector that is no list of tags wants an index.
    pub fn matches(&self, cx: &Cx<'_>, reading: &Reading<'_>) -> Result<bool> {
        match self {
            Matcher::Nil => Ok(matches!(reading, Reading::Nil)),
            Matcher::Equal(value) => Ok(Reading::of(value).equals(reading)),
            Matcher::Regex(regex) => match reading.as_str() {
                Some(text) => regex.finds(text),
                None => Ok(false),
            },
            _ => Ok(self.value(cx, reading)?.truthy()),
        }
    }

    /// What the match gives: a function's own value, what of the text an expression found, the item of
    /// a set, else a boolean.
    ///
    /// # Errors
    /// As [`Matcher::matches`].
    pub fn value(&self, cx: &Cx<'_>, reading: &Reading<'_>) -> Result {
        match self {
            Matcher::Nil | Matcher::Equal(_) => self.matches(cx, reading).map(Value::Bool),
            Matcher::Regex(regex) => match reading.as_str() {
                Some(text) => regex.find(text),
                None => Ok(Value::Bool(false)),
            },
            Matcher::Keyword(pattern) => Ok(keyword_matches(pattern, reading)),
            Matcher::Set(set) | Matcher::Vector(set) if is_many(reading) => {
                tagged(true, &tag_names(set)?, reading).map(Value::Bool)
            }
            Matcher::Set(set) => {
                let value = reading.clone().into_value();
                Ok(seq::get(set, &value).unwrap_or_default())
            }
            Matcher::Vector(_) if matches!(reading, Reading::Nil) => Ok(Value::Bool(false)),
            Matcher::Vector(vector) => {
                let index = match reading {
                    Reading::Num(number) => number.as_i64().map(Value::Int),
                    _ => None,
                };
                let wrong = || Thrown::illegal_argument("Key must be integer");
                cx.call(vector, &[index.ok_or_else(wrong)?])
            }
            Matcher::Map(pattern) => map_matches(cx, pattern, &reading.clone().into_value()),
            Matcher::Call(function) => cx.call(function, &[reading.clone().into_value()]),
        }
    }

    pub(super) fn is_pure(&self) -> bool {
        !matches!(self, Matcher::Call(_) | Matcher::Map(_))
    }
}

/// `(riemann.common/match pattern value)`.
///
/// # Errors
/// As [`Matcher::matches`].
pub fn common_match(cx: &Cx<'_>, pattern: &Value, value: &Value) -> Result {
    Matcher::of(pattern).value(cx, &Reading::of(value))
}

fn is_many(reading: &Reading<'_>) -> bool {
    match reading {
        Reading::Tags(_) => true,
        Reading::Value(value) => {
            matches!(
                value,
                Value::Vector(_) | Value::List(_) | Value::Lazy(_) | Value::Set(_)
            )
        }
        _ => false,
    }
}

fn keyword_matches(pattern: &Value, reading: &Reading<'_>) -> Value {
    let Value::Keyword(keyword) = pattern else {
        return Value::Bool(false);
    };
    match reading {
        Reading::Value(own @ Value::Keyword(_)) => Value::Bool(own == pattern),
        Reading::Value(map @ (Value::Map(_) | Value::Event(_))) => {
            seq::get(map, pattern).unwrap_or_default()
        }
        _ => Value::Bool(keyword.namespace().is_none() && reading.as_str() == Some(keyword.name())),
    }
}

fn map_matches(cx: &Cx<'_>, pattern: &Value, value: &Value) -> Result {
    for (key, wanted) in crate::fields::entries(pattern) {
        let found = seq::get(value, &key).unwrap_or_default();
        if !common_match(cx, &wanted, &found)?.truthy() {
            return Ok(Value::Bool(false));
        }
    }
    Ok(Value::Bool(true))
}
