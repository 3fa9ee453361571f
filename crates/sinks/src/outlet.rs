//! One queue and one thread in front of a target, so that no stream ever waits for it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::pace::{Bell, Pace};
use crate::policy::Policy;
use crate::queue::Queue;
use crate::stats::Stats;
use crate::target::{DeliveryError, Item, Target};

/// Takes items without ever blocking and delivers them in order, in batches, on a thread that starts
/// with the first of them. A failed delivery is tried again after a pause that doubles; a batch that
/// was tried [`Policy::attempts`] times, or that the target refuses, is lost and counted. A full
/// queue drops its oldest.
pub struct Outlet<I: Item> {
    shared: Arc<Shared<I>>,
    detour: Option<Detour<I>>,
}

/// What is asked before the queue: it may take an item for itself, or give it back.
pub type Detour<I> = Box<dyn Fn(I) -> Option<I> + Send + Sync>;

/// An outlet, whatever its items are: to report on, and to close.
pub trait Closable: Send + Sync {
    fn stats(&self) -> Stats;
    /// See [`Outlet::close`].
    fn close(&self, grace: Duration) -> u64;
}

struct Shared<I: Item> {
    name: Arc<str>,
    policy: Policy,
    pace: Arc<dyn Pace>,
    state: Mutex<State<I>>,
    /// Notified when an item came or the outlet closes.
    arrived: Condvar,
    /// Notified when the worker ends.
    ended: Condvar,
    /// Cuts a pause between attempts short when the outlet closes.
    bell: Bell,
}

struct State<I: Item> {
    queue: Queue<I>,
    worker: Worker<I>,
    /// When to give up what is left; set by closing.
    deadline: Option<Duration>,
    accepted: u64,
    sent: u64,
    failed: u64,
    lost: u64,
    in_flight: u64,
    in_flight_since: Option<Duration>,
    trouble: Option<Arc<str>>,
}

enum Worker<I: Item> {
    Unstarted(Box<dyn Target<Item = I>>),
    Running { waits: bool },
    Ended,
}

impl<I: Item> Outlet<I> {
    /// An outlet with the default policy. Starts nothing yet.
    pub fn new(
        name: &str,
        target: impl Target<Item = I> + 'static,
        pace: Arc<dyn Pace>,
    ) -> Outlet<I> {
        Outlet::with_policy(name, target, pace, Policy::default())
    }

    pub fn with_policy(
        name: &str,
        target: impl Target<Item = I> + 'static,
        pace: Arc<dyn Pace>,
        policy: Policy,
    ) -> Outlet<I> {
        Outlet::with_worker(name, Worker::Unstarted(Box::new(target)), pace, policy)
    }

    /// An outlet without a target: all that it is offered goes to the detour.
    pub(crate) fn detached(name: &str, pace: Arc<dyn Pace>, detour: Detour<I>) -> Outlet<I> {
        Outlet::with_worker(name, Worker::Ended, pace, Policy::default()).with_detour(detour)
    }

    fn with_worker(
        name: &str,
        worker: Worker<I>,
        pace: Arc<dyn Pace>,
        policy: Policy,
    ) -> Outlet<I> {
        let state = State {
            queue: Queue::new(policy.queue_items, policy.queue_bytes),
            worker,
            deadline: None,
            accepted: 0,
            sent: 0,
            failed: 0,
            lost: 0,
            in_flight: 0,
            in_flight_since: None,
            trouble: None,
        };
        Outlet {
            shared: Arc::new(Shared {
                name: name.into(),
                policy,
                pace,
                state: Mutex::new(state),
                arrived: Condvar::new(),
                ended: Condvar::new(),
                bell: Bell::default(),
            }),
            detour: None,
        }
    }

    /// The outlet, with a way round its queue.
    #[must_use]
    pub fn with_detour(mut self, detour: Detour<I>) -> Outlet<I> {
        self.detour = Some(detour);
        self
    }

