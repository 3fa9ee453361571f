//! Queues that outlive the process, as a configuration asks for them with `:queue`.
//!
//! A sink, a client or an `async-queue!` that is given `{:journal "name"}` registers a queue: its
//! streams put what they are given into the queue's [`Entrance`], and a courier makes of it, on a
//! thread of its own, what the sink would have made. Where nothing is to be opened (a check, a
//! test, a replay), such a queue is in memory like the others.

mod children;
mod entrance;
mod entry;
mod option;
mod queues;
mod sink;

pub use children::NATIVES;
pub use entrance::Entrance;
pub use option::QueueSpec;
pub use queues::Queues;
pub use sink::{SinkFn, crew_here, register_sink};
