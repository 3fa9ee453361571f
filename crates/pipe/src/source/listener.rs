//! Accepts connections, over TCP or at a path.

use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::sync::Arc;
use std::thread::JoinHandle;

use sinks::pace::Bell;
use socket2::SockRef;

use super::Inlet;
use super::reader::{is_wait, read};
use crate::PipeError;
use crate::limits::{CONNECTIONS_MAX, LOOK_INTERVAL, RECEIVE_BYTES};

/// A bound socket that listens.
pub enum Listening {
    /// For TCP.
    Tcp(TcpListener),
    /// At a path.
    Unix(UnixListener),
}

/// Accepts senders, each with a thread, until the inlet is closed; returns when all have ended.
/// More than [`CONNECTIONS_MAX`] wait until one ends.
///
/// # Errors
/// The socket does not take its settings.
pub fn accept(listening: &Listening, inlet: &Arc<Inlet>) -> Result<(), PipeError> {
    let socket = match listening {
        Listening::Tcp(listener) => SockRef::from(listener),
        Listening::Unix(listener) => SockRef::from(listener),
    };
    let failed = PipeError::io("the listening socket");
    // Connections inherit both.
    socket
        .set_recv_buffer_size(RECEIVE_BYTES)
        .map_err(&failed)?;
    socket
        .set_read_timeout(Some(LOOK_INTERVAL))
        .map_err(&failed)?;
    let pipeline = inlet.pipeline();
    let rest = || pipeline.pace().pause(LOOK_INTERVAL, &Bell::default());
    let mut readers: Vec<JoinHandle<()>> = Vec::new();
    while !inlet.is_closed() {
        readers.retain(|reader| !reader.is_finished());
        if readers.len() >= CONNECTIONS_MAX {
            rest();
            continue;
        }
        match serve(listening, inlet.clone()) {
            Ok(reader) => readers.push(reader),
            Err(error) if is_wait(error.kind()) => {}
            Err(error) => {
                tracing::warn!(target: "pipe", "{}: no connection: {error}", pipeline.name());
                rest();
            }
        }
    }
    for reader in readers {
        // A reader that panicked has told so.
        let _ = reader.join();
    }
    Ok(())
}

/// Waits for one connection and gives it a thread.
fn serve(listening: &Listening, inlet: Arc<Inlet>) -> std::io::Result<JoinHandle<()>> {
    let thread = std::thread::Builder::new().name("pipe reader".into());
    match listening {
        Listening::Tcp(listener) => {
            let (mut stream, _) = listener.accept()?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(LOOK_INTERVAL))?;
            thread.spawn(move || read(&mut stream, &inlet))
        }
        Listening::Unix(listener) => {
            let (mut stream, _) = listener.accept()?;
            stream.set_read_timeout(Some(LOOK_INTERVAL))?;
            thread.spawn(move || read(&mut stream, &inlet))
        }
    }
}
