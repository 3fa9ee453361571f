//! Drives one connection of a byte protocol: large reads, one write for the answers of a read.
//!
//! The read buffer belongs to the worker, not to the connection, which keeps only the unfinished
//! message it ends with: an idle connection costs a socket and a few hundred bytes. Nothing is read
//! while answers wait to be written, so a client that does not read is not read from.

use std::cell::RefCell;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use futures_util::FutureExt;
use socket::Gather;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};

use crate::handler::{Handler, Receipt};
use crate::keeping::durable;
use crate::limits::{
    ANSWER_BYTES_KEPT, CLOSE_TIMEOUT, GATHER_BYTES, GATHER_PAUSE, READ_BYTES, TAIL_SLACK_BYTES,
};
use crate::protocol::{Next, Protocol, Taken};
use crate::server::Task;
use crate::stats::{ServerStats, add};

thread_local! {
    static READ_BUFFER: RefCell<Vec<u8>> = RefCell::new(vec![0; READ_BYTES]);
    static ANSWERS: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Serves the connection until the peer closes, errs, or the server stops.
pub(crate) async fn drive<S>(
    mut stream: S,
    protocol: impl Protocol,
    stats: Arc<ServerStats>,
    task: &mut Task,
) where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut inbox = Inbox {
        protocol,
        stats,
        tail: Vec::new(),
        pending: false,
    };
    let mut stopping = false;
    let began = Instant::now();
    let mut gather = inbox
        .protocol
        .is_one_way()
        .then(|| Gather::new(GATHER_PAUSE));
    loop {
        let step = if stopping {
            inbox.step(&mut stream).now_or_never()
        } else {
            tokio::select! {
                biased;
                () = task.stopping() => {
                    stopping = true;
                    continue;
                }
                step = inbox.step(&mut stream) => Some(step),
            }
        };
        let Some(Ok(Step {
            next,
            answers,
            filled,
            length,
        })) = step
        else {
            break;
        };
        let receipt = inbox.protocol.receipt();
        let sent = tokio::select! {
            biased;
            sent = send_durable(&mut stream, answers, receipt, &inbox.protocol) => sent.is_ok(),
            () = task.stop_grace_over() => false,
        };
        if !sent {
            return;
        }
        if next == Next::Close || (stopping && !inbox.pending) {
            break;
        }
        if filled {
            // The others of this worker have their turn before the next full buffer.
            tokio::task::yield_now().await;
        }
        if let Some(gather) = &mut gather
            && !stopping
            && let Some(pause) = gather.pause_after(length < GATHER_BYTES, began.elapsed())
        {
            // A stop ends the pause; the next turn sees it.
            let _ = tokio::time::timeout(pause, task.stopping()).await;
        }
    }
    // The peer may have gone; there is nothing left to tell it.
    let _ = tokio::time::timeout(CLOSE_TIMEOUT, stream.shutdown()).await;
}

/// Sends answers once what they answer is durable, or as errors if it cannot be.
async fn send_durable(
    stream: &mut (impl AsyncWrite + Unpin),
    mut answers: Vec<u8>,
    receipt: Option<(Arc<dyn Handler>, Receipt)>,
    protocol: &impl Protocol,
) -> io::Result<()> {
    if let Some((handler, receipt)) = receipt
        && let Err(reason) = durable(&handler, Some(receipt)).await
    {
        protocol.refuse(&mut answers, &reason);
    }
    send(stream, answers).await
}

async fn send(stream: &mut (impl AsyncWrite + Unpin), mut answers: Vec<u8>) -> io::Result<()> {
    if !answers.is_empty() {
        stream.write_all(&answers).await?;
        stream.flush().await?;
    }
    if answers.capacity() <= ANSWER_BYTES_KEPT {
        answers.clear();
        ANSWERS.set(answers);
    }
    Ok(())
}

/// The reading half of a connection.
struct Inbox<P> {
    protocol: P,
    stats: Arc<ServerStats>,
    /// What was read and not handled: less than a message, unless `pending`.
    tail: Vec<u8>,
    /// The tail may hold whole messages.
    pending: bool,
}

/// One read and what came of it.
struct Step {
    next: Next,
    answers: Vec<u8>,
    /// The buffer was full: there is probably more.
    filled: bool,
    /// Bytes read.
    length: usize,
}

