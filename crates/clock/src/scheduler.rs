//! Tasks in order of their time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64};

use event::Time;
use parking_lot::{Condvar, Mutex};

use crate::queue::Queue;
use crate::task::{Grid, Run, State};
use crate::{Callback, Clock, Interval, Task};

/// Tasks to be run once or periodically, ordered by time, then by the order they were scheduled in.
/// Cheap to clone; clones share the tasks.
///
/// A scheduler runs nothing by itself: [`Scheduler::start`] lends it threads, and
/// [`VirtualClock::advance`](crate::VirtualClock::advance) runs its tasks in virtual time.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use clock::{Clock, Interval, Scheduler, VirtualClock};
/// use event::Time;
///
/// let clock = Arc::new(VirtualClock::new());
/// let scheduler = Scheduler::new(clock.clone());
/// let seen = Arc::new(Mutex::new(Vec::new()));
/// let (log, now) = (seen.clone(), clock.clone());
/// let two = Interval::from_time(Time::from_s(2)).unwrap();
/// scheduler.every(two, Time::from_s(1), Arc::new(move || log.lock().unwrap().push(now.now().us)));
/// clock.advance(Time::from_s(6), &scheduler);
/// assert_eq!(*seen.lock().unwrap(), [1_000_000, 3_000_000, 5_000_000]);
/// ```
#[derive(Clone)]
pub struct Scheduler(pub(crate) Arc<Shared>);

pub(crate) struct Shared {
    pub clock: Arc<dyn Clock>,
    pub queue: Mutex<Queue>,
    /// Wakes the thread that waits for the first run's time.
    pub watcher: Condvar,
    /// Wakes one of the threads that wait for anything to do.
    pub idle: Condvar,
}

impl Scheduler {
    pub fn new(clock: Arc<dyn Clock>) -> Scheduler {
        Scheduler(Arc::new(Shared {
            clock,
            queue: Mutex::default(),
            watcher: Condvar::new(),
            idle: Condvar::new(),
        }))
    }

    /// The clock whose [`Clock::now`] the tasks follow.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.0.clock
    }

    /// Runs `callback` at `time`; as soon as possible if that has passed.
    pub fn once_at(&self, time: Time, callback: Callback) -> Task {
        self.add(time, None, callback)
    }

    /// Runs `callback` once, `delay` from now.
    pub fn after(&self, delay: Time, callback: Callback) -> Task {
        self.once_at(self.0.clock.now().plus(delay), callback)
    }

    /// Runs `callback` `delay` from now and every `interval` after that, on a fixed grid: a run that
    /// is late does not move the next one, and runs that were missed are made up for. No two runs
    /// of a task overlap.
    pub fn every(&self, interval: Interval, delay: Time, callback: Callback) -> Task {
        let anchor = self.0.clock.now().plus(delay);
        self.add(
            anchor,
            Some(Grid {
                anchor,
                count: 0,
                interval,
            }),
            callback,
        )
    }

    /// The time of the first task.
    pub fn next_at(&self) -> Option<Time> {
        self.0.queue.lock().next_at()
    }

    /// Takes the first task, if its time is not after `until`.
    pub fn take_due(&self, until: Time) -> Option<Due> {
        let mut queue = self.0.queue.lock();
        let run = queue.pop(until.us)?;
        Some(Due {
            run,
            generation: queue.generation,
            shared: self.0.clone(),
        })
    }

    /// Forgets all tasks, also those that are running now. As Riemann's `reset-tasks!`.
    pub fn clear(&self) {
        let runs = self.0.queue.lock().clear();
        drop(runs);
    }

    /// How many tasks wait for their time.
    pub fn len(&self) -> usize {
        self.0.queue.lock().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn add(&self, at: Time, grid: Option<Grid>, callback: Callback) -> Task {
        let mut queue = self.0.queue.lock();
        let state = Arc::new(State {
            id: queue.new_id(),
            at_us: AtomicI64::new(at.us),
            cancelled: AtomicBool::new(false),
            deferred: Mutex::new(None),
        });
        let run = Run {
            at,
            state: state.clone(),
            callback,
            grid,
        };
        self.0.push(&mut queue, run);
        Task {
            state,
            scheduler: Arc::downgrade(&self.0),
        }
    }
}

impl Shared {
    pub fn forget(&self, state: &State) {
        // The callback may own anything, even a handle on this scheduler: drop it without the lock.
        let run = self.queue.lock().remove(state);
        drop(run);
    }

    fn push(&self, queue: &mut Queue, run: Run) {
        if !queue.push(run) {
            return;
        }
        if queue.watched {
            self.watcher.notify_one();
        } else {
            self.idle.notify_one();
        }
    }
}

/// A task whose time has come, taken out of the queue. Dropping it without a run drops the task.
#[must_use = "a due task that is not run is lost"]
pub struct Due {
    pub(crate) run: Run,
    pub(crate) generation: u64,
    pub(crate) shared: Arc<Shared>,
}

impl Due {
    /// The time it was to run at.
    pub fn at(&self) -> Time {
        self.run.at
    }

    /// Runs the task, and puts it back if it is periodic or was deferred.
    ///
    /// # Panics
    /// If the task does; it is lost then.
    pub fn run(self) {
        self.run.call();
        self.put_back();
    }

    pub(crate) fn put_back(self) {
        let Some(next) = self.run.next() else { return };
        let mut queue = self.shared.queue.lock();
        if queue.generation == self.generation && !next.is_cancelled() {
            self.shared.push(&mut queue, next);
        }
    }
}
