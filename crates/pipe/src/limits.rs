//! Every limit of a pipeline, with its unit and its reason.

use std::time::Duration;

/// A buffer of messages. Large enough that a lock or a write per buffer costs a message next to
/// nothing, small enough for a processor's second-level cache.
pub const BATCH_BYTES: usize = 64 << 10;

/// The longest message: what Riemann's servers take by default.
pub const MESSAGE_BYTES_MAX: usize = 16 << 20;

/// What a queue in memory holds unless told otherwise: a second of a million messages of 64 bytes.
pub const MEMORY_BYTES: u64 = 64 << 20;

/// What a queue on a disk or in a server holds unless told otherwise: hours of a quiet night.
pub const DURABLE_BYTES: u64 = 16 << 30;

/// Connections of one source. Each has a thread and a buffer.
pub const CONNECTIONS_MAX: usize = 1024;

/// The kernel's receive buffer of a connection: what comes while its reader pauses.
pub const RECEIVE_BYTES: usize = 4 << 20;

/// A thread that waits looks this often whether it is to end.
pub const LOOK_INTERVAL: Duration = Duration::from_millis(100);

/// A read below this is small: it costs more to be woken for it than to take it.
pub const SMALL_READ_BYTES: usize = 16 << 10;

/// How long a reader that has been woken by small reads lets messages gather. Senders of single
/// messages are several times as fast if nobody wakes at each.
pub const GATHER_PAUSE: Duration = Duration::from_millis(5);

/// The first pause after a store or a queue failed; each next one is twice as long.
pub const RETRY_PAUSE_MIN: Duration = Duration::from_millis(20);

/// The longest of those pauses: a store that returns is found within it.
pub const RETRY_PAUSE_MAX: Duration = Duration::from_secs(1);

/// How long a stop waits for a store to take what is left in memory.
pub const DRAIN_TIME_MAX: Duration = Duration::from_secs(10);

/// Marks kept to tell the age of the oldest message.
pub const AGE_MARKS: usize = 1024;

/// Marks are this far apart at least; so exact is the age.
pub const AGE_MARK_INTERVAL: Duration = Duration::from_millis(10);

/// The longest answer of a Redis server to one command: a read of a batch, with room.
pub const REPLY_BYTES_MAX: usize = 64 << 20;

const _: () = assert!(SMALL_READ_BYTES < BATCH_BYTES);
const _: () = assert!(BATCH_BYTES < MESSAGE_BYTES_MAX);
const _: () = assert!(MESSAGE_BYTES_MAX < REPLY_BYTES_MAX);
const _: () = assert!((BATCH_BYTES as u64) < MEMORY_BYTES);
