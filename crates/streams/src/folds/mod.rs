//! Functions over the events of a window, as windows pass them on: `riemann.folds`. Each gives one
//! event, most often the first with another metric.

pub mod count;
pub mod extremum;
pub mod fold;
pub mod mean;
pub mod modes;
pub mod sample;

use clj::{Result, Value, seq};
use event::Number;

use crate::fields;

pub use sample::{Point, named_samples, points, sorted_sample, with_suffix};

/// The events of a sequence that are not nil.
pub(crate) fn events(value: &Value) -> Result<Vec<Value>> {
    let mut events = seq::to_vec(value)?;
    events.retain(|event| !event.is_nil());
    Ok(events)
}

/// The metrics of events, where they are not nil.
pub(crate) fn metrics(events: &[Value]) -> Result<Vec<Number>> {
    let mut metrics = Vec::with_capacity(events.len());
    for event in events {
        metrics.extend(fields::metric(event)?);
    }
    Ok(metrics)
}
