//! `mode` and `modes`: the most frequent metrics.

use clj::{Native, Result, Value};
use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::stream::function;
use crate::{fields, folds};

pub const MODES: Native = function(
    "modes",
    "([events])",
    (1, 1),
    |_, args| Ok(Value::list(modes(&args[0])?)),
    "The events with the most frequent metrics, one for each, in the order in which they came. Leaves out \
     nil events and metrics.",
);

pub const MODE: Native = function(
    "mode",
    "([events])",
    (1, 1),
    |_, args| Ok(modes(&args[0])?.into_iter().next().unwrap_or_default()),
    "The first event with the most frequent metric. Leaves out nil events and metrics.",
);

pub const ADJUST_OCCURENCE: Native = function(
    "adjust-occurence",
    "([counts metric])",
    (2, 2),
    |_, args| {
        let before = clj::seq::get(&args[0], &args[1]).unwrap_or(Value::Int(0));
        let count = before.as_i64().unwrap_or(0).saturating_add(1);
        fields::assoc_key(&args[0], &args[1], Value::Int(count))
    },
    "Counts one more of a metric in a map of metrics to counts.",
);

fn modes(events: &Value) -> Result<Vec<Value>> {
    let mut places = HashMap::with_hasher(RandomState::default());
    let mut counted: Vec<(usize, Value)> = Vec::new();
    for event in folds::events(events)? {
        let metric = fields::get(&event, "metric");
        if metric.is_nil() {
            continue;
        }
        let place = *places.entry(metric).or_insert(counted.len());
        match counted.get_mut(place) {
            Some((count, _)) => *count += 1,
            None => counted.push((1, event)),
        }
    }
    let most = counted.iter().map(|(count, _)| *count).max().unwrap_or(0);
    Ok(counted
        .into_iter()
        .filter(|(count, _)| *count == most)
        .map(|(_, event)| event)
        .collect())
}
