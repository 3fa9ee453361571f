//! A queue in a stream of Redis, read as a group of consumers.

use std::time::Duration;

use parking_lot::Mutex;
use sinks::socket::Address;

use super::{Held, Queue};
use crate::limits::BATCH_BYTES;
use crate::resp::{Client, Reply, command, word};
use crate::{Batch, PipeError};

/// The group, and its only consumer.
const GROUP: &[u8] = b"pipe";

/// The field of an entry that holds the message.
const FIELD: &[u8] = b"m";

/// Entries asked for at a time.
const ENTRIES: &[u8] = b"1000";

/// Keeps messages in a stream, an entry each, until they are stored; then they are deleted.
///
/// Entries have the ids `NUMBER-1` in the order of the messages, and Redis takes none twice: what
/// is put again because an answer was lost is there once. No other program may add to the stream.
pub struct RedisQueue {
    key: Vec<u8>,
    origin: String,
    putting: Mutex<Putting>,
    taking: Mutex<Taking>,
    acknowledging: Mutex<Acknowledging>,
    held: Held,
}

struct Putting {
    client: Client,
    /// The number of the next message.
    next: u64,
    /// Whether Redis may have taken the last batch without our knowing.
    is_unsure: bool,
}

struct Taking {
    client: Client,
    /// Whether this run has seen all that was taken before it and not acknowledged.
    resumed: bool,
    after: u64,
    /// Entries that were read, and belong to a later batch. Invariant: ascending.
    ready: std::collections::VecDeque<(u64, Vec<u8>)>,
}

struct Acknowledging {
    client: Client,
    /// Entries that are stored, and that Redis has not forgotten for all we know.
    owed: Vec<String>,
}

impl RedisQueue {
    /// Connects, and makes the stream and its group if they are not there. Names of messages
    /// begin with `origin` if the stream is new, else with what it was made with.
    ///
    /// # Errors
    /// The server does not answer, or the key is no stream.
    pub fn open(
        address: &Address,
        database: u32,
        key: &str,
        origin: &str,
    ) -> Result<RedisQueue, PipeError> {
        let client = || Client::new(address.clone(), database);
        let mut putting = client();
        let key = key.as_bytes();
        match putting.ask(&[b"XGROUP", b"CREATE", key, GROUP, b"0", b"MKSTREAM"]) {
            Err(PipeError::Refused { answer, .. }) if answer.starts_with("BUSYGROUP") => {}
            other => drop(other?),
        }
        let name_key = [key, b":origin"].concat();
        putting.ask(&[b"SETNX", &name_key, origin.as_bytes()])?;
        let origin = match putting.ask(&[b"GET", &name_key])? {
            Reply::Bytes(Some(kept)) => String::from_utf8_lossy(&kept).into_owned(),
            _ => origin.to_owned(),
        };
        let messages = match putting.ask(&[b"XLEN", key])? {
            Reply::Integer(count) => count.unsigned_abs(),
            other => return Err(putting.refused(format!("{other:?} to XLEN"))),
        };
        let last = last_generated(&mut putting, key)?;
        let held = Held {
            messages,
            bytes: held_bytes(&mut putting, key)?,
        };
        Ok(RedisQueue {
            key: key.to_vec(),
            origin,
            putting: Mutex::new(Putting {
                client: putting,
                next: last + 1,
                is_unsure: false,
            }),
            taking: Mutex::new(Taking {
                client: client(),
                resumed: false,
                after: 0,
                ready: std::collections::VecDeque::new(),
            }),
            acknowledging: Mutex::new(Acknowledging {
                client: client(),
                owed: Vec::new(),
            }),
            held,
        })
    }
}

/// The number of the last entry that the stream ever had.
fn last_generated(client: &mut Client, key: &[u8]) -> Result<u64, PipeError> {
    let info = client.ask(&[b"XINFO", b"STREAM", key])?;
    let Reply::List(Some(list)) = &info else {
        return Err(client.refused(format!("{info:?} to XINFO")));
    };
    let is_name = |reply: &Reply| *reply == Reply::Bytes(Some(b"last-generated-id".to_vec()));
    let place = list.iter().position(is_name);
    let id = place.and_then(|place| list.get(place + 1)).and_then(number);
    id.ok_or_else(|| client.refused("no last-generated-id to XINFO".to_owned()))
}

