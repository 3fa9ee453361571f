//! The journal in front of the streams: every message is in it before it is acknowledged.
//!
//! The thread that has read a message puts it in and streams it; the journal's subscriber
//! `streams` follows behind what all threads have streamed, or had streamed a while ago. What lies
//! between it and the end when the server starts, the streams have not seen: `feed` gives it to
//! them.

mod feed;
mod flight;
mod gate;
mod late_clock;
pub mod record;
mod trail;

pub use late_clock::LateClock;

use std::cell::RefCell;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use clock::{Clock, SystemClock};
use config::JournalSpec;
use event::{Event, Time};
use journal::{Compression, Durability, Error, Id, Journal, Options, Retention, Start};
use parking_lot::{Condvar, Mutex};
use transport::{Receipt, Tell};

use crate::index_keeping::IndexKeeping;
use flight::Flight;
use gate::Gate;
use trail::Trail;

/// The subscriber that tells what the streams have seen.
pub const STREAMS: &str = "streams";

/// The subscriber that holds what the streams have seen, for replays.
pub const REPLAY: &str = "replay";

/// How often, at least, the journal is told the time and what has been seen: what streams see twice
/// after a crash.
const TICK: Duration = Duration::from_millis(100);

/// How often it is told in the log that messages are refused.
const WARNING_INTERVAL: Duration = Duration::from_secs(10);

thread_local! {
    /// Records on their way into the journal, and where each ends.
    static RECORDS: RefCell<(Vec<u8>, Vec<usize>)> = const { RefCell::new((vec![], vec![])) };
}

/// The open journal.
pub struct Ingest {
    pub spec: JournalSpec,
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

struct Shared {
    journal: Journal,
    is_always: bool,
    rewind_us: i64,
    tick: Duration,
    /// What has to be on the disk before the streams are said to have seen something.
    index: Option<Arc<IndexKeeping>>,
    flight: Flight,
    gate: Gate,
    stopped: Mutex<bool>,
    stop: Condvar,
    warned: Mutex<Option<Instant>>,
}

impl Ingest {
    /// Opens it, and makes it if it is not there.
    ///
    /// # Errors
    /// One line for the user.
    pub fn open(spec: &JournalSpec, index: Option<Arc<IndexKeeping>>) -> Result<Ingest, String> {
        let failed = |error| failed(spec, &error);
        let journal = Journal::open(&spec.dir, options(spec)).map_err(failed)?;
        let recovery = journal.recovery();
        if !recovery.is_clean() {
            tracing::warn!("journal {}: {recovery}", spec.dir.display());
        }
        let seen = subscribe(&journal, spec.keeps_seen()).map_err(failed)?;
        let shared = Shared {
            journal,
            is_always: spec.durability == config::Durability::Always,
            rewind_us: spec.rewind_us,
            tick: tick(spec.durability),
            index: index.filter(|_| spec.durability != config::Durability::Os),
            flight: Flight::new(seen.0),
            gate: Gate::default(),
            stopped: Mutex::default(),
            stop: Condvar::new(),
            warned: Mutex::default(),
        };
        Ok(Ingest {
            spec: spec.clone(),
            shared: Arc::new(shared),
            threads: Mutex::default(),
        })
    }

    /// The journal, for its figures.
    pub fn journal(&self) -> &Journal {
        &self.shared.journal
    }

    /// Begins to follow what the streams see. Called once they have caught up.
    ///
    /// # Errors
    /// One line for the user.
    pub fn begin(&self) -> Result<(), String> {
        let mut threads = self.threads.lock();
        let shared = self.shared.clone();
        threads.push(spawn("journal", move || shared.follow())?);
        if self.shared.is_always {
            let shared = self.shared.clone();
            let sync = move || {
                shared
                    .gate
                    .serve(&shared.journal, |error| shared.warn(error))
            };
            threads.push(spawn("journal-sync", sync)?);
        }
        Ok(())
    }

    /// Puts messages in.
    ///
    /// # Errors
    /// The text that the client shall see.
    pub fn keep(&self, messages: &[&[u8]], now: Time) -> Result<Receipt, String> {
        self.put(|records, ends| {
            for group in record::groups(messages) {
                group.put(records, now);
                ends.push(records.len());
            }
        })
    }

    /// Puts events in, as one message.
    ///
    /// # Errors
    /// The text that the client shall see.
    pub fn keep_events(&self, events: &[Event], now: Time) -> Result<Receipt, String> {
        self.put(|records, ends| {
            record::put(records, now, |out| {
                codec::riemann::encode_events(out, events);
            });
            ends.push(records.len());
        })
    }

