//! A queue within its bound, and the way through it.

use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use sinks::pace::{Bell, Pace};

use crate::end::End;
use crate::limits::{DRAIN_TIME_MAX, LOOK_INTERVAL, RETRY_PAUSE_MAX, RETRY_PAUSE_MIN};
use crate::{Batch, Figures, Flow, PipeError, Queue, Store};

/// What is done with a message for which the queue has no room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overflow {
    /// The source waits, and with it the senders.
    #[default]
    Wait,
    /// The oldest messages go, and are counted as lost.
    DropOldest,
}

impl FromStr for Overflow {
    type Err = PipeError;

    fn from_str(text: &str) -> Result<Overflow, PipeError> {
        match text {
            "wait" => Ok(Overflow::Wait),
            "drop-oldest" => Ok(Overflow::DropOldest),
            other => Err(PipeError::Asked(format!(
                "there is no overflow {other:?}: say wait or drop-oldest"
            ))),
        }
    }
}

/// A queue between sources and a store. Sources [`put`](Pipeline::put), on any number of threads;
/// one thread [`drain`](Pipeline::drain)s.
pub struct Pipeline {
    name: String,
    queue: Box<dyn Queue>,
    bytes_max: AtomicU64,
    drops_oldest: AtomicBool,
    flow: Flow,
    pace: Arc<dyn Pace>,
    stopping: End,
    /// Held while the oldest messages are taken to be dropped.
    gate: Mutex<()>,
    room: Condvar,
    /// Held while one source puts, again and again, into a queue that takes turns.
    turn: Mutex<()>,
}

impl Pipeline {
    /// A pipeline around a queue, of which it holds `bytes_max` at most. One more batch may come
    /// from each source.
    ///
    /// # Errors
    /// The queue does not tell what it holds.
    pub fn new(
        name: &str,
        queue: Box<dyn Queue>,
        bytes_max: u64,
        overflow: Overflow,
        pace: Arc<dyn Pace>,
    ) -> Result<Pipeline, PipeError> {
        let held = queue.held()?;
        let flow = Flow::default();
        flow.inherit(held.messages, held.bytes, pace.now());
        Ok(Pipeline {
            name: name.to_owned(),
            queue,
            bytes_max: AtomicU64::new(bytes_max),
            drops_oldest: AtomicBool::new(overflow == Overflow::DropOldest),
            flow,
            pace,
            stopping: End::not_yet(),
            gate: Mutex::new(()),
            room: Condvar::new(),
            turn: Mutex::new(()),
        })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its counters.
    #[must_use]
    pub fn flow(&self) -> &Flow {
        &self.flow
    }

    /// Its counters now.
    #[must_use]
    pub fn figures(&self) -> Figures {
        self.flow.figures(self.pace.now())
    }

    /// The time it goes by.
    #[must_use]
    pub fn pace(&self) -> &Arc<dyn Pace> {
        &self.pace
    }

    /// Sets another bound.
    pub fn bound(&self, bytes_max: u64, overflow: Overflow) {
        self.bytes_max.store(bytes_max, Ordering::Relaxed);
        let drops_oldest = overflow == Overflow::DropOldest;
        self.drops_oldest.store(drops_oldest, Ordering::Relaxed);
        self.look_again();
    }

    /// Ends it: sources stop, and the store's thread when it has what is left.
    pub fn stop(&self) {
        self.stopping.mark(self.pace.now());
        self.look_again();
    }

    /// Has those that wait for room look whether they still have to.
    pub(crate) fn look_again(&self) {
        let _gate = self.gate.lock();
        self.room.notify_all();
    }

    /// Whether it is to end.
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        self.stopping.since().is_some()
    }

    pub(crate) fn stopped(&self) -> Option<Duration> {
        self.stopping.since()
    }

    /// Whether what it holds outlives the program.
    #[must_use]
    pub fn is_durable(&self) -> bool {
        self.queue.is_durable()
    }

    /// Puts messages into the queue, and waits for as long as that takes. When the pipeline ends,
    /// they are put without waiting for room. False if the queue does not take them in
    /// [`DRAIN_TIME_MAX`] then: they are counted as lost.
    pub fn put(&self, batch: &mut Batch) -> bool {
        self.put_until(batch, || self.stopped())
    }

    /// Puts a copy of messages that another pipeline held, without waiting for room.
    ///
    /// # Errors
    /// The queue took none of them, or not all: those that it took may come again.
    pub fn take_over(&self, batch: &Batch) -> Result<(), PipeError> {
        let mut copy = batch.clone();
        let all = (batch.len() as u64, batch.bytes().len() as u64);
        self.flow.came(all.0, all.1, self.pace.now());
        let put = self.queue.put(&mut copy);
        if put.is_err() {
            self.flow.went(copy.len() as u64, copy.bytes().len() as u64);
        }
        put
    }

