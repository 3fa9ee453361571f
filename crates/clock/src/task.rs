//! A scheduled task, as seen by whoever scheduled it.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Weak};

use event::Time;
use parking_lot::Mutex;

use crate::Interval;
use crate::scheduler::Shared;

/// What a task does. It may schedule, cancel and defer tasks, itself included: no lock is held while it runs.
pub type Callback = Arc<dyn Fn() + Send + Sync>;

/// A handle on a scheduled task. Dropping it changes nothing.
#[derive(Clone)]
pub struct Task {
    pub(crate) state: Arc<State>,
    pub(crate) scheduler: Weak<Shared>,
}

impl Task {
    /// Never runs the task again. A run that is under way in another thread ends by itself.
    pub fn cancel(&self) {
        self.state.cancelled.store(true, Ordering::Release);
        if let Some(scheduler) = self.scheduler.upgrade() {
            scheduler.forget(&self.state);
        }
    }

    /// When it runs next; once it has run for the last time, when that was.
    pub fn next_us(&self) -> i64 {
        self.state.at_us.load(Ordering::Acquire)
    }

    /// True once [`Task::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.state.cancelled.load(Ordering::Acquire)
    }

    /// Skips the next run and goes on `delay` from now instead, a periodic task with its grid moved
    /// there. The last of several calls counts. Does not touch the queue: cheap enough for every event.
    pub fn defer(&self, delay: Time) {
        if let Some(scheduler) = self.scheduler.upgrade() {
            self.defer_to(scheduler.clock.now().plus(delay));
        }
    }

    /// As [`Task::defer`], to a point in time. One that is before the run to be skipped is reached
    /// right after it, since it is only then that the task is looked at.
    pub fn defer_to(&self, time: Time) {
        *self.state.deferred.lock() = Some(time);
    }
}

impl fmt::Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task")
            .field("id", &self.state.id)
            .finish_non_exhaustive()
    }
}

/// What a task's handle and its place in the queue share.
pub(crate) struct State {
    pub id: u64,
    /// Where in the queue the task is, or was last. Written under the queue's lock.
    pub at_us: AtomicI64,
    pub cancelled: AtomicBool,
    pub deferred: Mutex<Option<Time>>,
}

/// One coming run of a task.
pub(crate) struct Run {
    pub at: Time,
    pub state: Arc<State>,
    pub callback: Callback,
    pub grid: Option<Grid>,
}

/// The runs of a periodic task: `anchor + count * interval`.
pub(crate) struct Grid {
    pub anchor: Time,
    pub count: u64,
    pub interval: Interval,
}

impl Run {
    /// Calls the task, unless it is cancelled, or deferred to another time.
    pub fn call(&self) {
        if !self.is_cancelled() && self.state.deferred.lock().is_none() {
            (self.callback)();
        }
    }

    pub fn is_cancelled(&self) -> bool {
        self.state.cancelled.load(Ordering::Acquire)
    }

    /// The run after this one.
    pub fn next(self) -> Option<Run> {
        if self.is_cancelled() {
            return None;
        }
        let deferred = self.state.deferred.lock().take();
        match (deferred, self.grid) {
            (Some(at), grid) => {
                let grid = grid.map(|grid| Grid {
                    anchor: at,
                    count: 0,
                    ..grid
                });
                Some(Run { at, grid, ..self })
            }
            (None, Some(grid)) => {
                let grid = Grid {
                    count: grid.count + 1,
                    ..grid
                };
                let at = grid.interval.after(grid.anchor, grid.count);
                Some(Run {
                    at,
                    grid: Some(grid),
                    ..self
                })
            }
            (None, None) => None,
        }
    }
}
