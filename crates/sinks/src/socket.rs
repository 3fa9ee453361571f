//! Connections that open when first written to, and again after they broke.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream, ToSocketAddrs, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};

use crate::policy::IO_TIMEOUT;

/// Host and port of a server; the name is looked up at each connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    pub host: String,
    pub port: u16,
}

impl Address {
    pub fn new(host: impl Into<String>, port: u16) -> Address {
        Address {
            host: host.into(),
            port,
        }
    }

    fn resolve(&self) -> io::Result<Vec<SocketAddr>> {
        Ok((self.host.as_str(), self.port).to_socket_addrs()?.collect())
    }
}

/// Opens a connection, giving up after [`IO_TIMEOUT`] an address; reads and writes do likewise.
///
/// # Errors
/// When no address of the host takes it.
pub fn connect(address: &Address) -> io::Result<TcpStream> {
    let mut last = io::Error::new(ErrorKind::NotFound, "the host has no address");
    for resolved in address.resolve()? {
        match TcpStream::connect_timeout(&resolved, IO_TIMEOUT) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(IO_TIMEOUT))?;
                stream.set_write_timeout(Some(IO_TIMEOUT))?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// A TCP or TLS connection that is written to and whose answers do not matter.
pub struct TcpSender {
    address: Address,
    tls: Option<Arc<ClientConfig>>,
    connection: Option<Connection>,
    /// Whether the peer closes when we do; `None` until it was asked.
    peer_closes: Option<bool>,
}

enum Connection {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl TcpSender {
    pub fn new(address: Address, tls: Option<Arc<ClientConfig>>) -> TcpSender {
        TcpSender {
            address,
            tls,
            connection: None,
            peer_closes: None,
        }
    }

    /// Writes all of `bytes`, on a new connection if there is none or the peer closed it. After an
    /// error the peer may have had a part.
    ///
    /// # Errors
    /// When the connection cannot be opened or breaks; the next call opens another.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let alive = self.connection.as_mut().is_some_and(Connection::is_alive);
        let mut connection = match self.connection.take() {
            Some(open) if alive => open,
            _ => self.open()?,
        };
        connection.write(bytes)?;
        self.connection = Some(connection);
        Ok(())
    }

    /// Makes sure that the peer has read what was written: says that it was all, and waits until
    /// the peer closes too. One that died instead has left bytes unread, and that resets the
    /// connection. A peer that does not close the first time is not asked again, nor one behind
    /// TLS: what it has read nobody knows.
    ///
    /// # Errors
    /// When the peer may not have read all.
    pub fn confirm(&mut self) -> io::Result<()> {
        self.confirm_within(IO_TIMEOUT)
    }

    fn confirm_within(&mut self, timeout: Duration) -> io::Result<()> {
        if self.peer_closes == Some(false) || !matches!(self.connection, Some(Connection::Plain(_)))
        {
            return Ok(());
        }
        let Some(Connection::Plain(stream)) = self.connection.take() else {
            return Ok(());
        };
        stream.set_read_timeout(Some(timeout))?;
        stream.shutdown(Shutdown::Write)?;
        let closed = Connection::Plain(stream).drain();
        let is_late =
            |error: &io::Error| matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
        match closed {
            Err(error) if is_late(&error) && self.peer_closes.is_none() => {
                self.peer_closes = Some(false);
            }
            Err(error) => return Err(error),
            Ok(()) => self.peer_closes = Some(true),
        }
        Ok(())
    }

    fn open(&self) -> io::Result<Connection> {
        let stream = connect(&self.address)?;
        let Some(config) = &self.tls else {
            return Ok(Connection::Plain(stream));
        };
        let name = ServerName::try_from(self.address.host.clone()).map_err(io::Error::other)?;
        let tls = ClientConnection::new(config.clone(), name).map_err(io::Error::other)?;
        Ok(Connection::Tls(Box::new(StreamOwned::new(tls, stream))))
    }
}

impl Connection {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Connection::Plain(stream) => stream.write_all(bytes),
            Connection::Tls(stream) => {
                stream.write_all(bytes)?;
                stream.flush()
            }
        }
    }

    /// Reads away what the peer said. A peer that has closed is noticed here, before a write is
    /// lost on it.
    fn is_alive(&mut self) -> bool {
        let socket = match self {
            Connection::Plain(stream) => &*stream,
            Connection::Tls(stream) => &stream.sock,
        };
        if socket.set_nonblocking(true).is_err() {
            return false;
        }
        let alive = matches!(self.drain(), Err(error) if error.kind() == ErrorKind::WouldBlock);
        let socket = match self {
            Connection::Plain(stream) => &*stream,
            Connection::Tls(stream) => &stream.sock,
        };
        socket.set_nonblocking(false).is_ok() && alive
    }

    /// Ends with `Ok` at the end of the stream.
    fn drain(&mut self) -> io::Result<()> {
        let mut waste = [0; 4096];
        loop {
            let read = match self {
                Connection::Plain(stream) => stream.read(&mut waste)?,
                Connection::Tls(stream) => stream.read(&mut waste)?,
            };
            if read == 0 {
                return Ok(());
            }
        }
    }
}

