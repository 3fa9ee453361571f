//! Counting from many threads at once.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::histogram::Histogram;

/// A histogram in stripes: each thread counts in its own, so that threads seldom meet; who wants
/// the whole merges them. No count is lost or doubled between two drains.
///
/// ```
/// use histogram::{Histogram, Recorder};
/// let recorder = Recorder::new(2);
/// std::thread::scope(|scope| {
///     for _ in 0..2 {
///         scope.spawn(|| (0..1000).for_each(|ms| recorder.record_scaled(ms, -3)));
///     }
/// });
/// let mut all = Histogram::new();
/// recorder.drain_into(&mut all);
/// assert_eq!(all.count(), 2000);
/// ```
pub struct Recorder {
    stripes: Box<[Stripe]>,
}

/// Alone on its cache lines: cores fetch them in pairs of 64 bytes.
#[repr(align(128))]
#[derive(Default)]
struct Stripe(Mutex<Histogram>);

impl Recorder {
    /// A recorder with as many stripes, at least one: one a core is right.
    pub fn new(stripes: usize) -> Recorder {
        Recorder {
            stripes: (0..stripes.max(1)).map(|_| Stripe::default()).collect(),
        }
    }

    /// Counts one number.
    #[inline]
    pub fn record(&self, number: f64) {
        self.own().insert(number);
    }

    /// Counts `value × 10^scale`.
    #[inline]
    pub fn record_scaled(&self, value: i64, scale: i32) {
        self.own().insert_scaled(value, scale, 1);
    }

    /// Moves all that was counted into a histogram.
    pub fn drain_into(&self, into: &mut Histogram) {
        for stripe in &self.stripes {
            let mut counted = lock(stripe);
            into.merge(&counted);
            counted.clear();
        }
    }

    /// What was counted since the last drain, as it is.
    pub fn snapshot(&self) -> Histogram {
        let mut all = Histogram::new();
        for stripe in &self.stripes {
            all.merge(&lock(stripe));
        }
        all
    }

    fn own(&self) -> MutexGuard<'_, Histogram> {
        lock(&self.stripes[thread_number() % self.stripes.len()])
    }
}

/// A panic cannot leave a histogram half changed: its counts are whole, so they are kept.
fn lock(stripe: &Stripe) -> MutexGuard<'_, Histogram> {
    stripe.0.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Threads are numbered as they first record, so that neighbours get different stripes.
fn thread_number() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static OWN: Cell<usize> = const { Cell::new(usize::MAX) };
    }
    OWN.with(|own| {
        if own.get() == usize::MAX {
            own.set(NEXT.fetch_add(1, Ordering::Relaxed));
        }
        own.get()
    })
}
