//! Metrics in a JSON document, as agents put them to Circonus' httptrap: an event a metric.
//!
//! ```json
//! {"load": 0.5,
//!  "cpu": {"user": {"_type": "L", "_value": "1234"}},
//!  "latency": {"_type": "h", "_value": ["H[1.2e-01]=3", "H[4.5e+00]=1"]}}
//! ```
//!
//! Groups within groups are names with a backtick between: `` cpu`user ``.

mod sample;

use std::fmt;

use event::{Draft, Event, PackedHistogram, Time};
use serde_json::{Map, Value};
use thiserror::Error;

use sample::{Sample, is_samples};

/// Metrics of one document: what a large host with all its containers has, ten times.
pub const METRICS_MAX: usize = 65_536;

/// Bytes of a metric's name with its groups. Each metric has a copy, so that a long name around many
/// would multiply.
pub const NAME_BYTES_MAX: usize = 1024;

/// Why a document has no metrics.
#[derive(Debug, Error)]
pub enum DocumentError {
    #[error("invalid JSON: {0}")]
    Syntax(#[from] serde_json::Error),
    #[error("the document must be a JSON object of metrics by name")]
    NotAnObject,
}

/// A metric that cannot be read. The others are read all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricError {
    /// With its groups.
    pub name: String,
    pub reason: String,
}

impl fmt::Display for MetricError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.reason)
    }
}

/// What a document holds.
#[derive(Debug, Default)]
pub struct Document {
    pub events: Vec<Event>,
    pub errors: Vec<MetricError>,
}

/// Reads a document. The metrics of one host, as of `now` unless they say.
///
/// ```
/// use event::{Fields, Number, Time};
/// let text = br#"{"cpu": {"user": {"_type": "L", "_value": "12"}}, "bad": {"_type": "L", "_value": -1}}"#;
/// let document = codec::httptrap::read(text, Some("web1"), Time::from_s(5)).unwrap();
/// assert_eq!(document.events[0].service(), Some("cpu`user"));
/// assert_eq!(document.events[0].metric(), Some(Number::Int(12)));
/// assert_eq!(document.errors[0].to_string(), "bad: -1 is no number of type L, 0 to 2^64 - 1");
/// ```
///
/// # Errors
/// When the text is not JSON, or not an object.
pub fn read(text: &[u8], host: Option<&str>, now: Time) -> Result<Document, DocumentError> {
    let Value::Object(members) = serde_json::from_slice(text)? else {
        return Err(DocumentError::NotAnObject);
    };
    let mut reader = Reader {
        host,
        now,
        name: String::new(),
        left_out: 0,
        document: Document::default(),
    };
    reader.group(&members);
    if reader.left_out > 0 {
        let reason = format!(
            "{} metrics beyond {METRICS_MAX} are left out",
            reader.left_out
        );
        reader.name.clear();
        reader.refuse(reason);
    }
    Ok(reader.document)
}

struct Reader<'a> {
    host: Option<&'a str>,
    now: Time,
    /// Of the metric that is read now, with its groups.
    name: String,
    left_out: usize,
    document: Document,
}

impl Reader<'_> {
    fn group(&mut self, members: &Map<String, Value>) {
        for (name, value) in members {
            self.member(name, value);
        }
    }

    fn member(&mut self, name: &str, value: &Value) {
        let outer = self.name.len();
        if outer > 0 {
            self.name.push('`');
        }
        self.name.push_str(name);
        if self.name.len() <= NAME_BYTES_MAX {
            self.value(value);
        } else {
            let end = self.name.floor_char_boundary(NAME_BYTES_MAX);
            self.name.truncate(end);
            self.refuse(format!("a name has more than {NAME_BYTES_MAX} bytes"));
        }
        self.name.truncate(outer);
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Object(members) if members.contains_key("_type") => self.typed(members),
            Value::Object(members) => self.group(members),
            Value::Array(items) if is_samples(items) => self.untyped(value),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.member(&index.to_string(), item);
                }
            }
            _ => self.untyped(value),
        }
    }

    fn untyped(&mut self, value: &Value) {
        match Sample::of(value) {
            Ok(sample) => self.push(sample, self.now, Vec::new()),
            Err(reason) => self.refuse(reason),
        }
    }

    /// `{"_type": …, "_value": …, "_ts": ms, "_tags": […]}`.
    fn typed(&mut self, members: &Map<String, Value>) {
        let sample = Sample::typed(&members["_type"], members.get("_value"));
        match (
            sample,
            time(members.get("_ts"), self.now),
            tags(members.get("_tags")),
        ) {
            (Ok(sample), Ok(time), Ok(tags)) => self.push(sample, time, tags),
            (Err(reason), _, _) | (_, Err(reason), _) | (_, _, Err(reason)) => self.refuse(reason),
        }
    }

    fn push(&mut self, sample: Sample, time: Time, tags: Vec<&str>) {
        if self.document.events.len() == METRICS_MAX {
            self.left_out += 1;
            return;
        }
        let mut draft = Draft {
            host: self.host.map(Into::into),
            service: Some(self.name.as_str().into()),
            time: Some(time),
            tags: (!tags.is_empty()).then(|| tags.into_iter().map(Into::into).collect()),
            ..Draft::record()
        };
        match sample {
            Sample::Nothing => {}
            Sample::Number(number) => draft.metric = Some(number),
            Sample::Text(text) => draft.state = Some(text.into()),
            Sample::Histogram(histogram) => {
                draft.set_histogram(PackedHistogram::from(&histogram));
            }
        }
        self.document.events.push(draft.build());
    }

    fn refuse(&mut self, reason: String) {
        if self.document.errors.len() == METRICS_MAX {
            return;
        }
        let name = self.name.clone();
        self.document.errors.push(MetricError { name, reason });
    }
}

/// Milliseconds since 1970.
fn time(ts: Option<&Value>, now: Time) -> Result<Time, String> {
    let Some(ts) = ts.filter(|ts| !ts.is_null()) else {
        return Ok(now);
    };
    let ms = match ts {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    let us = ms.and_then(|ms| ms.checked_mul(1000));
    us.map(Time::from_us)
        .ok_or_else(|| format!("_ts is {}, not milliseconds since 1970", sample::shown(ts)))
}

fn tags(tags: Option<&Value>) -> Result<Vec<&str>, String> {
    match tags {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(tags)) if tags.iter().all(Value::is_string) => {
            Ok(tags.iter().filter_map(Value::as_str).collect())
        }
        Some(_) => Err("_tags is no list of texts".to_owned()),
    }
}

#[cfg(test)]
mod tests;
