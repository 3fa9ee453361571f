//! Events as JSON objects.

mod decode;
mod encode;

pub use decode::{JsonError, event_from_json};
pub use encode::{event_to_json, put_string};

/// The member that holds a metric that is a histogram.
pub const HISTOGRAM: &str = "metric_histogram";
