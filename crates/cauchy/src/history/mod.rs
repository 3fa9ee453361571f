//! History in the server: the open store, and the thread that looks after it.

mod change;
mod figures;
mod opening;
mod past;
mod samples;
mod scrub;
mod states;
mod upkeep;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use config::{Filing, Full, HistoryLog, HistorySpec};
use event::{Event, Time, Views};
use histogram::Histogram;
use journal::Durability;
use parking_lot::{Condvar, Mutex};
use store::{Keep, Options, Sample, Store};

pub use change::prepare;
pub use figures::{metrics, tell};
pub use opening::begin;
use samples::{Refused, Span};
use scrub::Scrubs;
use states::States;

/// The open history.
pub struct History {
    pub spec: HistorySpec,
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

struct Shared {
    store: Arc<Store>,
    states: States,
    ahead_us: i64,
    /// `None` takes samples however old.
    oldest_us: Option<i64>,
    late: AtomicU64,
    ahead: AtomicU64,
    refused: AtomicU64,
    /// The disk was full when samples were last refused.
    is_full: AtomicBool,
    rolls_up: bool,
    /// How long the last tick took, in nanoseconds.
    tick_ns: AtomicU64,
    scrubs: Scrubs,
    stopped: Mutex<bool>,
    stop: Condvar,
    warned: Mutex<Option<Instant>>,
}

impl History {
    /// Opens it, and makes it if it is not there.
    ///
    /// # Errors
    /// One line for the user.
    pub fn open(spec: &HistorySpec) -> Result<Arc<History>, String> {
        let failed = |error: store::Error| failed(spec, &error);
        let store = Store::open(&spec.dir, options(spec)).map_err(failed)?;
        let shared = Arc::new(Shared {
            store: Arc::new(store),
            states: States::default(),
            ahead_us: spec.ahead_us,
            oldest_us: spec.retained.raw_us,
            late: AtomicU64::new(0),
            ahead: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            is_full: AtomicBool::new(false),
            rolls_up: spec.full == Full::RollUp,
            tick_ns: AtomicU64::new(0),
            scrubs: Scrubs::new(spec),
            stopped: Mutex::default(),
            stop: Condvar::new(),
            warned: Mutex::default(),
        });
        let own = shared.clone();
        let spawned = thread::Builder::new()
            .name("history".to_owned())
            .spawn(move || own.follow());
        let thread =
            spawned.map_err(|error| format!("cannot start the thread history: {error}"))?;
        Ok(Arc::new(History {
            spec: spec.clone(),
            shared,
            thread: Mutex::new(Some(thread)),
        }))
    }

    /// The store, for questions.
    pub fn store(&self) -> &Arc<Store> {
        &self.shared.store
    }

    /// What streams call.
    pub fn log(&self) -> Arc<dyn HistoryLog> {
        self.shared.clone()
    }

    /// Ends it, when nothing is appended any more. What is not sealed stays in the head's journal.
    pub fn close(&self) {
        *self.shared.stopped.lock() = true;
        self.shared.stop.notify_one();
        if let Some(thread) = self.thread.lock().take() {
            // A thread that panicked has said so.
            let _ = thread.join();
        }
    }
}

impl HistoryLog for Shared {
    fn keep_views(
        &self,
        by: &[Filing],
        views: &Views<'_>,
        chosen: &mut dyn ExactSizeIterator<Item = usize>,
        now_us: i64,
    ) {
        let span = self.span(now_us);
        let append = |samples: &[Sample<'_>]| self.append(samples);
        let refused = samples::of_views(by, views, chosen, span, &self.states, append);
        self.count(refused);
    }

    fn keep(&self, by: &[Filing], events: &[Event], now_us: i64) {
        let append = |samples: &[Sample<'_>]| self.append(samples);
        let refused = samples::of_events(by, events, self.span(now_us), &self.states, append);
        self.count(refused);
    }

    fn past(
        &self,
        by: &[Filing],
        event: &Event,
        from: Time,
        to: Time,
    ) -> Result<Option<Histogram>, String> {
        past::of(&self.store, by, event, from, to).map_err(|error| format!("history: {error}"))
    }
}

impl Shared {
    fn span(&self, now_us: i64) -> Span {
        let oldest_us = self.oldest_us.map(|age_us| now_us.saturating_sub(age_us));
        Span {
            oldest_us: oldest_us.unwrap_or(i64::MIN),
            newest_us: now_us.saturating_add(self.ahead_us),
            now_us,
        }
    }

    fn append(&self, samples: &[Sample<'_>]) {
        if let Err(error) = self.store.append(samples) {
            let count = samples.len() as u64;
            self.refused.fetch_add(count, Ordering::Relaxed);
            self.note(&error);
        }
    }

    fn count(&self, refused: Refused) {
        if refused != Refused::default() {
            self.late.fetch_add(refused.late, Ordering::Relaxed);
            self.ahead.fetch_add(refused.ahead, Ordering::Relaxed);
        }
    }
}

fn options(spec: &HistorySpec) -> Options {
    let retained = spec.retained;
    Options {
        durability: match spec.durability {
            config::Durability::Os => Durability::Os,
            config::Durability::Interval { ms } => Durability::Interval { ms },
            config::Durability::Always => Durability::Always,
        },
        keep: Keep {
            raw_us: retained.raw_us,
            minute_us: retained.minutes_us,
            half_hour_us: retained.half_hours_us,
            max_bytes: retained.bytes_max,
        },
        // The stream refuses and counts what is too far ahead, by its own option.
        ahead_us: None,
        ..Options::default()
    }
}

fn failed(spec: &HistorySpec, error: &store::Error) -> String {
    let dir = spec.dir.display();
    match error {
        store::Error::Journal(journal::Error::Locked) => format!(
            "history in {dir}: another process has it open; stop that one, or name another \
             folder: (history {{:dir …}})"
        ),
        store::Error::Io { .. } | store::Error::Journal(journal::Error::Io { .. }) => format!(
            "history in {dir}: {error}; name a folder that can be written: (history {{:dir …}})"
        ),
        _ => format!("history in {dir}: {error}"),
    }
}
