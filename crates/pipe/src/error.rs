//! What can go wrong outside a pipeline.

use std::io;

/// Why a queue or a store did not do what it was asked to.
#[derive(Debug, thiserror::Error)]
pub enum PipeError {
    /// The system or the other side of a connection failed.
    #[error("{place}: {error}")]
    Io {
        /// The file or the address.
        place: String,
        /// What was said.
        error: io::Error,
    },
    /// The queue is full, and waited for a while.
    #[error("the queue is full")]
    Full,
    /// The journal failed.
    #[error("{0}")]
    Journal(#[from] journal::Error),
    /// The server answered, and said no.
    #[error("{place} answers: {answer}")]
    Refused {
        /// The server.
        place: String,
        /// Its words.
        answer: String,
    },
    /// A message is not what this store takes.
    #[error("{0}")]
    Message(String),
    /// What was asked for does not exist, or is asked for in the wrong words.
    #[error("{0}")]
    Asked(String),
}

impl PipeError {
    pub(crate) fn io(place: &str) -> impl Fn(io::Error) -> PipeError + '_ {
        move |error| PipeError::Io {
            place: place.to_owned(),
            error,
        }
    }
}
