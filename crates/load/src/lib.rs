//! The load generator: what is sent, when, what came back, and the report.
//!
//! A [`Lane`] is one connection: it takes messages from [`Prepared`] bytes, as its window and its
//! [`Pace`] allow, and reads answers. The program gives it sockets and the time, and gathers a
//! [`Tally`] of each second into a [`Report`].
//!
//! It opens no socket, reads no clock and prints nothing.

mod answers;
mod chart;
mod csv;
mod html;
mod json;
mod lane;
mod pace;
mod prepared;
mod report;
mod shape;
mod streamer;
mod tally;
mod text;
mod versus;
mod view;

pub use answers::{AnswerError, AnswerKind, Answered, Answers};
pub use csv::csv;
pub use html::html;
pub use json::json;
pub use lane::{Lane, LaneError, Sending};
pub use pace::Pace;
pub use prepared::{Encoding, PrepareError, Prepared};
pub use report::{Report, Sample, Totals, Verified};
pub use shape::Shape;
pub use streamer::Streamed;
pub use tally::Tally;
pub use text::{line, line_head, summary};
pub use versus::{Pair, versus_json, versus_text};
pub use view::progress;
