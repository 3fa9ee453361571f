//! The journal of one queue.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use journal::{Error, Id, Journal, Now, Reader, Start};
use parking_lot::{Condvar, Mutex};

use super::record;
use crate::pace::Bell;
use crate::policy::LOG_INTERVAL;
use crate::stats::Stats;

/// The subscriber that tells what has left.
pub const SUBSCRIBER: &str = "queue";

/// Opens the journal of dead letters, when the first is there.
pub type OpenDead = Box<dyn Fn() -> journal::Result<Journal> + Send + Sync>;

/// The journal of one queue, and the one of its dead letters. Any thread may put records in; one
/// [`Shift`](super::Shift) at a time takes them out.
pub struct Backlog {
    name: Arc<str>,
    journal: Journal,
    open_dead: OpenDead,
    dead: Mutex<Option<Journal>>,
    now: Now,
    turn: Mutex<Turn>,
    /// Notified when a record came, when it is another's turn, and when a shift ends.
    changed: Condvar,
    counts: Counts,
    trouble: Mutex<Option<Arc<str>>>,
    /// When it was last told in the log that something is not kept, in microseconds since 1970.
    warned_us: AtomicI64,
}

/// Whose turn it is to deliver.
#[derive(Default)]
struct Turn {
    /// The newest shift; those before it give way.
    shift: u64,
    /// A shift is at work.
    is_taken: bool,
    bell: Arc<Bell>,
}

#[derive(Default)]
struct Counts {
    accepted: AtomicU64,
    sent: AtomicU64,
    failed: AtomicU64,
    lost: AtomicU64,
    dead: AtomicU64,
    /// Records up to this one have left.
    settled: AtomicU64,
    /// When the oldest that waits was received, in microseconds since 1970; 0 if it is not known.
    oldest_us: AtomicI64,
    /// Records that retention had deleted unread when it was opened.
    dropped_before: AtomicU64,
}

