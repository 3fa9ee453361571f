//! Questions to history: what is asked, how it is answered and drawn.
//!
//! - [`Question::read`] makes a question of names and values, as a URL or flags give them, or says
//!   what is wrong and what to write.
//! - [`answer`] asks a store and gives rows out as they become known; [`Json`] and [`Octets`] write
//!   them, piece by piece. Series are merged, some steps at a time, so that memory is bounded.
//! - [`Listing`] names series.
//! - [`Reply`] is an answer in JSON, read; [`table`], [`csv`] and [`plot`] show it.
//!
//! The crate reads a store and nothing else: no clock, no file, no socket.

mod answer;
mod error;
mod json;
pub mod limits;
mod listing;
mod names;
mod octets;
pub mod plot;
mod question;
mod reply;
mod show;
mod table;
mod time;

pub use answer::{Rows, answer};
pub use error::{Error, Refused};
pub use json::{Json, Pieces};
pub use listing::Listing;
pub use names::Names;
pub use octets::Octets;
pub use question::{PARTS, Question};
pub use reply::{Line, Reply, name_of};
pub use show::{Show, Shown, WORDS};
pub use table::{csv, number_text, table};
pub use time::{Moment, iso_text, length, length_text, seconds_text};
