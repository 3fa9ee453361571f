//! A running server: its address, its counters, its end.

use std::net::SocketAddr;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

use tokio::sync::watch;

use crate::limits::STOP_GRACE;
use crate::stats::ServerStats;

/// A server that serves. Dropping it stops it without waiting.
#[derive(Debug)]
pub struct Server {
    kind: &'static str,
    addr: SocketAddr,
    stats: Arc<ServerStats>,
    stop: watch::Sender<bool>,
    tasks: Arc<Tasks>,
}

impl Server {
    pub(crate) fn new(kind: &'static str, addr: SocketAddr) -> Server {
        let (stop, _) = watch::channel(false);
        Server {
            kind,
            addr,
            stats: Arc::default(),
            stop,
            tasks: Arc::default(),
        }
    }

    /// `tcp`, `tls`, `udp`, `ws`, `sse`, `graphite`, `opentsdb`.
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// The address it is bound to, with the real port.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    pub fn stats(&self) -> &Arc<ServerStats> {
        &self.stats
    }

    /// Accepts and reads no more; what has been read is answered, then connections close.
    pub fn begin_stop(&self) {
        self.stop.send_replace(true);
    }

    /// Waits until a stop that was begun is complete; false if it is not by `deadline`.
    pub fn stopped_by(&self, deadline: Instant) -> bool {
        self.tasks.none_by(deadline)
    }

    /// What each task of this server carries.
    pub(crate) fn task(&self) -> Task {
        *self.tasks.lock() += 1;
        Task {
            stop: self.stop.subscribe(),
            tasks: Arc::clone(&self.tasks),
        }
    }
}

/// A task's tie to its server: hears of the stop, and holds it up until dropped.
#[derive(Debug)]
pub(crate) struct Task {
    stop: watch::Receiver<bool>,
    tasks: Arc<Tasks>,
}

impl Task {
    /// Completes when the server is to stop.
    pub(crate) async fn stopping(&mut self) {
        // An error means that the server has been dropped: stop too.
        let _ = self.stop.wait_for(|stop| *stop).await;
    }

    /// Completes when the server is to stop and a peer that does not take what we have for it has
    /// had its time.
    pub(crate) async fn stop_grace_over(&mut self) {
        self.stopping().await;
        tokio::time::sleep(STOP_GRACE).await;
    }
}

impl Clone for Task {
    fn clone(&self) -> Task {
        *self.tasks.lock() += 1;
        Task {
            stop: self.stop.clone(),
            tasks: Arc::clone(&self.tasks),
        }
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        let mut running = self.tasks.lock();
        *running -= 1;
        if *running == 0 {
            self.tasks.none.notify_all();
        }
    }
}

/// How many tasks of a server run.
#[derive(Debug, Default)]
struct Tasks {
    running: Mutex<usize>,
    none: Condvar,
}

impl Tasks {
    fn lock(&self) -> std::sync::MutexGuard<'_, usize> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn none_by(&self, deadline: Instant) -> bool {
        let left = deadline.saturating_duration_since(Instant::now());
        let waited = self
            .none
            .wait_timeout_while(self.lock(), left, |running| *running > 0);
        *waited.unwrap_or_else(PoisonError::into_inner).0 == 0
    }
}
