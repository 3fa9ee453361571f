//! Where messages wait.
//!
//! A new queue is a module here with one type that implements [`Queue`], and an arm in
//! `cauchy/src/pipe/open.rs`, which turns `--queue NAME:…` into it. The manual's page tells it step
//! by step.

mod journal;
mod memory;
#[cfg(feature = "nats")]
mod nats;
mod redis;
#[cfg(feature = "zmq")]
mod zmq;

use std::time::Duration;

pub use self::journal::JournalQueue;
pub(crate) use self::journal::append;
pub use self::memory::MemoryQueue;
#[cfg(feature = "nats")]
pub use self::nats::NatsQueue;
pub use self::redis::RedisQueue;
#[cfg(feature = "zmq")]
pub use self::zmq::ZmqQueue;

use crate::{Batch, PipeError};

/// Keeps messages in order until they are stored. Many threads put; one takes and acknowledges.
///
/// A queue has no bound of its own and counts nothing: the [`Pipeline`](crate::Pipeline) does.
pub trait Queue: Send + Sync {
    /// Takes the messages of a batch, all of them: it is empty afterwards.
    ///
    /// # Errors
    /// The batch then holds those that were not taken; it is put again: at once after
    /// [`PipeError::Full`], else later. Messages of which
    /// the queue cannot know are put again as well: twice is better than never.
    fn put(&self, batch: &mut Batch) -> Result<(), PipeError>;

    /// Fills an empty batch with the oldest messages that were not taken before, numbered. Waits
    /// for the first one, but not longer than `at_most`; false if none came.
    ///
    /// # Errors
    /// Nothing was taken.
    fn take(&self, into: &mut Batch, at_most: Duration) -> Result<bool, PipeError>;

    /// The messages of this batch, and all that were taken before it, are stored: the queue may
    /// forget them. The batch is empty afterwards.
    ///
    /// # Errors
    /// They may come again after a restart. It is not asked again.
    fn acknowledge(&self, batch: &mut Batch) -> Result<(), PipeError>;

    /// What waits, in this queue, from an earlier run. Asked once, before the first `put`.
    ///
    /// # Errors
    /// The queue does not answer.
    fn held(&self) -> Result<Held, PipeError>;

    /// A name for the numbers that it gives: no other queue has it, and this one keeps it over a
    /// restart if it keeps its messages. Together with a number it names a message.
    fn origin(&self) -> &str;

    /// Whether its messages outlive the program.
    fn is_durable(&self) -> bool;

    /// Whether a batch that failed is put again before any other is: the queue then tells by what
    /// was put last whether it has it already.
    fn takes_turns(&self) -> bool {
        false
    }
}

/// What a queue holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Messages.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
}
