//! Where messages come from: sockets that are handed in, bound.
//!
//! A thread accepts and a thread reads each connection; a datagram socket has one. They end when
//! the pipeline stops or their [`Inlet`] is closed, when they have taken what was sent by then.

mod datagrams;
mod inlet;
mod listener;
mod reader;

pub use datagrams::read_datagrams;
pub use inlet::{Inlet, Now};
pub use listener::{Listening, accept};
