//! What a server counts about itself.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::latency::LatencyCounter;

/// Counters of one server since it started. Someone else turns them into events and metrics.
#[derive(Debug, Default)]
pub struct ServerStats {
    /// Connections open now.
    pub connections: AtomicU64,
    /// Connections accepted.
    pub accepted: AtomicU64,
    /// Failed attempts to accept: no file handles, no memory.
    pub accept_errors: AtomicU64,
    /// Messages received: a `Msg`, a datagram, a line, a websocket frame, a request.
    pub messages_in: AtomicU64,
    /// Events sent to subscribers.
    pub messages_out: AtomicU64,
    pub bytes_in: AtomicU64,
    /// Datagrams longer than allowed.
    pub dropped: AtomicU64,
    /// Datagrams that the kernel dropped because they came faster than they were read.
    pub overrun: AtomicU64,
    /// Messages that did not parse.
    pub malformed: AtomicU64,
    /// Events that a stream threw on.
    pub failed: AtomicU64,
    /// Events that slow subscribers lost.
    pub lost: AtomicU64,
    /// From reading a message to having its answer.
    pub latency: LatencyCounter,
}

impl ServerStats {
    /// Counts messages that were read together at `read_at` and are answered now.
    pub(crate) fn answered(&self, messages: usize, read_at: Instant) {
        if messages == 0 {
            return;
        }
        let messages = messages as u64;
        add(&self.messages_in, messages);
        let ns = u64::try_from(read_at.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.latency.record(ns, messages);
    }
}

pub(crate) fn add(counter: &AtomicU64, amount: u64) {
    counter.fetch_add(amount, Ordering::Relaxed);
}
