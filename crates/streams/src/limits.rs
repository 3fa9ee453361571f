//! How much a stream keeps at most.

/// Events that one stream keeps, unless it is told otherwise with `:max`. Around 200 bytes each: 200 MB.
/// More than a window that somebody looks at holds, less than what ends a machine.
pub const EVENTS_MAX: usize = 1_000_000;

/// Forks of one `by`, unless it is told otherwise with `:max`. A fork with one window takes around
/// 1 KB: 1 GB.
pub const FORKS_MAX: usize = 1_000_000;

/// Part of the forks that are forgotten at once when there are too many, so that finding the oldest
/// costs little for each.
pub const FORKS_FORGOTTEN_PART: usize = 16;
