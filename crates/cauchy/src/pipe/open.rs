//! Opens what the flags name: a source, a queue, a store.

use std::net::{TcpListener, UdpSocket};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::journal::{Durability, Journal, Options};
use ::pipe::limits::{DURABLE_BYTES, MEMORY_BYTES};
use ::pipe::queue::{JournalQueue, MemoryQueue, RedisQueue};
use ::pipe::source::{Listening, accept, read_datagrams};
use ::pipe::store::{CountStore, FileStore, JournalStore, RedisStore, RedisWay, RiemannStore};
use ::pipe::{Framing, PipeError, Pipeline, Queue, Store};
use event::Time;
use sinks::pace::MachinePace;
use sinks::socket::Address;

use super::Flags;
use super::words::{Redis, host_port};

/// A pipeline that does not run yet.
pub struct Opened {
    pub pipeline: Arc<Pipeline>,
    pub store: Box<dyn Store>,
    pub source: Source,
    pub journals: Journals,
}

/// Journals that want to be told the time.
#[derive(Clone, Default)]
pub struct Journals(Vec<Journal>);

impl Journals {
    /// Tells them.
    pub fn tick(&self) {
        for journal in &self.0 {
            if let Err(error) = journal.tick(now_us()) {
                tracing::warn!("the journal: {error}");
            }
        }
    }
}

/// A bound source.
pub enum Source {
    Listening(Listening, Option<PathBuf>),
    Datagrams(UdpSocket),
}

/// Opens everything, and connects to nothing but a queue.
pub fn open(flags: &Flags) -> Result<Opened, String> {
    let mut journals = Journals::default();
    let durability = flags.durability.0;
    let store = open_store(&flags.store, flags.framing, durability, &mut journals)?;
    let queue = open_queue(&flags.queue, durability, &mut journals)?;
    let usual = if queue.is_durable() {
        DURABLE_BYTES
    } else {
        MEMORY_BYTES
    };
    let bytes_max = flags.queue_bytes.map_or(usual, |size| size.0);
    let pace = Arc::new(MachinePace::start());
    let pipeline = Pipeline::new(&flags.name, queue, bytes_max, flags.overflow, pace);
    Ok(Opened {
        pipeline: Arc::new(pipeline.map_err(|error| format!("--queue: {error}"))?),
        store,
        source: Source::bind(&flags.source)?,
        journals,
    })
}

/// Opens the queue of that name. To add one, add an arm.
pub fn open_queue(
    words: &str,
    durability: Durability,
    journals: &mut Journals,
) -> Result<Box<dyn Queue>, String> {
    let told = |error: PipeError| format!("--queue {words}: {error}");
    if words == "memory" {
        return Ok(Box::new(MemoryQueue::new(origin())));
    }
    if words == "zmq" {
        return open_zmq();
    }
    if let Some(dir) = words.strip_prefix("journal:") {
        let queue = JournalQueue::open(Path::new(dir), options(durability), &origin());
        let queue = queue.map_err(told)?;
        journals.0.push(queue.journal().clone());
        return Ok(Box::new(queue));
    }
    if let Some(rest) = words.strip_prefix("redis://") {
        let redis = Redis::parse(rest, &["key"]).map_err(|error| format!("--queue: {error}"))?;
        let key = redis.option("key").unwrap_or("cauchy-pipe");
        let address = Address::new(redis.host, redis.port);
        let queue = RedisQueue::open(&address, redis.database, key, &origin());
        return Ok(Box::new(queue.map_err(told)?));
    }
    if let Some(rest) = words.strip_prefix("nats://") {
        return open_nats(rest);
    }
    Err(format!(
        "--queue: {words:?} is not known: say memory, zmq, journal:DIR, \
         redis://HOST:PORT?key=NAME or nats://HOST:PORT/NAME"
    ))
}

#[cfg(feature = "nats")]
fn open_nats(rest: &str) -> Result<Box<dyn Queue>, String> {
    let (place, name) = rest.split_once('/').unwrap_or((rest, "cauchy-pipe"));
    let told = |error: String| format!("--queue nats://{rest}: {error}");
    let (host, port) = host_port(place).map_err(told)?;
    let queue = ::pipe::queue::NatsQueue::open(&Address::new(host, port), name, &origin());
    Ok(Box::new(queue.map_err(|error| told(error.to_string()))?))
}

#[cfg(not(feature = "nats"))]
fn open_nats(_rest: &str) -> Result<Box<dyn Queue>, String> {
    Err("--queue nats: this program was built without it: cargo build --features nats".to_owned())
}

#[cfg(feature = "zmq")]
fn open_zmq() -> Result<Box<dyn Queue>, String> {
    let queue = ::pipe::queue::ZmqQueue::open(origin());
    Ok(Box::new(
        queue.map_err(|error| format!("--queue zmq: {error}"))?,
    ))
}