impl<P: Protocol> Inbox<P> {
    /// Reads once and handles it. Loses nothing when dropped before it completes.
    async fn step<S: AsyncRead + Unpin>(&mut self, stream: &mut S) -> io::Result<Step> {
        if self.pending {
            return Ok(self.handle_tail(true));
        }
        let wanted = self.protocol.bytes_wanted(&self.tail);
        if wanted > READ_BYTES {
            return self.read_into_tail(stream, wanted).await;
        }
        std::future::poll_fn(|cx| self.poll_shared(cx, stream)).await
    }

    /// Reads into the worker's buffer, behind the tail, as much as there is and fits.
    fn poll_shared<S: AsyncRead + Unpin>(
        &mut self,
        cx: &mut Context<'_>,
        stream: &mut S,
    ) -> Poll<io::Result<Step>> {
        READ_BUFFER.with_borrow_mut(|buffer| {
            let from = self.tail.len();
            let mut read = ReadBuf::new(&mut buffer[from..]);
            ready!(poll_fill(Pin::new(stream), cx, &mut read))?;
            let length = read.filled().len();
            let filled = read.remaining() == 0;
            add(&self.stats.bytes_in, length as u64);
            buffer[..from].copy_from_slice(&self.tail);
            let bytes = &buffer[..from + length];
            let mut answers = ANSWERS.take();
            let Taken { bytes: used, next } = self.protocol.take(bytes, &mut answers);
            self.keep(&bytes[used..], next);
            Poll::Ready(Ok(Step {
                next,
                answers,
                filled,
                length,
            }))
        })
    }

    fn keep(&mut self, rest: &[u8], next: Next) {
        self.pending = next == Next::Send && !rest.is_empty();
        let roomy = self.tail.capacity() > 2 * rest.len() + TAIL_SLACK_BYTES;
        if rest.is_empty() || roomy {
            self.tail = rest.to_vec();
        } else {
            self.tail.clear();
            self.tail.extend_from_slice(rest);
        }
    }

    /// Reads a message that is larger than the worker's buffer into memory of its own, that grows
    /// with what has come, not with what the client says will come.
    async fn read_into_tail<S: AsyncRead + Unpin>(
        &mut self,
        stream: &mut S,
        wanted: usize,
    ) -> io::Result<Step> {
        use bytes::BufMut;
        while self.tail.len() < wanted {
            let left = wanted - self.tail.len();
            self.tail.reserve(left.min(READ_BYTES));
            let length = stream.read_buf(&mut (&mut self.tail).limit(left)).await?;
            if length == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            add(&self.stats.bytes_in, length as u64);
        }
        Ok(self.handle_tail(false))
    }

    fn handle_tail(&mut self, filled: bool) -> Step {
        let mut tail = std::mem::take(&mut self.tail);
        let mut answers = ANSWERS.take();
        let length = tail.len();
        let Taken { bytes, next } = self.protocol.take(&tail, &mut answers);
        tail.drain(..bytes);
        self.pending = next == Next::Send && !tail.is_empty();
        if !tail.is_empty() {
            tail.shrink_to_fit();
            self.tail = tail;
        }
        Step {
            next,
            answers,
            filled,
            length,
        }
    }
}

/// Reads until there is no more for now or no more room. A stream inside TLS gives a record at a
/// time; taking all that has arrived saves writes of answers.
fn poll_fill(
    mut stream: Pin<&mut impl AsyncRead>,
    cx: &mut Context<'_>,
    read: &mut ReadBuf<'_>,
) -> Poll<io::Result<()>> {
    loop {
        let before = read.filled().len();
        match stream.as_mut().poll_read(cx, read) {
            Poll::Ready(Ok(())) if read.filled().len() > before && read.remaining() > 0 => {}
            Poll::Ready(Ok(())) if read.filled().is_empty() => {
                return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
            }
            Poll::Ready(Err(error)) if read.filled().is_empty() => {
                return Poll::Ready(Err(error));
            }
            Poll::Pending if read.filled().is_empty() => return Poll::Pending,
            // An error or an end after some bytes comes again with the next read.
            _ => return Poll::Ready(Ok(())),
        }
    }
}

#[cfg(test)]
mod tests;
