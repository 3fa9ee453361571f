//! `minimum`, `maximum`, `extremum`.

use std::cmp::Ordering;

use clj::{Native, Result, Value};

use crate::stream::function;
use crate::{fields, folds};

pub const MINIMUM: Native = function(
    "minimum",
    "([events])",
    (1, 1),
    |_, args| last_that(&args[0], Ordering::is_le),
    "The event with the least metric, the last of several; leaves out nil events and metrics.",
);

pub const MAXIMUM: Native = function(
    "maximum",
    "([events])",
    (1, 1),
    |_, args| last_that(&args[0], Ordering::is_ge),
    "The event with the greatest metric, the last of several; leaves out nil events and metrics.",
);

pub const EXTREMUM: Native = function(
    "extremum",
    "([comparison events])",
    (2, 2),
    |cx, args| {
        let mut best: Option<(Value, Value)> = None;
        for event in folds::events(&args[1])? {
            let metric = fields::get(&event, "metric");
            if metric.is_nil() {
                continue;
            }
            let better = match &best {
                Some((before, _)) => cx
                    .call(&args[0], &[metric.clone(), before.clone()])?
                    .truthy(),
                None => true,
            };
            if better {
                best = Some((metric, event));
            }
        }
        Ok(best.map(|(_, event)| event).unwrap_or_default())
    },
    "The event whose metric comes before that of all others: for each, (comparison metric best-so-far) \
     is asked. Leaves out nil events and metrics.",
);

fn last_that(events: &Value, wins: fn(Ordering) -> bool) -> Result {
    let mut best = None;
    for event in folds::events(events)? {
        let Some(metric) = fields::metric(&event)? else {
            continue;
        };
        let better = match &best {
            Some((before, _)) => metric.compare(before).is_some_and(wins),
            None => true,
        };
        if better {
            best = Some((metric, event));
        }
    }
    Ok(best.map(|(_, event)| event).unwrap_or_default())
}
