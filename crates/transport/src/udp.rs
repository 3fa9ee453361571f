//! Riemann's protocol over UDP: one message a datagram, no answers.

use std::net::SocketAddr;
use std::sync::Arc;

use crate::bind::{self, BindError, Place};
use crate::datagram;
use crate::handler::Handler;
use crate::limits::{DATAGRAM_BYTES_MAX, UDP_PAYLOAD_BYTES_MAX, UDP_RECEIVE_BUFFER_BYTES};
use crate::riemann::OneWay;
use crate::server::Server;
use crate::warning::Warnings;
use crate::workers::Workers;

/// Riemann's `udp-server`, with its option names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UdpOptions {
    pub host: String,
    pub port: u16,
    /// `:max-size`, in bytes; a longer datagram is dropped and counted.
    pub bytes_max: usize,
    /// `:so-rcvbuf`, in bytes. The kernel gives what it may.
    pub receive_buffer_bytes: usize,
}

impl Default for UdpOptions {
    fn default() -> UdpOptions {
        UdpOptions {
            host: "127.0.0.1".into(),
            port: 5555,
            bytes_max: DATAGRAM_BYTES_MAX,
            receive_buffer_bytes: UDP_RECEIVE_BUFFER_BYTES,
        }
    }
}

/// A bound UDP server that does not read yet.
pub struct UdpServer {
    socket: std::net::UdpSocket,
    addr: SocketAddr,
    bytes_max: usize,
}

impl UdpServer {
    /// Binds the port.
    ///
    /// # Errors
    /// The port is taken or not ours.
    pub fn bind(options: &UdpOptions) -> Result<UdpServer, BindError> {
        let place = Place {
            server: "udp-server",
            host: &options.host,
            port: options.port,
        };
        let (socket, addr) = bind::udp(place, options.receive_buffer_bytes)?;
        Ok(UdpServer {
            socket,
            addr,
            bytes_max: options.bytes_max.min(UDP_PAYLOAD_BYTES_MAX),
        })
    }

    /// The address it is bound to.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Begins to read.
    pub fn serve(self, workers: &Workers, handler: Arc<dyn Handler>) -> Server {
        let server = Server::new("udp", self.addr);
        let protocol = OneWay {
            handler,
            stats: Arc::clone(server.stats()),
            warnings: Warnings::default(),
        };
        datagram::serve(&server, self.socket, self.bytes_max, workers, protocol);
        server
    }
}
