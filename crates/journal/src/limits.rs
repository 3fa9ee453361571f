//! Every limit of the journal: its name, its unit and its reason.

/// The longest record. A frame of the transports is at most 16 MiB; four of them still fit.
pub const RECORD_BYTES_MAX: usize = 64 << 20;

/// The longest name of a subscriber; it is stored with its length in two bytes.
pub const NAME_BYTES_MAX: usize = 1024;

/// The most subscribers: each costs a line in a table that is written whole.
pub const SUBSCRIBERS_MAX: usize = 4096;

/// The smallest buffer: one page of records between two writes.
pub const BUFFER_BYTES_MIN: usize = 4 << 10;

/// The largest buffer: a block's lengths are 32 bits, with room for its largest record.
pub const BUFFER_BYTES_MAX: usize = 64 << 20;

/// The usual buffer: a write of this size costs little more than its copy.
pub const BUFFER_BYTES: usize = 128 << 10;

/// The smallest segment; smaller ones would be mostly file names.
pub const SEGMENT_BYTES_MIN: u64 = 4 << 10;

/// The usual segment: some 600 000 records of 100 bytes; what is deleted, and scanned, at once.
pub const SEGMENT_BYTES: u64 = 64 << 20;

/// How far ahead a durable journal fills its segment with zeros, so that a sync changes no sizes.
pub const AHEAD_BYTES: u64 = 4 << 20;

/// How much of a segment a reader takes at once: some blocks of the usual size.
pub const WINDOW_BYTES: usize = 512 << 10;

/// Where a reader stops to unpack blocks for one batch, so that its memory stays bounded.
pub const UNPACKED_BYTES: usize = 4 << 20;

/// How many damages are kept with their places; all are counted.
pub const DAMAGES_KEPT: usize = 1024;

/// After how long records in the buffer go to the segment by themselves, when the journal is
/// told the time.
pub const FLUSH_AFTER_US: i64 = 1_000_000;

const _: () = assert!(BUFFER_BYTES_MIN <= BUFFER_BYTES && BUFFER_BYTES <= BUFFER_BYTES_MAX);
const _: () = assert!(SEGMENT_BYTES_MIN <= SEGMENT_BYTES && AHEAD_BYTES <= SEGMENT_BYTES);
const _: () = assert!(RECORD_BYTES_MAX + 8 <= u32::MAX as usize);
