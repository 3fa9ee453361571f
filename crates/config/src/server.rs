//! Servers as a configuration describes them; the program opens the sockets.

use std::any::Any;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;

use clj::{Cx, Map, Native, Object, Result, Thrown, Value, event_value, seq};
use event::Event;

use crate::pipeline::PipelineSpec;
use crate::state::State;
use crate::words;

/// What a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Tcp,
    Udp,
    Ws,
    Sse,
    Graphite,
    OpenTsdb,
    /// nREPL.
    Repl,
}

impl Kind {
    /// What a configuration calls it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Tcp => "tcp-server",
            Kind::Udp => "udp-server",
            Kind::Ws => "ws-server",
            Kind::Sse => "sse-server",
            Kind::Graphite => "graphite-server",
            Kind::OpenTsdb => "opentsdb-server",
            Kind::Repl => "repl-server",
        }
    }
}

/// A server of the configuration, its options checked.
#[derive(Clone)]
pub struct ServerSpec {
    pub kind: Kind,
    pub host: String,
    pub port: u16,
    pub tls: Option<Tls>,
    /// `:so-backlog`, connections waiting to be accepted.
    pub backlog: Option<u32>,
    /// `:max-frame-size`, or `:max-size` of a datagram, in bytes.
    pub message_bytes_max: Option<usize>,
    /// `:so-rcvbuf`, in bytes.
    pub receive_buffer_bytes: Option<usize>,
    /// `:max-connections`.
    pub connections_max: Option<usize>,
    /// `:protocol :udp` of a Graphite server.
    pub udp: bool,
    /// `:tags true` of a Graphite server.
    pub tags: bool,
    /// `:headers` of an SSE server.
    pub headers: Vec<(String, String)>,
    /// `:parser-fn`: changes each event of a line, or drops it.
    pub line_hook: Option<LineHook>,
}

/// What a configuration may do to an event that came as a line.
pub type LineHook = Arc<dyn Fn(Event) -> Option<Event> + Send + Sync>;

impl ServerSpec {
    /// True if both cannot listen at once.
    pub fn takes_port_of(&self, other: &ServerSpec) -> bool {
        let datagrams = |spec: &ServerSpec| spec.kind == Kind::Udp || spec.udp;
        self.port == other.port
            && self.port != 0
            && (self.host == other.host || self.is_everywhere() || other.is_everywhere())
            && datagrams(self) == datagrams(other)
    }

    /// True if it listens on every address of the machine.
    fn is_everywhere(&self) -> bool {
        let address = self.host.parse::<IpAddr>();
        address.is_ok_and(|address| address.is_unspecified())
    }
}

/// Two are equal if a running server may go on in place of a new one. A parser function belongs to
/// its configuration, so two that have one are never equal.
impl PartialEq for ServerSpec {
    fn eq(&self, other: &ServerSpec) -> bool {
        self.kind == other.kind
            && self.host == other.host
            && self.port == other.port
            && self.tls == other.tls
            && self.backlog == other.backlog
            && self.message_bytes_max == other.message_bytes_max
            && self.receive_buffer_bytes == other.receive_buffer_bytes
            && self.connections_max == other.connections_max
            && (self.udp, self.tags) == (other.udp, other.tags)
            && self.headers == other.headers
            && self.line_hook.is_none()
            && other.line_hook.is_none()
    }
}

/// Files of a TLS server, PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tls {
    pub key: PathBuf,
    pub cert: PathBuf,
    /// Clients must show a certificate signed by it.
    pub ca_cert: Option<PathBuf>,
}

/// Opens and closes what a configuration asks for. The program implements it.
pub trait Wire: Send + Sync {
    /// Opens a server, or takes over a running one of an equal description.
    ///
    /// # Errors
    /// One line for the user: what failed, where, and what to do.
    fn start(&self, spec: &ServerSpec) -> std::result::Result<Handle, String>;
    fn stop(&self, handle: &Handle);

    /// Opens a pipeline, or has a running one of the same name go on as described. Where nothing
    /// is to be taken in, nothing is opened.
    ///
    /// # Errors
    /// One line for the user: what failed, where, and what to do.
    fn start_pipeline(&self, spec: &PipelineSpec) -> std::result::Result<Handle, String> {
        Ok(Arc::new(spec.name.clone()))
    }

