//! The threads that serve: one event loop each, connections never move between them.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use crate::limits::WORKER_STACK_BYTES;

/// The threads of all servers: workers, that run connections, and one that only accepts, so that a
/// busy worker does not keep new clients waiting.
#[derive(Debug)]
pub struct Workers {
    pool: Arc<Pool>,
    quits: Vec<oneshot::Sender<()>>,
    /// Yields one message from each thread that has ended.
    ended: mpsc::Receiver<()>,
}

#[derive(Debug)]
pub(crate) struct Pool {
    workers: Vec<Worker>,
    acceptor: Handle,
    turn: AtomicUsize,
}

#[derive(Debug)]
struct Worker {
    handle: Handle,
    load: Arc<AtomicUsize>,
}

impl Workers {
    /// Starts `count` workers; with `None`, one for each core.
    ///
    /// # Errors
    /// The system refuses threads or file handles.
    pub fn start(count: Option<usize>) -> io::Result<Workers> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let count = count.unwrap_or(cores).max(1);
        let (ended_tx, ended) = mpsc::channel();
        let mut quits = Vec::with_capacity(count + 1);
        let mut workers = Vec::with_capacity(count);
        for number in 0..count {
            let handle = start_thread(format!("cauchy-net-{number}"), &mut quits, &ended_tx)?;
            workers.push(Worker {
                handle,
                load: Arc::default(),
            });
        }
        let acceptor = start_thread("cauchy-accept".into(), &mut quits, &ended_tx)?;
        let pool = Arc::new(Pool {
            workers,
            acceptor,
            turn: AtomicUsize::new(0),
        });
        Ok(Workers { pool, quits, ended })
    }

    /// How many threads serve connections.
    pub fn count(&self) -> usize {
        self.pool.workers.len()
    }

    /// Ends the threads and drops what still runs on them; stop the servers first. False if one
    /// was still in a handler after `within`: it is left behind.
    pub fn stop(self, within: Duration) -> bool {
        let deadline = Instant::now() + within;
        let threads = self.quits.len();
        for quit in self.quits {
            // A thread that has gone already needs no telling.
            let _ = quit.send(());
        }
        (0..threads).all(|_| {
            let left = deadline.saturating_duration_since(Instant::now());
            self.ended.recv_timeout(left).is_ok()
        })
    }

    pub(crate) fn pool(&self) -> Arc<Pool> {
        Arc::clone(&self.pool)
    }
}

fn start_thread(
    name: String,
    quits: &mut Vec<oneshot::Sender<()>>,
    ended: &mpsc::Sender<()>,
) -> io::Result<Handle> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let handle = runtime.handle().clone();
    let (quit_tx, quit) = oneshot::channel();
    let ended = ended.clone();
    thread::Builder::new()
        .name(name)
        .stack_size(WORKER_STACK_BYTES)
        .spawn(move || {
            // Either told to quit, or `Workers` was dropped: the same.
            let _ = runtime.block_on(quit);
            drop(runtime);
            let _ = ended.send(());
        })?;
    quits.push(quit_tx);
    Ok(handle)
}

impl Pool {
    /// Runs `task` on the worker with the fewest tasks.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let first = self.turn.fetch_add(1, Ordering::Relaxed);
        let worker = (0..self.workers.len())
            .map(|step| &self.workers[(first.wrapping_add(step)) % self.workers.len()])
            .min_by_key(|worker| worker.load.load(Ordering::Relaxed))
            .expect("there is at least one worker");
        worker.spawn(task);
    }

    /// Runs each task on a worker of its own; there are no more tasks than workers.
    pub(crate) fn spawn_on_each<F>(&self, tasks: impl IntoIterator<Item = F>)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        for (worker, task) in self.workers.iter().zip(tasks) {
            worker.spawn(task);
        }
    }

    /// How many threads serve.
    pub(crate) fn count(&self) -> usize {
        self.workers.len()
    }

    /// Runs a task on the thread that accepts.
    pub(crate) fn spawn_acceptor(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.acceptor.spawn(task);
    }
}

impl Worker {
    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let share = Share::of(&self.load);
        self.handle.spawn(async move {
            let _share = share;
            task.await;
        });
    }
}

/// One task's share of a worker's load.
struct Share(Arc<AtomicUsize>);

impl Share {
    fn of(load: &Arc<AtomicUsize>) -> Share {
        load.fetch_add(1, Ordering::Relaxed);
        Share(Arc::clone(load))
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_secs(10);

    #[test]
    fn tasks_spread_over_the_workers() {
        let workers = Workers::start(Some(3)).unwrap();
        let (names_tx, names) = mpsc::channel();
        for _ in 0..6 {
            let names_tx = names_tx.clone();
            workers.pool().spawn(async move {
                names_tx
                    .send(thread::current().name().unwrap().to_owned())
                    .unwrap();
                std::future::pending::<()>().await;
            });
        }
        let mut names: Vec<String> = names.iter().take(6).collect();
        names.sort();
        assert_eq!(
            names,
            [0, 0, 1, 1, 2, 2].map(|number| format!("cauchy-net-{number}"))
        );
        assert!(workers.stop(SOON));
    }

    #[test]
    fn a_hung_task_does_not_hold_up_the_stop() {
        let workers = Workers::start(Some(1)).unwrap();
        let (entered_tx, entered) = mpsc::channel();
        let (release, released) = mpsc::channel::<()>();
        workers.pool().spawn(async move {
            entered_tx.send(()).unwrap();
            let _ = released.recv();
        });
        entered.recv().unwrap();
        assert!(!workers.stop(Duration::from_millis(1)));
        drop(release);
    }
}
