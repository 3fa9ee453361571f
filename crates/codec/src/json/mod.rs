//! Events as JSON objects.

mod decode;
mod encode;

pub use decode::{JsonError, event_from_json};
pub use encode::{event_to_json, put_string};
