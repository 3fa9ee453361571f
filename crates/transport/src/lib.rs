//! Sockets: framing, limits, back-pressure.
//!
//! Each server is bound first ([`TcpServer::bind`], …), which fails with one clear error, and then
//! serves on [`Workers`]: threads with an event loop each. What comes in goes to a [`Handler`],
//! whose answers go back in order. Every limit is in [`limits`]; a server counts what it does in
//! [`ServerStats`].
//!
//! - `tcp`, `udp`, `riemann`: Riemann's protocol; `tls` its keys.
//! - `http`, `websocket`, `event_lines`, `sse`: JSON over HTTP.
//! - `graphite`, `opentsdb`: lines of text.
//! - `connection` and `datagram` drive sockets; the protocols behind them see bytes only.
//!
//! This crate never knows a stream, an index or a configuration.

#[cfg(test)]
extern crate self as transport;

mod accept;
mod bind;
mod body;
mod connection;
mod datagram;
mod event_lines;
mod follower;
mod graphite;
mod handler;
mod http;
mod http_connection;
mod httptrap;
mod json_events;
mod keeping;
mod latency;
mod later;
pub mod limits;
mod line_events;
mod lines;
mod opentsdb;
mod protocol;
#[cfg(test)]
#[allow(dead_code, reason = "the tests over sockets use the rest")]
#[path = "../tests/servers/recorder.rs"]
mod recorder;
mod riemann;
mod server;
mod sse;
mod stats;
mod target;
mod tcp;
mod tls;
mod udp;
mod upgrade;
mod warning;
mod websocket;
mod workers;

pub use bind::BindError;
pub use graphite::{GraphiteOptions, GraphiteServer, LineProtocol};
pub use handler::{Failure, Feed, Handler, HttpAnswer, HttpRequest, LineHook, Receipt, Tell, Wake};
pub use http::{HttpOptions, HttpServer};
pub use latency::{Latencies, LatencyCounter};
pub use later::{Later, Promise, Rest, later};
pub use opentsdb::{OpentsdbOptions, OpentsdbServer};
pub use server::Server;
pub use sse::{SseError, SseOptions, SseServer};
pub use stats::ServerStats;
pub use tcp::{TcpError, TcpOptions, TcpServer};
pub use tls::{TlsError, TlsFiles};
pub use udp::{UdpOptions, UdpServer};
pub use workers::Workers;
