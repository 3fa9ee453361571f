//! OpenTSDB's telnet lines.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Instant;

use codec::opentsdb::Command;

use crate::accept;
use crate::bind::{self, BindError, Place};
use crate::connection::drive;
use crate::handler::{Handler, LineHook};
use crate::limits::{BACKLOG, CONNECTIONS_MAX, OPENTSDB_LINE_BYTES_MAX};
use crate::line_events::LineEvents;
use crate::lines::{self, Line};
use crate::protocol::{Next, Protocol, Taken};
use crate::server::Server;
use crate::workers::Workers;

/// What Riemann answers to `version`.
const VERSION: &[u8] = b"net.opentsdb\nBuilt on ... (riemann-opentsdb)\n";

/// Riemann's `opentsdb-server`, with its option names.
#[derive(Clone)]
pub struct OpentsdbOptions {
    pub host: String,
    pub port: u16,
    /// `:parser-fn`.
    pub hook: Option<LineHook>,
    pub connections_max: usize,
}

impl Default for OpentsdbOptions {
    fn default() -> OpentsdbOptions {
        let host = "127.0.0.1".into();
        OpentsdbOptions {
            host,
            port: 4242,
            hook: None,
            connections_max: CONNECTIONS_MAX,
        }
    }
}

/// A bound OpenTSDB server that does not read yet.
pub struct OpentsdbServer {
    listener: TcpListener,
    addr: SocketAddr,
    hook: Option<LineHook>,
    connections_max: usize,
}

impl OpentsdbServer {
    /// Binds the port.
    ///
    /// # Errors
    /// The port is taken or not ours.
    pub fn bind(options: &OpentsdbOptions) -> Result<OpentsdbServer, BindError> {
        let place = Place {
            server: "opentsdb-server",
            host: &options.host,
            port: options.port,
        };
        let (listener, addr) = bind::tcp(place, BACKLOG)?;
        let hook = options.hook.clone();
        Ok(OpentsdbServer {
            listener,
            addr,
            hook,
            connections_max: options.connections_max,
        })
    }

    /// The address it is bound to.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Begins to accept.
    pub fn serve(self, workers: &Workers, handler: Arc<dyn Handler>) -> Server {
        let server = Server::new("opentsdb", self.addr);
        let stats = Arc::clone(server.stats());
        let warnings = Arc::default();
        let events = LineEvents {
            name: "OpenTSDB",
            handler,
            stats,
            warnings,
            hook: self.hook,
        };
        accept::serve(
            &server,
            self.listener,
            self.connections_max,
            workers,
            move |accepted| {
                let lines = OpentsdbLines {
                    events: events.clone(),
                };
                async move {
                    let Ok((stream, mut open)) = accepted.attach() else {
                        return;
                    };
                    let stats = Arc::clone(&lines.events.stats);
                    drive(stream, lines, stats, &mut open.task).await;
                }
            },
        );
        server
    }
}

struct OpentsdbLines {
    events: LineEvents,
}

impl Protocol for OpentsdbLines {
    fn take(&mut self, bytes: &[u8], answers: &mut Vec<u8>) -> Taken {
        let read_at = Instant::now();
        let (mut events, mut lines, mut at) = (Vec::new(), 0, 0);
        let next = loop {
            let (line, used) = match lines::first(&bytes[at..], OPENTSDB_LINE_BYTES_MAX) {
                Line::Whole(line, used) => (String::from_utf8_lossy(line), used),
                Line::Partial => break Next::Read,
                Line::TooLong => {
                    let limit = format!(
                        "put: illegal argument: a line has more than {OPENTSDB_LINE_BYTES_MAX} bytes"
                    );
                    self.refuse(&limit, "closing", answers);
                    break Next::Close;
                }
            };
            match codec::opentsdb::parse_line(&line) {
                Ok(Command::Put(draft)) => events.extend(self.events.hooked(draft.build())),
                Ok(Command::Version) => answers.extend_from_slice(VERSION),
                Err(error) => self.refuse(&error.to_string(), &line, answers),
            }
            lines += 1;
            at += used;
        };
        self.events.stream(events, lines, read_at);
        Taken { bytes: at, next }
    }

    fn bytes_wanted(&self, tail: &[u8]) -> usize {
        tail.len() + 1
    }
}

impl OpentsdbLines {
    fn refuse(&self, error: &str, line: &str, answers: &mut Vec<u8>) {
        self.events.malformed(&error, line);
        answers.extend_from_slice(format!("{error}\n").as_bytes());
    }
}
