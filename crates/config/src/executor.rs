//! Pools of threads with bounded queues, as `async-queue!` makes them.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clj::{Cx, Native, Object, Result, Runtime, Thrown, Value, seq};
use parking_lot::{Condvar, Mutex};
use streams::World;

use crate::words;

/// Stack of a pool's thread: stream functions may recurse. Only what is used is taken.
const STACK_BYTES: usize = 16 << 20;

pub const NATIVES: &[Native] = &[
    Native {
        name: "-threadpool",
        arglists: "([name options])",
        doc: "A pool of threads with a bounded queue.",
        arity: (2, Some(2)),
        code: |cx, args| {
            let shared = Arc::new(Shared::new(args[0].to_text(), &args[1])?);
            cx.get::<Pools>()?.0.lock().push(shared.clone());
            Ok(Value::object(Pool(shared)))
        },
    },
    Native {
        name: "-pool-counts",
        arglists: "([executor])",
        doc: "What a pool has counted; nil of other executors.",
        arity: (1, Some(1)),
        code: |_, args| {
            Ok(args[0]
                .downcast::<Pool>()
                .map_or(Value::Nil, |pool| pool.0.counts()))
        },
    },
    Native {
        name: "-service-executor",
        arglists: "([service])",
        doc: "An executor that hands tasks to a service's own while it runs.",
        arity: (1, Some(1)),
        code: |_, args| Ok(Value::object(ServiceExecutor(args[0].clone()))),
    },
];

/// Every pool of a configuration.
#[derive(Default)]
pub struct Pools(Mutex<Vec<Arc<Shared>>>);

impl Pools {
    /// Takes no more tasks, and waits until those that are queued have run; false if some still
    /// run after `grace`.
    pub fn finish(&self, grace: Duration) -> bool {
        let deadline = Instant::now() + grace;
        let pools = self.0.lock().clone();
        pools.iter().for_each(|pool| pool.shutdown());
        pools.iter().all(|pool| pool.ended_by(deadline))
    }
}

/// A pool as a value: an executor.
struct Pool(Arc<Shared>);

/// An executor of a service that may not have started yet.
struct ServiceExecutor(Value);

pub struct Shared {
    name: String,
    core_threads: usize,
    max_threads: usize,
    keep_alive: Duration,
    queue_max: usize,
    inside: Mutex<Inside>,
    work: Condvar,
    /// A thread has ended.
    ended: Condvar,
    last_thread: AtomicU64,
    accepted: AtomicU64,
    completed: AtomicU64,
    rejected: AtomicU64,
}

#[derive(Default)]
struct Inside {
    queue: VecDeque<Task>,
    threads: usize,
    /// Threads that run a task now.
    active: usize,
    stopped: bool,
}

/// A function of the language, with the runtime and the bindings to call it in.
struct Task {
    rt: Arc<Runtime>,
    function: Value,
    bindings: clj::dynamic::Bindings,
}

/// A time in the option's unit, a constant of `TimeUnit`; milliseconds without one, as Riemann
/// counts.
fn keep_alive(time: u64, options: &Value) -> Duration {
    let unit = seq::get(options, &Value::keyword("keep-alive-unit")).unwrap_or_default();
    match unit.to_text().as_str() {
        "NANOSECONDS" => Duration::from_nanos(time),
        "MICROSECONDS" => Duration::from_micros(time),
        "SECONDS" => Duration::from_secs(time),
        "MINUTES" => Duration::from_secs(time.saturating_mul(60)),
        "HOURS" => Duration::from_secs(time.saturating_mul(3600)),
        "DAYS" => Duration::from_secs(time.saturating_mul(86_400)),
        _ => Duration::from_millis(time),
    }
}

impl Shared {
    fn new(name: String, options: &Value) -> Result<Shared> {
        let number = |key: &str, default: usize| -> Result<usize> {
            match seq::get(options, &Value::keyword(key)).unwrap_or_default() {
                Value::Nil => Ok(default),
                Value::Int(number) if number >= 0 => Ok(number as usize),
                other => Err(Thrown::illegal_argument(format!(
                    "async-queue {name}: :{key} must be a whole number, not {}",
                    other.to_readable()
                ))),
            }
        };
        let core_threads = number("core-pool-size", 1)?.max(1);
        Ok(Shared {
            core_threads,
            max_threads: number("max-pool-size", 128)?.max(core_threads),
            keep_alive: keep_alive(number("keep-alive-time", 10)? as u64, options),
            queue_max: number("queue-size", 1000)?.max(1),
            name,
            inside: Mutex::default(),
            work: Condvar::new(),
            ended: Condvar::new(),
            last_thread: AtomicU64::new(0),
            accepted: AtomicU64::new(0),
            completed: AtomicU64::new(0),
            rejected: AtomicU64::new(0),
        })
    }