/// One datagram a message.
pub struct UdpSender {
    address: Address,
    socket: Option<UdpSocket>,
}

impl UdpSender {
    pub fn new(address: Address) -> UdpSender {
        UdpSender {
            address,
            socket: None,
        }
    }

    /// Sends one datagram. That it arrives, nobody knows.
    ///
    /// # Errors
    /// When the host has no address or the datagram is too large; the next call starts afresh.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let socket = match self.socket.take() {
            Some(socket) => socket,
            None => self.open()?,
        };
        match socket.send(bytes) {
            // The answer to an earlier datagram: nobody listens. This one was not sent.
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => socket.send(bytes)?,
            sent => sent?,
        };
        self.socket = Some(socket);
        Ok(())
    }

    fn open(&self) -> io::Result<UdpSocket> {
        let mut last = io::Error::new(ErrorKind::NotFound, "the host has no address");
        for resolved in self.address.resolve()? {
            let any: SocketAddr = if resolved.is_ipv4() {
                ([0, 0, 0, 0], 0).into()
            } else {
                ([0u16; 8], 0).into()
            };
            let connected = UdpSocket::bind(any).and_then(|socket| {
                socket.connect(resolved)?;
                Ok(socket)
            });
            match connected {
                Ok(socket) => return Ok(socket),
                Err(error) => last = error,
            }
        }
        Err(last)
    }
}

/// Opens a connection for one exchange: writes all of `request`, says that it was all, and reads
/// the answer to its end, at most `answer_max` bytes.
///
/// # Errors
/// When the connection cannot be opened, breaks, or the answer takes longer than [`IO_TIMEOUT`].
pub fn exchange(address: &Address, request: &[u8], answer_max: u64) -> io::Result<Vec<u8>> {
    let mut stream = connect(address)?;
    stream.write_all(request)?;
    stream.shutdown(Shutdown::Write)?;
    let mut answer = Vec::new();
    stream.take(answer_max).read_to_end(&mut answer)?;
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::net::TcpListener;

    use super::*;

    fn listener() -> (TcpListener, Address) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        (listener, Address::new("127.0.0.1", port))
    }

    #[test]
    fn a_peer_that_closes_has_read_all() {
        let (listener, address) = listener();
        let mut sender = TcpSender::new(address, None);
        let peer = std::thread::spawn(move || {
            let mut text = String::new();
            listener
                .accept()
                .unwrap()
                .0
                .read_to_string(&mut text)
                .unwrap();
            let (dying, _) = listener.accept().unwrap();
            // Closed with something unread, as when the process is killed.
            dying.peek(&mut [0]).unwrap();
            text
        });
        sender.send(b"one\n").unwrap();
        sender.confirm().unwrap();
        sender.send(b"two\n").unwrap();
        sender.confirm().unwrap_err();
        assert_eq!(peer.join().unwrap(), "one\n");
    }

    #[test]
    fn a_peer_that_never_closes_is_asked_once() {
        let (listener, address) = listener();
        let mut sender = TcpSender::new(address, None);
        sender.send(b"one\n").unwrap();
        let (first, _) = listener.accept().unwrap();
        sender.confirm_within(Duration::from_millis(1)).unwrap();
        sender.send(b"two\n").unwrap();
        let (second, _) = listener.accept().unwrap();
        sender.confirm_within(Duration::from_millis(1)).unwrap();
        sender.send(b"three\n").unwrap();
        let mut lines = BufReader::new(second).lines();
        assert_eq!(lines.next().unwrap().unwrap(), "two");
        assert_eq!(lines.next().unwrap().unwrap(), "three");
        drop(first);
    }

    #[test]
    fn keeps_a_connection_and_opens_another_when_the_peer_closed() {
        let (listener, address) = listener();
        let mut sender = TcpSender::new(address, None);
        sender.send(b"one\n").unwrap();
        let first = listener.accept().unwrap().0;
        let mut line = String::new();
        BufReader::new(&first).read_line(&mut line).unwrap();
        sender.send(b"two\n").unwrap();
        BufReader::new(&first).read_line(&mut line).unwrap();
        assert_eq!(line, "one\ntwo\n");
        drop(first);
        sender.send(b"three\n").unwrap();
        let mut line = String::new();
        BufReader::new(listener.accept().unwrap().0)
            .read_line(&mut line)
            .unwrap();
        assert_eq!(line, "three\n");
    }

    #[test]
    fn nobody_listening_is_an_error_not_a_wait() {
        let (listener, address) = listener();
        drop(listener);
        let mut sender = TcpSender::new(address, None);
        assert_eq!(
            sender.send(b"x").unwrap_err().kind(),
            ErrorKind::ConnectionRefused
        );
    }

    #[test]
    fn datagrams_go_out_one_by_one() {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let port = socket.local_addr().unwrap().port();
        let mut sender = UdpSender::new(Address::new("127.0.0.1", port));
        sender.send(b"a").unwrap();
        sender.send(b"bc").unwrap();
        let mut buffer = [0; 10];
        assert_eq!(socket.recv(&mut buffer).unwrap(), 1);
        assert_eq!(socket.recv(&mut buffer).unwrap(), 2);
    }
}
