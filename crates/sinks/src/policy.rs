//! How much an outlet holds, how long it tries, how often it complains: every limit, with its
//! reason.

use std::time::Duration;

/// Items waiting for one target: ten minutes of a small installation, seconds of a large one.
pub const QUEUE_ITEMS: usize = 10_000;
/// Memory of the items waiting for one target: no set of dead targets fills the machine.
pub const QUEUE_BYTES: usize = 64 << 20;
/// Deliveries tried per batch: with the pauses below, two minutes and the time-outs.
pub const ATTEMPTS: u32 = 10;
/// Pause after the first failure in a row; doubled by each further one.
pub const PAUSE_FIRST: Duration = Duration::from_millis(500);
/// Longest pause: a target that is back is noticed within this.
pub const PAUSE_LONGEST: Duration = Duration::from_secs(30);
/// One log line about one target at most this often.
pub const LOG_INTERVAL: Duration = Duration::from_secs(10);
/// Opening a connection, one write and one read each give up after this, as Riemann's clients do.
pub const IO_TIMEOUT: Duration = Duration::from_secs(5);

/// The limits of one outlet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    pub queue_items: usize,
    pub queue_bytes: usize,
    pub attempts: u32,
    pub pause_first: Duration,
    pub pause_longest: Duration,
    pub log_interval: Duration,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy {
            queue_items: QUEUE_ITEMS,
            queue_bytes: QUEUE_BYTES,
            attempts: ATTEMPTS,
            pause_first: PAUSE_FIRST,
            pause_longest: PAUSE_LONGEST,
            log_interval: LOG_INTERVAL,
        }
    }
}

impl Policy {
    /// The pause after that many failures in a row (1 for the first): doubles, up to the longest.
    ///
    /// ```
    /// use std::time::Duration;
    /// let policy = sinks::policy::Policy::default();
    /// assert_eq!(policy.pause(1), Duration::from_millis(500));
    /// assert_eq!(policy.pause(3), Duration::from_secs(2));
    /// assert_eq!(policy.pause(99), Duration::from_secs(30));
    /// ```
    pub fn pause(&self, failures: u32) -> Duration {
        let doublings = failures.saturating_sub(1).min(31);
        self.pause_first
            .saturating_mul(1 << doublings)
            .min(self.pause_longest)
    }
}