    /// Ends a pipeline.
    fn stop_pipeline(&self, _handle: &Handle) {}

    /// Gives the streams what they have not seen, before the first server opens.
    ///
    /// # Errors
    /// One line for the user.
    fn catch_up(&self) -> std::result::Result<(), String> {
        Ok(())
    }
}

/// A running server, as the program knows it.
pub type Handle = Arc<dyn Any + Send + Sync>;

/// A handle inside the language.
pub(crate) struct Running(pub Handle);

impl Object for Running {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "cauchy.Server"
    }
}

pub const NATIVES: &[Native] = &[
    Native {
        name: "-start!",
        arglists: "([kind options handle])",
        doc: "Opens a server, unless under test.",
        arity: (3, Some(3)),
        code: start,
    },
    Native {
        name: "-stop!",
        arglists: "([handle])",
        doc: "Closes a server.",
        arity: (1, Some(1)),
        code: stop,
    },
    Native {
        name: "-check-options",
        arglists: "([kind options])",
        doc: "Throws if a server's options are wrong.",
        arity: (2, Some(2)),
        code: |cx, args| parse(cx, &args[0], &args[1]).map(|_| Value::Nil),
    },
];

fn start(cx: &Cx<'_>, args: &[Value]) -> Result {
    let state = cx.get::<State>()?;
    let Some(wire) = state.wire.as_ref().filter(|_| !is_testing(cx)) else {
        return Ok(Value::Nil);
    };
    let spec = parse(cx, &args[0], &args[1])?;
    let handle = wire
        .start(&spec)
        .map_err(|line| Thrown::new("java.net.BindException", line))?;
    reset(cx, &args[2], Value::object(Running(handle)))
}

/// True while `riemann.test` tests a configuration.
pub(crate) fn is_testing(cx: &Cx<'_>) -> bool {
    let testing = cx.rt.var("riemann.test", "*testing*");
    testing
        .and_then(|var| var.get())
        .is_some_and(|testing| testing.truthy())
}

fn stop(cx: &Cx<'_>, args: &[Value]) -> Result {
    let running = words::call(cx, "deref", &args[..1])?;
    if let (Some(wire), Some(running)) = (&cx.get::<State>()?.wire, running.downcast::<Running>()) {
        wire.stop(&running.0);
    }
    reset(cx, &args[0], Value::Nil)
}

pub(crate) fn reset(cx: &Cx<'_>, atom: &Value, value: Value) -> Result {
    words::call(cx, "reset!", &[atom.clone(), value])
}

/// Reads a server's options.
///
/// # Errors
/// `IllegalArgumentException` for what is wrong with them.
pub fn parse(cx: &Cx<'_>, kind: &Value, options: &Value) -> Result<ServerSpec> {
    let kind = match kind.to_text().as_str() {
        ":tcp" => Kind::Tcp,
        ":udp" => Kind::Udp,
        ":ws" => Kind::Ws,
        ":sse" => Kind::Sse,
        ":graphite" => Kind::Graphite,
        ":opentsdb" => Kind::OpenTsdb,
        ":repl" => Kind::Repl,
        other => {
            return Err(Thrown::illegal_argument(format!(
                "no server speaks {other}"
            )));
        }
    };
    let Value::Map(options) = options else {
        return Err(Thrown::illegal_argument(format!(
            "a server takes a map of options, not {}",
            options.to_readable()
        )));
    };
    let read = Options { options, kind };
    Ok(ServerSpec {
        kind,
        host: read.text("host")?.unwrap_or_else(|| "127.0.0.1".to_owned()),
        port: read.port()?,
        tls: read.tls(cx)?,
        backlog: read
            .size("so-backlog")?
            .map(|size| u32::try_from(size).unwrap_or(u32::MAX)),
        message_bytes_max: match kind {
            Kind::Udp => read.size("max-size")?,
            _ => read.size("max-frame-size")?,
        },
        receive_buffer_bytes: read.size("so-rcvbuf")?,
        connections_max: read.size("max-connections")?,
        udp: read.value("protocol") == Value::keyword("udp"),
        tags: read.value("tags").truthy(),
        headers: read.headers()?,
        line_hook: line_hook(cx, read.value("parser-fn")),
    })
}

