//! What went through a pipeline, counted.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use crate::limits::{AGE_MARK_INTERVAL, AGE_MARKS};

/// The counters of a pipeline.
#[derive(Default)]
pub struct Flow {
    held_before: AtomicU64,
    came: AtomicU64,
    came_bytes: AtomicU64,
    stored: AtomicU64,
    stored_bytes: AtomicU64,
    lost: AtomicU64,
    lost_bytes: AtomicU64,
    torn: AtomicU64,
    refused: AtomicU64,
    overrun: AtomicU64,
    failures: AtomicU64,
    marks: Mutex<Marks>,
}

/// When messages came: `(how many had come until then, when)`, ascending in both.
#[derive(Default)]
struct Marks {
    list: VecDeque<(u64, Duration)>,
    interval: Duration,
}

/// The counters at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    /// Messages taken from the source.
    pub came: u64,
    /// Their bytes.
    pub came_bytes: u64,
    /// Messages that the store has.
    pub stored: u64,
    /// Messages dropped, by choice or at the end: never without being counted here.
    pub lost: u64,
    /// Messages in the queue or on their way to the store, those of an earlier run as well.
    pub depth: u64,
    /// Their bytes.
    pub depth_bytes: u64,
    /// How long the oldest of them has waited; since the start, if it is of an earlier run.
    pub oldest: Duration,
    /// Messages of which a sender had sent only a part when it left.
    pub torn: u64,
    /// Messages that were not what the framing says: connections are closed for it.
    pub refused: u64,
    /// Datagrams that the kernel dropped before they could be read.
    pub overrun: u64,
    /// Times that the store or the queue failed. What failed is tried again.
    pub failures: u64,
}

impl Flow {
    /// Takes over what the queue holds from an earlier run.
    pub(crate) fn inherit(&self, messages: u64, bytes: u64, now: Duration) {
        self.held_before.store(messages, Ordering::Relaxed);
        self.came_bytes.store(bytes, Ordering::Relaxed);
        self.came.store(messages, Ordering::Relaxed);
        if messages > 0 {
            self.marks.lock().note(messages, now);
        }
    }

    pub(crate) fn came(&self, messages: u64, bytes: u64, now: Duration) {
        self.came_bytes.fetch_add(bytes, Ordering::Relaxed);
        let all = self.came.fetch_add(messages, Ordering::Relaxed) + messages;
        self.marks.lock().note(all, now);
    }

    /// Gives back what could not be put.
    pub(crate) fn went(&self, messages: u64, bytes: u64) {
        self.came.fetch_sub(messages, Ordering::Relaxed);
        self.came_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    pub(crate) fn stored(&self, messages: u64, bytes: u64) {
        self.stored_bytes.fetch_add(bytes, Ordering::Relaxed);
        self.stored.fetch_add(messages, Ordering::Relaxed);
    }

    pub(crate) fn lost(&self, messages: u64, bytes: u64) {
        self.lost_bytes.fetch_add(bytes, Ordering::Relaxed);
        self.lost.fetch_add(messages, Ordering::Relaxed);
    }

    /// Counts a message of which only a part came.
    pub fn torn(&self) {
        self.torn.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts what is no message.
    pub fn refused(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts datagrams that the kernel dropped.
    pub(crate) fn overrun(&self, more: u64) {
        self.overrun.fetch_add(more, Ordering::Relaxed);
    }

    pub(crate) fn failed(&self) {
        self.failures.fetch_add(1, Ordering::Relaxed);
    }

    /// Bytes in the queue or on their way to the store.
    pub(crate) fn depth_bytes(&self) -> u64 {
        let out =
            self.stored_bytes.load(Ordering::Relaxed) + self.lost_bytes.load(Ordering::Relaxed);
        self.came_bytes.load(Ordering::Relaxed).saturating_sub(out)
    }

    /// The counters now.
    pub fn figures(&self, now: Duration) -> Figures {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        // What went out is read first: it is never more than what came.
        let (stored, lost) = (load(&self.stored), load(&self.lost));
        let depth_bytes = self.depth_bytes();
        let came = load(&self.came);
        let depth = came.saturating_sub(stored + lost);
        Figures {
            came: came - load(&self.held_before).min(came),
            came_bytes: load(&self.came_bytes),
            stored,
            lost,
            depth,
            depth_bytes,
            oldest: self.marks.lock().oldest(stored + lost, depth, now),
            torn: load(&self.torn),
            refused: load(&self.refused),
            overrun: load(&self.overrun),
            failures: load(&self.failures),
        }
    }
}

impl Marks {
    fn note(&mut self, came: u64, now: Duration) {
        let interval = self.interval.max(AGE_MARK_INTERVAL);
        match self.list.back_mut() {
            Some((count, at)) if now < *at + interval => *count = (*count).max(came),
            _ => self.list.push_back((came, now)),
        }
        if self.list.len() > AGE_MARKS {
            self.thin();
        }
    }

    /// Every second mark goes: those that stay stand for the messages before them too, so that an
    /// age is never told too small.
    fn thin(&mut self) {
        let list = std::mem::take(&mut self.list);
        let mut pairs = list.into_iter();
        while let Some((count, at)) = pairs.next() {
            let count = pairs.next().map_or(count, |(count, _)| count);
            self.list.push_back((count, at));
        }
        self.interval = self.interval.max(AGE_MARK_INTERVAL) * 2;
    }

    fn oldest(&mut self, gone: u64, depth: u64, now: Duration) -> Duration {
        while self.list.front().is_some_and(|&(count, _)| count <= gone) {
            self.list.pop_front();
        }
        if self.list.len() < AGE_MARKS / 4 {
            self.interval = AGE_MARK_INTERVAL;
        }
        let oldest = self.list.front().filter(|_| depth > 0);
        oldest.map_or(Duration::ZERO, |&(_, at)| now.saturating_sub(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_oldest_is_the_one_that_waits_longest() {
        let flow = Flow::default();
        flow.inherit(5, 50, SECOND);
        flow.came(10, 100, SECOND * 2);
        flow.came(10, 100, SECOND * 3);
        assert_eq!(flow.figures(SECOND * 10).oldest, SECOND * 9);
        flow.stored(5, 50);
        assert_eq!(flow.figures(SECOND * 10).oldest, SECOND * 8);
        flow.lost(10, 100);
        let figures = flow.figures(SECOND * 10);
        assert_eq!(
            (figures.oldest, figures.depth, figures.depth_bytes),
            (SECOND * 7, 10, 100)
        );
        assert_eq!((figures.came, figures.stored, figures.lost), (20, 5, 10));
        flow.stored(10, 100);
        assert_eq!(flow.figures(SECOND * 10).oldest, Duration::ZERO);
    }

    #[test]
    fn marks_are_few_and_never_make_an_age_too_small() {
        let flow = Flow::default();
        for second in 0..100_000 {
            flow.came(1, 1, SECOND * second);
        }
        assert!(flow.marks.lock().list.len() <= AGE_MARKS);
        flow.stored(60_000, 60_000);
        let oldest = flow.figures(SECOND * 100_000).oldest;
        let exact = SECOND * 40_000;
        assert!(
            oldest >= exact && oldest < exact + SECOND * 256,
            "{oldest:?}"
        );
    }
}
