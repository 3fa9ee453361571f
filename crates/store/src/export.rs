//! Export and import: JSON lines, one a sample.

use std::io::{BufRead, Write};
use std::ops::ControlFlow;

use histogram::Histogram;
use serde_json::{Map, Value as Json};

use crate::error::{Error, Result};
use crate::query::{Answered, Query};
use crate::series::Series;
use crate::store::Store;
use crate::value::{Sample, Value};

/// Samples that are imported at once.
pub(crate) const BATCH: usize = 1000;

/// Writes samples as JSON lines: `host`, `service`, `by` if there is any, `time_us`, and `number`,
/// `histogram` (base64) or `text`. A number that JSON has no word for is a string.
///
/// # Errors
/// What the disk says, of the store or of what is written to.
pub fn export(store: &Store, query: &Query, out: &mut dyn Write) -> Result<Answered> {
    let mut failed = None;
    let answered = store.samples(query, &mut |series, time_us, value| match writeln!(
        out,
        "{}",
        line_of(series, time_us, value)
    ) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => {
            failed = Some(error);
            ControlFlow::Break(())
        }
    })?;
    match failed.map_or_else(|| out.flush(), Err) {
        Ok(()) => Ok(answered),
        Err(error) => Err(Error::io("write", "the export", error)),
    }
}

fn line_of(series: &Series, time_us: i64, value: Value) -> Json {
    let mut line = Map::new();
    for (name, text) in [("host", &series.host), ("service", &series.service)] {
        if let Some(text) = text {
            line.insert(name.to_owned(), text.as_str().into());
        }
    }
    if !series.by.is_empty() {
        line.insert("by".to_owned(), by_of(series));
    }
    line.insert("time_us".to_owned(), time_us.into());
    let (name, value) = match value {
        Value::Number(number) if number.is_finite() => ("number", number.into()),
        Value::Number(number) => ("number", number.to_string().into()),
        Value::Histogram(histogram) => ("histogram", histogram.to_base64().into()),
        Value::Text(text) => ("text", text.into()),
    };
    line.insert(name.to_owned(), value);
    Json::Object(line)
}

/// A sample that owns what it says.
pub(crate) struct Owned {
    pub series: Series,
    pub time_us: i64,
    pub value: OwnedValue,
}

pub(crate) enum OwnedValue {
    Number(f64),
    Histogram(Histogram),
    Text(String),
}

/// Reads samples that [`export`] wrote; what is there already is not there twice. Returns how many
/// were taken.
///
/// # Errors
/// [`Error::Line`] with the line's number; the lines before it have been taken or not. As
/// [`Store::append`].
pub fn import(store: &Store, lines: &mut dyn BufRead) -> Result<usize> {
    let mut taken = 0;
    let mut batch = Vec::with_capacity(BATCH);
    for (index, line) in lines.lines().enumerate() {
        let line = line.map_err(|error| Error::io("read", "the import", error))?;
        if line.trim().is_empty() {
            continue;
        }
        let line_number = index + 1;
        batch.push(read_line(&line).map_err(|why| Error::Line { line_number, why })?);
        if batch.len() == BATCH {
            taken += append(store, &batch)?;
            batch.clear();
        }
    }
    taken += append(store, &batch)?;
    Ok(taken)
}

pub(crate) fn append(store: &Store, batch: &[Owned]) -> Result<usize> {
    let mut taken = 0;
    for owned in batch {
        let by: Vec<(&str, &str)> = owned.series.by.iter().map(|(a, b)| (&**a, &**b)).collect();
        let sample = Sample {
            host: owned.series.host.as_deref(),
            service: owned.series.service.as_deref(),
            by: &by,
            time_us: owned.time_us,
            value: match &owned.value {
                OwnedValue::Number(number) => Value::Number(*number),
                OwnedValue::Histogram(histogram) => Value::Histogram(histogram),
                OwnedValue::Text(text) => Value::Text(text),
            },
        };
        match store.append(&[sample]) {
            Err(Error::Behind { .. }) => {
                store.seal()?;
                taken += store.append(&[sample])?;
            }
            appended => taken += appended?,
        }
    }
    Ok(taken)
}

fn read_line(line: &str) -> std::result::Result<Owned, String> {
    let line: Json = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let text = |name: &str| match &line[name] {
        Json::Null => Ok(None),
        Json::String(text) => Ok(Some(text.clone())),
        _ => Err(format!("`{name}` is not a string")),
    };
    let by = read_by(&line["by"])?;
    let series = Series {
        host: text("host")?,
        service: text("service")?,
        by,
    };
    let time_us = line["time_us"]
        .as_i64()
        .ok_or("`time_us` is not a whole number")?;
    let value = if let Some(text) = text("text")? {
        OwnedValue::Text(text)
    } else if let Some(base64) = text("histogram")? {
        let histogram = Histogram::from_base64(&base64);
        OwnedValue::Histogram(histogram.map_err(|error| error.to_string())?)
    } else {
        let number = match &line["number"] {
            Json::Number(number) => number.as_f64(),
            Json::String(text) => text.parse().ok(),
            _ => None,
        };
        OwnedValue::Number(number.ok_or("there is no `number`, `histogram` or `text`")?)
    };
    Ok(Owned {
        series,
        time_us,
        value,
    })
}

/// Reads a list of fields and values.
pub(crate) fn read_by(list: &Json) -> std::result::Result<Vec<(String, String)>, String> {
    let wrong = || "`by` is not a list of pairs of strings".to_owned();
    let mut by = Vec::new();
    if !list.is_null() {
        for pair in list.as_array().ok_or_else(wrong)? {
            match (pair[0].as_str(), pair[1].as_str()) {
                (Some(field), Some(value)) => by.push((field.to_owned(), value.to_owned())),
                _ => return Err(wrong()),
            }
        }
    }
    Ok(by)
}

/// Fields and values as such a list.
pub(crate) fn by_of(series: &Series) -> Json {
    let by = series.by.iter();
    let pairs = by.map(|(field, value)| vec![field.as_str(), value.as_str()]);
    pairs.collect::<Vec<_>>().into()
}
