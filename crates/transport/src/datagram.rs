//! Reads datagrams in batches and hands each batch to its protocol in one call.

use std::cell::RefCell;
use std::io;
use std::net::UdpSocket;
use std::sync::Arc;
use std::time::Instant;

use crate::limits::{DATAGRAMS_PER_BATCH, READ_BYTES, STOP_GRACE};
use crate::server::{Server, Task};
use crate::stats::{ServerStats, add};
use crate::warning::Warnings;
use crate::workers::Workers;

/// A protocol of which each datagram is whole in itself.
pub(crate) trait Datagrams: Send + Sync + 'static {
    /// Handles datagrams in the order they came.
    fn take(&self, datagrams: &mut dyn Iterator<Item = &[u8]>);
}

thread_local! {
    static BATCH: RefCell<Batch> = RefCell::new(Batch { buffer: vec![0; READ_BYTES], ends: vec![] });
}

/// Datagrams, one behind the other.
struct Batch {
    buffer: Vec<u8>,
    ends: Vec<usize>,
}

impl Batch {
    fn datagrams(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, end)| &self.buffer[start..*end])
    }
}

/// Serves a socket until the server stops.
pub(crate) fn serve(
    server: &Server,
    socket: UdpSocket,
    bytes_max: usize,
    workers: &Workers,
    protocol: impl Datagrams,
) {
    let reader = Arc::new(Reader {
        name: format!("{} {}", server.kind(), server.addr()),
        protocol,
        bytes_max,
        stats: Arc::clone(server.stats()),
        warnings: Warnings::default(),
    });
    let task = server.task();
    let closed = server.task();
    workers.pool().spawn(async move {
        // Dropped last: a server that has stopped has closed its port.
        let _closed = closed;
        match tokio::net::UdpSocket::from_std(socket) {
            Ok(socket) => survive(&Arc::new(socket), reader, task).await,
            Err(error) => tracing::error!("{}: cannot read: {error}", reader.name),
        }
    });
}

/// Reads on if a handler panics: a socket has no client that could connect anew.
async fn survive(
    socket: &Arc<tokio::net::UdpSocket>,
    reader: Arc<Reader<impl Datagrams>>,
    task: Task,
) {
    loop {
        let (socket, reader, task) = (Arc::clone(socket), Arc::clone(&reader), task.clone());
        if tokio::spawn(reader.run(socket, task)).await.is_ok() {
            return;
        }
    }
}

struct Reader<P> {
    name: String,
    protocol: P,
    bytes_max: usize,
    stats: Arc<ServerStats>,
    warnings: Warnings,
}

impl<P: Datagrams> Reader<P> {
    async fn run(self: Arc<Self>, socket: Arc<tokio::net::UdpSocket>, mut task: Task) {
        loop {
            tokio::select! {
                biased;
                () = task.stopping() => break,
                ready = socket.readable() => if let Err(error) = ready {
                    tracing::error!("{}: cannot read: {error}", self.name);
                    break;
                }
            }
            if self.batch(&socket) {
                tokio::task::yield_now().await;
            }
        }
        let deadline = Instant::now() + STOP_GRACE;
        while self.batch(&socket) && Instant::now() < deadline {}
    }

    /// Reads and handles what is there, up to a batch; true if there may be more.
    fn batch(&self, socket: &tokio::net::UdpSocket) -> bool {
        BATCH.with_borrow_mut(|batch| {
            let more = self.fill(socket, batch);
            if !batch.ends.is_empty() {
                self.protocol.take(&mut batch.datagrams());
            }
            more
        })
    }

    fn fill(&self, socket: &tokio::net::UdpSocket, batch: &mut Batch) -> bool {
        batch.ends.clear();
        let mut end = 0;
        // A byte of room beyond the limit tells a longer datagram from one that just fits.
        while batch.ends.len() < DATAGRAMS_PER_BATCH && end + self.bytes_max < batch.buffer.len() {
            match socket.try_recv(&mut batch.buffer[end..=end + self.bytes_max]) {
                Ok(length) if length > self.bytes_max => self.dropped(),
                Ok(length) => {
                    add(&self.stats.bytes_in, length as u64);
                    end += length;
                    batch.ends.push(end);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return false,
                Err(error) => {
                    tracing::debug!("{}: {error}", self.name);
                    return true;
                }
            }
        }
        true
    }

    fn dropped(&self) {
        add(&self.stats.dropped, 1);
        if let Some(left_out) = self.warnings.due() {
            let (name, max) = (&self.name, self.bytes_max);
            tracing::warn!(
                left_out,
                "{name}: dropped a datagram of more than {max} bytes"
            );
        }
    }
}
