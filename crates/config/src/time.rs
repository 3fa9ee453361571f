//! `riemann.time` and `riemann.time.controlled`: the clock, and tasks.

use std::any::Any;
use std::io;
use std::sync::Arc;

use clj::{Cx, Native, Object, Result, Runtime, Thrown, Value};
use clock::{
    Callback, Driver, Interval, PanicHook, Scheduler, THREADS_DEFAULT, Task, VirtualClock,
};
use event::{Number, Time};
use parking_lot::Mutex;
use streams::World;

use crate::state::{Mode, State};

/// A task, as `every!` and its like give it.
struct TaskObject(Task);

impl Object for TaskObject {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "riemann.time.Task"
    }
}

/// The clock that tests move, while there is one.
#[derive(Default)]
pub struct Controlled(Mutex<Option<Arc<VirtualClock>>>);

impl Controlled {
    /// Puts a runtime's time under control from now on, at zero.
    pub fn take(&self, world: &World) {
        let clock = Arc::new(VirtualClock::new());
        world.switch(Scheduler::new(clock.clone()));
        *self.0.lock() = Some(clock);
    }

    fn clock(&self) -> Result<Arc<VirtualClock>> {
        self.0.lock().clone().ok_or_else(|| {
            Thrown::illegal_state("time is not controlled: wrap this in with-controlled-time!")
        })
    }
}

pub const NATIVES: &[Native] = &[
    Native {
        name: "unix-time",
        arglists: "([])",
        doc: "Seconds since 1970, an exact ratio of milliseconds.",
        arity: (0, Some(0)),
        code: |cx, _| Ok(cx.get::<World>()?.clock_now().to_number().into()),
    },
    Native {
        name: "linear-time",
        arglists: "([])",
        doc: "Seconds of a clock that never goes back.",
        arity: (0, Some(0)),
        code: |cx, _| {
            let scheduler = cx.get::<World>()?.scheduler();
            Ok(scheduler.clock().linear().to_number().into())
        },
    },
    Native {
        name: "once!",
        arglists: "([t f])",
        doc: "Calls f at unix time t. Returns a task.",
        arity: (2, Some(2)),
        code: |cx, args| {
            let at = seconds(&args[0])?;
            let scheduler = cx.get::<World>()?.scheduler();
            Ok(Value::object(TaskObject(
                scheduler.once_at(at, callback(cx, &args[1])),
            )))
        },
    },
    Native {
        name: "after!",
        arglists: "([delay f])",
        doc: "Calls f in delay seconds. Returns a task.",
        arity: (2, Some(2)),
        code: |cx, args| {
            let delay = seconds(&args[0])?;
            let scheduler = cx.get::<World>()?.scheduler();
            Ok(Value::object(TaskObject(
                scheduler.after(delay, callback(cx, &args[1])),
            )))
        },
    },
    Native {
        name: "every!",
        arglists: "([interval f] [interval delay f])",
        doc: "Calls f every interval seconds, first in delay seconds (default 0). Returns a task.",
        arity: (2, Some(3)),
        code: every,
    },
    Native {
        name: "-cancel",
        arglists: "([task])",
        doc: "The task will not run again.",
        arity: (1, Some(1)),
        code: |_, args| {
            task(&args[0])?.cancel();
            Ok(Value::Nil)
        },
    },
    Native {
        name: "-defer",
        arglists: "([task delay])",
        doc: "The task will next run in delay seconds.",
        arity: (2, Some(2)),
        code: |_, args| {
            task(&args[0])?.defer(seconds(&args[1])?);
            Ok(Value::Nil)
        },
    },
    Native {
        name: "next-tick",
        arglists: "([anchor dt] [anchor dt now])",
        doc: "The first time after now that is a whole number of dt from anchor.",
        arity: (2, Some(3)),
        code: next_tick,
    },
    Native {
        name: "reset-tasks!",
        arglists: "([])",
        doc: "Forgets all tasks.",
        arity: (0, Some(0)),
        code: |cx, _| {
            cx.get::<World>()?.scheduler().clear();
            Ok(Value::Nil)
        },
    },
    Native {
        name: "-start",
        arglists: "([])",
        doc: "Lends threads to the tasks, where no server does.",
        arity: (0, Some(0)),
        code: start,
    },
    Native {
        name: "-stop",
        arglists: "([])",
        doc: "Takes back the threads that start! lent; tasks wait until it is called again.",
        arity: (0, Some(0)),
        code: stop,
    },
    Native {
        name: "-run-tasks",
        arglists: "([])",
        doc: "Runs the tasks whose time has come, here and now.",
        arity: (0, Some(0)),
        code: |cx, _| {
            let world = cx.get::<World>()?;
            let scheduler = world.scheduler();
            while let Some(due) = scheduler.take_due(world.now()) {
                due.run();
            }
            Ok(Value::Nil)
        },
    },
    Native {
        name: "-waiting",
        arglists: "([])",
        doc: "How many tasks wait for their time.",
        arity: (0, Some(0)),
        code: |cx, _| Ok(Value::Int(cx.get::<World>()?.scheduler().len() as i64)),
    },
];

