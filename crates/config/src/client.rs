//! `riemann.client`: clients of other Riemann servers.

use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;

use clj::{Cx, Map, Native, Object, Result, Thrown, Value, seq};
use event::Event;
use parking_lot::Mutex;
use sinks::pace::MachinePace;
use sinks::riemann::tcp::{self, Promise, TcpClient};
use sinks::riemann::udp::{DATAGRAM_BYTES, UdpClient};
use sinks::socket::Address;
use sinks::tls::{TlsSettings, client_config};
use streams::World;

use crate::index_object::to_event;
use crate::words;

enum Client {
    Tcp(TcpClient),
    Udp(UdpClient),
    Multi {
        clients: Vec<Value>,
        next: std::sync::atomic::AtomicUsize,
    },
}

impl Object for Client {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        match self {
            Client::Tcp(_) | Client::Multi { .. } => "riemann.client.TcpClient",
            Client::Udp(_) => "riemann.client.UdpClient",
        }
    }
}

/// The answer to what was sent: `@` waits for it.
struct Answer(Mutex<Option<Promise>>);

impl Object for Answer {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "riemann.client.Promise"
    }

    fn deref(&self, _: &Cx<'_>) -> Option<Result> {
        let Some(promise) = self.0.lock().take() else {
            return Some(Ok(acknowledged()));
        };
        Some(promise.wait().map(|()| acknowledged()).map_err(io))
    }
}

fn acknowledged() -> Value {
    Value::map([(Value::keyword("ok"), Value::Bool(true))])
}

fn io(error: sinks::riemann::ClientError) -> Thrown {
    Thrown::new("java.io.IOException", error.to_string())
}

pub const NATIVES: &[Native] = &[
    Native {
        name: "tcp-client",
        arglists: "([options] [& options])",
        doc: "A client over TCP that connects when it is first used. Options: :host \"127.0.0.1\", \
              :port 5555; for TLS :tls? true (:port 5554), :key, :cert, :ca-cert (PEM files; the \
              server's certificate may be of any name).",
        arity: (0, None),
        code: |_, args| {
            let options = options(args)?;
            let settings = tcp::Settings {
                tls: tls(&options)?,
                ..tcp::Settings::new(address(&options)?)
            };
            let client = TcpClient::new(settings, Arc::new(MachinePace::start()));
            Ok(Value::object(Client::Tcp(client)))
        },
    },
    Native {
        name: "udp-client",
        arglists: "([options] [& options])",
        doc: "A client over UDP. Options: :host \"127.0.0.1\", :port 5555, :max-size 16384 bytes.",
        arity: (0, None),
        code: |_, args| {
            let options = options(args)?;
            let bytes = match options.get_keyword("max-size") {
                Some(Value::Int(size)) => usize::try_from(*size).unwrap_or(DATAGRAM_BYTES),
                _ => DATAGRAM_BYTES,
            };
            Ok(Value::object(Client::Udp(UdpClient::new(
                address(&options)?,
                bytes,
            ))))
        },
    },
    Native {
        name: "-multi-client",
        arglists: "([clients])",
        doc: "A client that uses each of several in turn.",
        arity: (1, Some(1)),
        code: |_, args| {
            let clients = seq::to_vec(&args[0])?;
            if clients.is_empty() {
                return Err(Thrown::illegal_argument(
                    "multi-client needs at least one client",
                ));
            }
            Ok(Value::object(Client::Multi {
                clients,
                next: Default::default(),
            }))
        },
    },
    Native {
        name: "send-events",
        arglists: "([client events])",
        doc: "Sends events in one message. Returns what can be dereferenced for the answer.",
        arity: (2, Some(2)),
        code: |_, args| {
            let events = seq::iter(&args[1])
                .map(|event| to_event(&event?))
                .collect::<Result<Vec<_>>>()?;
            send(&args[0], &events)
        },
    },
    Native {
        name: "query",
        arglists: "([client query])",
        doc: "Asks the server for the events that a query matches. Dereference the answer.",
        arity: (2, Some(2)),
        code: |cx, args| {
            let now = cx.get::<World>()?.now();
            let text = args[1].as_str().unwrap_or_default();
            let events = match pick(&args[0])? {
                Client::Tcp(client) => client.query(text, now).map_err(io)?,
                _ => return Err(Thrown::illegal_argument("only a tcp-client can be asked")),
            };
            let events = Value::vector(events.into_iter().map(Value::Event).collect());
            words::call(cx, "atom", &[events])
        },
    },
    Native {
        name: "connected?",
        arglists: "([client])",
        doc: "True while the client has a connection.",
        arity: (1, Some(1)),
        code: |_, args| {
            Ok(Value::Bool(match pick(&args[0])? {
                Client::Tcp(client) => client.is_connected(),
                _ => true,
            }))
        },
    },
    Native {
        name: "connect!",
        arglists: "([client])",
        doc: "Connects now.",
        arity: (1, Some(1)),
        code: |_, args| {
            if let Client::Tcp(client) = pick(&args[0])? {
                client.connect().map_err(io)?;
            }
            Ok(args[0].clone())
        },
    },
    Native {
        name: "close!",
        arglists: "([client])",
        doc: "Closes the client's connection.",
        arity: (1, Some(1)),
        code: |_, args| {
            if let Client::Tcp(client) = pick(&args[0])? {
                client.close();
            }
            Ok(Value::Nil)
        },
    },
];

