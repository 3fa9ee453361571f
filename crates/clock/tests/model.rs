//! The scheduler in virtual time, against a list that is searched from end to end.

use std::sync::{Arc, Mutex};

use clock::{Clock, Interval, Scheduler, Task, VirtualClock};
use event::Time;
use proptest::prelude::*;

/// What a task does after it has noted that it ran.
#[derive(Clone, Copy, Debug)]
enum Act {
    Nothing,
    Cancel(usize),
    Defer(usize, i64),
    CancelSelf,
    DeferSelf(i64),
    Spawn(i64),
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Once { at: i64, act: Act },
    Every { interval: i64, delay: i64, act: Act },
    Cancel(usize),
    Defer(usize, i64),
    Set(i64),
    Advance(i64),
    Clear,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => Just(Act::Nothing),
        1 => (0..9usize).prop_map(Act::Cancel),
        1 => (0..9usize, 1..20i64).prop_map(|(task, delay)| Act::Defer(task, delay)),
        1 => Just(Act::CancelSelf),
        1 => (1..20i64).prop_map(Act::DeferSelf),
        1 => (0..20i64).prop_map(Act::Spawn),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => (0..60i64, act()).prop_map(|(at, act)| Step::Once { at, act }),
        4 => (1..12i64, 0..12i64, act())
            .prop_map(|(interval, delay, act)| Step::Every { interval, delay, act }),
        2 => (0..9usize).prop_map(Step::Cancel),
        3 => (0..9usize, 0..30i64).prop_map(|(task, delay)| Step::Defer(task, delay)),
        1 => (0..60i64).prop_map(Step::Set),
        6 => (0..25i64).prop_map(Step::Advance),
        1 => Just(Step::Clear),
    ]
}

/// Task, and the time it ran at.
type Log = Vec<(usize, i64)>;

struct World {
    clock: Arc<VirtualClock>,
    scheduler: Scheduler,
    tasks: Mutex<Vec<Task>>,
    log: Mutex<Log>,
}

impl World {
    fn new() -> Arc<World> {
        let clock = Arc::new(VirtualClock::new());
        let scheduler = Scheduler::new(clock.clone());
        Arc::new(World {
            clock,
            scheduler,
            tasks: Mutex::default(),
            log: Mutex::default(),
        })
    }

    fn callback(self: &Arc<World>, act: Act) -> clock::Callback {
        let (world, number) = (self.clone(), self.tasks.lock().unwrap().len());
        Arc::new(move || {
            world
                .log
                .lock()
                .unwrap()
                .push((number, world.clock.now().us));
            match act {
                Act::Nothing => {}
                Act::Cancel(task) => world.with(task, Task::cancel),
                Act::Defer(task, delay) => {
                    world.with(task, |task| task.defer(Time::from_us(delay)))
                }
                Act::CancelSelf => world.with(number, Task::cancel),
                Act::DeferSelf(delay) => {
                    world.with(number, |task| task.defer(Time::from_us(delay)));
                }
                Act::Spawn(delay) => {
                    let callback = world.callback(Act::Nothing);
                    let task = world.scheduler.after(Time::from_us(delay), callback);
                    world.tasks.lock().unwrap().push(task);
                }
            }
        })
    }

    fn with(&self, task: usize, change: impl FnOnce(&Task)) {
        let task = self.tasks.lock().unwrap().get(task).cloned();
        if let Some(task) = task {
            change(&task);
        }
    }

    fn step(self: &Arc<World>, step: Step) {
        let task = match step {
            Step::Once { at, act } => self
                .scheduler
                .once_at(Time::from_us(at), self.callback(act)),
            Step::Every {
                interval,
                delay,
                act,
            } => {
                let interval = Interval::from_time(Time::from_us(interval)).unwrap();
                self.scheduler
                    .every(interval, Time::from_us(delay), self.callback(act))
            }
            Step::Cancel(task) => return self.with(task, Task::cancel),
            Step::Defer(task, delay) => {
                return self.with(task, |task| task.defer(Time::from_us(delay)));
            }
            Step::Set(time) => return self.clock.set(Time::from_us(time)),
            Step::Advance(by) => {
                let to = self.clock.now().plus(Time::from_us(by));
                return self.clock.advance(to, &self.scheduler);
            }
            Step::Clear => return self.scheduler.clear(),
        };
        self.tasks.lock().unwrap().push(task);
    }
}

