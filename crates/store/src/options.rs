//! How a store is opened.

use journal::Durability;

use crate::blocks::Period;
use crate::limits::{AHEAD_US, BLOCK_SAMPLES, DAY_US, HEAD_BYTES, SEAL_AFTER_US};

/// How long history is kept, in microseconds; `None` is for ever. What is too old goes in whole
/// buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep {
    /// Samples as they came. They go when their cells have been made, not before.
    pub raw_us: Option<i64>,
    /// Cells of a minute.
    pub minute_us: Option<i64>,
    /// Cells of half an hour.
    pub half_hour_us: Option<i64>,
    /// The most bytes of all files together; the oldest samples go first, then the oldest cells.
    pub max_bytes: Option<u64>,
}

impl Default for Keep {
    /// Samples for 14 days, minutes for 90 days, half hours for ever, of any size.
    fn default() -> Keep {
        Keep {
            raw_us: Some(14 * DAY_US),
            minute_us: Some(90 * DAY_US),
            half_hour_us: None,
            max_bytes: None,
        }
    }
}

impl Keep {
    pub(crate) fn of(&self, period: Period) -> Option<i64> {
        match period {
            Period::Raw => self.raw_us,
            Period::Minute => self.minute_us,
            Period::HalfHour => self.half_hour_us,
        }
    }
}

/// How a store is opened. None of this changes an answer, but for what is kept.
#[derive(Clone, Debug)]
pub struct Options {
    /// What an append survives.
    pub durability: Durability,
    /// What is kept.
    pub keep: Keep,
    /// How long a bucket is, in microseconds: the stretch of time of a file. It holds when the
    /// store has no files; later theirs does. A multiple of half an hour.
    pub bucket_us: i64,
    /// How far after the time of the last tick a sample may be, in microseconds; `None` is any. One
    /// that is further is refused and counted: a clock that is wrong would make a file a day.
    pub ahead_us: Option<i64>,
    /// How far before the time of the last tick a sample may be, in microseconds; `None` is any.
    pub behind_us: Option<i64>,
    /// The most samples of a block.
    pub block_samples: usize,
    /// The memory of unsealed samples after which they are sealed.
    pub head_bytes: usize,
    /// How long samples wait to be sealed, in microseconds.
    pub seal_after_us: i64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            durability: Durability::Interval { ms: 1000 },
            keep: Keep::default(),
            bucket_us: DAY_US,
            ahead_us: Some(AHEAD_US),
            behind_us: None,
            block_samples: BLOCK_SAMPLES,
            head_bytes: HEAD_BYTES,
            seal_after_us: SEAL_AFTER_US,
        }
    }
}
