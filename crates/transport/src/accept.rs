//! Accepting connections and handing them to the workers.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use socket2::{SockRef, TcpKeepalive};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::limits::{ACCEPT_PAUSE, KEEPALIVE_TIME};
use crate::server::{Server, Task};
use crate::stats::{ServerStats, add};
use crate::warning::Warnings;
use crate::workers::{Pool, Workers};

/// An accepted connection, still without an event loop.
pub(crate) struct Accepted {
    stream: TcpStream,
    pub peer: SocketAddr,
    pub open: Open,
}

/// Counts a connection as open, and holds the server's stop up, until dropped.
pub(crate) struct Open {
    pub task: Task,
    stats: Arc<ServerStats>,
    _slot: OwnedSemaphorePermit,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.stats.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Accepted {
    /// Ties the connection to the event loop of this thread.
    pub(crate) fn attach(self) -> io::Result<(tokio::net::TcpStream, Open)> {
        Ok((tokio::net::TcpStream::from_std(self.stream)?, self.open))
    }
}

/// Accepts until the server stops; `connection` makes the task that serves one connection.
pub(crate) fn serve<F>(
    server: &Server,
    listener: TcpListener,
    connections_max: usize,
    workers: &Workers,
    connection: impl Fn(Accepted) -> F + Send + Sync + 'static,
) where
    F: Future<Output = ()> + Send + 'static,
{
    let pool = workers.pool();
    let acceptor = Acceptor {
        name: format!("{} {}", server.kind(), server.addr()),
        slots: Arc::new(Semaphore::new(connections_max.min(Semaphore::MAX_PERMITS))),
        stats: Arc::clone(server.stats()),
        task: server.task(),
        warnings: Warnings::default(),
    };
    let closed = server.task();
    workers.pool().spawn_acceptor(async move {
        // Dropped last: a server that has stopped has closed its port.
        let _closed = closed;
        match tokio::net::TcpListener::from_std(listener) {
            Ok(listener) => acceptor.run(&listener, &pool, &connection).await,
            Err(error) => tracing::error!("{}: cannot accept: {error}", acceptor.name),
        }
    });
}

struct Acceptor {
    name: String,
    slots: Arc<Semaphore>,
    stats: Arc<ServerStats>,
    task: Task,
    warnings: Warnings,
}

impl Acceptor {
    async fn run<F>(
        self,
        listener: &tokio::net::TcpListener,
        pool: &Pool,
        connection: &impl Fn(Accepted) -> F,
    ) where
        F: Future<Output = ()> + Send + 'static,
    {
        let mut stop = self.task.clone();
        loop {
            let accepted = tokio::select! {
                biased;
                () = stop.stopping() => return,
                accepted = self.next(listener) => accepted,
            };
            pool.spawn(connection(accepted));
        }
    }

    async fn next(&self, listener: &tokio::net::TcpListener) -> Accepted {
        let slot = self.slot().await;
        loop {
            match listener.accept().await {
                Ok((stream, peer)) => match prepare(stream) {
                    Ok(stream) => return self.accepted(stream, peer, slot),
                    // The client has gone already.
                    Err(error) => tracing::debug!("{}: {peer}: {error}", self.name),
                },
                Err(error) => self.failed(&error).await,
            }
        }
    }

    /// Waits while the server has as many connections as it may.
    async fn slot(&self) -> OwnedSemaphorePermit {
        let slots = Arc::clone(&self.slots);
        if slots.available_permits() == 0
            && let Some(left_out) = self.warnings.due()
        {
            let name = &self.name;
            tracing::warn!(
                left_out,
                "{name}: as many connections as :connections-max allows; new ones wait"
            );
        }
        slots
            .acquire_owned()
            .await
            .expect("the semaphore is never closed")
    }

    fn accepted(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        slot: OwnedSemaphorePermit,
    ) -> Accepted {
        add(&self.stats.accepted, 1);
        add(&self.stats.connections, 1);
        let open = Open {
            task: self.task.clone(),
            stats: Arc::clone(&self.stats),
            _slot: slot,
        };
        Accepted { stream, peer, open }
    }

    /// A client that gave up is nothing; without file handles, new clients wait in the backlog.
    async fn failed(&self, error: &io::Error) {
        if matches!(
            error.kind(),
            io::ErrorKind::ConnectionAborted
                | io::ErrorKind::ConnectionReset
                | io::ErrorKind::Interrupted
        ) {
            return;
        }
        add(&self.stats.accept_errors, 1);
        if let Some(left_out) = self.warnings.due() {
            let name = &self.name;
            let remedy = remedy(error);
            tracing::error!(
                left_out,
                "{name}: cannot accept, new connections wait: {error}{remedy}"
            );
        }
        tokio::time::sleep(ACCEPT_PAUSE).await;
    }
}

fn remedy(error: &io::Error) -> &'static str {
    let errno = error.raw_os_error().unwrap_or_default();
    if errno == rustix::io::Errno::MFILE.raw_os_error() {
        "; raise the process's limit of open files (LimitNOFILE= in systemd, ulimit -n)"
    } else if errno == rustix::io::Errno::NFILE.raw_os_error() {
        "; raise the system's limit of open files (sysctl fs.file-max)"
    } else {
        ""
    }
}

/// Sets the socket's options and takes it off this thread's event loop.
fn prepare(stream: tokio::net::TcpStream) -> io::Result<TcpStream> {
    let stream = stream.into_std()?;
    stream.set_nodelay(true)?;
    let keepalive = TcpKeepalive::new().with_time(KEEPALIVE_TIME);
    SockRef::from(&stream).set_tcp_keepalive(&keepalive)?;
    Ok(stream)
}
