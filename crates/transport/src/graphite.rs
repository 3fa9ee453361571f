//! Graphite's lines, over TCP or UDP.

use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::sync::Arc;
use std::time::Instant;

use event::Event;

use crate::accept;
use crate::bind::{self, BindError, Place};
use crate::connection::drive;
use crate::datagram::{self, Datagrams};
use crate::handler::{Handler, LineHook};
use crate::limits::{
    BACKLOG, CONNECTIONS_MAX, DATAGRAM_BYTES_MAX, GRAPHITE_LINE_BYTES_MAX, UDP_RECEIVE_BUFFER_BYTES,
};
use crate::line_events::LineEvents;
use crate::lines::{self, Line};
use crate::protocol::{Next, Protocol, Taken};
use crate::server::Server;
use crate::workers::Workers;

/// How lines travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineProtocol {
    Tcp,
    Udp,
}

/// Riemann's `graphite-server`, with its option names.
#[derive(Clone)]
pub struct GraphiteOptions {
    pub host: String,
    pub port: u16,
    pub protocol: LineProtocol,
    /// `:tags`: `name;k=v` becomes an attribute.
    pub tags: bool,
    /// `:parser-fn`.
    pub hook: Option<LineHook>,
    pub connections_max: usize,
}

impl Default for GraphiteOptions {
    fn default() -> GraphiteOptions {
        GraphiteOptions {
            host: "127.0.0.1".into(),
            port: 2003,
            protocol: LineProtocol::Tcp,
            tags: false,
            hook: None,
            connections_max: CONNECTIONS_MAX,
        }
    }
}

/// A bound Graphite server that does not read yet.
pub struct GraphiteServer {
    socket: GraphiteSocket,
    addr: SocketAddr,
    tags: bool,
    hook: Option<LineHook>,
    connections_max: usize,
}

enum GraphiteSocket {
    Tcp(TcpListener),
    Udp(UdpSocket),
}

impl GraphiteServer {
    /// Binds the port.
    ///
    /// # Errors
    /// The port is taken or not ours.
    pub fn bind(options: &GraphiteOptions) -> Result<GraphiteServer, BindError> {
        let place = Place {
            server: "graphite-server",
            host: &options.host,
            port: options.port,
        };
        let (socket, addr) = match options.protocol {
            LineProtocol::Tcp => {
                let (listener, addr) = bind::tcp(place, BACKLOG)?;
                (GraphiteSocket::Tcp(listener), addr)
            }
            LineProtocol::Udp => {
                let (socket, addr) = bind::udp(place, UDP_RECEIVE_BUFFER_BYTES)?;
                (GraphiteSocket::Udp(socket), addr)
            }
        };
        let hook = options.hook.clone();
        let (tags, connections_max) = (options.tags, options.connections_max);
        Ok(GraphiteServer {
            socket,
            addr,
            tags,
            hook,
            connections_max,
        })
    }

    /// The address it is bound to.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Begins to read.
    pub fn serve(self, workers: &Workers, handler: Arc<dyn Handler>) -> Server {
        let server = Server::new("graphite", self.addr);
        let stats = Arc::clone(server.stats());
        let warnings = Arc::default();
        let events = LineEvents {
            name: "Graphite",
            handler,
            stats,
            warnings,
            hook: self.hook,
        };
        let lines = GraphiteLines {
            events,
            tags: self.tags,
        };
        match self.socket {
            GraphiteSocket::Udp(socket) => {
                datagram::serve(&server, socket, DATAGRAM_BYTES_MAX, workers, lines);
            }
            GraphiteSocket::Tcp(listener) => {
                accept::serve(
                    &server,
                    listener,
                    self.connections_max,
                    workers,
                    move |accepted| {
                        let lines = lines.clone();
                        async move {
                            let Ok((stream, mut open)) = accepted.attach() else {
                                return;
                            };
                            let stats = Arc::clone(&lines.events.stats);
                            drive(stream, lines, stats, &mut open.task).await;
                        }
                    },
                );
            }
        }
        server
    }
}

#[derive(Clone)]
struct GraphiteLines {
    events: LineEvents,
    tags: bool,
}

impl GraphiteLines {
    fn event(&self, line: &[u8]) -> Option<Event> {
        let line = String::from_utf8_lossy(line);
        match codec::graphite::parse_line(&line, self.tags) {
            Ok(draft) => self.events.hooked(draft.build()),
            Err(error) => {
                self.events.malformed(&error, &line);
                None
            }
        }
    }
}

impl Protocol for GraphiteLines {
    fn take(&mut self, bytes: &[u8], _answers: &mut Vec<u8>) -> Taken {
        let read_at = Instant::now();
        let (mut events, mut lines, mut at) = (Vec::new(), 0, 0);
        let next = loop {
            match lines::first(&bytes[at..], GRAPHITE_LINE_BYTES_MAX) {
                Line::Whole(line, used) => {
                    events.extend(self.event(line));
                    lines += 1;
                    at += used;
                }
                Line::Partial => break Next::Read,
                Line::TooLong => {
                    let limit = format!("a line has more than {GRAPHITE_LINE_BYTES_MAX} bytes");
                    self.events.malformed(&limit, "closing");
                    break Next::Close;
                }
            }
        };
        self.events.stream(events, lines, read_at);
        Taken { bytes: at, next }
    }

    fn bytes_wanted(&self, tail: &[u8]) -> usize {
        tail.len() + 1
    }

    fn is_one_way(&self) -> bool {
        true
    }
}

impl Datagrams for GraphiteLines {
    fn take(&self, datagrams: &mut dyn Iterator<Item = &[u8]>) {
        let read_at = Instant::now();
        let (mut events, mut lines) = (Vec::new(), 0);
        for datagram in datagrams {
            let datagram = datagram.strip_suffix(b"\n").unwrap_or(datagram);
            for line in datagram.split(|byte| *byte == b'\n') {
                events.extend(self.event(line.strip_suffix(b"\r").unwrap_or(line)));
                lines += 1;
            }
        }
        self.events.stream(events, lines, read_at);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::recorder::Recorder;

    /// A connection's protocol, and what it streams to.
    pub(crate) fn graphite_lines() -> (impl Protocol, Arc<Recorder>) {
        let recorder = Recorder::new();
        let handler = Arc::clone(&recorder) as Arc<dyn Handler>;
        let (stats, warnings) = (Arc::default(), Arc::default());
        let events = LineEvents {
            name: "Graphite",
            handler,
            stats,
            warnings,
            hook: None,
        };
        (
            GraphiteLines {
                events,
                tags: false,
            },
            recorder,
        )
    }
}
