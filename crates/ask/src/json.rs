//! Answers as JSON, piece by piece.

use std::ops::ControlFlow;

use serde_json::json;
use store::{Cell, Damage, Series, Value};

use crate::answer::Rows;
use crate::error::Error;
use crate::limits::PIECE_BYTES;
use crate::names::TAGS;
use crate::question::Question;
use crate::show::{Show, Shown};
use crate::time::seconds_text;

/// Where pieces of an answer go.
pub trait Pieces {
    /// Whether anybody still wants them. Asked often.
    fn is_wanted(&self) -> bool;

    /// Takes the next piece; may wait until there is room.
    fn piece(&mut self, bytes: Vec<u8>) -> ControlFlow<()>;
}

impl Pieces for Vec<u8> {
    fn is_wanted(&self) -> bool {
        true
    }

    fn piece(&mut self, bytes: Vec<u8>) -> ControlFlow<()> {
        self.extend_from_slice(&bytes);
        ControlFlow::Continue(())
    }
}

/// Writes an answer as one JSON object.
pub struct Json<'a> {
    out: &'a mut dyn Pieces,
    text: Vec<u8>,
    series: usize,
    rows: usize,
}

impl<'a> Json<'a> {
    /// Nothing is written before the answer begins.
    pub fn new(out: &'a mut dyn Pieces) -> Json<'a> {
        Json {
            out,
            text: Vec::new(),
            series: 0,
            rows: 0,
        }
    }

    fn write(&mut self, text: &str) {
        self.text.extend_from_slice(text.as_bytes());
    }

    fn flush(&mut self, bytes_min: usize) -> ControlFlow<()> {
        if self.text.len() < bytes_min {
            return ControlFlow::Continue(());
        }
        let more = Vec::with_capacity(PIECE_BYTES + PIECE_BYTES / 8);
        let piece = std::mem::replace(&mut self.text, more);
        self.out.piece(piece)
    }

    fn begin_row(&mut self, time_us: i64) {
        let between = if self.rows == 0 { "\n[" } else { ",\n[" };
        self.write(between);
        self.write(&seconds_text(time_us));
        self.rows += 1;
    }

    fn shown(&mut self, shown: &Shown) {
        match shown {
            Shown::Number(number) => self.number(*number),
            Shown::Count(count) => self.write(&count.to_string()),
            Shown::Text(text) => self.write(&json!(text.as_deref()).to_string()),
            Shown::Encoded(text) => self.write(&json!(text).to_string()),
            Shown::Modes(modes) => {
                self.list(modes, |json, mode| {
                    json.write("{\"at\":");
                    json.number(mode.at);
                    json.write(",\"low\":");
                    json.number(mode.low);
                    json.write(",\"high\":");
                    json.number(mode.high);
                    json.write(",\"share\":");
                    json.number(mode.share);
                    json.write("}");
                });
            }
            Shown::Bins(bins) => {
                self.list(bins, |json, (low, high, count)| {
                    json.write("[");
                    json.number(*low);
                    json.write(",");
                    json.number(*high);
                    json.write(",");
                    json.write(&count.to_string());
                    json.write("]");
                });
            }
        }
    }

    fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.write("[");
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.write(",");
            }
            write(self, item);
        }
        self.write("]");
    }

    /// A number; null if it is none.
    fn number(&mut self, number: f64) {
        let written = serde_json::to_writer(&mut self.text, &number);
        debug_assert!(written.is_ok(), "memory takes what is written to it");
    }
}

impl Rows for Json<'_> {
    fn is_wanted(&self) -> bool {
        self.out.is_wanted()
    }

    fn begin(&mut self, question: &Question, matched: usize) -> ControlFlow<()> {
        let query = json!(question.names.text());
        let step = question.step_us.map_or("null".to_owned(), seconds_text);
        let names: Vec<String> = match question.step_us {
            Some(_) => question.shows.iter().map(Show::name).collect(),
            None => vec!["value".to_owned()],
        };
        let (from, to) = (seconds_text(question.from_us), seconds_text(question.to_us));
        self.write(&format!(
            "{{\"query\":{query},\"from\":{from},\"to\":{to},\"step\":{step},\"show\":{},\
             \"matched\":{matched},\"series\":[",
            json!(names)
        ));
        ControlFlow::Continue(())
    }

    fn series(&mut self, names: &mut dyn Iterator<Item = &Series>) -> ControlFlow<()> {
        let between = if self.series == 0 { "\n" } else { ",\n" };
        self.write(between);
        self.series += 1;
        self.rows = 0;
        let (name, merged) = shared_name(names);
        let by = by_json(&name);
        self.write(&format!(
            "{{\"host\":{},\"service\":{},\"by\":{by},\"merged\":{merged},\"rows\":[",
            json!(name.host),
            json!(name.service)
        ));
        ControlFlow::Continue(())
    }

    fn row(&mut self, start_us: i64, _: &Cell, shown: &[Shown]) -> ControlFlow<()> {
        self.begin_row(start_us);
        for shown in shown {
            self.write(",");
            self.shown(shown);
        }
        self.write("]");
        self.flush(PIECE_BYTES)
    }

    fn sample(&mut self, time_us: i64, value: Value) -> ControlFlow<()> {
        self.begin_row(time_us);
        self.write(",");
        match value {
            Value::Number(number) => self.number(number),
            Value::Text(text) => self.write(&json!(text).to_string()),
            Value::Histogram(histogram) => {
                let histogram = histogram.to_base64();
                self.write(&json!({ "histogram": histogram }).to_string());
            }
        }
        self.write("]");
        self.flush(PIECE_BYTES)
    }

    fn total(&mut self, _: &Cell, shown: &[Shown]) -> ControlFlow<()> {
        self.write("],\"total\":");
        self.list(shown, Json::shown);
        self.write("}");
        self.flush(PIECE_BYTES)
    }

    fn end(&mut self, damages: &[Damage], failure: Option<&Error>) {
        if failure.is_some() {
            // The row that was being made is not there; its series is not ended.
            self.write("],\"total\":[]}");
        }
        let damages: Vec<String> = damages.iter().map(ToString::to_string).collect();
        let failure = failure.map(ToString::to_string);
        self.write(&format!(
            "],\"damages\":{},\"error\":{}}}\n",
            json!(damages),
            json!(failure)
        ));
        // Nothing follows, whether it was taken or not.
        let _ = self.flush(0);
    }
}

/// What some series have in common of their names, and how many they are.
pub(crate) fn shared_name(names: &mut dyn Iterator<Item = &Series>) -> (Series, usize) {
    let mut shared = names.next().cloned().unwrap_or_default();
    let mut count = 1;
    for name in names {
        count += 1;
        if shared.host != name.host {
            shared.host = None;
        }
        if shared.service != name.service {
            shared.service = None;
        }
        shared.by.retain(|pair| name.by.contains(pair));
    }
    (shared, count)
}

/// What a series is kept by beside host and service, as an object; tags are a list.
pub(crate) fn by_json(series: &Series) -> serde_json::Value {
    let mut by = serde_json::Map::new();
    for (name, value) in &series.by {
        if name != TAGS {
            by.insert(name.clone(), json!(value));
            continue;
        }
        let tags = by.entry(TAGS).or_insert_with(|| json!([]));
        if let Some(tags) = tags.as_array_mut() {
            tags.push(json!(value));
        }
    }
    serde_json::Value::Object(by)
}
