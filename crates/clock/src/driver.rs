//! Threads that run a scheduler's tasks as the clock reaches them.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::scheduler::Shared;
use crate::{Due, Scheduler};

/// Riemann's number of threads: a task that blocks on a slow target holds up no other.
pub const THREADS_DEFAULT: usize = 4;

/// The longest sleep, in seconds: a step of the system's clock is noticed after that.
const SLEEP_S_MAX: u64 = 1;

/// Told of a task that panicked, with the panic's message. The task goes on if it is periodic.
pub type PanicHook = Arc<dyn Fn(&str) + Send + Sync>;

/// The threads of a started scheduler. They stop when it is dropped.
pub struct Driver {
    shared: Arc<Shared>,
    stopping: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Scheduler {
    /// Starts `threads` threads to run tasks as their time comes. Tasks start in order; with one
    /// thread they also end in order, with more a slow one does not hold up the rest.
    ///
    /// # Errors
    /// When the system has no more threads; those already started are stopped.
    pub fn start(&self, threads: usize, on_panic: PanicHook) -> io::Result<Driver> {
        let mut driver = Driver {
            shared: self.0.clone(),
            stopping: Arc::new(AtomicBool::new(false)),
            threads: Vec::with_capacity(threads),
        };
        for number in 0..threads {
            let (shared, stopping) = (self.0.clone(), driver.stopping.clone());
            let on_panic = on_panic.clone();
            let thread = thread::Builder::new()
                .name(format!("task {number}"))
                .spawn(move || work(&shared, &stopping, &on_panic))?;
            driver.threads.push(thread);
        }
        Ok(driver)
    }
}

impl Driver {
    /// Waits for the tasks that are running and ends the threads. The scheduler keeps its tasks. A
    /// task may stop its own driver; its thread ends when the task does.
    pub fn stop(self) {
        drop(self);
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::Release);
        // A thread that saw the old flag holds the lock until it waits, so this reaches it.
        drop(self.shared.queue.lock());
        self.shared.watcher.notify_all();
        self.shared.idle.notify_all();
        for thread in self.threads.drain(..) {
            if thread.thread().id() != thread::current().id() {
                thread
                    .join()
                    .expect("a task's panic is caught, and a panic hook must not");
            }
        }
    }
}

fn work(shared: &Arc<Shared>, stopping: &AtomicBool, on_panic: &PanicHook) {
    while let Some(due) = next_due(shared, stopping) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| due.run.call())) {
            on_panic(message(&*panic));
        }
        due.put_back();
    }
}

/// Waits for the first task's time. One thread at most watches the time; the others wait for that one
/// to leave.
fn next_due(shared: &Arc<Shared>, stopping: &AtomicBool) -> Option<Due> {
    let mut queue = shared.queue.lock();
    while !stopping.load(Ordering::Acquire) {
        let now_us = shared.clock.now().us;
        if let Some(run) = queue.pop(now_us) {
            shared.idle.notify_one();
            return Some(Due {
                run,
                generation: queue.generation,
                shared: shared.clone(),
            });
        }
        match queue.next_at() {
            Some(first) if !queue.watched => {
                let left_us = u64::try_from(first.us.saturating_sub(now_us)).unwrap_or(0);
                let sleep = Duration::from_micros(left_us).min(Duration::from_secs(SLEEP_S_MAX));
                queue.watched = true;
                shared.watcher.wait_for(&mut queue, sleep);
                queue.watched = false;
            }
            _ => shared.idle.wait(&mut queue),
        }
    }
    // Another driver's thread may have relied on this one to watch.
    shared.idle.notify_one();
    None
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or(panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
