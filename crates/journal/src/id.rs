//! The place of a record in a journal.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

/// The place of a record: 1 for the first that a journal ever took, one more for each after it.
///
/// Ids order as the records do, and are never given twice to records that outlived a crash.
/// As a checkpoint an id means "read up to and with this one"; [`Id::ZERO`] is "nothing yet".
///
/// ```
/// use journal::Id;
/// assert!(Id(7) < Id(8));
/// assert_eq!("7".parse(), Ok(Id(7)));
/// assert_eq!(Id(7).next(), Id(8));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(pub u64);

impl Id {
    /// Before the first record.
    pub const ZERO: Id = Id(0);

    /// The id after this one.
    #[must_use]
    pub fn next(self) -> Id {
        Id(self.0.saturating_add(1))
    }

    /// The id before this one; [`Id::ZERO`] stays.
    #[must_use]
    pub fn previous(self) -> Id {
        Id(self.0.saturating_sub(1))
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Id {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Id, ParseIntError> {
        text.parse().map(Id)
    }
}
