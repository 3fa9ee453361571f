//! What sockets of the standard library cannot do, and when to read them.
//!
//! [`datagram`] takes datagrams that the kernel has joined, shares a port, and asks how many were
//! dropped; [`Gather`] says when a reader lets more come before it reads again. The crate opens
//! nothing of its own accord, reads no clock, and knows no message.

pub mod datagram;
mod gather;

pub use gather::{GATHER_GAP, GATHER_RUN, Gather};
