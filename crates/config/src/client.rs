//! `riemann.client`: clients of other Riemann servers.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use clj::{Cx, Map, Native, Object, Result, Thrown, Value, seq};
use event::{Event, Time};
use parking_lot::Mutex;
use sinks::pace::MachinePace;
use sinks::riemann::ClientError;
use sinks::riemann::forward::Forward;
use sinks::riemann::tcp::{self, Promise, TcpClient};
use sinks::riemann::udp::{DATAGRAM_BYTES, UdpClient};
use streams::World;

use crate::client_options::{address, options, tls};
use crate::effects::Effect;
use crate::index_object::to_event;
use crate::queue::{QueueSpec, Queues, register_sink};
use crate::sinks_binding::{Outlets, sink};
use crate::state::Mode;
use crate::words;

enum Client {
    Tcp(TcpClient),
    Udp(UdpClient),
    /// What is sent waits in a journal first.
    Queued {
        client: Value,
        entrance: Value,
    },
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
            Client::Queued { client, .. } => match client.downcast::<Client>() {
                Some(Client::Udp(_)) => "riemann.client.UdpClient",
                _ => "riemann.client.TcpClient",
            },
        }
    }

    /// `with-open` closes it so.
    fn method(&self, _cx: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        (name == "close" && args.is_empty()).then(|| {
            self.close()?;
            Ok(Value::Nil)
        })
    }
}

impl Client {
    fn close(&self) -> Result<()> {
        match self {
            Client::Tcp(client) => client.close(),
            Client::Udp(_) => {}
            Client::Queued { client, .. } => close(client)?,
            Client::Multi { clients, .. } => {
                for client in clients {
                    close(client)?;
                }
            }
        }
        Ok(())
    }
}

/// The answer to what was sent: `@` waits for it.
struct Answer {
    state: Mutex<State>,
    /// What an answer without an error is.
    value: fn(Vec<Event>) -> Value,
    /// Without its client the connection would close.
    _client: Value,
}

enum State {
    Waiting(Promise),
    Come(Result),
}

/// As long as an answer is waited for without being told how long.
const ANSWER_TIMEOUT: Duration = sinks::policy::IO_TIMEOUT;

impl Answer {
    fn of(
        sent: std::result::Result<Promise, ClientError>,
        value: fn(Vec<Event>) -> Value,
        client: &Value,
    ) -> Value {
        let state = match sent {
            Ok(promise) => State::Waiting(promise),
            Err(error) => State::Come(Err(failed(error))),
        };
        Value::object(Answer {
            state: Mutex::new(state),
            value,
            _client: client.clone(),
        })
    }

    /// `None` if it does not come in time.
    fn wait(&self, cx: &Cx<'_>, timeout: Duration) -> Option<Result> {
        let now = cx.get::<World>().map_or(Time::from_s(0), World::now);
        let mut state = self.state.lock();
        if let State::Waiting(promise) = &*state {
            let outcome = promise.wait_at_most(timeout, now)?;
            *state = State::Come(outcome.map(self.value).map_err(failed));
        }
        match &*state {
            State::Come(outcome) => Some(outcome.clone()),
            State::Waiting(_) => None,
        }
    }
}

impl Object for Answer {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "riemann.client.Promise"
    }

    fn is_a(&self, class: &str) -> bool {
        matches!(
            class,
            "clojure.lang.IDeref" | "clojure.lang.IBlockingDeref" | "clojure.lang.IPending"
        )
    }

    fn deref(&self, cx: &Cx<'_>) -> Option<Result> {
        let waited = self.wait(cx, ANSWER_TIMEOUT);
        Some(waited.unwrap_or_else(|| {
            if let State::Waiting(promise) = &*self.state.lock() {
                promise.give_up();
            }
            Err(failed(ClientError::Timeout))
        }))
    }

    fn deref_within(&self, cx: &Cx<'_>, timeout_ms: i64, instead: &Value) -> Option<Result> {
        let timeout = Duration::from_millis(u64::try_from(timeout_ms).unwrap_or(0));
        let waited = self.wait(cx, timeout);
        Some(waited.unwrap_or_else(|| Ok(instead.clone())))
    }
}

fn acknowledged(_: Vec<Event>) -> Value {
    Value::map([(Value::keyword("ok"), Value::Bool(true))])
}