    /// Puts in the records that `write` appends, and whose ends it notes.
    fn put(&self, write: impl FnOnce(&mut Vec<u8>, &mut Vec<usize>)) -> Result<Receipt, String> {
        let (mut bytes, mut ends) = RECORDS.take();
        write(&mut bytes, &mut ends);
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let records = starts.zip(&ends).map(|(start, end)| &bytes[start..*end]);
        let after = self.shared.flight.enter();
        let put = self.shared.journal.submit(records);
        bytes.clear();
        ends.clear();
        RECORDS.set((bytes, ends));
        match put {
            Ok(id) => Ok(Receipt {
                id: id.0,
                after,
                is_durable: !self.shared.is_always,
            }),
            Err(error) => {
                self.shared.flight.leave(after, after);
                self.shared.warn(&error);
                Err(format!("not taken, the journal is out of order: {error}"))
            }
        }
    }

    /// The streams have seen what a receipt is for.
    pub fn streamed(&self, receipt: Receipt) {
        self.shared.flight.leave(receipt.after, receipt.id);
    }

    pub fn when_durable(&self, receipt: Receipt, tell: Tell) {
        self.shared.gate.wait(receipt.id, tell);
    }

    /// Ends it, when no event is on its way any more: the next start has nothing to catch up.
    pub fn close(&self) {
        self.shared.gate.close();
        *self.shared.stopped.lock() = true;
        self.shared.stop.notify_one();
        for thread in self.threads.lock().drain(..) {
            // A thread that panicked has said so.
            let _ = thread.join();
        }
        if self.spec.durability != config::Durability::Os
            && let Err(error) = self.shared.journal.sync()
        {
            self.shared.warn(&error);
        }
    }
}

impl Shared {
    /// Tells the journal the time and what has been seen, until stopped.
    fn follow(&self) {
        let clock = SystemClock::new();
        let mut trail = Trail::new(self.rewind_us);
        let mut noted = None;
        loop {
            let mut stopped = self.stopped.lock();
            if !*stopped {
                self.stop.wait_for(&mut stopped, self.tick);
            }
            let is_last = *stopped;
            drop(stopped);
            let now = clock.now().us;
            let to_note = trail.follow(now, self.flight.seen());
            if to_note != noted
                && let Some(seen) = to_note
            {
                match self.note(Id(seen)) {
                    Ok(()) => noted = to_note,
                    Err(error) => self.warn(&error),
                }
            }
            if let Err(error) = self.journal.tick(now) {
                self.warn(&error);
            }
            if is_last {
                return;
            }
        }
    }

    /// Notes that the streams have seen all up to an id, once the index's part in it is durable.
    fn note(&self, id: Id) -> journal::Result<()> {
        if let Some(index) = &self.index {
            index.sync()?;
        }
        self.journal.checkpoint(STREAMS, id).map(drop)
    }

    fn warn(&self, error: &Error) {
        let mut warned = self.warned.lock();
        let now = Instant::now();
        let is_due = warned.is_none_or(|last| now.duration_since(last) >= WARNING_INTERVAL);
        if is_due {
            *warned = Some(now);
            tracing::error!("journal: {error}; messages are not acknowledged until that is mended");
        }
    }
}

/// Sees to the subscribers, and says how far the streams are.
fn subscribe(journal: &Journal, keeps_seen: bool) -> journal::Result<Id> {
    for (name, wanted) in [(STREAMS, true), (REPLAY, keeps_seen)] {
        let done = if wanted {
            journal.add_subscriber(name, Start::Begin)
        } else {
            journal.remove_subscriber(name)
        };
        match done {
            Ok(()) | Err(Error::SubscriberExists { .. } | Error::NoSubscriber { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    journal.checkpoint_of(STREAMS)
}

/// The syncs of an interval are due by the tick.
fn tick(durability: config::Durability) -> Duration {
    match durability {
        config::Durability::Interval { ms } => TICK.min(Duration::from_millis(ms)),
        _ => TICK,
    }
}

fn options(spec: &JournalSpec) -> Options {
    let clock = SystemClock::new();
    Options {
        durability: match spec.durability {
            config::Durability::Os => Durability::Os,
            config::Durability::Interval { ms } => Durability::Interval { ms },
            config::Durability::Always => Durability::Always,
        },
        compression: if spec.is_compressed {
            Compression::Lz4
        } else {
            Compression::None
        },
        retention: Retention {
            max_bytes: spec.bytes_max,
            max_age_us: spec.age_max_us,
        },
        now: Arc::new(move || clock.now().us),
        ..Options::default()
    }
}

fn failed(spec: &JournalSpec, error: &Error) -> String {
    let (name, dir) = (&spec.name, spec.dir.display());
    format!("journal {name:?} in {dir}: {error}")
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, String> {
    let spawned = thread::Builder::new().name(name.to_owned()).spawn(run);
    spawned.map_err(|error| format!("cannot start the thread {name}: {error}"))
}
