//! A bounded queue of what waits to leave. Full, it drops the oldest: what is true now matters more
//! to a watcher than what was.

use std::collections::VecDeque;
use std::time::Duration;

use crate::target::Item;

pub(crate) struct Queue<I> {
    items_max: usize,
    bytes_max: usize,
    /// Each with the time it came.
    waiting: VecDeque<(Duration, I)>,
    /// The sum of the sizes of `waiting`.
    bytes: usize,
}

impl<I: Item> Queue<I> {
    pub fn new(items_max: usize, bytes_max: usize) -> Queue<I> {
        Queue {
            items_max: items_max.max(1),
            bytes_max,
            waiting: VecDeque::new(),
            bytes: 0,
        }
    }

    /// Adds the newest; gives how many of the oldest it pushed out. An item that alone is larger
    /// than the whole queue may be is kept, alone.
    pub fn push(&mut self, now: Duration, item: I) -> u64 {
        self.bytes += item.size_bytes();
        self.waiting.push_back((now, item));
        let mut dropped = 0;
        while self.waiting.len() > self.items_max
            || (self.bytes > self.bytes_max && self.waiting.len() > 1)
        {
            self.pop();
            dropped += 1;
        }
        dropped
    }

    /// Moves the oldest, at most `max`, into `batch`; gives the time the oldest came.
    pub fn take(&mut self, max: usize, batch: &mut Vec<I>) -> Option<Duration> {
        let since = self.since();
        for _ in 0..max.max(1) {
            match self.pop() {
                Some(item) => batch.push(item),
                None => break,
            }
        }
        since
    }

    fn pop(&mut self) -> Option<I> {
        let (_, item) = self.waiting.pop_front()?;
        self.bytes -= item.size_bytes();
        Some(item)
    }

    /// Drops all; gives how many.
    pub fn clear(&mut self) -> u64 {
        self.bytes = 0;
        let dropped = self.waiting.len() as u64;
        self.waiting.clear();
        dropped
    }

    /// When the oldest came.
    pub fn since(&self) -> Option<Duration> {
        self.waiting.front().map(|(since, _)| *since)
    }

    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Sized(usize);

    impl Item for Sized {
        fn size_bytes(&self) -> usize {
            self.0
        }
    }

    fn filled(items_max: usize, bytes_max: usize, sizes: &[usize]) -> (Queue<Sized>, u64) {
        let mut queue = Queue::new(items_max, bytes_max);
        let mut dropped = 0;
        for (at, size) in sizes.iter().enumerate() {
            dropped += queue.push(Duration::from_secs(at as u64), Sized(*size));
        }
        (queue, dropped)
    }

    #[test]
    fn drops_the_oldest_beyond_the_items() {
        let (mut queue, dropped) = filled(2, 100, &[1, 2, 3]);
        assert_eq!(dropped, 1);
        assert_eq!(queue.bytes(), 5);
        let mut batch = Vec::new();
        assert_eq!(queue.take(10, &mut batch), Some(Duration::from_secs(1)));
        assert_eq!(batch, [Sized(2), Sized(3)]);
        assert_eq!((queue.len(), queue.bytes(), queue.since()), (0, 0, None));
    }

    #[test]
    fn drops_the_oldest_beyond_the_bytes() {
        let (queue, dropped) = filled(10, 10, &[4, 4, 4]);
        assert_eq!((dropped, queue.len(), queue.bytes()), (1, 2, 8));
    }

    #[test]
    fn an_item_beyond_all_bytes_stays_alone() {
        let (mut queue, dropped) = filled(10, 10, &[4, 40]);
        assert_eq!((dropped, queue.len()), (1, 1));
        assert_eq!(queue.clear(), 1);
        assert_eq!(queue.bytes(), 0);
    }
}
