//! State that several threads add to at once.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

/// Parts that threads divide among themselves when they meet. More cost memory and a longer tick.
const STRIPES: usize = 16;

/// A part for all, and, once two threads have met at it, one for each thread (or few threads). What
/// they hold must add up in any order.
#[derive(Default)]
pub struct Striped<T> {
    first: Mutex<T>,
    others: OnceLock<Box<[Padded<T>]>>,
}

/// Two cache lines: the processor fetches them in pairs.
#[repr(align(128))]
#[derive(Default)]
struct Padded<T>(Mutex<T>);

static THREADS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static STRIPE: usize = THREADS.fetch_add(1, Ordering::Relaxed) % STRIPES;
}

impl<T: Default> Striped<T> {
    /// Changes one of the parts; one thread alone always has the same.
    pub fn with<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        if let Some(mut part) = self.first.try_lock() {
            return change(&mut part);
        }
        let parts = || (0..STRIPES).map(|_| Padded::default()).collect();
        let others = self.others.get_or_init(parts);
        change(&mut others[STRIPE.with(|stripe| *stripe)].0.lock())
    }

    /// Visits all parts.
    pub fn each(&self, mut visit: impl FnMut(&mut T)) {
        visit(&mut self.first.lock());
        for part in self.others.get().into_iter().flatten() {
            visit(&mut part.0.lock());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_when_threads_meet() {
        let sums = Striped::<u64>::default();
        sums.with(|sum| {
            *sum += 1;
            std::thread::scope(|scope| {
                scope.spawn(|| sums.with(|sum| *sum += 10));
                scope.spawn(|| sums.with(|sum| *sum += 100));
            });
        });
        let mut total = 0;
        sums.each(|sum| total += *sum);
        assert_eq!(total, 111);
    }
}
