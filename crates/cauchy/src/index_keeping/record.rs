//! What a record of the index's journal looks like: a byte of kind, then a Riemann message.
//!
//! | kind | the events of the message |
//! |---|---|
//! | 1 | were put in, in order; state `expired` takes out |
//! | 2 | were taken out: host, service and time; one that is newer stays |
//! | 3 | none: everything was taken out |
//! | 4 | were in the index when a snapshot was taken; what is newer in the journal holds |

/// What a record tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Kept = 1,
    Removed = 2,
    Cleared = 3,
    Snapshot = 4,
}

/// The kind of a record, and its message; `None` if it is no such record.
pub fn read(record: &[u8]) -> Option<(Kind, &[u8])> {
    let (kind, message) = record.split_first()?;
    let kind = match kind {
        1 => Kind::Kept,
        2 => Kind::Removed,
        3 => Kind::Cleared,
        4 => Kind::Snapshot,
        _ => return None,
    };
    Some((kind, message))
}
