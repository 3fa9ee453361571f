//! What streams ask of the program they run in: the time, tasks, and an ear for errors.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arc_swap::ArcSwap;
use clj::{Thrown, Value};
use clock::Scheduler;
use event::{Number, Time};

/// Told of an exception that no `exception-stream` takes: who threw (a stream's name, or "a
/// scheduled task") and what.
pub type Reporter = Arc<dyn Fn(&str, &Thrown) + Send + Sync>;

/// The clock and the tasks of all streams of one runtime, which finds it attached to itself.
pub struct World {
    /// Swapped as one, since a scheduler follows the clock it was made with.
    scheduler: ArcSwap<Scheduler>,
    reporter: Reporter,
    forks: AtomicUsize,
}

impl World {
    pub fn new(scheduler: Scheduler, reporter: Reporter) -> World {
        World {
            scheduler: ArcSwap::from_pointee(scheduler),
            reporter,
            forks: AtomicUsize::new(0),
        }
    }

    /// The time since 1970.
    pub fn now(&self) -> Time {
        self.scheduler.load().clock().now()
    }

    /// [`World::now`] as a number of seconds of the language.
    pub fn now_number(&self) -> Number {
        self.now().to_number()
    }

    /// [`World::now`] as a value of the language.
    pub fn now_value(&self) -> Value {
        self.now_number().into()
    }

    /// Where tasks wait for their time; its clock is the one that [`World::now`] reads.
    pub fn scheduler(&self) -> Arc<Scheduler> {
        self.scheduler.load_full()
    }

    /// Puts another scheduler, with its clock, in place, and gives the one that was there. Tasks
    /// stay where they were scheduled.
    pub fn switch(&self, scheduler: Scheduler) -> Arc<Scheduler> {
        self.scheduler.swap(Arc::new(scheduler))
    }

    /// Tells the program of an exception.
    pub fn report(&self, who: &str, thrown: &Thrown) {
        (self.reporter)(who, thrown);
    }

    /// How many forks of `by` are alive.
    pub fn forks(&self) -> usize {
        self.forks.load(Ordering::Relaxed)
    }

    pub(crate) fn add_forks(&self, count: usize) {
        self.forks.fetch_add(count, Ordering::Relaxed);
    }

    pub(crate) fn remove_forks(&self, count: usize) {
        self.forks.fetch_sub(count, Ordering::Relaxed);
    }
}