/// The bytes of all messages: read once, at the start.
fn held_bytes(client: &mut Client, key: &[u8]) -> Result<u64, PipeError> {
    let (mut bytes, mut from) = (0, b"-".to_vec());
    loop {
        let reply = client.ask(&[b"XRANGE", key, &from, b"+", b"COUNT", ENTRIES])?;
        let entries = entries(reply);
        let Some((last, _)) = entries.last() else {
            return Ok(bytes);
        };
        from = format!("{}-0", last + 1).into_bytes();
        bytes += entries
            .iter()
            .map(|(_, message)| message.len() as u64)
            .sum::<u64>();
    }
}

/// The number in an id, `NUMBER-1`.
fn number(reply: &Reply) -> Option<u64> {
    let Reply::Bytes(Some(id)) = reply else {
        return None;
    };
    let id = std::str::from_utf8(id).ok()?;
    id.split('-').next()?.parse().ok()
}

/// Entries of a reply, `[[id, [field, value]], …]`; what was deleted has no fields and is left out.
fn entries(reply: Reply) -> Vec<(u64, Vec<u8>)> {
    let Reply::List(Some(list)) = reply else {
        return Vec::new();
    };
    let entry = |entry| {
        let Reply::List(Some(parts)) = entry else {
            return None;
        };
        let mut parts = parts.into_iter();
        let id = number(&parts.next()?)?;
        let Reply::List(Some(fields)) = parts.next()? else {
            return None;
        };
        match fields.into_iter().nth(1)? {
            Reply::Bytes(Some(message)) => Some((id, message)),
            _ => None,
        }
    };
    list.into_iter().filter_map(entry).collect()
}

/// Entries of a reply to a read of one stream, `[[key, entries]]`.
fn entries_of_read(reply: Reply) -> Vec<(u64, Vec<u8>)> {
    let Reply::List(Some(streams)) = reply else {
        return Vec::new();
    };
    let one = streams.into_iter().next();
    match one {
        Some(Reply::List(Some(parts))) => parts.into_iter().nth(1).map_or_else(Vec::new, entries),
        _ => Vec::new(),
    }
}

impl Putting {
    /// All of a batch or nothing: a refusal in its middle would otherwise let later messages in
    /// before earlier ones, and Redis takes no number below its last.
    fn put(&mut self, key: &[u8], batch: &mut Batch) -> Result<(), PipeError> {
        let mut commands = Vec::with_capacity(batch.bytes().len() * 2);
        begin(&mut commands);
        for (number, message) in (self.next..).zip(batch.iter()) {
            command(&mut commands, 5);
            word(&mut commands, b"XADD");
            word(&mut commands, key);
            word(&mut commands, format!("{number}-1").as_bytes());
            word(&mut commands, FIELD);
            word(&mut commands, message);
        }
        let replies = transact(&mut self.client, commands, batch.len());
        self.is_unsure |= matches!(replies, Err(PipeError::Io { .. }));
        let is_known = |answer: &str| self.is_unsure && answer.contains("equal or smaller than");
        let refusal = replies?.into_iter().find_map(|reply| match reply {
            Reply::Error(answer) if !is_known(&answer) => Some(answer),
            _ => None,
        });
        if let Some(answer) = refusal {
            return Err(self.client.refused(answer));
        }
        self.is_unsure = false;
        self.next += batch.len() as u64;
        batch.clear();
        Ok(())
    }
}

/// Begins commands that are done together or not at all.
fn begin(commands: &mut Vec<u8>) {
    command(commands, 1);
    word(commands, b"MULTI");
}

