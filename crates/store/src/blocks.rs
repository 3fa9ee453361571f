//! The small interface below head, blocks and rollups: batches of blocks that are put once and
//! never change. Folders of files stand below it, and in tests plain memory.

use crate::block::Packed;
use crate::error::{Damage, Result};
use crate::series::SeriesId;

/// How much time a sample of a batch stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Period {
    /// Samples as they came.
    Raw,
    /// Cells of a minute.
    Minute,
    /// Cells of half an hour.
    HalfHour,
}

impl Period {
    /// All of them, the finest first.
    pub const ALL: [Period; 3] = [Period::Raw, Period::Minute, Period::HalfHour];

    /// The length of a cell in microseconds; 0 for samples.
    #[must_use]
    pub fn cell_us(self) -> i64 {
        match self {
            Period::Raw => 0,
            Period::Minute => 60_000_000,
            Period::HalfHour => 1_800_000_000,
        }
    }

    /// Its name in files and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Period::Raw => "raw",
            Period::Minute => "minute",
            Period::HalfHour => "half-hour",
        }
    }
}

/// The name of a batch; batches order by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Batch {
    /// What its samples stand for.
    pub period: Period,
    /// Which stretch of time: its number since 1970.
    pub bucket: i64,
    /// Who made it: a number that goes up. A batch of cells has that of the samples it is from.
    pub source: u64,
}

/// Which blocks of a batch are wanted; all ends are included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The first series.
    pub first_series: SeriesId,
    /// The last series.
    pub last_series: SeriesId,
    /// Blocks that end before are passed over.
    pub from_us: i64,
    /// Blocks that begin after are passed over.
    pub to_us: i64,
}

impl Wanted {
    /// Everything.
    pub const ALL: Wanted = Wanted {
        first_series: 0,
        last_series: SeriesId::MAX,
        from_us: i64::MIN,
        to_us: i64::MAX,
    };
}

/// What a scan meets.
#[derive(Debug)]
pub enum Found<'a> {
    /// A block as it was put.
    Block(SeriesId, &'a [u8]),
    /// Bytes that are no longer what was put.
    Damage(Damage),
}

/// The next block of a batch that is put; blocks come by series, then as they are to be scanned.
pub type NextBlock<'a> = dyn FnMut() -> Result<Option<(SeriesId, Packed)>> + 'a;

/// Takes what a scan meets; says whether to go on.
pub type EachFound<'a> = dyn FnMut(Found<'_>) -> Result<bool> + 'a;

/// Batches of blocks.
pub trait Blocks: Send + Sync {
    /// The batches that are there, in order.
    fn batches(&self) -> Vec<Batch>;

    /// The bytes that a batch takes; 0 if it is not there.
    fn bytes(&self, batch: Batch) -> u64;

    /// Puts a batch: durable and whole when this returns, else not there at all. Putting one again
    /// changes nothing.
    ///
    /// # Errors
    /// What the disk says, and what `next` does.
    fn put(&self, batch: Batch, next: &mut NextBlock) -> Result<()>;

    /// Gives the wanted blocks in order, each after its checksum was found right.
    ///
    /// # Errors
    /// [`crate::Error::Gone`] if the batch is not there; what the disk says, and what `each` does.
    fn scan(&self, batch: Batch, wanted: Wanted, each: &mut EachFound) -> Result<()>;

    /// The series of a batch, in order, each once.
    ///
    /// # Errors
    /// As [`Blocks::scan`].
    fn series(&self, batch: Batch) -> Result<Vec<SeriesId>>;

    /// Removes a batch; nothing if it is not there.
    ///
    /// # Errors
    /// What the disk says.
    fn remove(&self, batch: Batch) -> Result<()>;
}

#[cfg(test)]
mod tests;