fn send(client: &Value, events: &[Event]) -> Result {
    let promise = match pick(client)? {
        Client::Tcp(client) => Some(client.send_events_promised(events).map_err(io)?),
        Client::Udp(client) => {
            client.send_events(events).map_err(io)?;
            None
        }
        Client::Multi { .. } => None,
    };
    Ok(Value::object(Answer(Mutex::new(promise))))
}

/// The client, or the one whose turn it is.
fn pick(value: &Value) -> Result<&Client> {
    let mut client = value.downcast::<Client>();
    while let Some(Client::Multi { clients, next }) = client {
        let turn = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed) % clients.len();
        client = clients[turn].downcast::<Client>();
    }
    client.ok_or_else(|| {
        Thrown::illegal_argument(format!(
            "{} is not a client: make one with tcp-client or udp-client",
            value.to_readable()
        ))
    })
}

/// Options as a map, or as keys and values.
pub fn options(args: &[Value]) -> Result<Map> {
    match args {
        [] | [Value::Nil] => Ok(Map::default()),
        [Value::Map(map)] => Ok(map.clone()),
        _ if args.len().is_multiple_of(2) => Ok(args
            .chunks(2)
            .map(|pair| (pair[0].clone(), pair[1].clone()))
            .collect()),
        _ => Err(Thrown::illegal_argument(
            "options are a map, or keys and values",
        )),
    }
}

fn address(options: &Map) -> Result<Address> {
    let host = match options.get_keyword("host") {
        None | Some(Value::Nil) => "127.0.0.1".to_owned(),
        Some(host) => host.to_text(),
    };
    let tls = options.get_keyword("tls?").is_some_and(Value::truthy);
    let port = match options.get_keyword("port") {
        None | Some(Value::Nil) => {
            if tls {
                tcp::TLS_PORT
            } else {
                tcp::PORT
            }
        }
        Some(Value::Int(port)) => u16::try_from(*port)
            .map_err(|_| Thrown::illegal_argument(format!(":port {port} is no port")))?,
        Some(other) => {
            let text = other.to_readable();
            return Err(Thrown::illegal_argument(format!(":port {text} is no port")));
        }
    };
    Ok(Address::new(host, port))
}

fn tls(options: &Map) -> Result<Option<Arc<rustls::ClientConfig>>> {
    if !options.get_keyword("tls?").is_some_and(Value::truthy) {
        return Ok(None);
    }
    let file = |key: &str| {
        let value = options.get_keyword(key).filter(|value| !value.is_nil());
        value.map(|value| PathBuf::from(value.to_text()))
    };
    let settings = TlsSettings {
        ca_cert: file("ca-cert"),
        identity: file("cert").zip(file("key")),
        check_name: false,
    };
    let config = client_config(&settings);
    config
        .map(Some)
        .map_err(|error| Thrown::illegal_argument(format!("tcp-client: {error}")))
}
