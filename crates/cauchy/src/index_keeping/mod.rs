//! The index's journal: every change of the index, so that a restart finds it as it was.
//!
//! A snapshot now and then keeps it short. While one is taken, the index goes on changing: what a
//! snapshot says of a host and service holds only if nothing newer is said after the place at
//! which it was begun.

mod record;
mod restore;

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use clock::{Clock, SystemClock};
use codec::riemann::encode_events;
use config::{IndexLog, Kept};
use event::{Draft, Event, Fields, Views};
use index::Index;
use journal::{Error, Id, Journal, Options, Start};
use parking_lot::{Condvar, Mutex};

use record::Kind;

/// The subscriber that tells where the last whole snapshot was begun.
const INDEX: &str = "index";

/// Bytes of changes that are worth a snapshot: a second's worth of reading at the start.
const SNAPSHOT_BYTES_MIN: u64 = 64 << 20;

/// Changes are worth a snapshot when they are so many times as long as the last one.
const SNAPSHOT_RATIO: u64 = 4;

/// Events in one record of a snapshot.
const EVENTS_PER_RECORD: usize = 256;

/// How often the journal is told the time.
const TICK: Duration = Duration::from_millis(500);

/// How often it is told in the log that changes are not kept.
const WARNING_INTERVAL: Duration = Duration::from_secs(10);

