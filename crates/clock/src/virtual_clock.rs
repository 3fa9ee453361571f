//! The clock of tests.

use event::Time;
use parking_lot::Mutex;

use crate::{Clock, Scheduler};

/// A clock that stands still until it is moved. It starts at 0, and times keep their kind: moved to
/// the integer 3 it reads 3, moved to 0.5 it reads the float 0.5. As `riemann.time.controlled`.
#[derive(Debug)]
pub struct VirtualClock(Mutex<Time>);

impl VirtualClock {
    pub fn new() -> VirtualClock {
        VirtualClock(Mutex::new(Time::from_s(0)))
    }

    /// Sets the time, forwards or back, and runs nothing. As `set-time!`.
    pub fn set(&self, time: Time) {
        *self.0.lock() = time;
    }

    /// Back to 0. As `reset-clock!`.
    pub fn reset(&self) {
        self.set(Time::from_s(0));
    }

    /// Moves on to `time`, stopping at each task that is due by then to run it at its own time.
    /// Does nothing unless `time` is ahead. As `advance!`.
    ///
    /// # Panics
    /// If a task does.
    pub fn advance(&self, time: Time, scheduler: &Scheduler) {
        if time.us <= self.now().us {
            return;
        }
        while let Some(due) = scheduler.take_due(time) {
            self.raise(due.at());
            due.run();
        }
        self.raise(time);
    }

    fn raise(&self, time: Time) {
        let mut now = self.0.lock();
        if now.us <= time.us {
            *now = time;
        }
    }
}

impl Default for VirtualClock {
    fn default() -> VirtualClock {
        VirtualClock::new()
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Time {
        *self.0.lock()
    }

    fn linear(&self) -> Time {
        self.now()
    }
}
