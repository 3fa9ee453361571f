//! A connection that never waits: it takes and gives what it can.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use rustls::ClientConnection;
use rustls::pki_types::ServerName;
use sinks::socket::{Address, connect};

use super::flags::Protocol;
use super::plan::Plan;

/// How long a server may take to shake hands.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

pub enum Wire {
    Tcp(TcpStream),
    Tls(Box<Tls>),
    Udp(UdpSocket),
}

/// TLS on a socket that does not block. What rustls has taken and the socket has not stays with
/// rustls; nothing more is taken meanwhile.
pub struct Tls {
    session: ClientConnection,
    socket: TcpStream,
}

impl Wire {
    /// Connects and shakes hands.
    pub fn open(plan: &Plan, server: &Address) -> Result<Wire, String> {
        let place = format!("{}:{}", server.host, server.port);
        Wire::try_open(plan, server, &place)
            .map_err(|error| format!("cannot connect to {place}: {error}; is the server up?"))
    }

    fn try_open(plan: &Plan, server: &Address, place: &str) -> io::Result<Wire> {
        if plan.flags.protocol == Protocol::Udp {
            let remote = (server.host.as_str(), server.port)
                .to_socket_addrs()?
                .next();
            let remote = remote.ok_or_else(|| io::Error::other("the host has no address"))?;
            let local = if remote.is_ipv4() {
                "0.0.0.0:0"
            } else {
                "[::]:0"
            };
            let socket = UdpSocket::bind(local)?;
            socket.connect(remote)?;
            socket.set_nonblocking(true)?;
            return Ok(Wire::Udp(socket));
        }
        let mut socket = connect(server)?;
        socket.set_read_timeout(Some(HANDSHAKE_TIMEOUT))?;
        if plan.flags.protocol == Protocol::Ws {
            let url = format!("ws://{place}/events");
            let (websocket, _) = tungstenite::client(url, socket).map_err(io::Error::other)?;
            socket = websocket.into_inner();
        }
        let Some(config) = &plan.tls else {
            socket.set_nonblocking(true)?;
            return Ok(Wire::Tcp(socket));
        };
        let name = ServerName::try_from(server.host.clone()).map_err(io::Error::other)?;
        let mut session = ClientConnection::new(config.clone(), name).map_err(io::Error::other)?;
        while session.is_handshaking() {
            session.complete_io(&mut socket)?;
        }
        socket.set_nonblocking(true)?;
        Ok(Wire::Tls(Box::new(Tls { session, socket })))
    }

    /// Whether bytes that were taken have not left yet.
    pub fn is_behind(&self) -> bool {
        matches!(self, Wire::Tls(tls) if tls.session.wants_write())
    }
}

impl AsFd for Wire {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Wire::Tcp(socket) => socket.as_fd(),
            Wire::Tls(tls) => tls.socket.as_fd(),
            Wire::Udp(socket) => socket.as_fd(),
        }
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Wire::Tcp(socket) => socket.write(bytes),
            Wire::Tls(tls) => tls.write(bytes),
            Wire::Udp(socket) => socket.send(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Wire::Tls(tls) => tls.flush(),
            Wire::Tcp(_) | Wire::Udp(_) => Ok(()),
        }
    }
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Wire::Tcp(socket) => socket.read(buffer),
            Wire::Tls(tls) => tls.read(buffer),
            Wire::Udp(socket) => socket.recv(buffer),
        }
    }
}

impl Tls {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.flush()?;
        let taken = self.session.writer().write(bytes)?;
        match self.flush() {
            Err(error) if error.kind() != ErrorKind::WouldBlock => Err(error),
            _ => Ok(taken),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        while self.session.wants_write() {
            self.session.write_tls(&mut self.socket)?;
        }
        Ok(())
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.session.reader().read(buffer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                outcome => return outcome,
            }
            if self.session.read_tls(&mut self.socket)? == 0 {
                return Ok(0);
            }
            self.session
                .process_new_packets()
                .map_err(io::Error::other)?;
        }
    }
}
