//! Looking at every byte now and then, on a thread of its own.

use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::thread;
use std::time::UNIX_EPOCH;

use config::HistorySpec;
use journal::disk::real::RealDisk;

use super::Shared;

/// A file in the folder whose time is that of the last look.
const MARK: &str = "scrubbed";

/// When every byte was looked at, and what was found.
pub struct Scrubs {
    dir: PathBuf,
    interval_us: Option<i64>,
    last_us: AtomicI64,
    is_running: AtomicBool,
    /// Since the server started.
    pub done: AtomicU64,
    /// Damages that the last one left.
    pub left: AtomicU64,
}

impl Scrubs {
    pub fn new(spec: &HistorySpec) -> Scrubs {
        let dir = spec.dir.clone();
        let marked = fs::metadata(dir.join(MARK)).and_then(|mark| mark.modified());
        let age = marked.map(|time| time.duration_since(UNIX_EPOCH).unwrap_or_default());
        let last_us = age.map_or(0, |age| i64::try_from(age.as_micros()).unwrap_or(0));
        Scrubs {
            dir,
            interval_us: spec.scrub_us,
            last_us: AtomicI64::new(last_us),
            is_running: AtomicBool::new(false),
            done: AtomicU64::new(0),
            left: AtomicU64::new(0),
        }
    }

    pub fn is_due(&self, now_us: i64) -> bool {
        let last_us = self.last_us.load(Ordering::Relaxed);
        self.interval_us
            .is_some_and(|interval_us| now_us.saturating_sub(last_us) >= interval_us)
            && !self.is_running.load(Ordering::Relaxed)
    }
}

impl Shared {
    /// Looks at every byte, beside everything else.
    pub(super) fn begin_scrub(self: &Arc<Shared>, now_us: i64) {
        self.scrubs.is_running.store(true, Ordering::Relaxed);
        self.scrubs.last_us.store(now_us, Ordering::Relaxed);
        let own = self.clone();
        let scrub = move || {
            if let Err(error) = own.scrub() {
                own.warn(&format!("cannot look at every byte: {error}"));
            }
            own.scrubs.is_running.store(false, Ordering::Relaxed);
        };
        let named = thread::Builder::new().name("history-scrub".to_owned());
        if let Err(error) = named.spawn(scrub) {
            self.scrubs.is_running.store(false, Ordering::Relaxed);
            self.warn(&format!("cannot start the thread history-scrub: {error}"));
        }
    }

    /// The first look is without the store's lock: it may be half an hour's reading. What it takes
    /// for damage is looked at again with it, and mended.
    fn scrub(&self) -> store::Result<()> {
        let scrubs = &self.scrubs;
        let seen = store::verify(&RealDisk::at(&scrubs.dir))?;
        let mut left = 0;
        if !seen.damages.is_empty() {
            let scrubbed = self.store.scrub()?;
            for damage in &scrubbed.found.damages {
                tracing::error!("history: {damage}");
            }
            for name in &scrubbed.mended {
                tracing::warn!("history: {name} was made anew");
            }
            left = scrubbed.left as u64;
        }
        scrubs.left.store(left, Ordering::Relaxed);
        scrubs.done.fetch_add(1, Ordering::Relaxed);
        if let Err(error) = File::create(scrubs.dir.join(MARK)) {
            self.warn(&format!(
                "cannot note that every byte was looked at: {error}"
            ));
        }
        Ok(())
    }
}
