//! Redis: a key, a list or a stream.

use std::io::Write;
use std::str::FromStr;

use sinks::socket::Address;

use super::Store;
use crate::resp::{Client, Reply, command, word};
use crate::{Batch, PipeError};

/// What becomes of a message in Redis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RedisWay {
    /// A key of its own, `KEY:ORIGIN:NUMBER`. Stored twice, it is there once.
    #[default]
    Set,
    /// An item of the list `KEY`.
    Lpush,
    /// An entry of the stream `KEY`, in the field `m`.
    Xadd,
}

impl FromStr for RedisWay {
    type Err = PipeError;

    fn from_str(text: &str) -> Result<RedisWay, PipeError> {
        match text {
            "set" => Ok(RedisWay::Set),
            "lpush" => Ok(RedisWay::Lpush),
            "xadd" => Ok(RedisWay::Xadd),
            other => Err(PipeError::Asked(format!(
                "redis does not take messages as {other:?}: say set, lpush or xadd"
            ))),
        }
    }
}

/// Stores in Redis, all commands of a batch at once.
pub struct RedisStore {
    client: Client,
    way: RedisWay,
    key: String,
    commands: Vec<u8>,
}

impl RedisStore {
    /// Of a server and a database; connects at the first batch.
    #[must_use]
    pub fn new(address: Address, database: u32, way: RedisWay, key: &str) -> RedisStore {
        RedisStore {
            client: Client::new(address, database),
            way,
            key: key.to_owned(),
            commands: Vec::new(),
        }
    }

    /// Encodes a batch; how many commands it became.
    fn encode(&mut self, batch: &Batch, origin: &str) -> usize {
        self.commands.clear();
        let out = &mut self.commands;
        let key = self.key.as_bytes();
        match self.way {
            RedisWay::Set => {
                let mut name = format!("{}:{origin}:", self.key).into_bytes();
                let head = name.len();
                for (number, message) in (batch.first()..).zip(batch.iter()) {
                    name.truncate(head);
                    // Writing to a vector does not fail.
                    let _ = write!(name, "{number}");
                    command(out, 3);
                    word(out, b"SET");
                    word(out, &name);
                    word(out, message);
                }
                batch.len()
            }
            RedisWay::Lpush => {
                command(out, 2 + batch.len());
                word(out, b"LPUSH");
                word(out, key);
                batch.iter().for_each(|message| word(out, message));
                1
            }
            RedisWay::Xadd => {
                for message in batch.iter() {
                    command(out, 5);
                    word(out, b"XADD");
                    word(out, key);
                    word(out, b"*");
                    word(out, b"m");
                    word(out, message);
                }
                batch.len()
            }
        }
    }
}

impl Store for RedisStore {
    fn store(&mut self, batch: &Batch, origin: &str) -> Result<(), PipeError> {
        let replies = self.encode(batch, origin);
        let mut refused = None;
        self.client.send(&self.commands, replies, |reply| {
            if let Reply::Error(answer) = reply {
                refused.get_or_insert(answer);
            }
        })?;
        refused.map_or(Ok(()), |answer| Err(self.client.refused(answer)))
    }
}
