//! Reads a socket of datagrams.

use std::net::UdpSocket;

use socket::datagram::dropped_by_kernel;
use socket2::SockRef;

use super::Inlet;
use super::reader::is_wait;
use crate::limits::{BATCH_BYTES, LOOK_INTERVAL, RECEIVE_BYTES};
use crate::{Batch, PipeError, Splitter};

/// The largest datagram.
const DATAGRAM_BYTES: usize = 64 << 10;

/// Reads messages into a pipeline until the inlet is closed, then what has come by that time. What
/// does not fit the kernel's buffer while the queue is full, the kernel drops; it is counted.
///
/// # Errors
/// The socket does not take its settings, or fails.
pub fn read_datagrams(socket: &UdpSocket, inlet: &Inlet) -> Result<(), PipeError> {
    let failed = PipeError::io("the socket of datagrams");
    SockRef::from(socket)
        .set_recv_buffer_size(RECEIVE_BYTES)
        .map_err(&failed)?;
    let mut splitter = Splitter::new(inlet.framing());
    let mut buffer = vec![0; DATAGRAM_BYTES];
    let mut batch = Batch::new();
    let mut dropped = 0;
    let mut after_end = 0;
    while after_end <= RECEIVE_BYTES {
        let is_closed = inlet.is_closed();
        note_dropped(socket, inlet, &mut dropped);
        // Waits for the first one, then takes what is there.
        socket
            .set_read_timeout(Some(LOOK_INTERVAL))
            .map_err(&failed)?;
        let mut count = match socket.recv(&mut buffer) {
            Ok(count) => count,
            Err(error) if is_wait(error.kind()) && is_closed => break,
            Err(error) if is_wait(error.kind()) => continue,
            Err(error) => return Err(failed(error)),
        };
        socket.set_nonblocking(true).map_err(&failed)?;
        loop {
            if !splitter.split_datagram(&buffer[..count], inlet.now(), &mut batch) {
                inlet.pipeline().flow().refused();
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
        if is_closed {
            after_end += batch.bytes().len();
        }
        if !inlet.put(&mut batch) {
            break;
        }
    }
    note_dropped(socket, inlet, &mut dropped);
    Ok(())
}

/// Counts what the kernel has dropped since the last time.
fn note_dropped(socket: &UdpSocket, inlet: &Inlet, before: &mut u32) {
    // A kernel that does not tell has nothing to be counted.
    if let Ok(total) = dropped_by_kernel(socket) {
        let more = total.wrapping_sub(std::mem::replace(before, total));
        inlet.pipeline().flow().overrun(more.into());
    }
}
