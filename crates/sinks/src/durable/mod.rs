//! Queues that outlive the process: what a sink is given is in a journal until it has left.
//!
//! A [`Backlog`] is the journal of one queue, and the one of its dead letters. Streams put records
//! in, and go on; a [`Shift`] reads them in order and has a [`Courier`] deliver them, and notes how
//! far it is only after that. The backlog outlives configurations: each begins a shift of its own,
//! and the one before gives way between two attempts.
//!
//! [`record`] draws the bytes; a [`Crew`] is the targets of one sink.

mod backlog;
mod crew;
pub mod record;
mod shift;

pub use backlog::{Backlog, OpenDead, SUBSCRIBER};
pub use crew::{Crew, Failed};
pub use shift::{Courier, Progress, Shift};

#[cfg(test)]
mod tests;
