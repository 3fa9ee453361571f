//! The value of a metric, by its type.

use event::Number;
use histogram::Histogram;
use num_bigint::BigInt;
use serde_json::Value;

/// Characters of a value that an error shows.
const SHOWN_CHARS: usize = 40;

/// What was measured.
#[derive(Debug, PartialEq)]
pub enum Sample {
    /// A value that was asked for and is not there.
    Nothing,
    Number(Number),
    Text(String),
    Histogram(Histogram),
}

impl Sample {
    /// A value without a type.
    pub fn of(value: &Value) -> Result<Sample, String> {
        Ok(match value {
            Value::Null => Sample::Nothing,
            Value::Bool(bool) => Sample::Number(Number::Int(i64::from(*bool))),
            Value::String(text) => Sample::Text(text.clone()),
            Value::Number(_) => Sample::Number(real(value)?),
            Value::Array(_) | Value::Object(_) => Sample::Histogram(histogram(value)?),
        })
    }

    /// A value of a type: `n` and `h`; `l`, `L`, `i`, `I` for integers of 64 and 32 bits, capitals
    /// without a sign; `s`.
    pub fn typed(kind: &Value, value: Option<&Value>) -> Result<Sample, String> {
        let Some(value) = value else {
            return Err("no _value beside _type".to_owned());
        };
        if value.is_null() {
            return Ok(Sample::Nothing);
        }
        let whole = |range: (i128, i128), says| {
            whole(value, range)
                .map(Sample::Number)
                .ok_or_else(|| format!("{} is no number of type {says}", shown(value)))
        };
        match kind.as_str() {
            Some("n") if value.is_array() || value.is_object() => {
                histogram(value).map(Sample::Histogram)
            }
            Some("n") => real(value).map(Sample::Number),
            Some("L") => whole((0, u64::MAX.into()), "L, 0 to 2^64 - 1"),
            Some("l") => whole((i64::MIN.into(), i64::MAX.into()), "l, -2^63 to 2^63 - 1"),
            Some("I") => whole((0, u32::MAX.into()), "I, 0 to 2^32 - 1"),
            Some("i") => whole((i32::MIN.into(), i32::MAX.into()), "i, -2^31 to 2^31 - 1"),
            Some("h" | "H") => histogram(value).map(Sample::Histogram),
            Some("s") => Ok(Sample::Text(match value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            })),
            _ => Err(format!(
                "_type is {}, not n, L, l, I, i, s or h",
                shown(kind)
            )),
        }
    }
}

/// True for a list of numbers and of `H[1.2e+00]=3`: a histogram.
pub fn is_samples(items: &[Value]) -> bool {
    let is_sample = |item: &Value| match item {
        Value::Number(_) => true,
        Value::String(text) => text.starts_with("H["),
        _ => false,
    };
    !items.is_empty() && items.iter().all(is_sample)
}

/// A value as an error shows it.
pub fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn histogram(value: &Value) -> Result<Histogram, String> {
    Histogram::from_json(value).map_err(|error| error.to_string())
}

/// Any number, exact if it is whole and fits in 64 bits.
fn real(value: &Value) -> Result<Number, String> {
    let text = text_of(value).ok_or_else(|| format!("{} is no number", shown(value)))?;
    if let Ok(int) = text.parse() {
        return Ok(Number::Int(int));
    }
    let is_word = |text: &str| {
        text.bytes()
            .any(|byte| matches!(byte, b'n' | b'N' | b'y' | b'Y'))
    };
    match text.parse::<f64>() {
        Ok(float) if !is_word(text) => Ok(Number::F64(float)),
        _ => Err(format!("{} is no number", shown(value))),
    }
}

fn whole(value: &Value, (least, greatest): (i128, i128)) -> Option<Number> {
    let whole: i128 = text_of(value)?.parse().ok()?;
    (least..=greatest)
        .contains(&whole)
        .then(|| Number::from_big(BigInt::from(whole)))
}

/// The text of a number, or of a text that is one.
fn text_of(value: &Value) -> Option<&str> {
    match value {
        Value::Number(number) => Some(number.as_str()),
        Value::String(text) => Some(text.trim()),
        _ => None,
    }
}
