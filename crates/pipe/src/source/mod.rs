//! Where messages come from: sockets that are handed in, bound.
//!
//! A thread accepts and a thread reads each connection; a datagram socket has one. They end when
//! the pipeline stops.

mod datagrams;
mod listener;
mod reader;

pub use datagrams::read_datagrams;
pub use listener::{Listening, accept};
