//! `sorted-sample`: events at points of the distribution.

use clj::{Native, Result, Value, seq};

use crate::samples::Samples;
use crate::stream::function;
use crate::{arithmetic, fields, folds};

pub const SORTED_SAMPLE: Native = function(
    "sorted-sample",
    "([events points])",
    (2, 2),
    |_, args| {
        Ok(Value::list(sorted_sample(
            folds::events(&args[0])?,
            &args[1],
        )?))
    },
    "Sorts events by metric and gives the one at each of the points between 0 and 1, with the point \
     added to its service: (sorted-sample events [0 0.5 1]) are least, median and greatest. Where points \
     is a map, its values are added to the services as they are.",
);

pub const EXTRACT: Native = function(
    "sorted-sample-extract",
    "([events points])",
    (2, 2),
    |_, args| {
        let points = seq::to_vec(&args[1])?;
        Ok(Value::list(extract(folds::events(&args[0])?, &points)?))
    },
    "As sorted-sample, with the events as they are.",
);

pub const MEDIAN: Native = function(
    "median",
    "([events])",
    (1, 1),
    |_, args| {
        let sample = extract(folds::events(&args[0])?, &[Value::Double(0.5)])?;
        Ok(sample.into_iter().next().unwrap_or_default())
    },
    "The event whose metric is the median; of an even number, the greater of the two in the middle.",
);

/// The events at points of the distribution of metrics, with the points in their services; none of
/// none.
///
/// # Errors
/// When a metric or a point is not a number.
pub fn sorted_sample(events: Vec<Value>, points: &Value) -> Result<Vec<Value>> {
    named_samples(&collect(events)?, &self::points(points)?)
}

/// As [`sorted_sample`].
///
/// # Errors
/// When a point is not a number.
pub fn named_samples(samples: &Samples, points: &[Point]) -> Result<Vec<Value>> {
    let at: Vec<Value> = points.iter().map(|point| point.at.clone()).collect();
    let sample = at_points(samples, &at)?;
    let named = sample.iter().zip(points);
    named
        .map(|(event, point)| with_suffix(event, &point.suffix))
        .collect()
}

/// A point of a distribution, from 0 to 1, and what its number adds to the service.
pub struct Point {
    pub at: Value,
    pub suffix: String,
}

/// The points of a sequence, or of a map with what they add.
///
/// # Errors
/// When it is neither.
pub fn points(points: &Value) -> Result<Vec<Point>> {
    if fields::is_map(points) {
        let entries = fields::entries(points).into_iter();
        let named = entries.map(|(at, suffix)| Point {
            at,
            suffix: suffix.to_text(),
        });
        return Ok(named.collect());
    }
    let points = seq::to_vec(points)?.into_iter();
    let named = points.map(|at| Point {
        suffix: format!(" {}", at.to_text()),
        at,
    });
    Ok(named.collect())
}

/// The event with something added to its service.
///
/// # Errors
/// When the value is no event or map.
pub fn with_suffix(event: &Value, suffix: &str) -> Result {
    let service = fields::get(event, "service").to_text();
    fields::assoc(event, "service", (service + suffix).into())
}

fn extract(events: Vec<Value>, points: &[Value]) -> Result<Vec<Value>> {
    at_points(&collect(events)?, points)
}

fn collect(events: Vec<Value>) -> Result<Samples> {
    let mut samples = Samples::default();
    for event in events {
        if let Some(metric) = fields::metric(&event)? {
            samples.push(event, metric);
        }
    }
    Ok(samples)
}

fn at_points(samples: &Samples, points: &[Value]) -> Result<Vec<Value>> {
    if samples.is_empty() {
        return Ok(Vec::new());
    }
    let count = samples.len();
    let rank = |point: &Value| {
        let rank = (arithmetic::number(point)?.to_f64() * count as f64).floor() as usize;
        Ok(rank.min(count - 1))
    };
    let ranks = points.iter().map(rank).collect::<Result<Vec<_>>>()?;
    Ok(samples.at_ranks(&ranks))
}