/// The threads that tasks run on, while there are any.
#[derive(Default)]
pub struct Threads(Mutex<Option<Driver>>);

impl Threads {
    /// Lends threads to the tasks, unless they have some.
    ///
    /// # Errors
    /// When the system has no more threads.
    pub fn start(&self, world: &World) -> io::Result<()> {
        let mut threads = self.0.lock();
        if threads.is_none() {
            let on_panic: PanicHook =
                Arc::new(|_| tracing::error!("a scheduled task panicked; the others go on"));
            *threads = Some(world.scheduler().start(THREADS_DEFAULT, on_panic)?);
        }
        Ok(())
    }

    /// Takes them back, once the tasks that run now have ended.
    pub fn stop(&self) {
        let threads = self.0.lock().take();
        if let Some(threads) = threads {
            threads.stop();
        }
    }
}

/// True where code has its tasks to itself: not in a server, whose tasks go on, and not while time
/// is moved by hand.
fn may_stop_tasks(cx: &Cx<'_>) -> Result<bool> {
    Ok(cx.get::<State>()?.mode == Mode::Evaluate && cx.get::<Controlled>()?.0.lock().is_none())
}

fn start(cx: &Cx<'_>, _: &[Value]) -> Result {
    if may_stop_tasks(cx)? {
        let started = cx.get::<Threads>()?.start(cx.get::<World>()?);
        started
            .map_err(|error| Thrown::runtime(format!("cannot start threads for tasks: {error}")))?;
    }
    Ok(Value::Nil)
}

fn stop(cx: &Cx<'_>, _: &[Value]) -> Result {
    if may_stop_tasks(cx)? {
        cx.get::<Threads>()?.stop();
    }
    Ok(Value::Nil)
}

pub const CONTROLLED_NATIVES: &[Native] = &[
    Native {
        name: "-with-controlled-time",
        arglists: "([f])",
        doc: "Calls f in time that is moved by hand.",
        arity: (1, Some(1)),
        code: with_controlled_time,
    },
    Native {
        name: "reset-clock!",
        arglists: "([])",
        doc: "Sets the clock to zero.",
        arity: (0, Some(0)),
        code: |cx, _| {
            cx.get::<Controlled>()?.clock()?.reset();
            Ok(Value::Nil)
        },
    },
    Native {
        name: "reset-time!",
        arglists: "([] [f])",
        doc: "Sets the clock to zero and forgets all tasks; then calls f, as a fixture does.",
        arity: (0, Some(1)),
        code: |cx, args| {
            cx.get::<Controlled>()?.clock()?.reset();
            cx.get::<World>()?.scheduler().clear();
            match args.first() {
                Some(f) => cx.call(f, &[]),
                None => Ok(Value::Nil),
            }
        },
    },
    Native {
        name: "set-time!",
        arglists: "([t])",
        doc: "Sets the clock; tasks do not run.",
        arity: (1, Some(1)),
        code: |cx, args| {
            cx.get::<Controlled>()?.clock()?.set(seconds(&args[0])?);
            Ok(args[0].clone())
        },
    },
    Native {
        name: "unix-time-controlled",
        arglists: "([])",
        doc: "The time that the clock was moved to.",
        arity: (0, Some(0)),
        code: controlled_now,
    },
    Native {
        name: "linear-time-controlled",
        arglists: "([])",
        doc: "The time that the clock was moved to.",
        arity: (0, Some(0)),
        code: controlled_now,
    },
    Native {
        name: "advance!",
        arglists: "([t])",
        doc: "Moves the clock on to t, running each task at its time. A t that has passed does nothing.",
        arity: (1, Some(1)),
        code: |cx, args| {
            let clock = cx.get::<Controlled>()?.clock()?;
            clock.advance(seconds(&args[0])?, &cx.get::<World>()?.scheduler());
            Ok(Value::Nil)
        },
    },
];

