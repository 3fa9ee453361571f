//! `cauchy query`: what the index holds.

use std::fmt::Write as _;
use std::io::{self, Write};

use event::Event;
use histogram::Histogram;
use serde_json::Value;

use crate::answer;
use crate::cli;

/// Asks the server and prints a table, or JSON lines.
pub fn run(query: &cli::Query) -> Result<(), String> {
    let client = answer::connect(&query.server)?;
    let events = client
        .query(&query.query, crate::send::now())
        .map_err(|error| error.to_string())?;
    let mut json: Vec<String> = events.iter().map(event_json).collect();
    json.sort();
    let text = if query.json {
        json.iter()
            .fold(String::new(), |text, line| text + line + "\n")
    } else {
        table(&json)
    };
    // A reader that has gone (`| head`) is no failure.
    let _ = io::stdout().lock().write_all(text.as_bytes());
    Ok(())
}

fn event_json(event: &Event) -> String {
    let mut json = Vec::new();
    codec::json::event_to_json(&mut json, event);
    String::from_utf8_lossy(&json).into_owned()
}

const COLUMNS: [&str; 7] = [
    "host",
    "service",
    "state",
    "metric",
    "ttl",
    "time",
    "description",
];

/// Columns as wide as their widest cell, in the order of `COLUMNS`.
fn table(json: &[String]) -> String {
    let rows: Vec<Vec<String>> = json.iter().map(|line| cells(line)).collect();
    let header: Vec<String> = COLUMNS.iter().map(|name| (*name).to_owned()).collect();
    let width = |column: usize| {
        let cells = rows
            .iter()
            .chain([&header])
            .map(|row| row[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..COLUMNS.len()).map(width).collect();
    let mut text = String::new();
    for row in [&header].into_iter().chain(&rows) {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(line, "{cell:width$}  ");
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    let _ = writeln!(
        text,
        "{} {}",
        rows.len(),
        if rows.len() == 1 { "event" } else { "events" }
    );
    text
}

fn cells(line: &str) -> Vec<String> {
    let event: Value = serde_json::from_str(line).unwrap_or_default();
    COLUMNS.iter().map(|name| field(&event, name)).collect()
}

/// A field of an event; of a histogram how many, and some quantiles.
fn field(event: &Value, name: &str) -> String {
    let histogram = event[codec::json::HISTOGRAM].as_str();
    match histogram
        .filter(|_| name == "metric")
        .map(Histogram::from_base64)
    {
        Some(Ok(histogram)) => event::summary(&histogram),
        _ => cell(&event[name]),
    }
}

/// One cell: no line breaks, so that a description stays in its row.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.replace(['\n', '\r', '\t'], " "),
        other => other.to_string(),
    }
}

/// An event as one line for people.
pub fn line_of_json(line: &str) -> String {
    let event: Value = serde_json::from_str(line).unwrap_or_default();
    let words = ["time", "host", "service", "state", "metric", "description"];
    let words: Vec<String> = words
        .iter()
        .map(|name| field(&event, name))
        .filter(|word| !word.is_empty())
        .collect();
    words.join("  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = [
            r#"{"host":"a","service":"disk","metric":0.5}"#.to_owned(),
            r#"{"host":"bb","service":"cpu","metric":10,"description":"two\nlines"}"#.to_owned(),
        ];
        assert_eq!(
            table(&rows),
            "host  service  state  metric  ttl  time  description\n\
             a     disk            0.5\n\
             bb    cpu             10                 two lines\n\
             2 events\n"
        );
    }

    #[test]
    fn a_histogram_is_told_in_words() {
        let line = r#"{"host":"a","metric":null,"metric_histogram":"AAEPAAAD"}"#;
        assert_eq!(line_of_json(line), "a  n=3 p50=1.5 p99=1.5 max=1.5");
    }
}
