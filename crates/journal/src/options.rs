//! How a journal is opened.

use std::fmt;
use std::sync::Arc;

use crate::limits::{BUFFER_BYTES, SEGMENT_BYTES};

/// What an append has survived once it has returned.
///
/// | mode | process killed | kernel crash, power loss |
/// |---|---|---|
/// | `Os` | all | what the kernel had written of its own accord, up to half a minute ago |
/// | `Interval` | all | all but the last interval |
/// | `Always` | all | all |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Durability {
    /// The record is in the kernel's memory: it survives the process, not the machine.
    #[default]
    Os,
    /// As `Os`, and `Journal::tick` syncs when this many milliseconds have passed.
    Interval {
        /// Milliseconds between syncs.
        ms: u64,
    },
    /// The record is on the disk. One sync serves all appends that wait for it.
    Always,
}

/// How blocks of records are packed; chosen when the journal is made, and kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Compression {
    /// As they are.
    #[default]
    None,
    /// LZ4, a whole buffer at a time. A block that would not get smaller stays as it is.
    Lz4,
}

/// Who may have the journal open; chosen when the journal is made, and kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Mode {
    /// One process, with any number of threads. A second one is told so.
    #[default]
    SingleProcess,
    /// Several processes, each with writers and readers. Every append takes a file lock.
    MultiProcess,
}

/// What is deleted although a subscriber has not read it. Nothing, unless asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Retention {
    /// The most bytes that all segments together may take.
    pub max_bytes: Option<u64>,
    /// The oldest that a segment's last record may be, in microseconds.
    pub max_age_us: Option<i64>,
}

/// Gives the time, in microseconds since 1970. It is asked once a block, not once a record.
pub type Now = Arc<dyn Fn() -> i64 + Send + Sync>;

/// How a journal is opened. `compression` and `mode` matter when it is made; later its own hold.
#[derive(Clone)]
pub struct Options {
    /// What an append survives.
    pub durability: Durability,
    /// How blocks are packed.
    pub compression: Compression,
    /// Who may have it open.
    pub mode: Mode,
    /// Where a new segment begins, in bytes.
    pub segment_bytes: u64,
    /// The size of the buffer in front of the segments, in bytes. It is a mapped file, so that
    /// its records survive the process; readers see them at once.
    pub buffer_bytes: usize,
    /// What is deleted unread.
    pub retention: Retention,
    /// The time that blocks are stamped with; always 0 if none is given.
    pub now: Now,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            durability: Durability::default(),
            compression: Compression::default(),
            mode: Mode::default(),
            segment_bytes: SEGMENT_BYTES,
            buffer_bytes: BUFFER_BYTES,
            retention: Retention::default(),
            now: Arc::new(|| 0),
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("durability", &self.durability)
            .field("compression", &self.compression)
            .field("mode", &self.mode)
            .field("segment_bytes", &self.segment_bytes)
            .field("buffer_bytes", &self.buffer_bytes)
            .field("retention", &self.retention)
            .finish_non_exhaustive()
    }
}

/// Where a new subscriber begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At the oldest record that is kept.
    Begin,
    /// After the newest record.
    End,
    /// After this one.
    After(crate::Id),
}
