//! What can go wrong, with the place and the remedy.

use std::fmt;
use std::io;

use crate::Id;
use crate::limits::{NAME_BYTES_MAX, RECORD_BYTES_MAX, SUBSCRIBERS_MAX};

/// Why a call on a journal did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The disk has no room. What was acknowledged stays; appends go on when there is room.
    #[error("the disk is full: {file}: {source}; free some room, and appends go on")]
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
    /// Another process has it.
    #[error(
        "another process has the journal open; stop that one, or make the journal multi-process"
    )]
    Locked,
    /// There is no journal.
    #[error("there is no journal here: the file `journal` is missing")]
    Missing,
    /// The record is longer than a journal takes.
    #[error("a record of {bytes} bytes is too long; a journal takes {RECORD_BYTES_MAX}")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// No such subscriber.
    #[error("no subscriber is called {name}; `add` one first")]
    NoSubscriber {
        /// The name that was asked for.
        name: String,
    },
    /// The subscriber is there already.
    #[error("a subscriber is called {name} already; `set` moves it")]
    SubscriberExists {
        /// The name that was asked for.
        name: String,
    },
    /// A name that cannot be stored.
    #[error("a subscriber's name has 1 to {NAME_BYTES_MAX} bytes, this one {bytes}")]
    Name {
        /// Its length.
        bytes: usize,
    },
    /// Too many subscribers.
    #[error("a journal has at most {SUBSCRIBERS_MAX} subscribers; remove those nobody reads")]
    TooManySubscribers,
    /// Bytes that are not what was written, where the reader was told to stop at them.
    #[error("{0}; read on with damage skipped, or look with `cauchy journal verify`")]
    Damaged(Damage),
    /// A file of the journal cannot be understood.
    #[error("{file} {why}; `cauchy journal repair` rebuilds it from the segments")]
    Broken {
        /// The file.
        file: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// A newer program made the journal.
    #[error("the journal has format {found}, this program reads {known}; use a newer program")]
    Version {
        /// The version in the file.
        found: u32,
        /// The newest that is known.
        known: u32,
    },
    /// The journal was opened only to look at.
    #[error("the journal is open for reading only")]
    ReadOnly,
}

impl Error {
    pub(crate) fn io(what: &'static str, file: &str, source: io::Error) -> Error {
        let file = file.to_owned();
        match lacks_room(&source) {
            true => Error::Full { file, source },
            false => Error::Io { what, file, source },
        }
    }
}

/// Whether the system says that there is no room for what was to be written.
pub fn lacks_room(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}

/// A call's answer.
pub type Result<T> = std::result::Result<T, Error>;

/// Bytes of a segment that are not what was written, or records that are not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The segment, by the id of its first record.
    pub segment: Id,
    /// Where it begins in the segment's file.
    pub offset: u64,
    /// How many bytes were passed over.
    pub bytes: u64,
    /// The first record that is lost.
    pub first: Id,
    /// How many records are lost; 0 if only a header is damaged.
    pub records: u64,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "segment {} is damaged at byte {}: {} bytes passed over, {} records lost",
            self.segment, self.offset, self.bytes, self.records
        )?;
        if self.records > 0 {
            let last = Id(self.first.0 + self.records - 1);
            write!(f, " ({} to {last})", self.first)?;
        }
        Ok(())
    }
}
