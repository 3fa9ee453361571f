//! The clock of streams that are behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clock::{Clock, SystemClock, VirtualClock};
use event::Time;

/// Tells the time that events were received at, as long as the streams are given old ones; then
/// the machine's.
pub struct LateClock {
    is_late: AtomicBool,
    received: Arc<VirtualClock>,
    system: SystemClock,
}

impl LateClock {
    /// Late since `first`.
    pub fn new(first: Time) -> LateClock {
        let received = Arc::new(VirtualClock::new());
        received.set(Time::exact(first.us));
        LateClock {
            is_late: AtomicBool::new(true),
            received,
            system: SystemClock::new(),
        }
    }

    /// The clock that is moved by hand.
    pub fn received(&self) -> &VirtualClock {
        &self.received
    }

    pub fn system_now(&self) -> Time {
        self.system.now()
    }

    /// From now on it is the machine's.
    pub fn catch_up(&self) {
        self.is_late.store(false, Ordering::Release);
    }
}

impl Clock for LateClock {
    fn now(&self) -> Time {
        if self.is_late.load(Ordering::Acquire) {
            self.received.now()
        } else {
            self.system.now()
        }
    }

    /// It may not go back, so it is the machine's all the time.
    fn linear(&self) -> Time {
        self.system.linear()
    }
}
