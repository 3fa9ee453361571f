//! One thread that delivers what a backlog holds, for as long as a configuration is in force.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use journal::{Id, Reader};
use parking_lot::{Condvar, Mutex};

use super::Backlog;
use crate::pace::{Bell, Pace};
use crate::policy::Policy;
use crate::target::DeliveryError;

/// Stack of a shift's thread: functions of a configuration may recurse. Only what is used is taken.
const STACK_BYTES: usize = 16 << 20;

/// Delivers records that it is handed.
pub trait Courier: Send {
    /// The most records that it takes in hand, at least 1: a crash may repeat so many.
    fn records_max(&self) -> usize;

    /// Takes records in hand, by their place. Gives those that can never be delivered, with the
    /// reason.
    fn take(&mut self, records: &[Vec<u8>]) -> Vec<(usize, String)>;

    /// Delivers some of what is in hand.
    ///
    /// # Errors
    /// When that failed. It stays in hand, to be tried again or given up.
    fn deliver(&mut self) -> Result<Progress, DeliveryError>;

    /// Gives up what the last delivery failed on; gives the places of the records. None if there
    /// is another way to try.
    fn give_up(&mut self) -> Vec<usize>;

    /// The first record in hand that has not left; `None` if all have.
    fn first_in_hand(&self) -> Option<usize>;
}

/// What came of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Something left, and there may be more.
    More,
    /// All that was in hand has left.
    Done,
}

/// A thread that has a courier deliver what a backlog holds, until it ends or another shift of the
/// same backlog begins. What is in hand then stays in the journal.
pub struct Shift {
    backlog: Arc<Backlog>,
    bell: Arc<Bell>,
    control: Arc<Control>,
    thread: JoinHandle<()>,
}

#[derive(Default)]
struct Control {
    is_over: AtomicBool,
    has_ended: Mutex<bool>,
    ended: Condvar,
}

/// One shift at work.
struct Work {
    number: u64,
    backlog: Arc<Backlog>,
    control: Arc<Control>,
    bell: Arc<Bell>,
    pace: Arc<dyn Pace>,
    policy: Policy,
    /// Tries of one delivery before it is given up; `None` is without end.
    tries_max: Option<u32>,
    reader: Reader,
    /// Failures in a row.
    failures: u32,
    told: Option<Duration>,
}

impl Shift {
    /// Begins to deliver, as soon as the shift before has given way. A delivery that failed
    /// `tries_max` times (`None` is without end) is given up: its records become dead letters.
    ///
    /// # Errors
    /// What the journal says; no thread can be started.
    pub fn begin(
        backlog: &Arc<Backlog>,
        courier: Box<dyn Courier>,
        pace: Arc<dyn Pace>,
        tries_max: Option<u32>,
    ) -> std::io::Result<Shift> {
        let reader = backlog.reader().map_err(std::io::Error::other)?;
        let (number, bell) = backlog.call_shift();
        let control = Arc::new(Control::default());
        let work = Work {
            number,
            backlog: backlog.clone(),
            control: control.clone(),
            bell: bell.clone(),
            pace,
            policy: Policy::default(),
            tries_max,
            reader,
            failures: 0,
            told: None,
        };
        let thread = thread::Builder::new()
            .name(format!("queue {}", backlog.name()))
            .stack_size(STACK_BYTES)
            .spawn(move || work.run(courier))?;
        Ok(Shift {
            backlog: backlog.clone(),
            bell,
            control,
            thread,
        })
    }

    /// Asks it to end after the attempt that is under way.
    pub fn call_off(&self) {
        self.control.is_over.store(true, Ordering::Relaxed);
        self.bell.ring();
        self.backlog.wake();
    }

    /// Waits until it has ended; false if it has not after `grace`.
    pub fn ended_within(self, grace: Duration) -> bool {
        let mut has_ended = self.control.has_ended.lock();
        let lasts = |has_ended: &mut bool| !*has_ended;
        self.control
            .ended
            .wait_while_for(&mut has_ended, lasts, grace);
        if !*has_ended {
            return false;
        }
        drop(has_ended);
        // A thread that panicked has said so.
        let _ = self.thread.join();
        true
    }
}

/// Says that a shift has ended, also when it panics.
struct Leaving {
    control: Arc<Control>,
}

impl Drop for Leaving {
    fn drop(&mut self) {
        *self.control.has_ended.lock() = true;
        self.control.ended.notify_all();
    }
}

/// Leaves the turn to the next shift.
struct Taken<'a>(&'a Backlog);

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.0.leave_turn();
    }
}

impl Work {
    fn run(mut self, mut courier: Box<dyn Courier>) {
        let _leaving = Leaving {
            control: self.control.clone(),
        };
        let (backlog, control) = (self.backlog.clone(), self.control.clone());
        let called_off = || control.is_over.load(Ordering::Relaxed);
        if !backlog.take_turn(self.number, called_off) {
            return;
        }
        let _taken = Taken(&backlog);
        // The shift before may have gone on since this one was called.
        match backlog.reader() {
            Ok(reader) => self.reader = reader,
            Err(error) => return backlog.warn(&format!("cannot be read: {error}")),
        }
        let (mut ids, mut records) = (Vec::new(), Vec::new());
        while !self.is_over() {
            match self.read(courier.records_max(), &mut ids, &mut records) {
                Some(end) if records.is_empty() => {
                    backlog.note(end, 0);
                    if !backlog.wait_for(end, self.number, called_off) {
                        return;
                    }
                }
                Some(_) => {
                    let hand = Hand::new(&ids, &records);
                    if !self.deliver(&mut *courier, hand) {
                        return;
                    }
                }
                None => self.pause(),
            }
        }
    }

