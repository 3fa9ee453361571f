//! `java.util.concurrent.Executors`: threads that work through a queue of tasks.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use super::future::Future;
use super::time_unit::duration;
use super::{JavaClass, constructor, member};
use crate::core::arguments::count;
use crate::core::deferred::run_on_thread;
use crate::{Cx, Object, Result, Runtime, Thrown, Value, seq};

pub(super) const CLASSES: &[JavaClass] = &[
    JavaClass {
        name: "java.util.concurrent.Executors",
        construct: None,
        statics: &[
            member("newFixedThreadPool", 1, 2, |_, a| pool(count(&a[0])?)),
            member("newCachedThreadPool", 0, 1, |_, _| pool(THREADS_MAX)),
            member("newSingleThreadExecutor", 0, 1, |_, _| pool(1)),
            member("newWorkStealingPool", 0, 1, |_, _| {
                pool(std::thread::available_parallelism().map_or(1, usize::from))
            }),
            member("newScheduledThreadPool", 1, 2, |_, a| pool(count(&a[0])?)),
            member("newSingleThreadScheduledExecutor", 0, 1, |_, _| pool(1)),
        ],
        fields: &[],
    },
    JavaClass {
        name: "java.util.concurrent.ThreadPoolExecutor",
        // Core size, most threads, how long idle ones live, its unit, the queue, more.
        construct: constructor(5, 7, |_, a| pool(count(&a[1])?)),
        statics: &[],
        fields: &[],
    },
    JavaClass {
        name: "java.util.concurrent.ScheduledThreadPoolExecutor",
        construct: constructor(1, 2, |_, a| pool(count(&a[0])?)),
        statics: &[],
        fields: &[],
    },
];

/// Most threads of a pool that may have any number of them.
const THREADS_MAX: usize = 256;
/// Most tasks that wait; more are rejected.
const QUEUE_LEN_MAX: usize = 65_536;
/// How long a thread waits for a task before it ends.
const IDLE: Duration = Duration::from_secs(60);

fn pool(threads_max: usize) -> Result {
    if threads_max == 0 {
        return Err(Thrown::without_message(
            "java.lang.IllegalArgumentException",
        ));
    }
    let threads_max = threads_max.min(THREADS_MAX);
    let state = Mutex::new(State::default());
    let shared = Arc::new(Shared {
        threads_max,
        state,
        changed: Condvar::new(),
    });
    Ok(Value::object(Executor(shared)))
}

/// The pool itself; when it is dropped, its threads finish what waits and end.
struct Executor(Arc<Shared>);

struct Shared {
    threads_max: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<(Arc<Runtime>, Future)>,
    threads: usize,
    idle: usize,
    completed: i64,
    is_shut: bool,
    /// Repeated and delayed tasks, which threads of their own wait for.
    scheduled: Vec<Future>,
}

impl Executor {
    fn submit(&self, cx: &Cx<'_>, body: &Value) -> Result<Future> {
        let future = Future::new(body.clone());
        self.0.submit(cx.rt, future.clone())?;
        Ok(future)
    }

    /// Runs a task after a delay, and again after each period if there is one.
    fn schedule(&self, cx: &Cx<'_>, args: &[Value], repeat: bool) -> Result {
        let (body, unit) = (&args[0], &args[args.len() - 1]);
        let delay = duration(&args[1], unit)?;
        let period = if repeat {
            Some(duration(&args[2], unit)?)
        } else {
            None
        };
        let future = Future::new(body.clone());
        {
            let mut state = self.0.state.lock();
            if state.is_shut {
                return Err(rejected("it has been shut down"));
            }
            state.scheduled.push(future.clone());
        }
        let (rt, task) = (cx.rt.clone(), future.clone());
        run_on_thread("scheduled", move || {
            if !task.pause(delay) {
                return;
            }
            match period {
                Some(period) => while task.repeat(&rt) && task.pause(period) {},
                None => task.run(&rt),
            }
        })?;
        Ok(Value::object(future))
    }

    fn invoke_all(&self, cx: &Cx<'_>, tasks: &Value) -> Result {
        let mut futures = Vec::new();
        for task in seq::to_vec(tasks)? {
            futures.push(Value::object(self.submit(cx, &task)?));
        }
        for future in &futures {
            // What a task throws is found in its future.
            let _ = super::method(cx, future, "get", &[]);
        }
        Ok(Value::vector(futures))
    }

    fn await_end(&self, time: Duration) -> bool {
        let mut state = self.0.state.lock();
        let is_working =
            |state: &mut State| !state.is_shut || state.threads > 0 || !state.waiting.is_empty();
        !self
            .0
            .changed
            .wait_while_for(&mut state, is_working, time)
            .timed_out()
    }
}