thread_local! {
    /// A record on its way into the journal.
    static RECORD: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// The open journal of an index.
pub struct IndexKeeping {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

struct Shared {
    journal: Journal,
    index: Arc<Index>,
    /// Bytes of changes since the last snapshot was begun.
    changed_bytes: AtomicU64,
    /// Changes were lost: only a snapshot tells what the index holds.
    is_behind: AtomicBool,
    /// Bytes of the last snapshot.
    snapshot_bytes: AtomicU64,
    stopped: Mutex<bool>,
    stop: Condvar,
    warned: Mutex<Option<Instant>>,
}

impl IndexKeeping {
    /// Opens the journal, puts what it tells of into the index, and keeps the index's changes from
    /// then on.
    ///
    /// # Errors
    /// One line for the user.
    pub fn open(dir: &Path, kept: &Kept) -> Result<Arc<IndexKeeping>, String> {
        let failed = |error: Error| format!("the index's journal in {}: {error}", dir.display());
        let clock = SystemClock::new();
        let options = Options {
            now: Arc::new(move || clock.now().us),
            ..Options::default()
        };
        let journal = Journal::open(dir, options).map_err(failed)?;
        if !journal.recovery().is_clean() {
            tracing::warn!(
                "the index's journal {}: {}",
                dir.display(),
                journal.recovery()
            );
        }
        match journal.add_subscriber(INDEX, Start::Begin) {
            Ok(()) | Err(Error::SubscriberExists { .. }) => {}
            Err(error) => return Err(failed(error)),
        }
        let bytes = restore::restore(&journal, &kept.index).map_err(failed)?;
        let shared = Arc::new(Shared {
            journal,
            index: kept.index.clone(),
            changed_bytes: bytes.into(),
            is_behind: false.into(),
            snapshot_bytes: 0.into(),
            stopped: Mutex::default(),
            stop: Condvar::new(),
            warned: Mutex::default(),
        });
        let own = shared.clone();
        let thread = thread::Builder::new()
            .name("index-journal".into())
            .spawn(move || own.follow())
            .map_err(|error| format!("cannot start a thread: {error}"))?;
        let _ = kept.index_log.set(shared.clone());
        Ok(Arc::new(IndexKeeping {
            shared,
            thread: Mutex::new(Some(thread)),
        }))
    }

    /// The journal, for its figures.
    pub fn journal(&self) -> &Journal {
        &self.shared.journal
    }

    /// Makes every change so far durable.
    ///
    /// # Errors
    /// What the disk says.
    pub fn sync(&self) -> journal::Result<()> {
        self.shared.journal.sync()
    }

    /// Ends it, when the index does not change any more.
    pub fn close(&self) {
        *self.shared.stopped.lock() = true;
        self.shared.stop.notify_one();
        if let Some(thread) = self.thread.lock().take() {
            // A thread that panicked has said so.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn put(&self, kind: Kind, write: impl FnOnce(&mut Vec<u8>)) {
        let mut record = RECORD.take();
        record.push(kind as u8);
        write(&mut record);
        let put = self.journal.submit([&record[..]]);
        let bytes = record.len() as u64;
        record.clear();
        RECORD.set(record);
        self.changed_bytes.fetch_add(bytes, Ordering::Relaxed);
        if let Err(error) = put {
            self.is_behind.store(true, Ordering::Release);
            self.warn(&error);
        }
    }

    /// Tells the journal the time, and takes snapshots when they are due, until stopped.
    fn follow(&self) {
        let clock = SystemClock::new();
        loop {
            let mut stopped = self.stopped.lock();
            if !*stopped {
                self.stop.wait_for(&mut stopped, TICK);
            }
            let is_last = *stopped;
            drop(stopped);
            let behind = self.is_behind.load(Ordering::Acquire);
            let told = match behind || self.is_long() {
                true => self.snapshot(),
                false => Ok(()),
            };
            let ticked = self.journal.tick(clock.now().us);
            if let Err(error) = told.and(ticked) {
                self.warn(&error);
            }
            if is_last {
                return;
            }
        }
    }

    fn is_long(&self) -> bool {
        let last = self.snapshot_bytes.load(Ordering::Relaxed);
        let worth = SNAPSHOT_BYTES_MIN.max(SNAPSHOT_RATIO * last);
        self.changed_bytes.load(Ordering::Relaxed) > worth
    }

    /// Writes all that the index holds; then what came before is needed no more.
    fn snapshot(&self) -> journal::Result<()> {
        self.is_behind.store(false, Ordering::Release);
        let begun = self.journal.last()?;
        self.changed_bytes.store(0, Ordering::Relaxed);
        let outcome = self.write_all(begun);
        if outcome.is_err() {
            self.is_behind.store(true, Ordering::Release);
        }
        outcome
    }

    fn write_all(&self, begun: Id) -> journal::Result<()> {
        let mut total = 0;
        let mut events = Vec::with_capacity(EVENTS_PER_RECORD);
        let mut record = Vec::new();
        let mut all = self.index.iter().peekable();
        while let Some(event) = all.next() {
            events.push(event);
            if events.len() == EVENTS_PER_RECORD || all.peek().is_none() {
                record.clear();
                record.push(Kind::Snapshot as u8);
                encode_events(&mut record, &events);
                self.journal.submit([&record[..]])?;
                total += record.len() as u64;
                events.clear();
            }
        }
        self.journal.flush()?;
        self.journal.checkpoint(INDEX, begun)?;
        self.snapshot_bytes.store(total, Ordering::Relaxed);
        Ok(())
    }

    fn warn(&self, error: &Error) {
        let mut warned = self.warned.lock();
        let now = Instant::now();
        if warned.is_none_or(|last| now.duration_since(last) >= WARNING_INTERVAL) {
            *warned = Some(now);
            tracing::error!("the index's journal: {error}; a restart would lose changes");
        }
    }
}

impl IndexLog for Shared {
    fn kept(&self, event: &Event) {
        self.put(Kind::Kept, |out| encode_events(out, [event]));
    }

    fn kept_views(&self, views: &Views<'_>, chosen: &mut dyn Iterator<Item = usize>) {
        let mut chosen = chosen.peekable();
        if chosen.peek().is_none() {
            return;
        }
        self.put(Kind::Kept, |out| {
            for at in chosen {
                encode_events(out, [&views.get(at)]);
            }
        });
    }

    fn removed(&self, events: &[Event]) {
        if events.is_empty() {
            return;
        }
        let keys: Vec<Event> = events.iter().map(key).collect();
        self.put(Kind::Removed, |out| encode_events(out, &keys));
    }

    fn cleared(&self) {
        self.put(Kind::Cleared, |_| {});
    }
}

/// An event of the same host, service and time, and nothing else.
fn key(event: &Event) -> Event {
    Draft {
        host: event.host().map(Into::into),
        service: event.service().map(Into::into),
        time: event.time(),
        ..Draft::plain()
    }
    .build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use event::{Number, Time};

    fn put(kept: &Kept, service: &str, metric: i64) {
        let event = Draft {
            service: Some(service.into()),
            metric: Some(Number::Int(metric)),
            time: Some(Time::from_s(1)),
            ..Draft::plain()
        }
        .build();
        kept.index.insert(&event);
        kept.index_log.get().unwrap().kept(&event);
    }

    #[test]
    fn a_snapshot_stands_for_what_came_before_it() {
        let folder = tempfile::tempdir().unwrap();
        let kept = Kept::default();
        let keeping = IndexKeeping::open(folder.path(), &kept).unwrap();
        for number in 0..1000 {
            put(&kept, &format!("s{number}"), number);
        }
        put(&kept, "s1", -1);
        let last = keeping.shared.journal.last().unwrap();
        keeping.shared.snapshot().unwrap();
        assert_eq!(keeping.shared.journal.checkpoint_of(INDEX).unwrap(), last);
        put(&kept, "s2", -2);
        keeping.close();
        drop((keeping, kept));
        let again = Kept::default();
        let keeping = IndexKeeping::open(folder.path(), &again).unwrap();
        assert_eq!(again.index.len(), 1000);
        for (service, metric) in [("s1", -1), ("s2", -2), ("s3", 3)] {
            let event = again.index.lookup((None, Some(service))).unwrap();
            assert_eq!(event.metric(), Some(Number::Int(metric)));
        }
        keeping.close();
    }

    /// Damages a copy of a folder: some bytes of a file, or its end, or all of it.
    fn damaged(from: &Path, seed: u64) -> tempfile::TempDir {
        let mut dice = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut roll = move |sides: usize| {
            dice ^= dice << 13;
            dice ^= dice >> 7;
            dice ^= dice << 17;
            (dice >> 8) as usize % sides.max(1)
        };
        let copy = tempfile::tempdir().unwrap();
        let files = std::fs::read_dir(from).unwrap().flatten();
        let mut names: Vec<_> = files.map(|file| file.file_name()).collect();
        names.sort();
        let victim = roll(names.len());
        for (at, name) in names.iter().enumerate() {
            let mut bytes = std::fs::read(from.join(name)).unwrap();
            if at == victim {
                match roll(4) {
                    0 => bytes.truncate(roll(bytes.len())),
                    1 => bytes.clear(),
                    _ => {
                        let len = bytes.len();
                        for _ in 0..=roll(40).min(len) {
                            if let Some(byte) = bytes.get_mut(roll(len)) {
                                *byte = roll(256) as u8;
                            }
                        }
                    }
                }
            }
            std::fs::write(copy.path().join(name), bytes).unwrap();
        }
        copy
    }

    #[test]
    fn a_damaged_journal_gives_only_what_was_in_the_index() {
        let folder = tempfile::tempdir().unwrap();
        let kept = Kept::default();
        let keeping = IndexKeeping::open(folder.path(), &kept).unwrap();
        for number in 0..300 {
            put(&kept, &format!("s{}", number % 100), number);
            if number == 150 {
                keeping.shared.snapshot().unwrap();
            }
        }
        keeping.close();
        drop((keeping, kept));
        let mut refused = 0;
        for seed in 1..=60 {
            let copy = damaged(folder.path(), seed);
            let again = Kept::default();
            match IndexKeeping::open(copy.path(), &again) {
                Ok(keeping) => keeping.close(),
                Err(reason) => {
                    assert!(reason.contains("cauchy journal repair"), "{reason}");
                    refused += 1;
                    continue;
                }
            }
            for event in again.index.iter() {
                let service = event.service().unwrap().to_owned();
                let Some(Number::Int(metric)) = event.metric() else {
                    panic!("seed {seed}: {event:?}");
                };
                assert_eq!(service, format!("s{}", metric % 100), "seed {seed}");
            }
        }
        assert!(refused < 30, "{refused} of 60 do not open");
    }

    #[test]
    fn what_was_cleared_stays_away() {
        let folder = tempfile::tempdir().unwrap();
        let kept = Kept::default();
        let keeping = IndexKeeping::open(folder.path(), &kept).unwrap();
        put(&kept, "a", 1);
        kept.index.clear();
        kept.index_log.get().unwrap().cleared();
        put(&kept, "b", 2);
        keeping.close();
        drop((keeping, kept));
        let again = Kept::default();
        IndexKeeping::open(folder.path(), &again).unwrap().close();
        assert_eq!(again.index.len(), 1);
    }
}
