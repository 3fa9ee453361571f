//! Questions to history: over HTTP, and from the command line.

mod serve;

pub use serve::{Questions, http_answer};
