//! Accepts connections, over TCP or at a path.

use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::sync::Arc;
use std::thread::JoinHandle;

use event::Time;
use parking_lot::Mutex;
use socket2::SockRef;

use super::reader::{is_wait, read};
use crate::limits::{CONNECTIONS_MAX, LOOK_INTERVAL, RECEIVE_BYTES};
use crate::{Framing, PipeError, Pipeline};

/// A bound socket that listens.
pub enum Listening {
    /// For TCP.
    Tcp(TcpListener),
    /// At a path.
    Unix(UnixListener),
}

/// Accepts senders, each with a thread, until the pipeline stops; returns when all have ended.
/// More than [`CONNECTIONS_MAX`] wait until one ends. `now` gives the time to events without one.
///
/// # Errors
/// The socket does not take its settings.
pub fn accept(
    listening: &Listening,
    framing: Framing,
    pipeline: &Arc<Pipeline>,
    now: &Arc<dyn Fn() -> Time + Send + Sync>,
) -> Result<(), PipeError> {
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
    let readers: Mutex<Vec<JoinHandle<()>>> = Mutex::default();
    while !pipeline.is_stopping() {
        readers.lock().retain(|reader| !reader.is_finished());
        if readers.lock().len() >= CONNECTIONS_MAX {
            pipeline
                .pace()
                .pause(LOOK_INTERVAL, &sinks::pace::Bell::default());
            continue;
        }
        match serve(listening, framing, pipeline, now) {
            Ok(reader) => readers.lock().push(reader),
            Err(error) if is_wait(error.kind()) => {}
            Err(error) => {
                tracing::warn!(target: "pipe", "{}: no connection: {error}", pipeline.name());
                pipeline
                    .pace()
                    .pause(LOOK_INTERVAL, &sinks::pace::Bell::default());
            }
        }
    }
    for reader in readers.into_inner() {
        // A reader that panicked has told so.
        let _ = reader.join();
    }
    Ok(())
}

/// Waits for one connection and gives it a thread.
fn serve(
    listening: &Listening,
    framing: Framing,
    pipeline: &Arc<Pipeline>,
    now: &Arc<dyn Fn() -> Time + Send + Sync>,
) -> std::io::Result<JoinHandle<()>> {
    let (pipeline, now) = (pipeline.clone(), now.clone());
    let thread = std::thread::Builder::new().name("pipe reader".into());
    match listening {
        Listening::Tcp(listener) => {
            let (mut stream, _) = listener.accept()?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(LOOK_INTERVAL))?;
            thread.spawn(move || read(&mut stream, framing, &pipeline, &*now))
        }
        Listening::Unix(listener) => {
            let (mut stream, _) = listener.accept()?;
            stream.set_read_timeout(Some(LOOK_INTERVAL))?;
            thread.spawn(move || read(&mut stream, framing, &pipeline, &*now))
        }
    }
}
