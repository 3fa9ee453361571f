//! The machine's own clock.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use event::Time;

use crate::Clock;

/// The machine's clock. [`Clock::now`] is whole milliseconds and reads as an exact ratio of
/// seconds, as in Riemann; [`Clock::linear`] is microseconds since the clock was made.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    made: Instant,
}

impl SystemClock {
    pub fn new() -> SystemClock {
        SystemClock {
            made: Instant::now(),
        }
    }
}

impl Default for SystemClock {
    fn default() -> SystemClock {
        SystemClock::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Time {
        let ms = match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => whole(since.as_millis()),
            Err(before) => -whole(before.duration().as_millis()),
        };
        Time::exact(ms.saturating_mul(1000))
    }

    fn linear(&self) -> Time {
        Time::exact(whole(self.made.elapsed().as_micros()))
    }
}

fn whole(count: u128) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use event::TimeKind;

    use super::*;

    #[test]
    fn now_is_an_exact_count_of_milliseconds() {
        let now = SystemClock::new().now();
        assert_eq!(now.kind, TimeKind::Ratio);
        assert_eq!(now.us % 1000, 0);
        assert!(now.floor_s() > 1_600_000_000);
    }

    #[test]
    fn linear_never_goes_back() {
        let clock = SystemClock::new();
        let first = clock.linear();
        assert!(clock.linear().us >= first.us);
    }
}
