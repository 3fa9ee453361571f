//! What a pipeline is to be, its words checked. Nothing is opened here.

use std::path::PathBuf;

use journal::Durability;
use sinks::socket::Address;

use crate::limits::{DURABLE_BYTES, MEMORY_BYTES};
use crate::store::RedisWay;
use crate::words::{Durable, Size, Words};
use crate::{Framing, Overflow, PipeError};

/// Bytes of a message unless told otherwise: those of the streamer's.
const MESSAGE_BYTES: usize = 100;

/// The port of Redis.
const REDIS_PORT: u16 = 6379;

/// The port of NATS.
const NATS_PORT: u16 = 4222;

/// The port of Riemann's protocol.
const RIEMANN_PORT: u16 = 5555;

/// A source: where messages come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceSpec {
    /// Where it listens.
    pub place: SourcePlace,
    /// How it cuts bytes into messages.
    pub framing: Framing,
}

/// Where a source listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourcePlace {
    /// For connections over TCP.
    Tcp(Address),
    /// For datagrams.
    Udp(Address),
    /// For connections at a path.
    Unix(PathBuf),
}

/// A queue, and what it may hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueSpec {
    /// Where messages wait.
    pub place: QueuePlace,
    /// Bytes that it holds at most.
    pub bytes_max: u64,
    /// What is done when it is full.
    pub overflow: Overflow,
}

/// Where messages wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueuePlace {
    /// In memory.
    Memory,
    /// In libzmq.
    Zmq,
    /// In a journal.
    Journal(JournalPlace),
    /// In a stream of Redis.
    Redis(RedisPlace),
    /// In a JetStream.
    Nats {
        /// The server.
        address: Address,
        /// The stream.
        name: String,
    },
}

/// A store that can be named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreSpec {
    /// Nowhere: messages are counted.
    Count,
    /// Another Cauchy, or a Riemann.
    Riemann(Address),
    /// A file of JSON lines.
    File(PathBuf),
    /// A journal.
    Journal(JournalPlace),
    /// A Redis, and what becomes of a message there.
    Redis(RedisPlace, RedisWay),
}

/// A journal's folder, and what a message in it survives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalPlace {
    /// The folder.
    pub dir: PathBuf,
    /// What a message has survived when it is in.
    pub durability: Durability,
}

/// A key in a Redis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedisPlace {
    /// The server.
    pub address: Address,
    /// The number of the database.
    pub database: u32,
    /// The key.
    pub key: String,
}

impl SourceSpec {
    /// Reads its words.
    ///
    /// # Errors
    /// What is wrong with them, and what to say.
    pub fn read(words: &Words) -> Result<SourceSpec, PipeError> {
        let place = match words.kind() {
            "unix" => {
                words.know(&["path", "framing"])?;
                SourcePlace::Unix(words.path("path")?)
            }
            kind @ ("tcp" | "udp") => {
                words.know(&["host", "port", "framing"])?;
                let address = words.address(None)?;
                match kind {
                    "tcp" => SourcePlace::Tcp(address),
                    _ => SourcePlace::Udp(address),
                }
            }
            other => {
                return Err(PipeError::Asked(format!(
                    "{other:?} is not known: say tcp://HOST:PORT, udp://HOST:PORT or unix:PATH"
                )));
            }
        };
        let framing = words.read("framing")?;
        Ok(SourceSpec {
            place,
            framing: framing.unwrap_or(Framing::Fixed(MESSAGE_BYTES)),
        })
    }
}

impl SourcePlace {
    /// True if both cannot listen at once.
    #[must_use]
    pub fn is_taken_by(&self, other: &SourcePlace) -> bool {
        match (self, other) {
            (SourcePlace::Tcp(one), SourcePlace::Tcp(other))
            | (SourcePlace::Udp(one), SourcePlace::Udp(other)) => one.port != 0 && one == other,
            (SourcePlace::Unix(one), SourcePlace::Unix(other)) => one == other,
            _ => false,
        }
    }
}

impl QueueSpec {
    /// Reads its words.
    ///
    /// # Errors
    /// What is wrong with them, and what to say.
    pub fn read(words: &Words) -> Result<QueueSpec, PipeError> {
        let know = |names: &[&str]| words.know(&[names, &["bytes", "overflow"]].concat());
        let place = match words.kind() {
            "memory" => {
                know(&[])?;
                QueuePlace::Memory
            }
            "zmq" => {
                know(&[])?;
                built_with("zmq", cfg!(feature = "zmq"))?;
                QueuePlace::Zmq
            }
            "journal" => {
                know(&["dir", "durability"])?;
                QueuePlace::Journal(JournalPlace::read(words)?)
            }
            "redis" => {
                know(&["host", "port", "db", "key"])?;
                QueuePlace::Redis(RedisPlace::read(words, "cauchy-pipe")?)
            }
            "nats" => {
                know(&["host", "port", "name"])?;
                built_with("nats", cfg!(feature = "nats"))?;
                QueuePlace::Nats {
                    address: words.address(Some(NATS_PORT))?,
                    name: words.text_or("name", "cauchy-pipe"),
                }
            }
            other => {
                return Err(PipeError::Asked(format!(
                    "{other:?} is not known: say memory, zmq, journal:DIR, \
                     redis://HOST:PORT?key=NAME or nats://HOST:PORT/NAME"
                )));
            }
        };
        let usual = match place {
            QueuePlace::Memory | QueuePlace::Zmq => MEMORY_BYTES,
            _ => DURABLE_BYTES,
        };
        Ok(QueueSpec {
            place,
            bytes_max: words.read::<Size>("bytes")?.map_or(usual, |size| size.0),
            overflow: words.read("overflow")?.unwrap_or_default(),
        })
    }
}

