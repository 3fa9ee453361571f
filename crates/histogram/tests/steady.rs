//! Once its bins are known, a histogram allocates nothing: counted by the allocator itself.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use histogram::{Histogram, Recorder};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: all is done by the system's allocator; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps to the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer comes from `System.alloc` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

fn allocations(work: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.with(Cell::get);
    work();
    ALLOCATIONS.with(Cell::get) - before
}

fn insert_all(histogram: &mut Histogram) {
    for n in 1..2_000 {
        histogram.insert(f64::from(n) * 0.001);
        histogram.insert(f64::from(n) * -0.5);
        histogram.insert_scaled(i64::from(n), -6, 1);
    }
    histogram.insert(0.0);
    histogram.insert(f64::NAN);
}

#[test]
fn the_second_window_allocates_nothing() {
    let mut histogram = Histogram::new();
    let mut total = Histogram::new();
    let mut bytes = Vec::new();
    assert!(allocations(|| insert_all(&mut histogram)) > 0);
    total.merge(&histogram);
    histogram.encode_into(&mut bytes);
    let again = allocations(|| {
        histogram.clear();
        insert_all(&mut histogram);
        total.merge(&histogram);
        bytes.clear();
        histogram.encode_into(&mut bytes);
        assert!(total.merge_encoded(&bytes).is_ok());
    });
    assert_eq!(again, 0);
    assert_eq!(total.count(), 3 * (3 * 1_999 + 1));
}

#[test]
fn a_recorder_in_use_allocates_nothing() {
    let recorder = Recorder::new(1);
    let mut all = Histogram::new();
    let mut round = || {
        for ms in 1..1_000 {
            recorder.record_scaled(ms, -3);
            recorder.record(ms as f64);
        }
        recorder.drain_into(&mut all);
    };
    round();
    assert_eq!(allocations(round), 0);
    assert_eq!(all.count(), 4 * 999);
}

#[test]
fn no_count_is_lost_between_threads_and_drains() {
    const THREADS: i64 = 4;
    const EACH: i64 = 20_000;
    let recorder = Recorder::new(3);
    let mut all = Histogram::new();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|_| scope.spawn(|| (0..EACH).for_each(|us| recorder.record_scaled(us, -6))))
            .collect();
        while !threads.iter().all(|thread| thread.is_finished()) {
            recorder.drain_into(&mut all);
        }
    });
    recorder.drain_into(&mut all);
    assert!(recorder.snapshot().is_empty());
    let mut once = Histogram::new();
    (0..EACH).for_each(|us| once.insert_scaled(us, -6, THREADS as u64));
    assert_eq!(all, once);
}
