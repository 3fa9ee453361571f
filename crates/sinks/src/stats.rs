//! What an outlet tells of itself.

use std::sync::Arc;
use std::time::Duration;

/// A snapshot of an outlet. `accepted = depth + in_flight + sent + lost`, always,
/// of a queue in memory. Of one in a journal, the depth includes what waited before the start, and
/// what was lost on the way into the journal never waited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stats {
    pub name: Arc<str>,
    /// Items offered so far, whatever became of them.
    pub accepted: u64,
    /// Items delivered.
    pub sent: u64,
    /// Deliveries that failed, retried or not.
    pub failed: u64,
    /// Items given up: pushed out of a full queue, refused, tried too often, or left at the end.
    pub lost: u64,
    /// Items given up and kept among the dead letters; only of queues in a journal.
    pub dead: u64,
    /// Items waiting.
    pub depth: u64,
    /// Items being delivered.
    pub in_flight: u64,
    /// Memory of the items waiting.
    pub bytes: usize,
    /// How long the oldest item that has not left has been here.
    pub oldest: Option<Duration>,
    /// Why the last failed delivery failed; `None` once one succeeded.
    pub trouble: Option<Arc<str>>,
}
