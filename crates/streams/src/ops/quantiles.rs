//! `quantiles`: numbers of the distribution of the metric.

use clj::{Cx, Native, Result, Thrown, Value};
use event::Number;

use crate::distribution::{self, Window};
use crate::folds::{self, Point};
use crate::stream::operator;
use crate::{Children, arithmetic, fields};

pub const OPERATOR: Native = operator(
    "quantiles",
    "([dt qs & children])",
    2,
    |cx: &Cx<'_>, args: &[Value]| {
        let points = folds::points(&args[1])?;
        for point in &points {
            share("quantiles", &point.at)?;
        }
        distribution::stream(
            cx,
            "quantiles",
            &args[0],
            &args[2..],
            move |cx, children, window| pass_on(cx, children, &window, &points),
        )
    },
    "Counts the metrics of the events of each dt seconds as histogram does, and passes on the most \
     recent of these events for each of qs, from 0 to 1, with that quantile as its metric, it added \
     to its service, and the time of the window's end. Quantiles in a map name their services \
     themselves. Where percentiles passes on events of the interval, this estimates numbers, off by \
     less than 10 %, takes some KB, and merges histograms.\n\n    (quantiles 10 [0.5 0.99] index)\n    \
     (quantiles 10 {0.5 \".median\", 1 \".max\"} index)",
);

/// A number from 0 to 1.
///
/// # Errors
/// `IllegalArgumentException` for another value.
pub fn share(stream: &str, value: &Value) -> Result<f64> {
    let number = value.as_number().map(|number| number.to_f64());
    number
        .filter(|number| (0.0..=1.0).contains(number))
        .ok_or_else(|| {
            let message = format!(
                "{stream}: a quantile is a number from 0 to 1, not {}",
                value.to_readable()
            );
            Thrown::illegal_argument(message)
                .with_hint("the median is 0.5; the 99th percentile is 0.99")
        })
}

fn pass_on(cx: &Cx<'_>, children: &Children, window: &Window, points: &[Point]) -> Result<()> {
    let event = fields::with_time(&window.last, window.end)?;
    let of = |q| window.histogram.quantile(q);
    for value in named_quantiles(of, &event, points)? {
        children.call(cx, &value);
    }
    Ok(())
}

/// The event with each of the quantiles, and their names in its service, without those that are NaN.
///
/// # Errors
/// When a point is not a number.
pub fn named_quantiles(
    quantile: impl Fn(f64) -> f64,
    event: &Value,
    points: &[Point],
) -> Result<Vec<Value>> {
    let mut values = Vec::with_capacity(points.len());
    for point in points {
        let q = arithmetic::number(&point.at)?.to_f64().clamp(0.0, 1.0);
        let number = quantile(q);
        if number.is_nan() {
            continue;
        }
        let value = fields::with_metric(event, Number::F64(number))?;
        values.push(folds::with_suffix(&value, &point.suffix)?);
    }
    Ok(values)
}