    fn is_over(&self) -> bool {
        self.control.is_over.load(Ordering::Relaxed) || !self.backlog.is_turn_of(self.number)
    }

    /// Copies the next records; gives the journal's end before that, which is where the reader
    /// stands if there are none. `None` if the journal cannot be read now.
    fn read(&mut self, max: usize, ids: &mut Vec<Id>, records: &mut Vec<Vec<u8>>) -> Option<Id> {
        ids.clear();
        records.clear();
        let read = self.backlog.last().and_then(|end| {
            for (id, bytes) in self.reader.next_batch(max)?.iter() {
                ids.push(id);
                records.push(bytes.to_vec());
            }
            Ok(end)
        });
        for damage in self.reader.take_damages() {
            self.backlog.note_damaged(&damage);
        }
        if let Err(error) = &read {
            self.backlog.warn(&format!("cannot be read: {error}"));
        }
        read.ok()
    }

    /// Delivers records; false if the shift is over before all have left.
    fn deliver(&mut self, courier: &mut dyn Courier, mut hand: Hand<'_>) -> bool {
        hand.note_oldest(&self.backlog);
        for (place, reason) in courier.take(hand.records) {
            if !self.bury(&mut hand, place, &reason) {
                return false;
            }
        }
        let mut tries = 0;
        loop {
            match attempt(courier) {
                Ok(progress) => {
                    self.recover();
                    tries = 0;
                    let first = courier.first_in_hand();
                    hand.note(&self.backlog, first.unwrap_or(hand.records.len()));
                    if progress == Progress::Done {
                        return true;
                    }
                }
                Err(error) => {
                    tries += 1;
                    self.fail(&error);
                    let spent = self.tries_max.is_some_and(|max| tries >= max);
                    if error.retry && !spent {
                        self.pause();
                    } else {
                        tries = 0;
                        for place in courier.give_up() {
                            if !self.bury(&mut hand, place, &error.message) {
                                return false;
                            }
                        }
                    }
                }
            }
            if self.is_over() {
                return false;
            }
        }
    }

    /// Puts a record among the dead letters, however long the disk takes none; false if the shift
    /// is over before.
    fn bury(&mut self, hand: &mut Hand<'_>, place: usize, reason: &str) -> bool {
        if hand.dead[place] {
            return true;
        }
        while let Err(error) = self.backlog.bury(&hand.records[place], reason) {
            self.backlog
                .warn(&format!("cannot keep a dead letter: {error}"));
            self.pause();
            if self.is_over() {
                return false;
            }
        }
        hand.dead[place] = true;
        let queue = self.backlog.name();
        tracing::error!(queue, reason, "given up, and put among the dead letters");
        true
    }

    fn recover(&mut self) {
        if self.failures > 0 {
            tracing::info!(queue = self.backlog.name(), "delivers again");
        }
        self.failures = 0;
        self.backlog.note_delivered();
    }

    fn fail(&mut self, error: &DeliveryError) {
        self.failures = self.failures.saturating_add(1);
        self.backlog.note_failed(&error.message);
        let now = self.pace.now();
        let interval = self.policy.log_interval;
        if self.told.is_none_or(|told| now >= told + interval) {
            self.told = Some(now);
            let waiting = self.backlog.stats().depth;
            let (queue, error) = (self.backlog.name(), &*error.message);
            tracing::warn!(queue, error, waiting, "delivery failed");
        }
    }

    fn pause(&self) {
        let pause = self.policy.pause(self.failures.max(1));
        self.pace.pause(pause, &self.bell);
    }
}

/// A panic in a courier costs what it had in hand, not the queue.
fn attempt(courier: &mut dyn Courier) -> Result<Progress, DeliveryError> {
    catch_unwind(AssertUnwindSafe(|| courier.deliver()))
        .unwrap_or_else(|_| Err(DeliveryError::lasting("it panicked")))
}

/// Records in hand.
struct Hand<'a> {
    ids: &'a [Id],
    records: &'a [Vec<u8>],
    /// How many of the first are noted as having left.
    noted: usize,
    /// Which of them are among the dead letters.
    dead: Vec<bool>,
}

impl<'a> Hand<'a> {
    fn new(ids: &'a [Id], records: &'a [Vec<u8>]) -> Hand<'a> {
        Hand {
            ids,
            records,
            noted: 0,
            dead: vec![false; records.len()],
        }
    }

    /// Notes that so many of the first have left.
    fn note(&mut self, backlog: &Backlog, done: usize) {
        if done <= self.noted {
            return;
        }
        let dead = self.dead[self.noted..done].iter().filter(|dead| **dead);
        let sent = done - self.noted - dead.count();
        backlog.note(self.ids[done - 1], sent as u64);
        self.noted = done;
        self.note_oldest(backlog);
    }

    fn note_oldest(&self, backlog: &Backlog) {
        if let Some(oldest) = self.records.get(self.noted) {
            let oldest = super::record::read(oldest);
            backlog.note_oldest(oldest.map_or(0, |oldest| oldest.received_us));
        }
    }
}