    fn counts(&self) -> Value {
        let inside = self.inside.lock();
        let counts = [
            ("accepted", self.accepted.load(Ordering::Relaxed)),
            ("completed", self.completed.load(Ordering::Relaxed)),
            ("rejected", self.rejected.load(Ordering::Relaxed)),
            ("queue-capacity", self.queue_max as u64),
            ("queue-size", inside.queue.len() as u64),
            ("threads-active", inside.active as u64),
            ("threads-alive", inside.threads as u64),
        ];
        Value::map(counts.map(|(name, count)| (Value::keyword(name), Value::Int(count as i64))))
    }

    /// As [`Shared::admit`], counted.
    fn execute(self: &Arc<Shared>, task: Task) -> Result<()> {
        let admitted = self.admit(task);
        let counter = match &admitted {
            Ok(()) => &self.accepted,
            Err(_) => &self.rejected,
        };
        counter.fetch_add(1, Ordering::Relaxed);
        admitted
    }

    /// Queues a task, or starts a thread for it: up to the core size at once, up to the largest
    /// size when the queue is full.
    fn admit(self: &Arc<Shared>, task: Task) -> Result<()> {
        let mut inside = self.inside.lock();
        if inside.stopped {
            return Err(rejected(&self.name, "has stopped"));
        }
        if inside.threads < self.core_threads {
            return self.spawn(&mut inside, task);
        }
        if inside.queue.len() < self.queue_max {
            inside.queue.push_back(task);
            self.work.notify_one();
            return Ok(());
        }
        if inside.threads < self.max_threads {
            return self.spawn(&mut inside, task);
        }
        Err(rejected(&self.name, "is full"))
    }

    fn spawn(self: &Arc<Shared>, inside: &mut Inside, first: Task) -> Result<()> {
        let number = self.last_thread.fetch_add(1, Ordering::Relaxed) + 1;
        let shared = self.clone();
        thread::Builder::new()
            .name(format!("{}-{number}", self.name))
            .stack_size(STACK_BYTES)
            .spawn(move || shared.serve(first))
            .map_err(|error| rejected(&self.name, &format!("cannot start a thread: {error}")))?;
        inside.threads += 1;
        inside.active += 1;
        Ok(())
    }

    fn serve(&self, first: Task) {
        let mut task = Some(first);
        while let Some(next) = task {
            next.run();
            self.completed.fetch_add(1, Ordering::Relaxed);
            task = self.next();
        }
    }

    /// The next task; `None` when the thread is to end.
    fn next(&self) -> Option<Task> {
        let mut inside = self.inside.lock();
        inside.active -= 1;
        loop {
            if let Some(task) = inside.queue.pop_front() {
                inside.active += 1;
                return Some(task);
            }
            let spare = inside.threads > self.core_threads;
            let timed_out = if inside.stopped {
                true
            } else if spare {
                self.work.wait_for(&mut inside, self.keep_alive).timed_out()
            } else {
                self.work.wait(&mut inside);
                false
            };
            if inside.queue.is_empty() && (inside.stopped || (spare && timed_out)) {
                inside.threads -= 1;
                self.ended.notify_all();
                return None;
            }
        }
    }

    fn ended_by(&self, deadline: Instant) -> bool {
        let mut inside = self.inside.lock();
        while inside.threads > 0 {
            if self.ended.wait_until(&mut inside, deadline).timed_out() {
                return inside.threads == 0;
            }
        }
        true
    }

    /// Takes no more; what is queued still runs.
    fn shutdown(&self) {
        self.inside.lock().stopped = true;
        self.work.notify_all();
    }
}

impl Task {
    fn run(self) {
        let cx = Cx::new(&self.rt);
        let outcome = clj::dynamic::within(self.bindings, || cx.call(&self.function, &[]));
        if let Err(thrown) = outcome
            && let Ok(world) = cx.get::<World>()
        {
            world.report("a task of an executor", &thrown);
        }
    }
}

fn rejected(name: &str, why: &str) -> Thrown {
    Thrown::new(
        "java.util.concurrent.RejectedExecutionException",
        format!("Task rejected: async queue {name} {why}"),
    )
}

impl Object for Pool {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.util.concurrent.ThreadPoolExecutor"
    }

    fn method(&self, cx: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        match (name, args) {
            ("execute", [function]) => {
                let task = Task {
                    rt: cx.rt.clone(),
                    function: function.clone(),
                    bindings: clj::dynamic::capture(),
                };
                Some(self.0.execute(task).map(|()| Value::Nil))
            }
            ("shutdown" | "shutdownNow", []) => {
                self.0.shutdown();
                Some(Ok(Value::Nil))
            }
            _ => None,
        }
    }
}

impl Object for ServiceExecutor {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "riemann.service.ServiceExecutor"
    }

    fn method(&self, cx: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        if name != "execute" {
            return None;
        }
        let atom = seq::get(&self.0, &Value::keyword("executor")).unwrap_or_default();
        Some(match words::call(cx, "deref", &[atom]) {
            Ok(Value::Nil) => {
                let name = seq::get(&self.0, &Value::keyword("name")).unwrap_or_default();
                Err(rejected(&name.to_text(), "has not started"))
            }
            Ok(executor) => clj::java::method(cx, &executor, name, args),
            Err(thrown) => Err(thrown),
        })
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.0.shutdown();
    }
}
