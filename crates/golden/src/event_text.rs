//! Events as `field=value` text.

use std::borrow::Cow;

use clj::{Cx, Value, event_value, histogram_value, seq};
use event::{Draft, Event, Field, Number, Time};

/// Reads an event; `None` if the text is not of that form.
///
/// # Errors
/// A word that cannot be read.
pub fn parse(cx: &Cx<'_>, text: &str, now: Time) -> Result<Option<Event>, String> {
    let words = words(text);
    if !words.iter().all(|word| is_pair(word)) {
        return Ok(None);
    }
    let mut draft = Draft {
        time: Some(now),
        ..Draft::record()
    };
    for word in &words {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        set(cx, &mut draft, name, value.trim_matches('"'))?;
    }
    Ok(Some(draft.build()))
}

fn is_pair(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or_default();
    word.contains('=')
        && name
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || "-_.".contains(char))
}

/// Splits at spaces outside quotes.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for char in text.chars() {
        match char {
            ' ' if !quoted => words.push(String::new()),
            _ => {
                quoted ^= char == '"';
                words.last_mut().expect("starts with one").push(char);
            }
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn set(cx: &Cx<'_>, draft: &mut Draft<'_>, name: &str, value: &str) -> Result<(), String> {
    let value = match Field::named(name) {
        _ if value == "nil" => Value::Nil,
        Some(Field::Metric) => metric(cx, value)?,
        Some(Field::Time | Field::Ttl) => number(cx, value)?,
        Some(Field::Tags) => Value::vector(value.split(',').map(Value::str).collect()),
        _ => Value::str(value),
    };
    let key = clj::Keyword::new(None, name);
    event_value::set(draft, &key, &value).map_err(|thrown| thrown.to_string())
}

/// A number or a histogram, written as the language has it, with commas for spaces; with a trailing
/// `f`, of 32 bits.
fn metric(cx: &Cx<'_>, text: &str) -> Result<Value, String> {
    match cx.rt.eval_source(cx, "event", text) {
        Ok(value) if histogram_value::of(&value).is_some() => Ok(value),
        _ => number(cx, text),
    }
}

/// A number; with a trailing `f`, of 32 bits.
fn number(cx: &Cx<'_>, text: &str) -> Result<Value, String> {
    if let Some(float) = text
        .strip_suffix('f')
        .and_then(|digits| digits.parse().ok())
    {
        return Ok(Value::Float(float));
    }
    match cx.rt.eval_source(cx, "event", text) {
        Ok(value) if value.as_number().is_some() => Ok(value),
        _ => Err(format!("{text} is not a number")),
    }
}

/// Reads a time in seconds.
///
/// # Errors
/// What is not a number.
pub fn time(cx: &Cx<'_>, text: &str) -> Result<Time, String> {
    let number = number(cx, text)?.as_number().unwrap_or(Number::Int(0));
    Time::from_number(&number).ok_or_else(|| format!("{text} is not a time"))
}

/// Prints a value; events and maps with keyword keys as pairs, without a time that is now.
pub fn print(value: &Value, now: Time) -> String {
    pairs(value, now).unwrap_or_else(|| inner(value, now))
}

fn inner(value: &Value, now: Time) -> String {
    match value {
        Value::Vector(_) | Value::List(_) | Value::Lazy(_) => {
            let items = seq::iter(value).map_while(Result::ok);
            let items: Vec<String> = items.map(|item| inner(&item, now)).collect();
            format!("[{}]", items.join(" "))
        }
        _ => match pairs(value, now) {
            Some(pairs) => format!("{{{pairs}}}"),
            None => value.to_readable(),
        },
    }
}

fn pairs(value: &Value, now: Time) -> Option<String> {
    let mut entries: Vec<(String, Value)> = Vec::new();
    for (key, value) in entries_of(value)? {
        let Value::Keyword(key) = key else {
            return None;
        };
        entries.push((key.name().to_owned(), value));
    }
    let place = |name: &str| Field::named(name).map_or(Field::ALL.len(), |field| field as usize);
    entries.sort_by_key(|(name, _)| place(name));
    let is_record = value.as_event().is_some_and(Event::is_record);
    let shown = entries
        .into_iter()
        .filter(|(name, value)| match name.as_str() {
            "time" => value.as_number() != Some(now.to_number()),
            _ => !(is_record && value.is_nil()),
        });
    let words: Vec<String> = shown
        .map(|(name, value)| format!("{name}={}", word(&value)))
        .collect();
    Some(words.join(" "))
}

fn entries_of(value: &Value) -> Option<Vec<(Value, Value)>> {
    match value {
        Value::Event(event) => Some(event_value::entries(event).collect()),
        Value::Map(map) => Some(map.iter().map(|(k, v)| (k.clone(), v.clone())).collect()),
        _ => None,
    }
}

fn word(value: &Value) -> Cow<'static, str> {
    match value {
        Value::Str(text) if text.contains([' ', '"']) || text.is_empty() => {
            value.to_readable().into()
        }
        Value::Str(text) => text.to_string().into(),
        Value::Vector(_) | Value::List(_) => {
            let tags = seq::iter(value).map_while(Result::ok);
            let tags: Vec<String> = tags.map(|tag| tag.to_text()).collect();
            let tags = tags.join(",");
            if tags.is_empty() {
                "()".into()
            } else {
                tags.into()
            }
        }
        _ => value.to_readable().into(),
    }
}