fn found(events: Vec<Event>) -> Value {
    Value::vector(events.into_iter().map(Value::Event).collect())
}

fn failed(error: ClientError) -> Thrown {
    let class = match &error {
        ClientError::Server(_) => "io.riemann.riemann.client.ServerError",
        ClientError::Overloaded => "io.riemann.riemann.client.OverloadedException",
        _ => "java.io.IOException",
    };
    Thrown::new(class, error.to_string())
}

/// What dereferences to a function of the value of another.
struct Mapped {
    function: Value,
    of: Value,
}

impl Object for Mapped {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "riemann.client.MapPromise"
    }

    fn is_a(&self, class: &str) -> bool {
        matches!(class, "clojure.lang.IDeref" | "clojure.lang.IBlockingDeref")
    }

    fn deref(&self, cx: &Cx<'_>) -> Option<Result> {
        let value = words::call(cx, "deref", std::slice::from_ref(&self.of));
        Some(value.and_then(|value| cx.call(&self.function, &[value])))
    }

    fn deref_within(&self, cx: &Cx<'_>, timeout_ms: i64, instead: &Value) -> Option<Result> {
        let late = match words::call(cx, "gensym", &[]) {
            Ok(late) => late,
            Err(thrown) => return Some(Err(thrown)),
        };
        let waited = [self.of.clone(), Value::Int(timeout_ms), late.clone()];
        Some(match words::call(cx, "deref", &waited) {
            Ok(value) if value == late => Ok(instead.clone()),
            Ok(value) => cx.call(&self.function, &[value]),
            Err(thrown) => Err(thrown),
        })
    }
}

