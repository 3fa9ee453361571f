//! The text forms: base64 of the binary form, and the shapes of JSON in which histograms travel.

use std::fmt;

use base64::Engine;
use base64::engine::GeneralPurpose;
use base64::engine::general_purpose::{PAD_INDIFFERENT, STANDARD};
use serde_json::{Map, Value};

use crate::bin::Bin;
use crate::binary::DecodeError;
use crate::histogram::Histogram;

/// Reads with and without padding: the reference writes it, others leave it out.
const LENIENT: GeneralPurpose = GeneralPurpose::new(&base64::alphabet::STANDARD, PAD_INDIFFERENT);

/// Why a text is not a histogram.
#[derive(Clone, Debug, PartialEq)]
pub enum TextError {
    /// Not base64, and what is wrong with it.
    Base64(String),
    /// Base64 of something else.
    Binary(DecodeError),
    /// A bin that is not a number, as it was written.
    Bin(String),
    /// A count that is not a whole number from 0 to 2^64 - 1, and its bin.
    Count { bin: String, count: String },
    /// A JSON value that is none of the forms.
    Shape(&'static str),
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TextError::Base64(error) => write!(f, "a histogram is not base64: {error}"),
            TextError::Binary(error) => write!(f, "a histogram in base64: {error}"),
            TextError::Bin(bin) => write!(f, "'{bin}' is no bin: write a number, such as 1.2e-01"),
            TextError::Count { bin, count } => write!(
                f,
                "bin {bin} counts {count}: write a whole number from 0 to 2^64 - 1"
            ),
            TextError::Shape(found) => write!(
                f,
                "{found} is no histogram: write base64, an object of bins and counts, \
                 or a list of numbers or \"H[bin]=count\""
            ),
        }
    }
}

impl std::error::Error for TextError {}

impl Histogram {
    /// The binary form in base64, padded.
    ///
    /// ```
    /// use histogram::Histogram;
    /// let one: Histogram = [1.5].into_iter().collect();
    /// assert_eq!(one.to_base64(), "AAEPAAAB");
    /// assert_eq!(Histogram::from_base64("AAEPAAAB"), Ok(one));
    /// ```
    pub fn to_base64(&self) -> String {
        STANDARD.encode(self.encode())
    }

    /// Reads base64, padded or not.
    ///
    /// # Errors
    /// If it is not base64, or of something that [`decode`](Histogram::decode) rejects.
    pub fn from_base64(text: &str) -> Result<Histogram, TextError> {
        let bytes = LENIENT
            .decode(text.trim())
            .map_err(|error| TextError::Base64(error.to_string()))?;
        Histogram::decode(&bytes).map_err(TextError::Binary)
    }

    /// The list of texts `H[1.2e+00]=3` that agents send.
    pub fn to_json(&self) -> Value {
        let text = |(bin, count): (Bin, u64)| Value::from(format!("H[{}]={count}", edge(bin)));
        Value::Array(self.bins().map(text).collect())
    }

    /// Reads any of the JSON forms: base64; an object whose members are a bin and its count, the
    /// bin written as a number in it (`"1.2"`, `"1.2e0"`, `"+12e-001"`, `"NaN"`); a list of
    /// numbers, of numbers as texts, and of `"H[1.2e+00]=3"`; one number; and
    /// `{"_type": …, "_value": …}` around any of them.
    ///
    /// # Errors
    /// If a bin is not a number, a count not a whole number, or the value none of these.
    pub fn from_json(value: &Value) -> Result<Histogram, TextError> {
        let mut histogram = Histogram::new();
        match value {
            Value::String(text) if is_sample(text) => histogram.insert_text(text)?,
            Value::String(text) => return Histogram::from_base64(text),
            Value::Number(_) => histogram.insert(number(&value.to_string())?),
            Value::Array(samples) => {
                for sample in samples {
                    match sample {
                        Value::String(text) => histogram.insert_text(text)?,
                        Value::Number(_) => histogram.insert(number(&sample.to_string())?),
                        other => return Err(TextError::Shape(kind(other))),
                    }
                }
            }
            Value::Object(members) => match members.get("_value") {
                Some(Value::Object(_)) | None => {
                    histogram.insert_members(members)?;
                }
                Some(value) => return Histogram::from_json(value),
            },
            other => return Err(TextError::Shape(kind(other))),
        }
        Ok(histogram)
    }

    /// Members `bin: count`, directly or in a member `_value`; others that begin with `_` are about
    /// the metric, not the bins.
    fn insert_members(&mut self, members: &Map<String, Value>) -> Result<(), TextError> {
        let members = match members.get("_value") {
            Some(Value::Object(inner)) => inner,
            _ => members,
        };
        for (bin, count) in members {
            if bin.starts_with('_') {
                continue;
            }
            let count = count.as_u64().ok_or_else(|| TextError::Count {
                bin: bin.clone(),
                count: count.to_string(),
            })?;
            self.insert_n(number(bin)?, count);
        }
        Ok(())
    }

