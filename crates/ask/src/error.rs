//! What is wrong with a question, and what kept it from its answer.

/// A question that is not answered: why, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{error}; {remedy}")]
pub struct Refused {
    /// What is wrong.
    pub error: String,
    /// What to write instead.
    pub remedy: String,
}

impl Refused {
    pub(crate) fn new(error: impl Into<String>, remedy: impl Into<String>) -> Refused {
        Refused {
            error: error.into(),
            remedy: remedy.into(),
        }
    }
}

/// Why there is no answer, or not all of it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The question cannot be answered.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// History cannot be read.
    #[error(transparent)]
    Store(#[from] store::Error),
}