impl QueuePlace {
    /// True if both hold the same messages: two pipelines cannot have them.
    #[must_use]
    pub fn is_of(&self, other: &QueuePlace) -> bool {
        match (self, other) {
            (QueuePlace::Memory, _) | (QueuePlace::Zmq, _) => false,
            (QueuePlace::Journal(one), QueuePlace::Journal(other)) => one.dir == other.dir,
            _ => self == other,
        }
    }
}

fn built_with(feature: &str, built: bool) -> Result<(), PipeError> {
    if built {
        return Ok(());
    }
    Err(PipeError::Asked(format!(
        "{feature}: this program was built without it: cargo build --features {feature}"
    )))
}

impl StoreSpec {
    /// Reads its words. `framing` says what the messages are.
    ///
    /// # Errors
    /// What is wrong with them, and what to say.
    pub fn read(words: &Words, framing: Framing) -> Result<StoreSpec, PipeError> {
        match words.kind() {
            "count" => {
                words.know(&[])?;
                Ok(StoreSpec::Count)
            }
            "riemann" => {
                words.know(&["host", "port"])?;
                if framing != Framing::Events {
                    let told = "riemann: a Riemann takes events: say framing events";
                    return Err(PipeError::Asked(told.to_owned()));
                }
                Ok(StoreSpec::Riemann(words.address(Some(RIEMANN_PORT))?))
            }
            "file" => {
                words.know(&["path"])?;
                Ok(StoreSpec::File(words.path("path")?))
            }
            "journal" => {
                words.know(&["dir", "durability"])?;
                Ok(StoreSpec::Journal(JournalPlace::read(words)?))
            }
            "redis" => {
                words.know(&["host", "port", "db", "key", "as"])?;
                let place = RedisPlace::read(words, "cauchy")?;
                let way = words.read("as")?.unwrap_or_default();
                Ok(StoreSpec::Redis(place, way))
            }
            other => Err(PipeError::Asked(format!(
                "{other:?} is not known: say redis://HOST:PORT?as=lpush&key=NAME, journal:DIR, \
                 file:PATH, riemann://HOST:PORT or count"
            ))),
        }
    }

    /// Its journal's folder, if it has one.
    #[must_use]
    pub fn journal(&self) -> Option<&JournalPlace> {
        match self {
            StoreSpec::Journal(place) => Some(place),
            _ => None,
        }
    }
}

impl JournalPlace {
    fn read(words: &Words) -> Result<JournalPlace, PipeError> {
        let durability = words.read::<Durable>("durability")?;
        Ok(JournalPlace {
            dir: words.path("dir")?,
            durability: durability.map_or(Durability::Os, |durable| durable.0),
        })
    }
}

impl RedisPlace {
    fn read(words: &Words, usual_key: &str) -> Result<RedisPlace, PipeError> {
        Ok(RedisPlace {
            address: words.address(Some(REDIS_PORT))?,
            database: words.number("db")?.unwrap_or_default(),
            key: words.text_or("key", usual_key),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(words: &str) -> Result<QueueSpec, String> {
        let words = words
            .parse()
            .map_err(|error: PipeError| error.to_string())?;
        QueueSpec::read(&words).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_not_said_is_usual() {
        let words = "unix:/tmp/s".parse().unwrap();
        let source = SourceSpec::read(&words).unwrap();
        assert_eq!(source.framing, Framing::Fixed(100));
        assert_eq!(queue("memory").unwrap().bytes_max, MEMORY_BYTES);
        let durable = queue("journal:d?bytes=7&overflow=drop-oldest").unwrap();
        assert_eq!(
            (durable.bytes_max, durable.overflow),
            (7, Overflow::DropOldest)
        );
        let mut words = Words::new("redis");
        words.set("key", "k").unwrap();
        let place = RedisPlace {
            address: Address::new("127.0.0.1", 6379),
            database: 0,
            key: "k".to_owned(),
        };
        assert_eq!(
            StoreSpec::read(&words, Framing::Lines).unwrap(),
            StoreSpec::Redis(place, RedisWay::Set)
        );
    }

    #[test]
    fn what_is_wrong_is_told_with_what_to_say() {
        let check = |words: &str, expected: &str| {
            assert_eq!(queue(words).unwrap_err(), expected, "{words}");
        };
        check(
            "memory?byte=1",
            "memory has no option byte; it has bytes, overflow",
        );
        check(
            "memory?bytes=many",
            "memory: bytes: \"many\" is no size: say 65536, 64K, 64M or 2G",
        );
        check("journal:", "journal: dir is missing: a path");
        check("redis://h:1/x", "redis: db must be a number, not \"x\"");
        #[cfg(not(feature = "zmq"))]
        check(
            "zmq",
            "zmq: this program was built without it: cargo build --features zmq",
        );
        let words = "riemann://h:1".parse().unwrap();
        let error = StoreSpec::read(&words, Framing::Lines).unwrap_err();
        assert!(error.to_string().contains("say framing events"));
    }

    #[test]
    fn a_journal_is_one_whatever_its_durability() {
        let place = |words| queue(words).unwrap().place;
        assert!(place("journal:d").is_of(&place("journal:d?durability=always")));
        assert!(!place("journal:d").is_of(&place("journal:e")));
        assert!(!place("memory").is_of(&place("memory")));
    }
}