    /// Puts an item in the queue. Never blocks; after [`Outlet::close`] the item is lost, and
    /// counted.
    pub fn offer(&self, item: I) {
        let item = match &self.detour {
            Some(detour) => detour(item),
            None => Some(item),
        };
        if let Some(item) = item {
            self.queue(item);
        }
    }

    fn queue(&self, item: I) {
        let now = self.shared.pace.now();
        let mut state = self.shared.state.lock();
        state.accepted += 1;
        if state.deadline.is_some() {
            state.lost += 1;
            return;
        }
        state.lost += state.queue.push(now, item);
        match std::mem::replace(&mut state.worker, Worker::Running { waits: false }) {
            Worker::Unstarted(target) => Shared::start(&self.shared, &mut state, target),
            Worker::Running { waits: true } => {
                self.shared.arrived.notify_one();
            }
            worker => state.worker = worker,
        }
    }

    pub fn stats(&self) -> Stats {
        let now = self.shared.pace.now();
        let state = self.shared.state.lock();
        let since = state.in_flight_since.or(state.queue.since());
        Stats {
            name: self.shared.name.clone(),
            accepted: state.accepted,
            sent: state.sent,
            failed: state.failed,
            lost: state.lost,
            dead: 0,
            depth: state.queue.len() as u64,
            in_flight: state.in_flight,
            bytes: state.queue.bytes(),
            oldest: since.map(|since| now.saturating_sub(since)),
            trouble: state.trouble.clone(),
        }
    }

    /// Takes no more items, and waits until all that wait have left or `grace` is over; what is left
    /// then is lost. Gives how many that were. Blocks up to `grace`.
    pub fn close(&self, grace: Duration) -> u64 {
        let shared = &self.shared;
        let mut state = shared.state.lock();
        let lost_before = state.lost;
        if state.deadline.is_none() {
            state.deadline = Some(shared.pace.now() + grace);
        }
        shared.arrived.notify_one();
        shared.bell.ring();
        if matches!(state.worker, Worker::Unstarted(_)) {
            state.worker = Worker::Ended;
        }
        let running = |state: &mut State<I>| matches!(state.worker, Worker::Running { .. });
        shared.ended.wait_while_for(&mut state, running, grace);
        let left = state.queue.clear() + state.in_flight;
        state.in_flight = 0;
        state.in_flight_since = None;
        state.lost += left;
        state.lost - lost_before
    }
}

impl<I: Item> Closable for Outlet<I> {
    fn stats(&self) -> Stats {
        Outlet::stats(self)
    }
    fn close(&self, grace: Duration) -> u64 {
        Outlet::close(self, grace)
    }
}

/// An outlet that nobody can offer to any more delivers what it has, for as long as its policy
/// tries, and ends.
impl<I: Item> Drop for Outlet<I> {
    fn drop(&mut self) {
        let mut state = self.shared.state.lock();
        state.deadline.get_or_insert(Duration::MAX);
        self.shared.arrived.notify_one();
    }
}

impl<I: Item> Shared<I> {
    fn start(shared: &Arc<Shared<I>>, state: &mut State<I>, target: Box<dyn Target<Item = I>>) {
        let own = shared.clone();
        let name = format!("outlet {}", shared.name);
        if let Err(error) = std::thread::Builder::new()
            .name(name)
            .spawn(move || own.work(target))
        {
            tracing::error!(outlet = &*shared.name, %error, "no thread: nothing will be sent");
            state.worker = Worker::Ended;
            state.deadline = Some(Duration::ZERO);
            state.lost += state.queue.clear();
        }
    }

    fn work(&self, mut target: Box<dyn Target<Item = I>>) {
        let mut log = Log {
            last: None,
            interval: self.policy.log_interval,
            lost_told: 0,
        };
        let mut failures = 0;
        let mut batch = Vec::new();
        while self.next_batch(target.batch_max(), &mut batch) {
            self.settle(&mut *target, &batch, &mut failures, &mut log);
            batch.clear();
        }
        self.state.lock().worker = Worker::Ended;
        self.ended.notify_all();
    }

