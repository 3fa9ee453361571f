//! Opens what is specified: a source, a queue, a store.

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs, UdpSocket};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::journal::{Journal, Options};
use ::pipe::queue::{JournalQueue, MemoryQueue, RedisQueue};
use ::pipe::source::{Inlet, Listening, accept, read_datagrams};
use ::pipe::spec::{JournalPlace, QueuePlace, SourcePlace, StoreSpec};
use ::pipe::store::{CountStore, FileStore, JournalStore, RedisStore, RiemannStore};
use ::pipe::{Framing, PipeError, Queue, Store};
use sinks::socket::Address;

/// A queue, and its journal if it is in one.
pub type OpenQueue = (Box<dyn Queue>, Option<Journal>);

/// A store, and its journal if it is one.
pub type OpenStore = (Box<dyn Store>, Option<Journal>);

/// A bound source.
pub enum Source {
    /// It listens, perhaps at a path.
    Listening(Listening, Option<PathBuf>),
    Datagrams(UdpSocket),
}

/// Opens a queue. To add one, add an arm.
pub fn queue(place: &QueuePlace) -> Result<OpenQueue, String> {
    let told = |error: PipeError| error.to_string();
    match place {
        QueuePlace::Memory => Ok((Box::new(MemoryQueue::new(origin())), None)),
        QueuePlace::Zmq => zmq(),
        QueuePlace::Journal(place) => {
            let queue = JournalQueue::open(&place.dir, options(place), &origin());
            let queue = queue.map_err(|error| in_folder(&place.dir, &error))?;
            let journal = queue.journal().clone();
            Ok((Box::new(queue), Some(journal)))
        }
        QueuePlace::Redis(place) => {
            let queue = RedisQueue::open(&place.address, place.database, &place.key, &origin());
            Ok((Box::new(queue.map_err(told)?), None))
        }
        QueuePlace::Nats { address, name } => nats(address, name),
    }
}

#[cfg(feature = "nats")]
fn nats(address: &Address, name: &str) -> Result<OpenQueue, String> {
    let queue = ::pipe::queue::NatsQueue::open(address, name, &origin());
    Ok((Box::new(queue.map_err(|error| error.to_string())?), None))
}

#[cfg(not(feature = "nats"))]
fn nats(_: &Address, _: &str) -> Result<OpenQueue, String> {
    Err("nats is not built in".to_owned())
}

#[cfg(feature = "zmq")]
fn zmq() -> Result<OpenQueue, String> {
    let queue = ::pipe::queue::ZmqQueue::open(origin());
    Ok((Box::new(queue.map_err(|error| error.to_string())?), None))
}

#[cfg(not(feature = "zmq"))]
fn zmq() -> Result<OpenQueue, String> {
    Err("zmq is not built in".to_owned())
}

/// Opens a store; `framing` says what the messages are.
pub fn store(spec: &StoreSpec, framing: Framing) -> Result<OpenStore, String> {
    Ok(match spec {
        StoreSpec::Count => (Box::new(CountStore::default()), None),
        StoreSpec::Riemann(address) => (Box::new(RiemannStore::new(address.clone())), None),
        StoreSpec::File(path) => {
            let store = FileStore::open(path, framing).map_err(|error| error.to_string())?;
            (Box::new(store), None)
        }
        StoreSpec::Journal(place) => {
            let store = JournalStore::open(&place.dir, options(place));
            let store = store.map_err(|error| in_folder(&place.dir, &error))?;
            let journal = store.journal().clone();
            (Box::new(store), Some(journal))
        }
        StoreSpec::Redis(place, way) => {
            let (address, key) = (place.address.clone(), &place.key);
            let store = RedisStore::new(address, place.database, *way, key);
            (Box::new(store), None)
        }
    })
}

fn in_folder(dir: &Path, error: &PipeError) -> String {
    format!("{}: {error}", dir.display())
}

fn options(place: &JournalPlace) -> Options {
    Options {
        durability: place.durability,
        now: Arc::new(now_us),
        ..Options::default()
    }
}

/// A name that no other run of the program has: the time, and the process.
fn origin() -> String {
    format!("{:x}-{:x}", now_us(), std::process::id())
}

/// Microseconds since 1970.
pub fn now_us() -> i64 {
    super::now().us
}

impl Drop for Source {
    fn drop(&mut self) {
        if let Source::Listening(_, Some(path)) = self {
            // It is only a name that nobody answers to.
            let _ = std::fs::remove_file(path);
        }
    }
}

impl Source {
    /// Binds it.
    pub fn bind(place: &SourcePlace) -> Result<Source, String> {
        let told = |error: std::io::Error| told(place, &error);
        match place {
            SourcePlace::Tcp(address) => {
                let listener = TcpListener::bind(&resolve(address).map_err(told)?[..]);
                Ok(Source::Listening(
                    Listening::Tcp(listener.map_err(told)?),
                    None,
                ))
            }
            SourcePlace::Udp(address) => {
                let socket = UdpSocket::bind(&resolve(address).map_err(told)?[..]);
                Ok(Source::Datagrams(socket.map_err(told)?))
            }
            SourcePlace::Unix(path) => {
                // A run that was killed leaves its socket behind; one that lives answers.
                if UnixStream::connect(path)
                    .is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused)
                {
                    std::fs::remove_file(path).map_err(told)?;
                }
                let listener = UnixListener::bind(path).map_err(told)?;
                Ok(Source::Listening(
                    Listening::Unix(listener),
                    Some(path.clone()),
                ))
            }
        }
    }

    /// Where it listens.
    pub fn place(&self) -> String {
        let address = |address: std::io::Result<SocketAddr>| {
            address.map_or_else(|error| error.to_string(), |address| address.to_string())
        };
        match self {
            Source::Listening(Listening::Tcp(tcp), _) => {
                format!("tcp://{}", address(tcp.local_addr()))
            }
            Source::Listening(Listening::Unix(_), path) => {
                let path = path.as_deref().unwrap_or(Path::new(""));
                format!("unix:{}", path.display())
            }
            Source::Datagrams(socket) => format!("udp://{}", address(socket.local_addr())),
        }
    }

    /// Reads until the inlet is closed.
    pub fn run(&self, inlet: &Arc<Inlet>) -> Result<(), PipeError> {
        match self {
            Source::Listening(listening, _) => accept(listening, inlet),
            Source::Datagrams(socket) => read_datagrams(socket, inlet),
        }
    }
}

fn resolve(address: &Address) -> std::io::Result<Vec<SocketAddr>> {
    Ok((address.host.as_str(), address.port)
        .to_socket_addrs()?
        .collect())
}

fn told(place: &SourcePlace, error: &std::io::Error) -> String {
    let place = match place {
        SourcePlace::Tcp(address) => format!("tcp://{}:{}", address.host, address.port),
        SourcePlace::Udp(address) => format!("udp://{}:{}", address.host, address.port),
        SourcePlace::Unix(path) => format!("unix:{}", path.display()),
    };
    if error.kind() == ErrorKind::AddrInUse {
        return format!("{place} is in use; stop what listens there or choose another");
    }
    format!("{place}: {error}")
}
