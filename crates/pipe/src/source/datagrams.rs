//! Reads a socket of datagrams.

use std::net::UdpSocket;

use event::Time;
use socket2::SockRef;

use super::reader::is_wait;
use crate::limits::{BATCH_BYTES, LOOK_INTERVAL, RECEIVE_BYTES};
use crate::{Batch, Framing, PipeError, Pipeline, Splitter};

/// The largest datagram.
const DATAGRAM_BYTES: usize = 64 << 10;

/// Reads messages into a pipeline until that stops. What does not fit the kernel's buffer while
/// the queue is full is lost before it is seen, as datagrams are.
///
/// # Errors
/// The socket does not take its settings, or fails.
pub fn read_datagrams(
    socket: &UdpSocket,
    framing: Framing,
    pipeline: &Pipeline,
    now: &(dyn Fn() -> Time + Send + Sync),
) -> Result<(), PipeError> {
    let failed = PipeError::io("the socket of datagrams");
    SockRef::from(socket)
        .set_recv_buffer_size(RECEIVE_BYTES)
        .map_err(&failed)?;
    let mut splitter = Splitter::new(framing);
    let mut buffer = vec![0; DATAGRAM_BYTES];
    let mut batch = Batch::new();
    while !pipeline.is_stopping() {
        // Waits for the first one, then takes what is there.
        socket
            .set_read_timeout(Some(LOOK_INTERVAL))
            .map_err(&failed)?;
        let mut count = match socket.recv(&mut buffer) {
            Ok(count) => count,
            Err(error) if is_wait(error.kind()) => continue,
            Err(error) => return Err(failed(error)),
        };
        socket.set_nonblocking(true).map_err(&failed)?;
        loop {
            if !splitter.split_datagram(&buffer[..count], now(), &mut batch) {
                pipeline.flow().refused();
            }
            if batch.bytes().len() >= BATCH_BYTES {
                break;
            }
            match socket.recv(&mut buffer) {
                Ok(more) => count = more,
                Err(_) => break,
            }
        }
        socket.set_nonblocking(false).map_err(&failed)?;
        if !pipeline.put(&mut batch) {
            return Ok(());
        }
    }
    Ok(())
}
