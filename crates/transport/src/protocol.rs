//! What the byte protocols have in common: bytes in, answers out, no socket.

use std::sync::Arc;

use crate::handler::{Handler, Receipt};

/// A protocol over a stream of bytes, one value a connection.
pub(crate) trait Protocol: Send {
    /// Handles the whole messages at the start of `bytes` and appends their answers. What is left
    /// is given again, with more behind it.
    fn take(&mut self, bytes: &[u8], answers: &mut Vec<u8>) -> Taken;

    /// The least length at which the message that starts `tail` can be whole.
    fn bytes_wanted(&self, tail: &[u8]) -> usize;

    /// What the answers of the last call have to wait for, and who tells.
    fn receipt(&mut self) -> Option<(Arc<dyn Handler>, Receipt)> {
        None
    }

    /// Makes errors of the answers of the last call: what they have to wait for will never be.
    fn refuse(&self, _answers: &mut Vec<u8>, _reason: &str) {}

    /// Nobody waits for an answer, ever, so reads may wait for more to come.
    fn is_one_way(&self) -> bool {
        false
    }
}

/// What a protocol did with what it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    /// Bytes handled.
    pub bytes: usize,
    pub next: Next,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Only a part of a message is left, or nothing.
    Read,
    /// The answers are many; send them, then come back with what is left.
    Send,
    /// The client does not speak the protocol: send the answers, then close.
    Close,
}