#[cfg(not(feature = "zmq"))]
fn open_zmq() -> Result<Box<dyn Queue>, String> {
    Err("--queue zmq: this program was built without it: cargo build --features zmq".to_owned())
}

fn open_store(
    words: &str,
    framing: Framing,
    durability: Durability,
    journals: &mut Journals,
) -> Result<Box<dyn Store>, String> {
    let told = |error: PipeError| format!("--store {words}: {error}");
    if words == "count" {
        return Ok(Box::new(CountStore::default()));
    }
    if let Some(dir) = words.strip_prefix("journal:") {
        let store = JournalStore::open(Path::new(dir), options(durability)).map_err(told)?;
        journals.0.push(store.journal().clone());
        return Ok(Box::new(store));
    }
    if let Some(path) = words.strip_prefix("file:") {
        let store = FileStore::open(Path::new(path), framing).map_err(told)?;
        return Ok(Box::new(store));
    }
    if let Some(rest) = words.strip_prefix("redis://") {
        let told = |error: String| format!("--store: {error}");
        let redis = Redis::parse(rest, &["as", "key"]).map_err(told)?;
        let way = redis.option("as").map_or(Ok(RedisWay::Set), str::parse);
        let way = way.map_err(|error: PipeError| told(error.to_string()))?;
        let key = redis.option("key").unwrap_or("cauchy");
        let address = Address::new(redis.host, redis.port);
        return Ok(Box::new(RedisStore::new(address, redis.database, way, key)));
    }
    if let Some(place) = words.strip_prefix("riemann://") {
        if framing != Framing::Events {
            let why = "a Riemann takes events: say --framing events";
            return Err(format!("--store {words}: {why}"));
        }
        let (host, port) = host_port(place).map_err(|error| format!("--store: {error}"))?;
        return Ok(Box::new(RiemannStore::new(Address::new(host, port))));
    }
    Err(format!(
        "--store: {words:?} is not known: say redis://HOST:PORT?as=lpush&key=NAME, journal:DIR, \
         file:PATH, riemann://HOST:PORT or count"
    ))
}

fn options(durability: Durability) -> Options {
    Options {
        durability,
        now: Arc::new(now_us),
        ..Options::default()
    }
}

/// A name that no other run of the program has: the time, and the process.
fn origin() -> String {
    format!("{:x}-{:x}", now_us(), std::process::id())
}

fn now_us() -> i64 {
    super::now().us
}

impl Source {
    /// Binds what the words name.
    pub fn bind(words: &str) -> Result<Source, String> {
        let told = |error: std::io::Error| format!("--source {words}: {error}");
        if let Some(place) = words.strip_prefix("tcp://") {
            let place = host_port(place).map_err(|error| format!("--source: {error}"))?;
            let listener = TcpListener::bind(place).map_err(told)?;
            return Ok(Source::Listening(Listening::Tcp(listener), None));
        }
        if let Some(place) = words.strip_prefix("udp://") {
            let place = host_port(place).map_err(|error| format!("--source: {error}"))?;
            return Ok(Source::Datagrams(UdpSocket::bind(place).map_err(told)?));
        }
        if let Some(path) = words.strip_prefix("unix:") {
            let path = PathBuf::from(path);
            // A run that was killed leaves its socket behind; one that lives answers.
            if std::os::unix::net::UnixStream::connect(&path)
                .is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionRefused)
            {
                std::fs::remove_file(&path).map_err(told)?;
            }
            let listener = UnixListener::bind(&path).map_err(told)?;
            return Ok(Source::Listening(Listening::Unix(listener), Some(path)));
        }
        Err(format!(
            "--source: {words:?} is not known: say tcp://HOST:PORT, udp://HOST:PORT or unix:PATH"
        ))
    }

    /// Where it listens.
    pub fn place(&self) -> String {
        let address = |address: std::io::Result<std::net::SocketAddr>| {
            address.map_or_else(|error| error.to_string(), |address| address.to_string())
        };
        match self {
            Source::Listening(Listening::Tcp(tcp), _) => {
                format!("tcp://{}", address(tcp.local_addr()))
            }
            Source::Listening(Listening::Unix(_), path) => {
                format!(
                    "unix:{}",
                    path.as_deref().unwrap_or(Path::new("")).display()
                )
            }
            Source::Datagrams(socket) => format!("udp://{}", address(socket.local_addr())),
        }
    }

    /// Reads until the pipeline stops.
    pub fn run(self, framing: Framing, pipeline: &Arc<Pipeline>) -> Result<(), PipeError> {
        let now: Arc<dyn Fn() -> Time + Send + Sync> = Arc::new(super::now);
        match self {
            Source::Listening(listening, path) => {
                let result = accept(&listening, framing, pipeline, &now);
                if let Some(path) = path {
                    // It is only a name that nobody answers to.
                    let _ = std::fs::remove_file(path);
                }
                result
            }
            Source::Datagrams(socket) => read_datagrams(&socket, framing, pipeline, &*now),
        }
    }
}
