//! Takes messages at the speed they come, and stores them at the speed the store likes.
//!
//! A [`source`] reads bytes and cuts them into messages as its [`Framing`] says; a [`Queue`] keeps
//! them; a [`Store`] takes them. A [`Pipeline`] holds the three together: it keeps the queue within
//! its bound, tries again what failed, and counts every message, so that what came is stored, held
//! or counted as lost.
//!
//! Messages travel in [`Batch`]es, buffers that go round and are never freed on the way.
//!
//! The crate reads no clock: a [`sinks::pace::Pace`] is handed in. It opens only what it is told to.

mod batch;
mod end;
mod error;
mod flow;
mod framing;
pub mod limits;
mod monitor;
mod pipeline;
pub mod queue;
mod resp;
pub mod source;
pub mod spec;
pub mod store;
pub mod words;

pub use batch::Batch;
pub use error::PipeError;
pub use flow::{Figures, Flow};
pub use framing::{Framing, Split, Splitter};
pub use monitor::{FigureMetric, METRICS, Monitor, prometheus};
pub use pipeline::{Overflow, Pipeline};
pub use queue::{Held, Queue};
pub use store::Store;
