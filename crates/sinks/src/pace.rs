//! The time that outlets keep: handed in, so that tests do not sleep.

use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

/// A clock that never goes back, and a way to wait by it.
pub trait Pace: Send + Sync {
    /// Time since some fixed point.
    fn now(&self) -> Duration;
    /// Waits that long, or until `bell` rings.
    fn pause(&self, length: Duration, bell: &Bell);
}

/// Ends one pause early: the one in progress, or the next.
#[derive(Default)]
pub struct Bell {
    rung: Mutex<bool>,
    heard: Condvar,
}

impl Bell {
    pub fn ring(&self) {
        *self.rung.lock() = true;
        self.heard.notify_all();
    }

    /// Waits for the bell and silences it; false if `length` went by first.
    pub fn wait(&self, length: Duration) -> bool {
        let mut rung = self.rung.lock();
        if !*rung {
            self.heard.wait_for(&mut rung, length);
        }
        std::mem::take(&mut *rung)
    }
}

/// The machine's monotonic clock.
pub struct MachinePace(Instant);

impl MachinePace {
    pub fn start() -> MachinePace {
        MachinePace(Instant::now())
    }
}

impl Pace for MachinePace {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    fn pause(&self, length: Duration, bell: &Bell) {
        bell.wait(length);
    }
}