fn rejected(why: &str) -> Thrown {
    let class = "java.util.concurrent.RejectedExecutionException";
    Thrown::new(class, format!("Task rejected from executor: {why}"))
}

impl Shared {
    fn submit(self: &Arc<Self>, rt: &Arc<Runtime>, task: Future) -> Result<()> {
        let mut state = self.state.lock();
        if state.is_shut {
            return Err(rejected("it has been shut down"));
        }
        if state.waiting.len() >= QUEUE_LEN_MAX {
            return Err(rejected("its queue is full"));
        }
        state.waiting.push_back((rt.clone(), task));
        if state.idle < state.waiting.len() && state.threads < self.threads_max {
            let shared = self.clone();
            state.threads += 1;
            let spawned = run_on_thread("pool", move || shared.work());
            if let Err(thrown) = spawned {
                state.threads -= 1;
                state.waiting.pop_back();
                return Err(thrown);
            }
        }
        self.changed.notify_all();
        Ok(())
    }

    /// What each thread does.
    fn work(&self) {
        let mut state = self.state.lock();
        loop {
            if let Some((rt, task)) = state.waiting.pop_front() {
                drop(state);
                task.run(&rt);
                // Whatever they hold may be dropped here, which must not happen under the lock.
                drop((rt, task));
                state = self.state.lock();
                state.completed += 1;
                continue;
            }
            state.idle += 1;
            self.changed.notify_all();
            let timed_out = !state.is_shut && self.changed.wait_for(&mut state, IDLE).timed_out();
            state.idle -= 1;
            if state.waiting.is_empty() && (state.is_shut || timed_out) {
                state.threads -= 1;
                self.changed.notify_all();
                return;
            }
        }
    }

    fn shut(&self) {
        let mut state = self.state.lock();
        state.is_shut = true;
        for task in state.scheduled.drain(..) {
            task.cancel();
        }
        self.changed.notify_all();
    }
}

impl Drop for Executor {
    fn drop(&mut self) {
        self.0.shut();
    }
}

impl Object for Executor {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.util.concurrent.ThreadPoolExecutor"
    }

    fn is_a(&self, class: &str) -> bool {
        matches!(
            class,
            "java.util.concurrent.Executor"
                | "java.util.concurrent.ExecutorService"
                | "java.util.concurrent.ScheduledExecutorService"
                | "java.lang.AutoCloseable"
        )
    }

    fn method(&self, cx: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        let size = |size: usize| Ok(Value::Int(size as i64));
        Some(match (name, args) {
            ("execute", [task]) => self.submit(cx, task).map(|_| Value::Nil),
            ("submit", [task]) => self.submit(cx, task).map(Value::object),
            ("invokeAll", [tasks]) => self.invoke_all(cx, tasks),
            ("schedule", [_, _, _]) => self.schedule(cx, args, false),
            ("scheduleAtFixedRate" | "scheduleWithFixedDelay", [_, _, _, _]) => {
                self.schedule(cx, args, true)
            }
            ("shutdown", []) => {
                self.0.shut();
                Ok(Value::Nil)
            }
            ("shutdownNow", []) => {
                let waiting = std::mem::take(&mut self.0.state.lock().waiting);
                self.0.shut();
                Ok(Value::list(
                    waiting
                        .into_iter()
                        .map(|(_, task)| Value::object(task))
                        .collect(),
                ))
            }
            ("awaitTermination", [time, unit]) => {
                duration(time, unit).map(|time| Value::Bool(self.await_end(time)))
            }
            ("close", []) => {
                self.0.shut();
                self.await_end(Duration::MAX);
                Ok(Value::Nil)
            }
            ("isShutdown", []) => Ok(Value::Bool(self.0.state.lock().is_shut)),
            ("isTerminated", []) => {
                let state = self.0.state.lock();
                let is_over = state.waiting.is_empty() && state.threads == state.idle;
                Ok(Value::Bool(state.is_shut && is_over))
            }
            ("getPoolSize", []) => size(self.0.state.lock().threads),
            ("getMaximumPoolSize" | "getCorePoolSize", []) => size(self.0.threads_max),
            ("getActiveCount", []) => {
                let state = self.0.state.lock();
                size(state.threads - state.idle)
            }
            ("getCompletedTaskCount", []) => Ok(Value::Int(self.0.state.lock().completed)),
            ("getQueue", []) => size(self.0.state.lock().waiting.len())
                .map(|len| super::queue::of_len(len.as_i64().unwrap_or(0))),
            _ => return None,
        })
    }
}