/// The same in the plainest way: tasks are never moved, and the next is looked for among all.
#[derive(Default)]
struct Model {
    now: i64,
    tasks: Vec<ModelTask>,
    log: Log,
}

#[derive(Clone)]
struct ModelTask {
    at: i64,
    interval: Option<i64>,
    deferred: Option<i64>,
    cancelled: bool,
    waiting: bool,
    act: Act,
}

impl Model {
    fn add(&mut self, at: i64, interval: Option<i64>, act: Act) {
        let task = ModelTask {
            at,
            interval,
            deferred: None,
            cancelled: false,
            waiting: true,
            act,
        };
        self.tasks.push(task);
    }

    fn cancel(&mut self, task: usize) {
        if let Some(task) = self.tasks.get_mut(task) {
            task.cancelled = true;
        }
    }

    fn defer(&mut self, task: usize, delay: i64) {
        let at = self.now + delay;
        if let Some(task) = self.tasks.get_mut(task) {
            task.deferred = Some(at);
        }
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Once { at, act } => self.add(at, None, act),
            Step::Every {
                interval,
                delay,
                act,
            } => {
                self.add(self.now + delay, Some(interval), act);
            }
            Step::Cancel(task) => self.cancel(task),
            Step::Defer(task, delay) => self.defer(task, delay),
            Step::Set(time) => self.now = time,
            Step::Advance(by) => self.advance(self.now + by),
            Step::Clear => self.tasks.iter_mut().for_each(|task| task.waiting = false),
        }
    }

    fn advance(&mut self, to: i64) {
        if to <= self.now {
            return;
        }
        loop {
            let waiting = self
                .tasks
                .iter()
                .enumerate()
                .filter(|(_, task)| task.waiting);
            let Some((number, at)) = waiting
                .map(|(number, task)| (number, task.at))
                .min_by_key(|(n, at)| (*at, *n))
            else {
                break;
            };
            if at > to {
                break;
            }
            if !self.tasks[number].cancelled {
                self.now = self.now.max(at);
                self.run(number);
            }
            let task = &mut self.tasks[number];
            match (task.deferred.take(), task.interval) {
                _ if task.cancelled => task.waiting = false,
                (Some(at), _) => task.at = at,
                (None, Some(interval)) => task.at += interval,
                (None, None) => task.waiting = false,
            }
        }
        self.now = self.now.max(to);
    }

    fn run(&mut self, number: usize) {
        if self.tasks[number].deferred.is_some() {
            return;
        }
        self.log.push((number, self.now));
        match self.tasks[number].act {
            Act::Nothing => {}
            Act::Cancel(task) => self.cancel(task),
            Act::Defer(task, delay) => self.defer(task, delay),
            Act::CancelSelf => self.cancel(number),
            Act::DeferSelf(delay) => self.defer(number, delay),
            Act::Spawn(delay) => self.add(self.now + delay, None, Act::Nothing),
        }
    }
}

proptest! {
    #[test]
    fn runs_the_same_tasks_at_the_same_times(steps in prop::collection::vec(step(), 1..60)) {
        let world = World::new();
        let mut model = Model::default();
        for step in steps {
            world.step(step);
            model.step(step);
            prop_assert_eq!(&*world.log.lock().unwrap(), &model.log, "after {:?}", step);
            prop_assert_eq!(world.clock.now().us, model.now);
            let waiting = model.tasks.iter().filter(|task| task.waiting && !task.cancelled).count();
            prop_assert_eq!(world.scheduler.len(), waiting);
        }
    }
}
