//! What a store tells of itself.

use crate::error::Damage;

/// What opening found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Samples that were taken from the journal.
    pub from_journal: u64,
    /// Records of the journal that could not be read.
    pub lost_records: u64,
    /// Damaged files; they are left as they are, and not read.
    pub damages: Vec<Damage>,
}

/// Numbers of a store, since it was opened or as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Series that have a name.
    pub series: usize,
    /// Samples that were taken.
    pub samples: u64,
    /// Samples refused, because their time's samples have been rolled up and deleted, or they are
    /// older than [`Options::behind_us`](crate::Options::behind_us) allows.
    pub late: u64,
    /// Samples refused, because they are newer than
    /// [`Options::ahead_us`](crate::Options::ahead_us) allows.
    pub ahead: u64,
    /// Samples that are in no block yet.
    pub head_samples: u64,
    /// Their memory, about.
    pub head_bytes: usize,
    /// Batches of samples, of minutes and of half hours.
    pub batches: [usize; 3],
    /// Their bytes on the disk.
    pub bytes: [u64; 3],
    /// How often samples were sealed.
    pub seals: u64,
    /// How often batches were merged.
    pub merges: u64,
    /// How often a bucket was rolled up.
    pub rollups: u64,
    /// Batches that were deleted by age or size.
    pub dropped: u64,
    /// Damages that maintenance met.
    pub damages: u64,
}