    /// `H[1.2e+00]=3`, or a number.
    fn insert_text(&mut self, text: &str) -> Result<(), TextError> {
        let Some(inner) = text.strip_prefix("H[") else {
            self.insert(number(text)?);
            return Ok(());
        };
        let Some((bin, count)) = inner.split_once("]=") else {
            return Err(TextError::Bin(text.to_owned()));
        };
        let count = count.parse().map_err(|_| TextError::Count {
            bin: bin.to_owned(),
            count: count.to_owned(),
        })?;
        self.insert_n(number(bin)?, count);
        Ok(())
    }
}

/// Whether a text alone is a sample and not base64.
fn is_sample(text: &str) -> bool {
    text.starts_with("H[")
}

fn number(text: &str) -> Result<f64, TextError> {
    text.trim()
        .parse()
        .map_err(|_| TextError::Bin(text.to_owned()))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A bin's edge with two digits: `1.2e+00`.
fn edge(bin: Bin) -> String {
    if bin.is_nan() {
        return "NaN".to_owned();
    }
    let val = bin.val();
    let exp = i32::from(bin.exp());
    let minus = if val < 0 { "-" } else { "" };
    let (first, second) = (val.unsigned_abs() / 10, val.unsigned_abs() % 10);
    let sign = if exp < 0 { '-' } else { '+' };
    format!("{minus}{first}.{second}e{sign}{:02}", exp.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Histogram, TextError> {
        Histogram::from_json(&serde_json::from_str(json).expect("JSON"))
    }

    #[test]
    fn each_form_is_the_same_histogram() {
        let mut expected = Histogram::new();
        expected.insert_n(1.2, 3);
        expected.insert_n(-0.05, 2);
        for form in [
            &format!("\"{}\"", expected.to_base64()),
            &format!("\"{}\"", expected.to_base64().trim_end_matches('=')),
            r#"{"1.2": 3, "-0.05": 2}"#,
            r#"{"1.2e0": 3, "-5.0e-2": 2}"#,
            r#"{"+12e-001": 3, "-50e-003": 2}"#,
            r#"["H[1.2e+00]=3", "H[-5.0e-02]=2"]"#,
            r#"[1.2, 1.2, "1.2", -0.05, -0.05]"#,
            r#"{"_type": "h", "_value": ["H[1.2e+00]=3", "H[-5.0e-02]=2"]}"#,
            r#"{"_type": "h", "_value": {"1.2": 3, "-0.05": 2}}"#,
        ] {
            assert_eq!(read(form), Ok(expected.clone()), "{form}");
        }
    }

    /// The list of forms in `docs/manual/histograms.md`.
    #[test]
    fn the_manuals_forms_are_read() {
        let manual = include_str!("../../../docs/manual/histograms.md");
        let forms = manual
            .split("```")
            .find_map(|part| part.strip_prefix("json\n"));
        let counts: Vec<_> = forms
            .expect("a block of JSON")
            .lines()
            .map(|line| read(line).map(|histogram| (histogram.count_near(1.2), histogram.count())))
            .collect();
        let mut expected = vec![Ok((3, 4)); 5];
        expected.push(Ok((3, 3)));
        assert_eq!(counts, expected);
    }

    #[test]
    fn what_is_written_is_read() {
        let all: Histogram = (-128..=127)
            .flat_map(|exp| [-99, -10, 10, 57].map(|val| (Bin::new(val, exp).expect("a bin"), 7)))
            .chain([(Bin::NAN, u64::MAX), (Bin::ZERO, 1)])
            .collect();
        assert_eq!(Histogram::from_json(&all.to_json()), Ok(all.clone()));
        assert_eq!(Histogram::from_base64(&all.to_base64()), Ok(all));
    }

    #[test]
    fn errors_name_the_place() {
        for (json, message) in [
            (
                r#"{"a": 1}"#,
                "'a' is no bin: write a number, such as 1.2e-01",
            ),
            (
                r#"{"1.2": -1}"#,
                "bin 1.2 counts -1: write a whole number from 0 to 2^64 - 1",
            ),
            (
                r#"["H[1.2]=x"]"#,
                "bin 1.2 counts x: write a whole number from 0 to 2^64 - 1",
            ),
            (
                r#"["H[1.2"]"#,
                "'H[1.2' is no bin: write a number, such as 1.2e-01",
            ),
            (
                r#"[null]"#,
                "null is no histogram: write base64, an object of bins and counts, \
                 or a list of numbers or \"H[bin]=count\"",
            ),
            (
                r#""AAEP""#,
                "a histogram in base64: the histogram ends within a bin",
            ),
        ] {
            assert_eq!(read(json).expect_err(json).to_string(), message);
        }
    }
}
