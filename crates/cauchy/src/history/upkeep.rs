//! The thread beside the streams: what is due from time to time, and what to do on a full disk.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clock::{Clock, SystemClock};
use store::Error;

use super::Shared;

/// How often the store is told the time.
const TICK: Duration = Duration::from_secs(1);

/// How often it is told in the log that samples are refused.
const WARNING_INTERVAL: Duration = Duration::from_secs(10);

/// What is made free at once on a full disk, in bytes: as much as the samples that wait may take.
const ROOM_BYTES: u64 = 64 << 20;

impl Shared {
    /// Tells the store the time, until stopped.
    pub(super) fn follow(self: &Arc<Shared>) {
        let clock = SystemClock::new();
        loop {
            let mut stopped = self.stopped.lock();
            if !*stopped {
                self.stop.wait_for(&mut stopped, TICK);
            }
            let is_last = *stopped;
            drop(stopped);
            let now_us = clock.now().us;
            self.tick(now_us);
            if is_last {
                return;
            }
            if self.scrubs.is_due(now_us) {
                self.begin_scrub(now_us);
            }
        }
    }

    fn tick(&self, now_us: i64) {
        let began = Instant::now();
        if let Err(error) = self.store.tick(now_us) {
            self.note(&error);
        }
        if self.is_full.swap(false, Ordering::Relaxed) && self.rolls_up {
            self.make_room();
        }
        let ns = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.tick_ns.store(ns, Ordering::Relaxed);
    }

    fn make_room(&self) {
        match self.store.drop_rolled_up(ROOM_BYTES) {
            Ok(0) => {
                self.warn("the disk is full, and there are no more rolled-up samples to delete")
            }
            Ok(bytes) => tracing::warn!(
                "history: the disk is full: {bytes} bytes of the oldest samples were deleted; what \
                 they were rolled up to stays"
            ),
            Err(error) => self.warn(&error.to_string()),
        }
    }

    /// Tells of what the store could not do.
    pub(super) fn note(&self, error: &Error) {
        if is_full(error) {
            self.is_full.store(true, Ordering::Relaxed);
        }
        self.warn(&error.to_string());
    }

    pub(super) fn warn(&self, what: &str) {
        let mut warned = self.warned.lock();
        let now = Instant::now();
        let is_due = warned.is_none_or(|last| now.duration_since(last) >= WARNING_INTERVAL);
        if is_due {
            *warned = Some(now);
            drop(warned);
            let refused = self.refused.load(Ordering::Relaxed);
            tracing::error!("history: {what} ({refused} samples refused so far)");
        }
    }
}

fn is_full(error: &Error) -> bool {
    matches!(
        error,
        Error::Full { .. } | Error::Journal(journal::Error::Full { .. })
    )
}