impl Backlog {
    /// The queue of a journal: what its subscriber has not passed waits.
    ///
    /// # Errors
    /// What the journal says.
    pub fn new(
        name: &str,
        journal: Journal,
        open_dead: OpenDead,
        now: Now,
    ) -> journal::Result<Backlog> {
        match journal.add_subscriber(SUBSCRIBER, Start::Begin) {
            Ok(()) | Err(Error::SubscriberExists { .. }) => {}
            Err(error) => return Err(error),
        }
        let counts = Counts::default();
        let settled = journal.checkpoint_of(SUBSCRIBER)?;
        counts.settled.store(settled.0, Ordering::Relaxed);
        counts
            .dropped_before
            .store(dropped(&journal)?, Ordering::Relaxed);
        Ok(Backlog {
            name: name.into(),
            journal,
            open_dead,
            dead: Mutex::default(),
            now,
            turn: Mutex::default(),
            changed: Condvar::new(),
            counts,
            trouble: Mutex::default(),
            warned_us: AtomicI64::new(i64::MIN),
        })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// The time, in microseconds since 1970.
    pub fn now_us(&self) -> i64 {
        (self.now)()
    }

    /// Puts a record in; it is as durable as the journal is to make it when this returns. One that
    /// the disk does not take is lost, counted, and told of in the log now and then.
    pub fn put(&self, record: &[u8]) {
        self.counts.accepted.fetch_add(1, Ordering::Relaxed);
        if let Err(error) = self.journal.append(record) {
            self.counts.lost.fetch_add(1, Ordering::Relaxed);
            self.warn(&format!("not kept, and lost: {error}"));
            return;
        }
        // The lock orders this with a shift that has just found nothing.
        drop(self.turn.lock());
        self.changed.notify_all();
    }

    /// Tells the journals the time; see [`Journal::tick`]. Call it a few times a second.
    pub fn tick(&self) {
        let now_us = self.now_us();
        let dead = self.dead.lock().clone();
        for journal in [Some(self.journal.clone()), dead].into_iter().flatten() {
            if let Err(error) = journal.tick(now_us) {
                self.warn(&error.to_string());
            }
        }
    }

    /// Makes all that waits durable, whatever the mode.
    ///
    /// # Errors
    /// What the disk says.
    pub fn sync(&self) -> journal::Result<()> {
        self.journal.sync()
    }

    pub fn stats(&self) -> Stats {
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let counts = &self.counts;
        let last = self.journal.last().unwrap_or(Id::ZERO).0;
        let depth = last.saturating_sub(count(&counts.settled));
        let oldest_us = counts.oldest_us.load(Ordering::Relaxed);
        let age_us = self.now_us().saturating_sub(oldest_us);
        let dropped = dropped(&self.journal).unwrap_or_default();
        Stats {
            name: self.name.clone(),
            accepted: count(&counts.accepted),
            sent: count(&counts.sent),
            failed: count(&counts.failed),
            lost: count(&counts.lost) + dropped.saturating_sub(count(&counts.dropped_before)),
            dead: count(&counts.dead),
            depth,
            in_flight: 0,
            bytes: 0,
            oldest: (depth > 0 && oldest_us != 0)
                .then(|| Duration::from_micros(u64::try_from(age_us).unwrap_or(0))),
            trouble: self.trouble.lock().clone(),
        }
    }

    /// Up to which record all have left, as a restart finds it.
    ///
    /// # Errors
    /// What the journal says.
    pub fn checkpoint(&self) -> journal::Result<Id> {
        self.journal.checkpoint_of(SUBSCRIBER)
    }

    pub(super) fn last(&self) -> journal::Result<Id> {
        self.journal.last()
    }

    pub(super) fn reader(&self) -> journal::Result<Reader> {
        self.journal.reader(SUBSCRIBER)
    }

    /// Makes it the turn of a new shift, and gives its number and the bell that ends its pauses.
    pub(super) fn call_shift(&self) -> (u64, Arc<Bell>) {
        let mut turn = self.turn.lock();
        turn.shift += 1;
        turn.bell.ring();
        turn.bell = Arc::default();
        self.changed.notify_all();
        (turn.shift, turn.bell.clone())
    }

    /// Waits until the shift before has given way; false if this one has to give way itself.
    pub(super) fn take_turn(&self, shift: u64, is_over: impl Fn() -> bool) -> bool {
        let mut turn = self.turn.lock();
        while turn.is_taken && turn.shift == shift && !is_over() {
            self.changed.wait(&mut turn);
        }
        let is_mine = !turn.is_taken && turn.shift == shift && !is_over();
        turn.is_taken |= is_mine;
        is_mine
    }

    pub(super) fn leave_turn(&self) {
        self.turn.lock().is_taken = false;
        self.changed.notify_all();
    }

    pub(super) fn is_turn_of(&self, shift: u64) -> bool {
        self.turn.lock().shift == shift
    }

    /// Wakes whoever waits, to look whether it is over.
    pub(super) fn wake(&self) {
        drop(self.turn.lock());
        self.changed.notify_all();
    }

    /// Waits until there is a record after `id`; false if the shift is over before.
    pub(super) fn wait_for(&self, id: Id, shift: u64, is_over: impl Fn() -> bool) -> bool {
        let mut turn = self.turn.lock();
        loop {
            if turn.shift != shift || is_over() {
                return false;
            }
            if self.journal.last().is_ok_and(|last| last > id) {
                return true;
            }
            self.counts.oldest_us.store(0, Ordering::Relaxed);
            self.changed.wait(&mut turn);
        }
    }

    /// The oldest that waits was received then.
    pub(super) fn note_oldest(&self, received_us: i64) {
        self.counts.oldest_us.store(received_us, Ordering::Relaxed);
    }

    /// Notes that records up to one have left, `sent` more of them to where they should.
    pub(super) fn note(&self, id: Id, sent: u64) {
        self.counts.sent.fetch_add(sent, Ordering::Relaxed);
        if self.counts.settled.fetch_max(id.0, Ordering::Relaxed) >= id.0 {
            return;
        }
        if let Err(error) = self.journal.checkpoint(SUBSCRIBER, id) {
            self.warn(&format!("cannot note what has left: {error}"));
        }
    }

    /// Records that cannot be read any more. Those that retention has deleted, where no bytes are
    /// damaged, the journal counts itself.
    pub(super) fn note_damaged(&self, damage: &journal::Damage) {
        let (queue, records) = (&*self.name, damage.records);
        if damage.bytes == 0 {
            tracing::error!(
                queue,
                records,
                "lost: the journal became larger than it may"
            );
            return;
        }
        self.counts.lost.fetch_add(records, Ordering::Relaxed);
        tracing::error!(queue, "{damage}");
    }

    pub(super) fn note_failed(&self, why: &str) {
        self.counts.failed.fetch_add(1, Ordering::Relaxed);
        *self.trouble.lock() = Some(why.into());
    }

    pub(super) fn note_delivered(&self) {
        *self.trouble.lock() = None;
    }

    /// Puts a record among the dead letters.
    ///
    /// # Errors
    /// What their journal says.
    pub(super) fn bury(&self, record: &[u8], reason: &str) -> journal::Result<()> {
        let mut bytes = Vec::new();
        record::put_dead(&mut bytes, self.now_us(), reason, record);
        let mut dead = self.dead.lock();
        let journal = match &*dead {
            Some(journal) => journal,
            None => dead.insert((self.open_dead)()?),
        };
        journal.append(&bytes)?;
        drop(dead);
        self.counts.dead.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Says so in the log, at most once in [`LOG_INTERVAL`].
    pub(super) fn warn(&self, what: &str) {
        let now_us = self.now_us();
        let last_us = self.warned_us.load(Ordering::Relaxed);
        let interval_us = i64::try_from(LOG_INTERVAL.as_micros()).unwrap_or(i64::MAX);
        if last_us != i64::MIN && now_us.saturating_sub(last_us) < interval_us {
            return;
        }
        self.warned_us.store(now_us, Ordering::Relaxed);
        let lost = self.counts.lost.load(Ordering::Relaxed);
        tracing::error!(queue = &*self.name, lost, "{what}");
    }
}

/// Records that retention deleted before they had left.
fn dropped(journal: &Journal) -> journal::Result<u64> {
    let stats = journal.stats()?;
    let own = stats.subscribers.iter().find(|own| own.name == SUBSCRIBER);
    Ok(own.map_or(0, |own| own.dropped))
}
