//! What streams ask of the program they run in: the time, tasks, and an ear for errors.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use arc_swap::ArcSwap;
use clj::{Cx, Runtime, Thrown, Value, Var};
use clock::Scheduler;
use event::{Number, Time};
use parking_lot::Mutex;

use crate::Past;
use crate::keep::Keeper;

/// Told of an exception that no `exception-stream` takes: who threw (a stream's name, or "a
/// scheduled task") and what.
pub type Reporter = Arc<dyn Fn(&str, &Thrown) + Send + Sync>;

/// The clock and the tasks of all streams of one runtime, which finds it attached to itself.
pub struct World {
    /// Swapped as one, since a scheduler follows the clock it was made with.
    scheduler: ArcSwap<Scheduler>,
    reporter: Reporter,
    forks: AtomicUsize,
    keeper: Keeper,
    /// Streams are built to see whether they can be, and get no events.
    trial: AtomicBool,
    /// Events that streams dropped because they kept too many, by the stream's name.
    dropped: Mutex<BTreeMap<&'static str, u64>>,
    /// The var that code may redefine to give streams another time.
    time_var: OnceLock<TimeVar>,
    past: Mutex<Option<Arc<dyn Past>>>,
}

/// `riemann.time/unix-time`, as it was when the runtime was made.
struct TimeVar {
    rt: Weak<Runtime>,
    var: Arc<Var>,
    /// The var's version while its root is `original`; what makes looking at it cheap.
    version: AtomicU32,
    original: Option<Value>,
}

impl TimeVar {
    /// What the function in the var gives, if it is not the original.
    fn redefined(&self) -> Option<Number> {
        let version = self.var.version();
        if version == self.version.load(Ordering::Relaxed) {
            return None;
        }
        let function = self.var.root()?;
        if Some(&function) == self.original.as_ref() {
            self.version.store(version, Ordering::Relaxed);
            return None;
        }
        let rt = self.rt.upgrade()?;
        Cx::new(&rt).call(&function, &[]).ok()?.as_number()
    }
}

impl World {
    pub fn new(scheduler: Scheduler, reporter: Reporter) -> World {
        World {
            scheduler: ArcSwap::from_pointee(scheduler),
            reporter,
            forks: AtomicUsize::new(0),
            keeper: Keeper::default(),
            trial: AtomicBool::new(false),
            dropped: Mutex::default(),
            time_var: OnceLock::new(),
            past: Mutex::default(),
        }
    }

    /// Lets `with-redefs` of the var, which holds the function of the time, be seen by streams.
    pub fn follow(&self, rt: &Arc<Runtime>, var: Arc<Var>) {
        let followed = TimeVar {
            rt: Arc::downgrade(rt),
            version: AtomicU32::new(var.version()),
            original: var.root(),
            var,
        };
        // A world has one runtime, whose first var stays.
        let _ = self.time_var.set(followed);
    }

    /// The time since 1970: that of the clock, or what the time's function was redefined to give.
    pub fn now(&self) -> Time {
        match self.redefined().as_ref().and_then(Time::nearest) {
            Some(time) => time,
            None => self.clock_now(),
        }
    }

    /// [`World::now`] as a number of seconds of the language.
    pub fn now_number(&self) -> Number {
        self.redefined()
            .unwrap_or_else(|| self.clock_now().to_number())
    }

    /// The clock's time, whatever the time's function gives.
    pub fn clock_now(&self) -> Time {
        self.scheduler.load().clock().now()
    }

    fn redefined(&self) -> Option<Number> {
        self.time_var.get()?.redefined()
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

    /// Hands in the history that `baseline` compares with, unless it is given another.
    pub fn set_past(&self, past: Arc<dyn Past>) {
        *self.past.lock() = Some(past);
    }

    /// The history that was handed in.
    pub fn past(&self) -> Option<Arc<dyn Past>> {
        self.past.lock().clone()
    }

    /// What the streams inside of `keep-state` keep.
    pub fn keeper(&self) -> &Keeper {
        &self.keeper
    }

    /// Has `by` build its children at once, to see whether they can be built.
    pub fn set_trial(&self) {
        self.trial.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_trial(&self) -> bool {
        self.trial.load(Ordering::Relaxed)
    }

    /// Counts events that a stream dropped because it kept as many as its `:max`.
    pub fn count_dropped(&self, stream: &'static str, count: usize) {
        *self.dropped.lock().entry(stream).or_default() += count as u64;
    }

    /// What streams dropped so far, by the stream's name.
    pub fn dropped(&self) -> Vec<(&'static str, u64)> {
        let dropped = self.dropped.lock();
        dropped
            .iter()
            .map(|(name, count)| (*name, *count))
            .collect()
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
