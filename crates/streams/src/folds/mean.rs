//! `mean` and `std-dev`.

use clj::{Native, Value};
use event::Number;

use crate::stream::function;
use crate::{arithmetic, fields, folds};

pub const MEAN: Native = function(
    "mean",
    "([events])",
    (1, 1),
    |_, args| {
        let events = folds::events(&args[0])?;
        let Some(first) = events.first() else {
            return Ok(Value::Nil);
        };
        let metrics = folds::metrics(&events)?;
        if metrics.is_empty() {
            return fields::assoc(first, "metric", Value::Nil);
        }
        let count = Number::Int(i64::try_from(metrics.len()).unwrap_or(i64::MAX));
        let mean = arithmetic::quotient(&arithmetic::total(&metrics)?, &count)?;
        fields::with_metric(first, mean)
    },
    "The mean of the metrics, leaving out nil events and metrics. Of integers it is exact: a ratio.",
);

pub const STD_DEV: Native = function(
    "std-dev",
    "([events])",
    (1, 1),
    |_, args| {
        let events = folds::events(&args[0])?;
        let Some(first) = events.first() else {
            return Ok(Value::Nil);
        };
        let metrics: Vec<f64> = folds::metrics(&events)?
            .iter()
            .map(Number::to_f64)
            .collect();
        if metrics.is_empty() {
            return fields::assoc(first, "metric", Value::Nil);
        }
        let count = metrics.len() as f64;
        let mean = metrics.iter().sum::<f64>() / count;
        let variance = metrics.iter().map(|m| (m - mean) * (m - mean)).sum::<f64>() / count;
        fields::with_metric(first, Number::F64(variance.sqrt()))
    },
    "The standard deviation of the metrics, taken for the whole population, leaving out nil events and \
     metrics.",
);