    /// As [`Pipeline::put`]; `ended` tells since when there is no more time to wait for room.
    pub(crate) fn put_until(
        &self,
        batch: &mut Batch,
        ended: impl Fn() -> Option<Duration>,
    ) -> bool {
        if batch.is_empty() {
            return true;
        }
        self.make_room(&ended);
        let _turn = self.queue.takes_turns().then(|| self.turn.lock());
        let mut pause = RETRY_PAUSE_MIN;
        loop {
            let before = (batch.len() as u64, batch.bytes().len() as u64);
            // Counted before it is there: the store may have it before `put` returns.
            self.flow.came(before.0, before.1, self.pace.now());
            let Err(error) = self.queue.put(batch) else {
                return true;
            };
            let left = (batch.len() as u64, batch.bytes().len() as u64);
            let is_full = matches!(error, PipeError::Full);
            if !is_full {
                self.note_failure("the queue", &error, pause);
            }
            if ended().is_some_and(|since| self.pace.now() >= since + DRAIN_TIME_MAX) {
                self.flow.lost(left.0, left.1);
                let name = &self.name;
                tracing::error!(target: "pipe", "{name}: {} messages lost: {error}", left.0);
                return false;
            }
            self.flow.went(left.0, left.1);
            if !is_full {
                self.rest(&mut pause);
            }
        }
    }

    /// Waits for room, or makes some.
    fn make_room(&self, ended: &impl Fn() -> Option<Duration>) {
        if self.has_room() {
            return;
        }
        match self.drops_oldest.load(Ordering::Relaxed) {
            false => self.wait_for_room(ended),
            true => self.drop_oldest(),
        }
    }

    fn has_room(&self) -> bool {
        self.flow.depth_bytes() < self.bytes_max.load(Ordering::Relaxed)
    }

    fn wait_for_room(&self, ended: &impl Fn() -> Option<Duration>) {
        let mut gate = self.gate.lock();
        while !self.has_room() && ended().is_none() {
            self.room.wait_for(&mut gate, LOOK_INTERVAL);
        }
    }

    /// Drops until there is room, or all that is left is on its way to the store.
    fn drop_oldest(&self) {
        let _gate = self.gate.lock();
        let mut oldest = Batch::new();
        while !self.has_room() {
            match self.queue.take(&mut oldest, Duration::ZERO) {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    self.note_failure("the queue", &error, RETRY_PAUSE_MIN);
                    return;
                }
            }
            let (messages, bytes) = (oldest.len() as u64, oldest.bytes().len() as u64);
            self.flow.lost(messages, bytes);
            if let Err(error) = self.queue.acknowledge(&mut oldest) {
                self.note_failure("the queue", &error, RETRY_PAUSE_MIN);
            }
        }
    }

    /// Gives the store what comes, in order, and again what it did not take, until the pipeline
    /// ends. A queue in memory is emptied first, if the store takes it in [`DRAIN_TIME_MAX`];
    /// what is left then is lost, and counted.
    pub fn drain(&self, store: &mut dyn Store) {
        let mut batch = Batch::new();
        let mut pause = RETRY_PAUSE_MIN;
        loop {
            if let Some(since) = self.stopped() {
                let is_late = self.pace.now() >= since + DRAIN_TIME_MAX;
                if self.queue.is_durable() || self.flow.depth_bytes() == 0 || is_late {
                    break;
                }
            }
            if batch.is_empty() {
                match self.queue.take(&mut batch, LOOK_INTERVAL) {
                    Ok(true) => {}
                    Ok(false) if self.is_stopping() => break,
                    Ok(false) => continue,
                    Err(error) => {
                        self.note_failure("the queue", &error, pause);
                        self.rest(&mut pause);
                        continue;
                    }
                }
            }
            match store.store(&batch, self.queue.origin()) {
                Ok(()) => {
                    pause = RETRY_PAUSE_MIN;
                    self.settle(&mut batch);
                }
                Err(error) => {
                    self.note_failure("the store", &error, pause);
                    self.rest(&mut pause);
                }
            }
        }
        self.count_what_is_left();
    }

    fn settle(&self, batch: &mut Batch) {
        let (messages, bytes) = (batch.len() as u64, batch.bytes().len() as u64);
        if let Err(error) = self.queue.acknowledge(batch) {
            self.note_failure("the queue", &error, RETRY_PAUSE_MIN);
        }
        batch.clear();
        self.flow.stored(messages, bytes);
        self.room.notify_all();
    }

    fn count_what_is_left(&self) {
        let left = self.figures();
        if !self.queue.is_durable() && left.depth > 0 {
            self.flow.lost(left.depth, left.depth_bytes);
            let (name, depth) = (&self.name, left.depth);
            tracing::error!(target: "pipe", "{name}: {depth} messages lost: the store took no more");
        }
    }

    fn note_failure(&self, what: &str, error: &PipeError, pause: Duration) {
        self.flow.failed();
        // Once for a failure that lasts, not once for each time that it is tried again.
        if pause == RETRY_PAUSE_MIN {
            let name = &self.name;
            tracing::warn!(target: "pipe", "{name}: {what} failed, and is tried again: {error}");
        }
    }

    fn rest(&self, pause: &mut Duration) {
        self.pace.pause(*pause, &Bell::default());
        *pause = (*pause * 2).min(RETRY_PAUSE_MAX);
    }
}