fn controlled_now(cx: &Cx<'_>, _: &[Value]) -> Result {
    let clock = cx.get::<Controlled>()?.clock()?;
    Ok(clock::Clock::now(&*clock).to_number().into())
}

fn with_controlled_time(cx: &Cx<'_>, args: &[Value]) -> Result {
    let (controlled, world) = (cx.get::<Controlled>()?, cx.get::<World>()?);
    if controlled.0.lock().is_some() {
        return cx.call(&args[0], &[]);
    }
    let before = world.scheduler();
    controlled.take(world);
    let result = cx.call(&args[0], &[]);
    world.switch((*before).clone());
    *controlled.0.lock() = None;
    result
}

fn every(cx: &Cx<'_>, args: &[Value]) -> Result {
    let interval = number(&args[0])?;
    let interval = Interval::from_number(&interval).ok_or_else(|| {
        Thrown::illegal_argument(format!("an interval must be more than 0 s, not {interval}"))
    })?;
    let delay = if args.len() == 3 {
        seconds(&args[1])?
    } else {
        Time::from_s(0)
    };
    let function = args.last().cloned().unwrap_or_default();
    let scheduler = cx.get::<World>()?.scheduler();
    Ok(Value::object(TaskObject(scheduler.every(
        interval,
        delay,
        callback(cx, &function),
    ))))
}

/// Calls a function of the language from the scheduler; what it throws is reported.
fn callback(cx: &Cx<'_>, function: &Value) -> Callback {
    let (rt, function): (std::sync::Weak<Runtime>, Value) =
        (Arc::downgrade(cx.rt), function.clone());
    Arc::new(move || {
        let Some(rt) = rt.upgrade() else { return };
        let cx = Cx::new(&rt);
        if let Err(thrown) = cx.call(&function, &[])
            && let Ok(world) = cx.get::<World>()
        {
            world.report("a scheduled task", &thrown);
        }
    })
}

fn task(value: &Value) -> Result<&Task> {
    value
        .downcast::<TaskObject>()
        .map(|task| &task.0)
        .ok_or_else(|| Thrown::illegal_argument(format!("{} is not a task", value.to_readable())))
}

fn number(value: &Value) -> Result<Number> {
    value.as_number().ok_or_else(|| {
        Thrown::class_cast(format!(
            "{} is not a number of seconds",
            value.to_readable()
        ))
    })
}

fn seconds(value: &Value) -> Result<Time> {
    let number = number(value)?;
    Time::nearest(&number)
        .ok_or_else(|| Thrown::illegal_argument(format!("{number} s is out of range")))
}

fn next_tick(cx: &Cx<'_>, args: &[Value]) -> Result {
    let (anchor, step) = (seconds(&args[0])?, seconds(&args[1])?);
    let now = match args.get(2) {
        Some(now) => seconds(now)?,
        None => cx.get::<World>()?.now(),
    };
    if step.us <= 0 {
        return Err(Thrown::illegal_argument("dt must be more than 0 s"));
    }
    let since = Time {
        us: now.minus(anchor).us.rem_euclid(step.us),
        kind: now.kind,
    };
    let kind = now.kind.max(anchor.kind).max(step.kind);
    let next = now.plus(step).minus(since);
    Ok(Time { kind, ..next }.to_number().into())
}
