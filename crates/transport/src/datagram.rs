//! Reads datagrams in batches and hands each batch to its protocol in one call.

use std::cell::RefCell;
use std::io;
use std::net::UdpSocket;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use socket::Gather;
use socket::datagram::{self, Received};
use socket2::SockRef;
use tokio::io::Interest;

use crate::limits::{
    DATAGRAMS_PER_BATCH, GATHER_BUFFER_BYTES, GATHER_PAUSE_UDP, READ_BYTES, STOP_GRACE,
    UDP_RECEIVE_BYTES,
};
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

/// Serves a socket until the server stops, with a sibling on each further worker.
pub(crate) fn serve(
    server: &Server,
    socket: UdpSocket,
    bytes_max: usize,
    workers: &Workers,
    protocol: impl Datagrams,
) {
    let pool = workers.pool();
    let reader = Arc::new(Reader {
        name: format!("{} {}", server.kind(), server.addr()),
        protocol,
        bytes_max,
        stats: Arc::clone(server.stats()),
        warnings: Warnings::default(),
    });
    let sockets = siblings(socket, pool.count(), &reader.name);
    let tasks = sockets.into_iter().map(|socket| {
        let (reader, task, closed) = (Arc::clone(&reader), server.task(), server.task());
        async move {
            // Dropped last: a server that has stopped has closed its port.
            let _closed = closed;
            match Tap::open(socket) {
                Ok(tap) => survive(&Arc::new(tap), reader, task).await,
                Err(error) => tracing::error!("{}: cannot read: {error}", reader.name),
            }
        }
    });
    pool.spawn_on_each(tasks);
}

/// As many sockets on one port as there are workers, if the system gives them.
fn siblings(first: UdpSocket, count: usize, name: &str) -> Vec<UdpSocket> {
    let mut sockets = vec![first];
    while sockets.len() < count {
        match datagram::sibling(&sockets[0]) {
            Ok(socket) => sockets.push(socket),
            Err(error) => {
                tracing::warn!("{name}: one worker reads for all: {error}");
                break;
            }
        }
    }
    sockets
}

/// A socket, and what is known of it.
struct Tap {
    socket: tokio::net::UdpSocket,
    /// The kernel's count of dropped datagrams when it was last read.
    overrun: AtomicU32,
    /// The receive buffer has room for what comes in a pause.
    roomy: bool,
}

impl Tap {
    fn open(socket: UdpSocket) -> io::Result<Tap> {
        // Without it, each datagram comes by itself.
        datagram::join_datagrams(&socket);
        let roomy = SockRef::from(&socket).recv_buffer_size()? >= GATHER_BUFFER_BYTES;
        Ok(Tap {
            socket: tokio::net::UdpSocket::from_std(socket)?,
            overrun: AtomicU32::new(0),
            roomy,
        })
    }

    /// How many datagrams the kernel has dropped since the last call.
    fn take_overrun(&self) -> u32 {
        let Ok(total) = datagram::dropped_by_kernel(&self.socket) else {
            return 0;
        };
        total.wrapping_sub(self.overrun.swap(total, Ordering::Relaxed))
    }
}

/// Reads on if a handler panics: a socket has no client that could connect anew.
async fn survive(tap: &Arc<Tap>, reader: Arc<Reader<impl Datagrams>>, task: Task) {
    loop {
        let (tap, reader, task) = (Arc::clone(tap), Arc::clone(&reader), task.clone());
        if tokio::spawn(reader.run(tap, task)).await.is_ok() {
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
    async fn run(self: Arc<Self>, tap: Arc<Tap>, mut task: Task) {
        let began = Instant::now();
        let mut gather = tap.roomy.then(|| Gather::new(GATHER_PAUSE_UDP));
        loop {
            tokio::select! {
                biased;
                () = task.stopping() => break,
                ready = tap.socket.readable() => if let Err(error) = ready {
                    tracing::error!("{}: cannot read: {error}", self.name);
                    break;
                }
            }
            let more = self.batch(&tap);
            if more {
                tokio::task::yield_now().await;
            }
            if let Some(gather) = &mut gather
                && let Some(pause) = gather.pause_after(!more, began.elapsed())
            {
                // A stop ends the pause; the next turn sees it.
                let _ = tokio::time::timeout(pause, task.stopping()).await;
            }
        }
        let deadline = Instant::now() + STOP_GRACE;
        while self.batch(&tap) && Instant::now() < deadline {}
    }

    /// Reads and handles what is there, up to a batch; true if there may be more.
    fn batch(&self, tap: &Tap) -> bool {
        BATCH.with_borrow_mut(|batch| {
            let more = self.fill(&tap.socket, batch);
            self.overrun(tap);
            if !batch.ends.is_empty() {
                self.protocol.take(&mut batch.datagrams());
            }
            more
        })
    }

    fn fill(&self, socket: &tokio::net::UdpSocket, batch: &mut Batch) -> bool {
        batch.ends.clear();
        let mut end = 0;
        while batch.ends.len() < DATAGRAMS_PER_BATCH && end + UDP_RECEIVE_BYTES < batch.buffer.len()
        {
            let room = &mut batch.buffer[end..];
            match socket.try_io(Interest::READABLE, || datagram::receive(socket, room)) {
                Ok(received) => end = self.split(batch, end, received),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return false,
                Err(error) => {
                    tracing::debug!("{}: {error}", self.name);
                    return true;
                }
            }
        }
        true
    }

    /// Notes where the datagrams end that were received at `start`; gives the end of the last.
    fn split(&self, batch: &mut Batch, start: usize, received: Received) -> usize {
        let Received {
            bytes,
            segment_bytes,
        } = received;
        if segment_bytes > self.bytes_max {
            self.dropped(bytes.div_ceil(segment_bytes));
            return start;
        }
        add(&self.stats.bytes_in, bytes as u64);
        let end = start + bytes;
        let mut at = start;
        loop {
            at = (at + segment_bytes).min(end);
            batch.ends.push(at);
            if at == end {
                return end;
            }
        }
    }

    fn dropped(&self, datagrams: usize) {
        add(&self.stats.dropped, datagrams as u64);
        if let Some(left_out) = self.warnings.due() {
            let (name, max) = (&self.name, self.bytes_max);
            tracing::warn!(
                left_out,
                "{name}: dropped a datagram of more than {max} bytes"
            );
        }
    }

    /// Counts what the kernel dropped for want of room in the socket's buffer.
    fn overrun(&self, tap: &Tap) {
        let lost = tap.take_overrun();
        if lost == 0 {
            return;
        }
        add(&self.stats.overrun, u64::from(lost));
        if let Some(left_out) = self.warnings.due() {
            let name = &self.name;
            tracing::warn!(
                left_out,
                "{name}: lost {lost} datagrams that came faster than they were read; raise \
                 :so-rcvbuf and the system's limit (sysctl net.core.rmem_max)"
            );
        }
    }
}
