//! Keeps events waiting for the moment in which states are carried from one configuration to the next.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

/// Longest that an event waits, whatever happens.
const WAIT_MAX: Duration = Duration::from_secs(3);

/// Open unless it is shut; costs one look at a flag while it is open.
#[derive(Default)]
pub struct Gate {
    shut: AtomicBool,
    lock: Mutex<()>,
    opened: Condvar,
}

impl Gate {
    pub fn shut(&self) {
        self.shut.store(true, Ordering::Release);
    }

    pub fn open(&self) {
        let lock = self.lock.lock();
        self.shut.store(false, Ordering::Release);
        drop(lock);
        self.opened.notify_all();
    }

    /// Waits until the gate is open.
    pub fn pass(&self) {
        if self.shut.load(Ordering::Acquire) {
            let mut lock = self.lock.lock();
            let is_shut = |_: &mut ()| self.shut.load(Ordering::Acquire);
            self.opened.wait_while_for(&mut lock, is_shut, WAIT_MAX);
        }
    }
}
