//! When a reader waits for more to come before it reads again.
//!
//! Waking up costs more than reading: a sender that writes each message by itself wakes an eager
//! reader for each. Where nobody waits for an answer, a reader that has been woken by small reads
//! several times in a row pauses, so that the next read finds many. Never where a sender waits.

use std::time::Duration;

/// Small reads in a row after which a reader of a one-way protocol lets more gather: under load,
/// not at a trickle.
pub const GATHER_RUN: u32 = 16;

/// Two reads further apart than this, beyond the pause, are not under load.
pub const GATHER_GAP: Duration = Duration::from_millis(4);

/// Sees the reads of one socket.
#[derive(Debug)]
pub struct Gather {
    pause: Duration,
    last: Option<Duration>,
    /// Small reads in a row, none long after the one before.
    run: u32,
}

impl Gather {
    /// Of a reader that pauses so long.
    #[must_use]
    pub fn new(pause: Duration) -> Gather {
        Gather {
            pause,
            last: None,
            run: 0,
        }
    }

    /// How long to pause after a read that was `small`, if at all. `now` is the time since any
    /// fixed moment.
    pub fn pause_after(&mut self, small: bool, now: Duration) -> Option<Duration> {
        let soon = |last: Duration| now.saturating_sub(last) <= self.pause + GATHER_GAP;
        self.run = match self.last {
            Some(last) if small && soon(last) => (self.run + 1).min(GATHER_RUN),
            _ => 0,
        };
        self.last = Some(now);
        (self.run == GATHER_RUN).then_some(self.pause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAUSE: Duration = Duration::from_millis(5);

    /// Whether each of those reads, at a distance, small or not, is followed by a pause.
    fn pauses(reads: impl IntoIterator<Item = (Duration, bool)>) -> Vec<bool> {
        let mut gather = Gather::new(PAUSE);
        let mut now = Duration::ZERO;
        reads
            .into_iter()
            .map(|(gap, small)| {
                now += gap;
                gather.pause_after(small, now) == Some(PAUSE)
            })
            .collect()
    }

    #[test]
    fn only_a_run_of_small_reads_is_followed_by_a_pause() {
        let run = GATHER_RUN as usize;
        let busy = (Duration::from_micros(10), true);
        let expected: Vec<bool> = (0..run + 3).map(|read| read >= run).collect();
        assert_eq!(pauses(vec![busy; run + 3]), expected);
    }

    #[test]
    fn a_lull_or_a_large_read_ends_the_run() {
        let run = GATHER_RUN as usize;
        let busy = (Duration::from_micros(10), true);
        for end in [(PAUSE + GATHER_GAP * 2, true), (busy.0, false)] {
            let mut reads = vec![busy; run + 1];
            reads.push(end);
            reads.push(busy);
            let pauses = pauses(reads);
            assert_eq!(pauses[run..], [true, false, false]);
        }
    }

    #[test]
    fn the_pauses_themselves_are_no_lull() {
        let run = GATHER_RUN as usize;
        let mut reads = vec![(Duration::from_micros(10), true); run + 1];
        reads.extend(vec![(PAUSE + GATHER_GAP, true); 3]);
        assert_eq!(pauses(reads)[run..], [true; 4]);
    }
}