/// Merges what the function gives for each event into it; an event that it throws on goes on as it
/// was.
fn line_hook(cx: &Cx<'_>, parser: Value) -> Option<LineHook> {
    if parser.is_nil() {
        return None;
    }
    let rt = Arc::downgrade(cx.rt);
    Some(Arc::new(move |event: Event| {
        let Some(rt) = rt.upgrade() else {
            return Some(event);
        };
        match parse_line_event(&Cx::new(&rt), &parser, &event) {
            Ok(parsed) => Some(parsed),
            Err(thrown) => {
                tracing::warn!("parser-fn: {thrown}");
                Some(event)
            }
        }
    }))
}

fn parse_line_event(cx: &Cx<'_>, parser: &Value, event: &Event) -> Result<Event> {
    let changes = cx.call(parser, &[Value::Event(event.clone())])?;
    let mut parsed = event.clone();
    for entry in seq::iter(&changes) {
        let entry = seq::to_vec(&entry?)?;
        if let [key, value] = entry.as_slice()
            && let Value::Event(next) = event_value::assoc(&parsed, key, value)?
        {
            parsed = next;
        }
    }
    Ok(parsed)
}

struct Options<'a> {
    options: &'a Map,
    kind: Kind,
}

impl Options<'_> {
    fn value(&self, name: &str) -> Value {
        self.options.get_keyword(name).cloned().unwrap_or_default()
    }

    fn wrong(&self, name: &str, wanted: &str) -> Thrown {
        Thrown::illegal_argument(format!(
            "{}: :{name} must be {wanted}, not {}",
            self.kind.name(),
            self.value(name).to_readable()
        ))
    }

    fn text(&self, name: &str) -> Result<Option<String>> {
        match self.value(name) {
            Value::Nil => Ok(None),
            Value::Str(text) => Ok(Some(text.to_string())),
            _ => Err(self.wrong(name, "a string")),
        }
    }

    fn port(&self) -> Result<u16> {
        match self.value("port") {
            Value::Int(port) => {
                u16::try_from(port).map_err(|_| self.wrong("port", "between 0 and 65535"))
            }
            Value::Str(text) => text.parse().map_err(|_| self.wrong("port", "a number")),
            _ => Err(self.wrong("port", "a number")),
        }
    }

    /// `so-rcvbuf -1` is how Riemann says "the system's own".
    fn size(&self, name: &str) -> Result<Option<usize>> {
        match self.value(name) {
            Value::Nil => Ok(None),
            Value::Int(size) if size < 0 => Ok(None),
            Value::Int(size) => Ok(usize::try_from(size).ok()),
            _ => Err(self.wrong(name, "a whole number")),
        }
    }

    fn tls(&self, cx: &Cx<'_>) -> Result<Option<Tls>> {
        if !self.value("tls?").truthy() {
            return Ok(None);
        }
        let file = |name: &str| -> Result<Option<PathBuf>> {
            let path = self.text(name)?;
            if let Some(path) = &path
                && !cx.rt.host.file_exists(path)
            {
                return Err(self.wrong(name, "the path of a PEM file that exists"));
            }
            Ok(path.map(PathBuf::from))
        };
        let (Some(key), Some(cert)) = (file("key")?, file("cert")?) else {
            return Err(Thrown::illegal_argument(
                "tcp server with :tls? true needs :key and :cert, paths of PEM files",
            ));
        };
        Ok(Some(Tls {
            key,
            cert,
            ca_cert: file("ca-cert")?,
        }))
    }

    fn headers(&self) -> Result<Vec<(String, String)>> {
        match self.value("headers") {
            Value::Nil => Ok(Vec::new()),
            Value::Map(headers) => Ok(headers
                .iter()
                .map(|(name, value)| {
                    (
                        name.to_text().trim_start_matches(':').to_owned(),
                        value.to_text(),
                    )
                })
                .collect()),
            _ => Err(self.wrong("headers", "a map")),
        }
    }
}
