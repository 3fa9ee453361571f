//! nREPL: editors and prompts evaluate code in the running configuration.
//!
//! A connection is a thread that reads messages ([`bencode`]) and does what they ask for
//! ([`operations`]). Evaluations run on threads of their own, one at a time in each session
//! ([`session`]). There is no authentication: whoever connects can do what the server can.

pub mod bencode;
mod input;
mod operations;
mod reply;
mod session;

use std::collections::HashMap;
use std::io::{self, BufReader};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use parking_lot::Mutex;
use transport::BindError;

use crate::handler::Live;
use operations::Client;
use reply::Writer;
use session::{Session, Sessions};

/// Clients at once; more are turned away.
const CONNECTIONS_MAX: usize = 32;

/// How long a client may take to read an answer before it is given up.
const WRITE_WITHIN: Duration = Duration::from_secs(10);

/// Stack of a connection's thread: looking a name up may compile. Only what is used is taken.
const STACK_BYTES: usize = 16 << 20;

/// How long to wait for the listener's own thread to hear that it is over.
const WAKE_WITHIN: Duration = Duration::from_millis(200);

/// A pause where accepting fails, which it may do again at once: no handles left, say.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// What the configuration calls it.
const NAME: &str = "repl-server";

/// A running nREPL server. Dropping it stops it.
pub struct Server {
    addr: SocketAddr,
    shared: Arc<Shared>,
    accepting: Mutex<Option<JoinHandle<()>>>,
}

struct Shared {
    live: Weak<Live>,
    sessions: Arc<Sessions>,
    connections: Mutex<HashMap<u64, TcpStream>>,
    stopping: AtomicBool,
}

impl Server {
    /// Listens; `live` holds the configuration that code is evaluated in.
    ///
    /// # Errors
    /// The address is taken, forbidden, or not this machine's.
    pub fn bind(host: &str, port: u16, live: Weak<Live>) -> Result<Server, BindError> {
        let failed = |error| explain(host, port, error);
        let listener = TcpListener::bind((host, port)).map_err(failed)?;
        let addr = listener.local_addr().map_err(failed)?;
        if !addr.ip().is_loopback() {
            tracing::warn!(
                "nrepl server {addr}: whoever connects can evaluate code, without a password"
            );
        }
        let shared = Arc::new(Shared {
            live,
            sessions: Arc::default(),
            connections: Mutex::default(),
            stopping: AtomicBool::new(false),
        });
        let accepting = shared.clone();
        let accepting = spawn("nrepl-accept", move || accepting.accept(&listener));
        Ok(Server {
            addr,
            shared,
            accepting: Mutex::new(Some(accepting.map_err(failed)?)),
        })
    }

    /// The address it is bound to, with the real port.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Closes the port and every connection; what is being evaluated is given up.
    pub fn stop(&self) {
        if self.shared.stopping.swap(true, Ordering::SeqCst) {
            return;
        }
        self.shared.sessions.close_all();
        for stream in self.shared.connections.lock().values() {
            let _ = stream.shutdown(Shutdown::Both);
        }
        // The listener's thread waits for a connection: here is one.
        let ip = match self.addr.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            ip => ip,
        };
        let woken = TcpStream::connect_timeout(&(ip, self.addr.port()).into(), WAKE_WITHIN);
        if let (Ok(_), Some(accepting)) = (woken, self.accepting.lock().take()) {
            let _ = accepting.join();
        }
    }

    /// Lets go of the values of a configuration that runs no more.
    pub fn forget(&self) {
        self.shared.sessions.forget();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Shared {
    fn accept(self: &Arc<Shared>, listener: &TcpListener) {
        for (number, stream) in (0..).zip(listener.incoming()) {
            if self.stopping.load(Ordering::SeqCst) {
                return;
            }
            let opened = stream.and_then(|stream| self.open(number, stream));
            if let Err(error) = opened {
                tracing::warn!("nrepl: a connection cannot be taken: {error}");
                thread::sleep(ACCEPT_PAUSE);
            }
        }
    }

    fn open(self: &Arc<Shared>, number: u64, stream: TcpStream) -> io::Result<()> {
        let mut connections = self.connections.lock();
        if self.stopping.load(Ordering::SeqCst) {
            return Ok(());
        }
        if connections.len() >= CONNECTIONS_MAX {
            tracing::warn!("nrepl: a connection is turned away: {CONNECTIONS_MAX} are open");
            return Ok(());
        }
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(WRITE_WITHIN))?;
        let (writer, open) = (stream.try_clone()?, stream.try_clone()?);
        let shared = self.clone();
        spawn("nrepl-connection", move || {
            shared.serve(stream, writer);
            shared.connections.lock().remove(&number);
        })?;
        connections.insert(number, open);
        Ok(())
    }

    /// Reads messages until the client goes.
    fn serve(&self, stream: TcpStream, writer: TcpStream) {
        let Some(live) = self.live.upgrade() else {
            return;
        };
        let client = Client {
            live,
            sessions: self.sessions.clone(),
            writer: Arc::new(Writer::new(writer)),
            nameless: Arc::new(Session::new(None)),
        };
        let mut source = BufReader::new(stream);
        loop {
            match bencode::read_message(&mut source) {
                Ok(Some(message)) => client.handle(&message),
                Ok(None) => break,
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    tracing::warn!("nrepl: a connection is closed: {error}");
                    break;
                }
                Err(_) => break,
            }
        }
        client.nameless.end();
        let _ = source.get_ref().shutdown(Shutdown::Both);
    }
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    let thread = thread::Builder::new()
        .name(name.into())
        .stack_size(STACK_BYTES);
    thread.spawn(body)
}

fn explain(host: &str, port: u16, source: io::Error) -> BindError {
    let (server, host) = (NAME, host.to_owned());
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
