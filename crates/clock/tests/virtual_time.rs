//! What a test of streams relies on when it moves the clock by hand.

use std::sync::{Arc, Mutex};

use clock::{Callback, Clock, Interval, Scheduler, VirtualClock};
use event::{Number, Time};

struct Bench {
    clock: Arc<VirtualClock>,
    scheduler: Scheduler,
    seen: Arc<Mutex<Vec<(&'static str, Number)>>>,
}

impl Bench {
    fn new() -> Bench {
        let clock = Arc::new(VirtualClock::new());
        Bench {
            scheduler: Scheduler::new(clock.clone()),
            clock,
            seen: Arc::default(),
        }
    }

    fn note(&self, name: &'static str) -> Callback {
        let (clock, seen) = (self.clock.clone(), self.seen.clone());
        Arc::new(move || seen.lock().unwrap().push((name, clock.now().to_number())))
    }

    fn advance(&self, to: Number) {
        self.clock
            .advance(Time::from_number(&to).unwrap(), &self.scheduler);
    }

    fn seen(&self) -> Vec<(&'static str, Number)> {
        std::mem::take(&mut self.seen.lock().unwrap())
    }
}

fn interval(seconds: Number) -> Interval {
    Interval::from_number(&seconds).unwrap()
}

#[test]
fn the_clock_keeps_the_kind_of_number() {
    let bench = Bench::new();
    assert_eq!(bench.clock.now().to_number(), Number::Int(0));
    bench.advance(Number::Int(3));
    assert_eq!(bench.clock.now().to_number(), Number::Int(3));
    bench.advance(Number::F64(3.5));
    assert_eq!(bench.clock.now().to_number(), Number::F64(3.5));
    let ratio = Number::Int(9).div(&Number::Int(2)).unwrap();
    bench.advance(ratio.clone());
    assert_eq!(bench.clock.now().to_number(), ratio);
    bench.advance(Number::Int(1));
    assert_eq!(bench.clock.now().to_number(), ratio);
    bench.clock.reset();
    assert_eq!(bench.clock.now().to_number(), Number::Int(0));
}

#[test]
fn each_task_sees_its_own_time() {
    let bench = Bench::new();
    bench
        .scheduler
        .every(interval(Number::Int(2)), Time::from_s(0), bench.note("two"));
    bench.scheduler.every(
        interval(Number::F64(1.5)),
        Time::from_s(0),
        bench.note("float"),
    );
    bench.advance(Number::Int(4));
    let expected = [
        ("two", Number::Int(0)),
        ("float", Number::Int(0)),
        ("float", Number::F64(1.5)),
        ("two", Number::Int(2)),
        ("float", Number::F64(3.0)),
        ("two", Number::Int(4)),
    ];
    assert_eq!(bench.seen(), expected);
    assert_eq!(bench.clock.now().to_number(), Number::Int(4));
}

#[test]
fn ties_run_in_the_order_they_were_scheduled() {
    let bench = Bench::new();
    for name in ["a", "b", "c"] {
        bench.scheduler.once_at(Time::from_s(1), bench.note(name));
    }
    bench.advance(Number::Int(1));
    assert_eq!(
        bench
            .seen()
            .into_iter()
            .map(|(name, _)| name)
            .collect::<String>(),
        "abc"
    );
}

#[test]
fn a_deferred_task_skips_a_run_and_moves_its_grid() {
    let bench = Bench::new();
    let task = bench.scheduler.every(
        interval(Number::Int(10)),
        Time::from_s(10),
        bench.note("tick"),
    );
    bench.advance(Number::Int(7));
    task.defer(Time::from_s(6));
    bench.advance(Number::Int(30));
    assert_eq!(
        bench.seen(),
        [("tick", Number::Int(13)), ("tick", Number::Int(23))]
    );
}

#[test]
fn setting_the_clock_runs_nothing_and_what_was_missed_runs_late() {
    let bench = Bench::new();
    bench.scheduler.every(
        interval(Number::Int(1)),
        Time::from_s(1),
        bench.note("tick"),
    );
    bench.clock.set(Time::from_s(3));
    assert_eq!(bench.seen(), []);
    bench.advance(Number::Int(4));
    let late = [3, 3, 3, 4].map(|s| ("tick", Number::Int(s)));
    assert_eq!(bench.seen(), late);
}

#[test]
fn a_cancelled_task_is_let_go_at_once() {
    let bench = Bench::new();
    let callback = bench.note("never");
    let held = Arc::downgrade(&callback);
    let task = bench.scheduler.after(Time::from_s(1_000_000), callback);
    assert_eq!(bench.scheduler.len(), 1);
    task.cancel();
    assert!(task.is_cancelled());
    assert!(bench.scheduler.is_empty());
    assert!(held.upgrade().is_none());
}

#[test]
fn a_task_that_clears_the_scheduler_does_not_come_back() {
    let bench = Bench::new();
    let scheduler = bench.scheduler.clone();
    let note = bench.note("once");
    let clear: Callback = Arc::new(move || {
        note();
        scheduler.clear();
    });
    bench
        .scheduler
        .every(interval(Number::Int(1)), Time::from_s(1), clear);
    bench.advance(Number::Int(5));
    assert_eq!(bench.seen(), [("once", Number::Int(1))]);
    assert_eq!(bench.scheduler.next_at(), None);
}
