//! How far the streams had come a while ago.

use std::collections::VecDeque;

/// The distance between two marks is this part of the way, at least: few are enough.
const MARKS_PER_REWIND: i64 = 64;

/// Marks of what had been seen at which time, oldest first.
pub struct Trail {
    rewind_us: i64,
    marks: VecDeque<(i64, u64)>,
}

impl Trail {
    /// All that was seen when it begins may be old or not: it waits for its time like the rest.
    pub fn new(rewind_us: i64) -> Trail {
        Trail {
            rewind_us,
            marks: VecDeque::new(),
        }
    }

    /// Notes what has been seen by now; gives what had been seen that long ago, if it is known.
    pub fn follow(&mut self, now_us: i64, seen: u64) -> Option<u64> {
        if self.rewind_us == 0 {
            return Some(seen);
        }
        let distance_us = self.rewind_us / MARKS_PER_REWIND;
        let last = self.marks.back();
        if last.is_none_or(|(at_us, _)| now_us - at_us >= distance_us) {
            self.marks.push_back((now_us, seen));
        }
        let old_us = now_us - self.rewind_us;
        while self.marks.get(1).is_some_and(|(at_us, _)| *at_us <= old_us) {
            self.marks.pop_front();
        }
        let first = self.marks.front().filter(|(at_us, _)| *at_us <= old_us);
        first.map(|(_, seen)| *seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_stays_behind() {
        let mut trail = Trail::new(6_400);
        assert_eq!(trail.follow(0, 1), None);
        assert_eq!(trail.follow(50, 2), None);
        assert_eq!(trail.follow(6_300, 3), None);
        assert_eq!(trail.follow(6_400, 4), Some(1));
        assert_eq!(trail.follow(12_699, 5), Some(1));
        assert_eq!(trail.follow(12_700, 6), Some(3));
        assert!(trail.marks.len() < 10);
    }

    #[test]
    fn without_a_way_back_it_is_there_at_once() {
        assert_eq!(Trail::new(0).follow(7, 9), Some(9));
    }
}