pub const NATIVES: &[Native] = &[
    Native {
        name: "map-promise",
        arglists: "([f p])",
        doc: "What dereferences to (f @p), in the time that p may take.",
        arity: (2, Some(2)),
        code: |_, args| {
            Ok(Value::object(Mapped {
                function: args[0].clone(),
                of: args[1].clone(),
            }))
        },
    },
    Native {
        name: "tcp-client",
        arglists: "([options] [& options])",
        doc: "A client over TCP that connects when it is first used. Options: :host \"127.0.0.1\", \
              :port 5555; for TLS :tls? true (:port 5554), :key, :cert, :ca-cert (PEM files; the \
              server's certificate may be of any name); :queue {:journal \"name\"}: events wait \
              in a journal until the server has them, and nobody waits for it.",
        arity: (0, None),
        code: tcp_client,
    },
    Native {
        name: "udp-client",
        arglists: "([options] [& options])",
        doc: "A client over UDP. Options: :host \"127.0.0.1\", :port 5555, :max-size 16384 bytes.",
        arity: (0, None),
        code: udp_client,
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
        code: |cx, args| {
            let events = seq::iter(&args[1])
                .map(|event| to_event(&event?))
                .collect::<Result<Vec<_>>>()?;
            send(cx, &args[0], &events)
        },
    },
    Native {
        name: "query",
        arglists: "([client query])",
        doc: "Asks the server for the events that a query matches. Dereference the answer.",
        arity: (2, Some(2)),
        code: |cx, args| {
            let text = args[1].as_str().unwrap_or_default();
            if cx.get::<Outlets>()?.effects().is_some() {
                return Ok(come(found(Vec::new()), &args[0]));
            }
            match beneath(pick(&args[0])?)? {
                Client::Tcp(client) => Ok(Answer::of(client.query_promised(text), found, &args[0])),
                _ => Err(Thrown::illegal_argument("only a tcp-client can be asked")),
            }
        },
    },
    Native {
        name: "connected?",
        arglists: "([client])",
        doc: "True while the client has a connection.",
        arity: (1, Some(1)),
        code: |_, args| {
            Ok(Value::Bool(match beneath(pick(&args[0])?)? {
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
            if let Client::Tcp(client) = beneath(pick(&args[0])?)? {
                client.connect().map_err(failed)?;
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
            close(&args[0])?;
            Ok(Value::Nil)
        },
    },
];

/// Under tests it connects at once, as theirs do: where a server runs, its configuration must not
/// wait for another.
fn tcp_client(cx: &Cx<'_>, args: &[Value]) -> Result {
    let options = options(args)?;
    let settings = tcp::Settings {
        tls: tls(&options)?,
        ..tcp::Settings::new(address(&options)?)
    };
    let client = || TcpClient::new(settings.clone(), Arc::new(MachinePace::start()));
    if let Some((spec, options)) = queue("tcp-client", &options)? {
        // The pauses between deliveries are enough.
        let settings = tcp::Settings {
            reconnect_delay: Duration::ZERO,
            ..settings.clone()
        };
        let sender = || TcpClient::new(settings, Arc::new(MachinePace::start()));
        let inner = Value::object(Client::Tcp(client()));
        return queued(cx, spec, ("tcp-client", options), inner, || {
            Forward::Tcp(sender())
        });
    }
    let client = client();
    if cx.get::<crate::state::State>()?.mode == Mode::Evaluate && client.connect().is_err() {
        client.close();
    }
    Ok(Value::object(Client::Tcp(client)))
}

fn udp_client(cx: &Cx<'_>, args: &[Value]) -> Result {
    let options = options(args)?;
    let bytes = match options.get_keyword("max-size") {
        Some(Value::Int(size)) => usize::try_from(*size).unwrap_or(DATAGRAM_BYTES),
        _ => DATAGRAM_BYTES,
    };
    let address = address(&options)?;
    let client = || UdpClient::new(address.clone(), bytes);
    let inner = Value::object(Client::Udp(client()));
    match queue("udp-client", &options)? {
        Some((spec, options)) => queued(cx, spec, ("udp-client", options), inner, || {
            Forward::Udp(client())
        }),
        None => Ok(inner),
    }
}

/// What a client's `:queue` says, and its options without.
fn queue(of: &str, options: &Map) -> Result<Option<(QueueSpec, Value)>> {
    let key = Value::keyword("queue");
    let queue = options.get(&key).cloned().unwrap_or_default();
    let spec = QueueSpec::read(of, &queue)?;
    let mut options = options.clone();
    options.remove(&key);
    Ok(spec.map(|spec| (spec, Value::Map(options))))
}

/// A client whose events wait in a journal until the server has them; questions go to `inner`.
fn queued(
    cx: &Cx<'_>,
    spec: QueueSpec,
    (of, options): (&'static str, Value),
    inner: Value,
    target: impl FnOnce() -> Forward,
) -> Result {
    let entrance = register_sink(cx, spec, of, &[options], |cx| {
        let outlet = cx.get::<Outlets>()?.open(of, &[], || Ok(target()))?;
        Ok(sink::of_events(of, &outlet, |event| Some(event.clone())))
    })?;
    // Where queues are in memory, a client has none.
    if !cx.get::<Queues>()?.are_kept() {
        return Ok(inner);
    }
    Ok(Value::object(Client::Queued {
        client: inner,
        entrance,
    }))
}

/// The client that does the talking.
fn beneath(client: &Client) -> Result<&Client> {
    match client {
        Client::Queued { client, .. } => pick(client),
        client => Ok(client),
    }
}

fn send(cx: &Cx<'_>, client: &Value, events: &[Event]) -> Result {
    if let Some(effects) = cx.get::<Outlets>()?.effects() {
        for event in events {
            let mut body = Vec::new();
            codec::json::event_to_json(&mut body, event);
            effects(Effect {
                sink: "riemann".into(),
                action: "send".into(),
                to: String::new(),
                body: String::from_utf8_lossy(&body).into_owned(),
            });
        }
        return Ok(come(acknowledged(Vec::new()), client));
    }
    Ok(match pick(client)? {
        Client::Tcp(tcp) => Answer::of(tcp.send_events_promised(events), acknowledged, client),
        Client::Udp(udp) => {
            udp.send_events(events).map_err(failed)?;
            come(acknowledged(Vec::new()), client)
        }
        Client::Queued { entrance, .. } => {
            if !events.is_empty() {
                let events = events.iter().cloned().map(Value::Event).collect();
                cx.call(entrance, &[Value::vector(events)])?;
            }
            come(acknowledged(Vec::new()), client)
        }
        Client::Multi { .. } => Value::Nil,
    })
}

/// An answer that is there.
fn come(value: Value, client: &Value) -> Value {
    Value::object(Answer {
        state: Mutex::new(State::Come(Ok(value))),
        value: acknowledged,
        _client: client.clone(),
    })
}

/// Closes a client, and each that it sends to.
fn close(value: &Value) -> Result<()> {
    match value.downcast::<Client>() {
        Some(client) => client.close(),
        None => pick(value).map(|_| ()),
    }
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
