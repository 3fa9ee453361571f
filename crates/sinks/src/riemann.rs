//! Riemann's protocol, as a client: for `forward`, for `riemann.client`, for the command line.
//!
//! [`tcp::TcpClient`] waits for the server's answers, many threads at once on one connection;
//! [`udp::UdpClient`] sends and hopes; [`forward::Forward`] is the target behind an outlet.

pub mod forward;
mod pending;
pub mod tcp;
pub mod udp;
mod wire;

use thiserror::Error;

/// Why a request failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ClientError {
    /// The server answered `ok = false`. Events before the one that failed may have been taken.
    #[error("{0}")]
    Server(String),
    /// There is no connection, or it broke before the answer: the request may have been taken.
    #[error("not connected: {0}")]
    Disconnected(String),
    /// No answer in time; the connection is given up.
    #[error("no answer in time")]
    Timeout,
    /// Too many requests wait for their answers.
    #[error("too many requests wait for an answer")]
    Overloaded,
    /// What came is not an answer.
    #[error("not an answer: {0}")]
    Protocol(String),
    /// An event that does not fit into a datagram.
    #[error("an event of {size_bytes} bytes does not fit into a datagram")]
    TooLarge { size_bytes: usize },
}
