//! When something ended, for threads that look.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Not yet, or since when.
pub(crate) struct End(AtomicU64);

/// Stands for "not yet".
const NOT_YET: u64 = u64::MAX;

impl End {
    pub(crate) fn not_yet() -> End {
        End(AtomicU64::new(NOT_YET))
    }

    /// It ends now, if it has not ended before.
    pub(crate) fn mark(&self, now: Duration) {
        let now_us = u64::try_from(now.as_micros()).unwrap_or(NOT_YET - 1);
        // Whoever marked it first is right.
        let _ = self
            .0
            .compare_exchange(NOT_YET, now_us, Ordering::Relaxed, Ordering::Relaxed);
    }

    pub(crate) fn since(&self) -> Option<Duration> {
        let at_us = self.0.load(Ordering::Relaxed);
        (at_us != NOT_YET).then(|| Duration::from_micros(at_us))
    }
}