/// Ends and sends them, and returns their replies.
fn transact(
    client: &mut Client,
    mut commands: Vec<u8>,
    count: usize,
) -> Result<Vec<Reply>, PipeError> {
    command(&mut commands, 1);
    word(&mut commands, b"EXEC");
    let (mut refused, mut last) = (None, Reply::List(None));
    client.send(&commands, count + 2, |reply| match reply {
        // The first says why; those after it say that it is so.
        Reply::Error(answer) => drop(refused.get_or_insert(answer)),
        reply => last = reply,
    })?;
    match (refused, last) {
        (None, Reply::List(Some(replies))) => Ok(replies),
        (None, other) => Err(client.refused(format!("{other:?} to EXEC"))),
        (Some(answer), _) => Err(client.refused(answer)),
    }
}

impl Taking {
    fn read(&mut self, key: &[u8], at_most: Duration) -> Result<(), PipeError> {
        let wait = at_most.as_millis().max(1).to_string();
        let after = self.after.to_string();
        let words: [&[u8]; 11] = [
            b"XREADGROUP",
            b"GROUP",
            GROUP,
            GROUP,
            b"COUNT",
            ENTRIES,
            b"BLOCK",
            wait.as_bytes(),
            b"STREAMS",
            key,
            if self.resumed { b">" } else { after.as_bytes() },
        ];
        let reply = self.client.ask(&words);
        // An answer that was lost may have held entries: they are asked for again, by number.
        self.resumed &= reply.is_ok();
        let list = entries_of_read(reply?);
        match list.last() {
            // Ids of one number are all alike, `NUMBER-1`: after it comes the next number.
            Some(&(last, _)) => self.after = last + 1,
            None => self.resumed = true,
        }
        self.ready.extend(list);
        Ok(())
    }

    /// Moves entries until the buffer is full or a number is missing.
    fn fill(&mut self, into: &mut Batch) {
        while let Some((number, message)) = self.ready.front() {
            if into.is_empty() {
                into.number(*number);
            }
            let expected = into.first() + into.len() as u64;
            if *number != expected || into.bytes().len() >= BATCH_BYTES {
                return;
            }
            into.push(message);
            self.ready.pop_front();
        }
    }
}

impl Queue for RedisQueue {
    fn put(&self, batch: &mut Batch) -> Result<(), PipeError> {
        self.putting.lock().put(&self.key, batch)
    }

    fn take(&self, into: &mut Batch, at_most: Duration) -> Result<bool, PipeError> {
        into.clear();
        let mut taking = self.taking.lock();
        if taking.ready.is_empty() && !taking.resumed {
            taking.read(&self.key, at_most)?;
        }
        if taking.ready.is_empty() {
            taking.read(&self.key, at_most)?;
        }
        taking.fill(into);
        Ok(!into.is_empty())
    }

    fn acknowledge(&self, batch: &mut Batch) -> Result<(), PipeError> {
        let mut acknowledging = self.acknowledging.lock();
        let Acknowledging { client, owed } = &mut *acknowledging;
        owed.extend(
            (batch.first()..)
                .take(batch.len())
                .map(|number| format!("{number}-1")),
        );
        batch.clear();
        let mut commands = Vec::new();
        begin(&mut commands);
        command(&mut commands, 3 + owed.len());
        word(&mut commands, b"XACK");
        word(&mut commands, &self.key);
        word(&mut commands, GROUP);
        owed.iter()
            .for_each(|id| word(&mut commands, id.as_bytes()));
        command(&mut commands, 2 + owed.len());
        word(&mut commands, b"XDEL");
        word(&mut commands, &self.key);
        owed.iter()
            .for_each(|id| word(&mut commands, id.as_bytes()));
        let replies = transact(client, commands, 2)?;
        owed.clear();
        let refusal = replies.into_iter().find_map(|reply| match reply {
            Reply::Error(answer) => Some(answer),
            _ => None,
        });
        refusal.map_or(Ok(()), |answer| Err(client.refused(answer)))
    }

    fn held(&self) -> Result<Held, PipeError> {
        Ok(self.held)
    }

    fn origin(&self) -> &str {
        &self.origin
    }

    fn is_durable(&self) -> bool {
        true
    }

    fn takes_turns(&self) -> bool {
        true
    }
}
