//! Binding sockets, with errors that say what to do.

use std::io;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs, UdpSocket};

use socket::datagram;
use socket2::{Domain, Protocol, Socket, Type};

/// Why an address could not be bound, in one line for the user.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    #[error("{server}: {host}:{port} is in use; stop what listens there or set :port")]
    InUse {
        server: &'static str,
        host: String,
        port: u16,
    },
    #[error(
        "{server}: no permission to listen on {host}:{port}; ports below 1024 need a privilege, or set :port"
    )]
    Denied {
        server: &'static str,
        host: String,
        port: u16,
    },
    #[error("{server}: {host} is not an address of this machine; set :host")]
    NotOurs { server: &'static str, host: String },
    #[error("{server}: cannot resolve {host}: {source}; set :host")]
    Unresolved {
        server: &'static str,
        host: String,
        source: io::Error,
    },
    #[error("{server}: cannot listen on {host}:{port}: {source}")]
    Other {
        server: &'static str,
        host: String,
        port: u16,
        source: io::Error,
    },
}

/// Where a server listens, as the configuration says it.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    /// The configuration's word for the server, for errors.
    pub server: &'static str,
    pub host: &'a str,
    pub port: u16,
}

/// Binds a listening TCP socket that does not block; gives it with its real address.
pub(crate) fn tcp(place: Place<'_>, backlog: u32) -> Result<(TcpListener, SocketAddr), BindError> {
    let backlog = i32::try_from(backlog).unwrap_or(i32::MAX);
    bind(place, Type::STREAM, Protocol::TCP, |socket, addr| {
        socket.set_reuse_address(true)?;
        socket.bind(&addr.into())?;
        socket.listen(backlog)
    })
    .map(|(socket, addr)| (socket.into(), addr))
}

/// Binds a UDP socket that does not block, with a receive buffer of about that size; gives it with
/// its real address.
pub(crate) fn udp(
    place: Place<'_>,
    receive_buffer_bytes: usize,
) -> Result<(UdpSocket, SocketAddr), BindError> {
    bind(place, Type::DGRAM, Protocol::UDP, |socket, addr| {
        datagram::receive_buffer(socket, receive_buffer_bytes)?;
        socket.bind(&addr.into())
    })
    .map(|(socket, addr)| (socket.into(), addr))
}

/// Tries each address the host resolves to.
fn bind(
    place: Place<'_>,
    kind: Type,
    protocol: Protocol,
    open: impl Fn(&Socket, SocketAddr) -> io::Result<()>,
) -> Result<(Socket, SocketAddr), BindError> {
    let unresolved = |source| BindError::Unresolved {
        server: place.server,
        host: place.host.into(),
        source,
    };
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for addr in (place.host, place.port)
        .to_socket_addrs()
        .map_err(unresolved)?
    {
        let attempt = || {
            let socket = Socket::new(Domain::for_address(addr), kind, Some(protocol))?;
            socket.set_nonblocking(true)?;
            open(&socket, addr)?;
            let real = socket.local_addr()?.as_socket().unwrap_or(addr);
            Ok((socket, real))
        };
        match attempt() {
            Ok(bound) => return Ok(bound),
            Err(error) => last = error,
        }
    }
    Err(explain(place, last))
}

fn explain(place: Place<'_>, source: io::Error) -> BindError {
    let Place { server, host, port } = place;
    let host = host.to_owned();
    match source.kind() {
        io::ErrorKind::AddrInUse => BindError::InUse { server, host, port },
        io::ErrorKind::PermissionDenied => BindError::Denied { server, host, port },
        io::ErrorKind::AddrNotAvailable => BindError::NotOurs { server, host },
        _ => BindError::Other {
            server,
            host,
            port,
            source,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_in_use_is_named() {
        let place = Place {
            server: "tcp-server",
            host: "127.0.0.1",
            port: 0,
        };
        let (_first, addr) = tcp(place, 1).unwrap();
        let port = addr.port();
        let error = tcp(Place { port, ..place }, 1).unwrap_err();
        let expected =
            format!("tcp-server: 127.0.0.1:{port} is in use; stop what listens there or set :port");
        assert_eq!(error.to_string(), expected);
        assert!(udp(Place { port, ..place }, 1 << 20).is_ok());
    }

    #[test]
    fn a_foreign_address_is_named() {
        let place = Place {
            server: "udp-server",
            host: "192.0.2.1",
            port: 0,
        };
        let error = udp(place, 1 << 20).unwrap_err();
        assert_eq!(
            error.to_string(),
            "udp-server: 192.0.2.1 is not an address of this machine; set :host"
        );
    }
}
