//! Bytes to events and back, a module a format.
//!
//! - [`riemann`]: the protobuf messages of Riemann's clients, framed or in datagrams.
//! - [`json`]: events as JSON objects, as websockets, event streams and HTTP carry them.
//! - [`graphite`] and [`opentsdb`]: one line of text, one event.
//! - [`httptrap`]: a JSON document of metrics, an event each.
//! - [`iso8601`]: times as text.
//!
//! [`Entries`] is how the encoders read an event, owned or still in its receive buffer.
//!
//! This crate never does I/O, never reads a clock, and never panics, whatever the input.

mod entries;
pub mod graphite;
pub mod httptrap;
pub mod iso8601;
mod java_number;
pub mod json;
pub mod opentsdb;
pub mod riemann;

pub use entries::Entries;
