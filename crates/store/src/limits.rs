//! Every limit of the store: its name, its unit and its reason.

/// Microseconds in a second.
pub const SECOND_US: i64 = 1_000_000;

/// Microseconds in a day.
pub const DAY_US: i64 = 86_400 * SECOND_US;

/// How far after now a sample may be, in microseconds: a clock set to the wrong zone is in it.
pub const AHEAD_US: i64 = DAY_US;

/// The samples of a block: enough to pay for its header, few enough to decode for one point.
pub const BLOCK_SAMPLES: usize = 1024;

/// The most samples a block may claim; decoding one stays within some megabytes.
pub const BLOCK_SAMPLES_MAX: usize = 1 << 16;

/// Index entries of a page: what is decoded to find one series.
pub const PAGE_ENTRIES: usize = 64;

/// The memory of samples that are in no block yet after which they are sealed, in bytes.
pub const HEAD_BYTES: usize = 64 << 20;

/// How much more than that may wait while sealing is impossible, before samples are refused.
pub const HEAD_TIMES_MAX: usize = 4;

/// How long samples may wait to be sealed, in microseconds.
pub const SEAL_AFTER_US: i64 = 2 * 3600 * SECOND_US;

/// How long after its end a period is expected to change no more, in microseconds.
pub const SETTLED_AFTER_US: i64 = 10 * 60 * SECOND_US;

/// How many batches of one period may stand side by side before they are merged.
pub const BATCHES_MAX: usize = 8;

/// The most series of a store: their names are in memory, some hundred bytes each.
pub const SERIES_MAX: u32 = 1 << 24;

/// The longest name of a series, in bytes: host, service and what it is kept by.
pub const SERIES_BYTES_MAX: usize = 64 << 10;

/// The longest text of a sample, in bytes; what is beyond is a log, not a state.
pub const TEXT_BYTES_MAX: usize = 64 << 10;

/// The most bytes of a block that are read at once.
pub const BLOCK_BYTES_MAX: u64 = 256 << 20;

/// What is written to a file at once, in bytes.
pub const WRITE_BYTES: usize = 256 << 10;

/// The most steps of an answer for many series together, all of which are in memory. A week in
/// steps of ten seconds has 60 480.
pub const STEPS_MAX: usize = 1 << 16;

/// The memory of those steps after which no further one is begun, in bytes: 2 KB each of latencies.
pub const SUMS_BYTES_MAX: usize = 128 << 20;

/// How many damages are kept with their places; all are counted.
pub const DAMAGES_KEPT: usize = 1024;

const _: () = assert!(BLOCK_SAMPLES <= BLOCK_SAMPLES_MAX);
