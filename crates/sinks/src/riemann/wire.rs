//! A connection that one thread reads while others write, plain or TLS.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;

use parking_lot::Mutex;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection};

use crate::socket::{Address, connect};

/// Bytes asked of the socket at once.
const READ_BYTES: usize = 64 << 10;

pub(super) enum Wire {
    Plain(TcpStream),
    /// The session's lock is never held while the socket is read.
    Tls {
        socket: TcpStream,
        session: Mutex<Box<ClientConnection>>,
    },
}

impl Wire {
    /// Connects, and shakes hands. Afterwards writes have a time limit and reads have none.
    pub fn open(address: &Address, tls: Option<&Arc<ClientConfig>>) -> io::Result<Wire> {
        let mut socket = connect(address)?;
        let Some(config) = tls else {
            socket.set_read_timeout(None)?;
            return Ok(Wire::Plain(socket));
        };
        let name = ServerName::try_from(address.host.clone()).map_err(io::Error::other)?;
        let session = ClientConnection::new(config.clone(), name).map_err(io::Error::other)?;
        let mut session = Box::new(session);
        while session.is_handshaking() {
            session.complete_io(&mut socket)?;
        }
        socket.set_read_timeout(None)?;
        Ok(Wire::Tls {
            socket,
            session: Mutex::new(session),
        })
    }

    pub fn write(&self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Wire::Plain(socket) => (&mut &*socket).write_all(bytes),
            Wire::Tls { socket, session } => {
                let mut session = session.lock();
                let mut left = bytes;
                while !left.is_empty() {
                    let taken = session.writer().write(left)?;
                    left = &left[taken..];
                    write_records(&mut session, socket)?;
                }
                Ok(())
            }
        }
    }

    /// Waits for bytes and appends them to `buffer`; false at the end of the stream.
    pub fn read(&self, buffer: &mut Vec<u8>) -> io::Result<bool> {
        let mut raw = [0; READ_BYTES];
        match self {
            Wire::Plain(socket) => {
                let read = (&mut &*socket).read(&mut raw)?;
                buffer.extend_from_slice(&raw[..read]);
                Ok(read > 0)
            }
            Wire::Tls { socket, session } => {
                let read = (&mut &*socket).read(&mut raw)?;
                if read == 0 {
                    return Ok(false);
                }
                let mut session = session.lock();
                let open = read_records(&mut session, &raw[..read], buffer)?;
                write_records(&mut session, socket)?;
                Ok(open)
            }
        }
    }

    /// Ends all reads and writes, in whatever thread.
    pub fn shutdown(&self) {
        let (Wire::Plain(socket) | Wire::Tls { socket, .. }) = self;
        // An error means that the connection is gone already.
        let _ = socket.shutdown(Shutdown::Both);
    }
}

fn write_records(session: &mut ClientConnection, socket: &TcpStream) -> io::Result<()> {
    while session.wants_write() {
        session.write_tls(&mut &*socket)?;
    }
    Ok(())
}

fn read_records(
    session: &mut ClientConnection,
    mut raw: &[u8],
    buffer: &mut Vec<u8>,
) -> io::Result<bool> {
    while !raw.is_empty() {
        session.read_tls(&mut raw)?;
        session.process_new_packets().map_err(io::Error::other)?;
        match session.reader().read_to_end(buffer) {
            Ok(_) => return Ok(false),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}
