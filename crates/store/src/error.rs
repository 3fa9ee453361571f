//! What can go wrong, with the place and the remedy.

use std::fmt;
use std::io;

use crate::limits::{SERIES_BYTES_MAX, SERIES_MAX, STEPS_MAX, TEXT_BYTES_MAX};

/// Why a call on a store did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The disk has no room. What was taken stays.
    #[error("the disk is full: {file}: {source}; free some room, or keep less history")]
    Full {
        /// The file that was written.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// The disk failed.
    #[error("cannot {what} {file}: {source}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// The file.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// The journal that protects the newest samples failed.
    #[error("the history's journal: {0}")]
    Journal(#[from] journal::Error),
    /// Too many samples wait to be sealed, because sealing fails.
    #[error("{bytes} bytes of samples wait to be written: {why}")]
    Behind {
        /// Their memory.
        bytes: usize,
        /// Why the last attempt failed.
        why: String,
    },
    /// The name of a series is longer than the store takes.
    #[error("a series' name of {bytes} bytes is too long; history takes {SERIES_BYTES_MAX}")]
    SeriesTooLong {
        /// Its length.
        bytes: usize,
    },
    /// A text is longer than the store takes.
    #[error("a text of {bytes} bytes is too long; history takes {TEXT_BYTES_MAX}")]
    TextTooLong {
        /// Its length.
        bytes: usize,
    },
    /// Too many series.
    #[error("history takes {SERIES_MAX} series; keep fewer fields that differ all the time")]
    TooManySeries,
    /// A newer program made a file.
    #[error("{file} has format {found}, this program reads {known}; use a newer program")]
    Version {
        /// The file.
        file: String,
        /// The version in the file.
        found: u32,
        /// The newest that is known.
        known: u32,
    },
    /// The store was opened for a look.
    #[error("history was opened for a look only; stop whoever has it open to change it")]
    View,
    /// A batch went while it was read.
    #[error("{0} is gone")]
    Gone(String),
    /// A line of an import is no sample.
    #[error("line {line_number}: {why}")]
    Line {
        /// Its number, from 1 on.
        line_number: usize,
        /// What is wrong.
        why: String,
    },
    /// A row of an import of columns is no sample.
    #[error("row {row_number}: {why}")]
    Row {
        /// Its number, from 1 on.
        row_number: usize,
        /// What is wrong.
        why: String,
    },
    /// An answer for many series together has too many steps.
    #[error("more than {STEPS_MAX} steps; ask for less time, or longer steps")]
    TooManySteps,
    /// The step of a query is not positive.
    #[error("a step of {0} µs; a step is positive")]
    Step(i64),
}

impl Error {
    pub(crate) fn io(what: &'static str, file: &str, source: io::Error) -> Error {
        let file = file.to_owned();
        match journal::lacks_room(&source) {
            true => Error::Full { file, source },
            false => Error::Io { what, file, source },
        }
    }
}

/// A call's answer.
pub type Result<T> = std::result::Result<T, Error>;

/// Bytes that are not what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The file.
    pub file: String,
    /// Where in the file.
    pub offset: u64,
    /// How many bytes cannot be used.
    pub bytes: u64,
    /// What they were.
    pub what: &'static str,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} is damaged at byte {}: {} of {} bytes",
            self.file, self.offset, self.what, self.bytes
        )
    }
}