    /// Waits for items and takes the oldest; false when the outlet is closed and empty, or its
    /// deadline has come.
    fn next_batch(&self, max: usize, batch: &mut Vec<I>) -> bool {
        let mut state = self.state.lock();
        loop {
            if state
                .deadline
                .is_some_and(|deadline| self.pace.now() >= deadline)
            {
                state.lost += state.queue.clear();
                return false;
            }
            if let Some(since) = state.queue.take(max, batch) {
                state.in_flight = batch.len() as u64;
                state.in_flight_since = Some(since);
                return true;
            }
            if state.deadline.is_some() {
                return false;
            }
            state.worker = Worker::Running { waits: true };
            self.arrived.wait(&mut state);
            state.worker = Worker::Running { waits: false };
        }
    }

    /// Delivers a batch, or gives it up.
    fn settle(
        &self,
        target: &mut dyn Target<Item = I>,
        batch: &[I],
        failures: &mut u32,
        log: &mut Log,
    ) {
        for attempt in 1.. {
            let Err(error) = deliver(target, batch) else {
                if *failures > 0 {
                    tracing::info!(outlet = &*self.name, "delivers again");
                }
                *failures = 0;
                return self.finish(true);
            };
            *failures = failures.saturating_add(1);
            let over = self
                .deadline()
                .is_some_and(|deadline| self.pace.now() >= deadline);
            let last = !error.retry || attempt >= self.policy.attempts || over;
            self.note_failure(&error, log);
            if last {
                return self.finish(false);
            }
            self.pace.pause(self.pause(*failures), &self.bell);
        }
    }

    /// The pause before the next attempt, cut at the deadline.
    fn pause(&self, failures: u32) -> Duration {
        let pause = self.policy.pause(failures);
        let left = self
            .deadline()
            .map(|deadline| deadline.saturating_sub(self.pace.now()));
        left.map_or(pause, |left| pause.min(left))
    }

    fn deadline(&self) -> Option<Duration> {
        self.state.lock().deadline
    }

    /// Accounts for the batch in flight, unless closing has already counted it as lost.
    fn finish(&self, sent: bool) {
        let mut state = self.state.lock();
        let items = std::mem::take(&mut state.in_flight);
        state.in_flight_since = None;
        if sent {
            state.sent += items;
            state.trouble = None;
        } else {
            state.lost += items;
        }
    }

    fn note_failure(&self, error: &DeliveryError, log: &mut Log) {
        let mut state = self.state.lock();
        state.failed += 1;
        state.trouble = Some(error.message.as_str().into());
        let (depth, lost) = (state.queue.len() as u64 + state.in_flight, state.lost);
        drop(state);
        if let Some(newly_lost) = log.due(self.pace.now(), lost) {
            let (outlet, error) = (&*self.name, &*error.message);
            tracing::warn!(
                outlet,
                error,
                waiting = depth,
                lost = newly_lost,
                "delivery failed"
            );
        }
    }
}

/// A panic in a target costs its batch, not the outlet.
fn deliver<I: Item>(target: &mut dyn Target<Item = I>, batch: &[I]) -> Result<(), DeliveryError> {
    catch_unwind(AssertUnwindSafe(|| target.deliver(batch)))
        .unwrap_or_else(|_| Err(DeliveryError::lasting("the target panicked")))
}

/// Keeps complaints to one in an interval.
struct Log {
    last: Option<Duration>,
    interval: Duration,
    lost_told: u64,
}

impl Log {
    /// The number lost since the last line, if a line is due.
    fn due(&mut self, now: Duration, lost: u64) -> Option<u64> {
        if self.last.is_some_and(|last| now < last + self.interval) {
            return None;
        }
        self.last = Some(now);
        Some(lost - std::mem::replace(&mut self.lost_told, lost))
    }
}

#[cfg(test)]
mod tests;
