//! `fold` and what is made of it: `sum`, `product`, `difference`, `quotient`.

use clj::{Cx, Native, Result, Value, seq};
use event::Number;

use crate::stream::function;
use crate::{arithmetic, fields, folds};

pub const FOLD_STRICT: Native = function(
    "fold*",
    "([f events])",
    (2, 2),
    |cx: &Cx<'_>, args: &[Value]| {
        let events = seq::to_vec(&args[1])?;
        let metrics = events
            .iter()
            .map(|event| fields::get(event, "metric"))
            .collect();
        let folded = reduce(cx, &args[0], metrics)?;
        fields::assoc(
            &events.first().cloned().unwrap_or_default(),
            "metric",
            folded,
        )
    },
    "Reduces the metrics of events with f; gives the first event with the outcome as its metric. Throws \
     where an event or a metric is nil.",
);

pub const FOLD: Native = function(
    "fold",
    "([f events])",
    (2, 2),
    |cx: &Cx<'_>, args: &[Value]| {
        let events = folds::events(&args[1])?;
        let Some(first) = events.first() else {
            return Ok(Value::Nil);
        };
        let metrics = folds::metrics(&events)?
            .into_iter()
            .map(Value::from)
            .collect();
        fields::assoc(first, "metric", reduce(cx, &args[0], metrics)?)
    },
    "Reduces the metrics of events with f, leaving out nil events and metrics; gives the first event \
     with the outcome as its metric, or nil when there is none.",
);

pub const FOLD_ALL: Native = function(
    "fold-all",
    "([f events])",
    (2, 2),
    |cx: &Cx<'_>, args: &[Value]| whole(&args[1], |metrics| reduce(cx, &args[0], metrics)),
    "Reduces the metrics of events with f; gives the first event with the outcome as its metric. Where \
     another event or a metric is nil, the metric is nil and the description says so; where the first \
     event is nil, so is the outcome.",
);

pub const NON_NIL_METRICS: Native = function(
    "non-nil-metrics",
    "([events])",
    (1, 1),
    |_: &Cx<'_>, args: &[Value]| {
        let metrics = folds::metrics(&folds::events(&args[0])?)?;
        Ok(Value::list(metrics.into_iter().map(Value::from).collect()))
    },
    "The metrics of events, leaving out nil events and metrics.",
);

pub const SUM_STRICT: Native = function(
    "sum*",
    "([events])",
    (1, 1),
    |_, args| strict(args, arithmetic::sum),
    "The sum of the \
     metrics. Throws where an event or a metric is nil.",
);

pub const SUM: Native = function(
    "sum",
    "([events])",
    (1, 1),
    |_, args| {
        let events = folds::events(&args[0])?;
        with_fold(&events, &folds::metrics(&events)?, arithmetic::sum)
    },
    "The sum of the metrics, leaving out nil events and metrics.",
);

pub const PRODUCT_STRICT: Native = function(
    "product*",
    "([events])",
    (1, 1),
    |_, args| strict(args, arithmetic::product),
    "The product of the metrics. Throws where an event or a metric is nil.",
);

pub const PRODUCT: Native = function(
    "product",
    "([events])",
    (1, 1),
    |_, args| {
        let events = folds::events(&args[0])?;
        with_fold(&events, &folds::metrics(&events)?, arithmetic::product)
    },
    "The product of the metrics, leaving out nil events and metrics.",
);

pub const DIFFERENCE_STRICT: Native = function(
    "difference*",
    "([events])",
    (1, 1),
    |_, args| strict(args, arithmetic::difference),
    "The first metric less all others. Throws where an event or a metric is nil.",
);

pub const DIFFERENCE: Native = function(
    "difference",
    "([events])",
    (1, 1),
    |_, args| whole_with(args, arithmetic::difference),
    "The first metric less all others. Where an event or a metric is nil, the metric is nil and the \
     description says so.",
);

pub const QUOTIENT_STRICT: Native = function(
    "quotient*",
    "([events])",
    (1, 1),
    |_, args| strict(args, arithmetic::quotient),
    "The first metric divided by all others. Throws where an event or a metric is nil, and when it \
     divides by zero.",
);

pub const QUOTIENT: Native = function(
    "quotient",
    "([events])",
    (1, 1),
    |_, args| match whole_with(args, arithmetic::quotient) {
        Err(thrown) if thrown.class() == "java.lang.ArithmeticException" => {
            let events = seq::to_vec(&args[0])?;
            nothing(
                &events.first().cloned().unwrap_or_default(),
                "Can't divide by zero",
            )
        }
        result => result,
    },
    "The first metric divided by all others. Where an event or a metric is nil, and when it divides by \
     zero, the metric is nil and the description says so.",
);

pub const QUOTIENT_SLOPPY: Native = function(
    "quotient-sloppy",
    "([events])",
    (1, 1),
    |_, args| {
        let metrics = folds::metrics(&folds::events(&args[0])?)?;
        if metrics.iter().any(Number::is_zero) {
            let events = folds::events(&args[0])?;
            return fields::assoc(&events[0], "metric", Value::Int(0));
        }
        whole_with(args, arithmetic::quotient)
    },
    "As quotient, but zero when any metric is zero.",
);

type Operation = fn(&Number, &Number) -> Result<Number>;

fn strict(args: &[Value], operation: Operation) -> Result {
    let events = seq::to_vec(&args[0])?;
    let metrics: Result<Vec<Number>> = events
        .iter()
        .map(|event| arithmetic::number(&fields::get(event, "metric")))
        .collect();
    with_fold(&events, &metrics?, operation)
}

/// The first event with what is made of the metrics of all.
fn whole(events: &Value, operation: impl FnOnce(Vec<Value>) -> Result) -> Result {
    let events = seq::to_vec(events)?;
    let Some(first) = events.first().filter(|first| !first.is_nil()) else {
        return Ok(Value::Nil);
    };
    let metrics: Vec<Value> = events
        .iter()
        .map(|event| fields::get(event, "metric"))
        .collect();
    if metrics.iter().any(Value::is_nil) {
        return nothing(first, "An event or metric was nil.");
    }
    fields::assoc(first, "metric", operation(metrics)?)
}

fn whole_with(args: &[Value], operation: Operation) -> Result {
    whole(&args[0], |metrics| {
        let metrics: Vec<Number> = metrics
            .iter()
            .map(arithmetic::number)
            .collect::<Result<_>>()?;
        let (first, rest) = metrics.split_first().expect("the first event's");
        let folded = rest
            .iter()
            .try_fold(first.clone(), |a, b| operation(&a, b))?;
        Ok(folded.into())
    })
}

fn with_fold(events: &[Value], metrics: &[Number], operation: Operation) -> Result {
    let Some(event) = events.first() else {
        return Ok(Value::Nil);
    };
    let folded = match metrics.split_first() {
        Some((first, rest)) => rest
            .iter()
            .try_fold(first.clone(), |a, b| operation(&a, b))?,
        None => Number::Int(0),
    };
    fields::with_metric(event, folded)
}

fn nothing(event: &Value, why: &str) -> Result {
    let event = fields::assoc(event, "metric", Value::Nil)?;
    fields::assoc(&event, "description", Value::str(why))
}

fn reduce(cx: &Cx<'_>, function: &Value, values: Vec<Value>) -> Result {
    let mut values = values.into_iter();
    let Some(mut folded) = values.next() else {
        return cx.call(function, &[]);
    };
    for value in values {
        folded = cx.call(function, &[folded, value])?;
    }
    Ok(folded)
}
