//! What an outlet delivers to.

use std::fmt::Debug;

use event::Event;
use thiserror::Error;

/// Something that waits in a queue to leave.
pub trait Item: Send + Debug + 'static {
    /// Bytes of memory held while it waits.
    fn size_bytes(&self) -> usize;

    /// What it says, for people.
    fn told(&self) -> String {
        format!("{self:?}")
    }
}

impl Item for Event {
    fn size_bytes(&self) -> usize {
        Event::size_bytes(self)
    }
}

/// A place that items are delivered to: a server, a mailbox, a chat room.
pub trait Target: Send {
    type Item: Item;

    /// The most items that one delivery takes, at least 1. A target whose deliveries cannot be
    /// repeated without being seen twice says 1.
    fn batch_max(&self) -> usize;

    /// Delivers all of `batch` (never empty), in order. Connects when needed; may block, for a
    /// bounded time.
    ///
    /// # Errors
    /// When any of the batch was not delivered. The whole batch is offered again if `retry` says so.
    fn deliver(&mut self, batch: &[Self::Item]) -> Result<(), DeliveryError>;

    /// Makes sure that what was just delivered has been taken, where a delivery gets no answer.
    /// Asked for by queues of which nothing may be lost.
    ///
    /// # Errors
    /// When it may not have been; the batch is delivered again.
    fn confirm(&mut self) -> Result<(), DeliveryError> {
        Ok(())
    }
}

/// Why a batch was not delivered. The message never holds a secret.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct DeliveryError {
    /// The same batch may get through later.
    pub retry: bool,
    pub message: String,
}

impl DeliveryError {
    /// A passing trouble: connection refused, time-out, an overloaded server.
    pub fn passing(message: impl Into<String>) -> DeliveryError {
        DeliveryError {
            retry: true,
            message: message.into(),
        }
    }

    /// The target will never take this batch.
    pub fn lasting(message: impl Into<String>) -> DeliveryError {
        DeliveryError {
            retry: false,
            message: message.into(),
        }
    }
}

impl From<std::io::Error> for DeliveryError {
    fn from(error: std::io::Error) -> DeliveryError {
        DeliveryError::passing(error.to_string())
    }
}
