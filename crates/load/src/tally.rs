//! What a worker counted since it was last asked.

use histogram::Histogram;

use crate::answers::Answered;

/// Round trips are kept in seconds, of nanoseconds.
const NANO: i32 = -9;

/// Counts of messages and bytes, and the round trips of messages that were answered.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Messages that were handed to the system whole.
    pub sent: u64,
    /// Messages that the server took.
    pub acked: u64,
    /// Messages that it answered with an error.
    pub failed: u64,
    /// Connections that broke.
    pub broken: u64,
    pub bytes_out: u64,
    pub bytes_in: u64,
    /// In seconds.
    pub round_trips: Histogram,
    pub round_trip_max_ns: u64,
    /// The first error, whatever it was.
    pub error: Option<String>,
}

impl Tally {
    /// Counts messages that took so long from being sent, or due, to being answered.
    #[inline]
    pub fn round_trip(&mut self, took_ns: u64, count: u64) {
        let took = i64::try_from(took_ns).unwrap_or(i64::MAX);
        self.round_trips.insert_scaled(took, NANO, count);
        self.round_trip_max_ns = self.round_trip_max_ns.max(took_ns);
    }

    pub(crate) fn answered(&mut self, answered: Answered) {
        self.acked += answered.ok;
        self.failed += answered.failed;
        self.error = self.error.take().or(answered.error);
    }

    /// Moves all counts into another tally, and keeps the memory.
    pub fn drain_into(&mut self, into: &mut Tally) {
        into.sent += std::mem::take(&mut self.sent);
        into.acked += std::mem::take(&mut self.acked);
        into.failed += std::mem::take(&mut self.failed);
        into.broken += std::mem::take(&mut self.broken);
        into.bytes_out += std::mem::take(&mut self.bytes_out);
        into.bytes_in += std::mem::take(&mut self.bytes_in);
        into.round_trips.merge(&self.round_trips);
        self.round_trips.clear();
        let longest = std::mem::take(&mut self.round_trip_max_ns);
        into.round_trip_max_ns = into.round_trip_max_ns.max(longest);
        let error = self.error.take();
        into.error = into.error.take().or(error);
    }
}
