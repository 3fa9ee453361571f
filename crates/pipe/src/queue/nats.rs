//! A queue in a JetStream of NATS: a work queue, read by one durable consumer.
//!
//! A message of NATS carries messages for up to half a megabyte:
//!
//! ```text
//! messages before   bytes before   batch
//! 8 bytes           8              as `Batch::pack` writes it      all little-endian
//! ```
//!
//! "Before" counts what was put before it into this stream since it was last empty, so that the
//! first and the last message tell how many there are between.

use std::collections::VecDeque;
use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::message::AckKind;
use async_nats::jetstream::stream::{Config, RetentionPolicy, Stream};
use async_nats::jetstream::{self, Context, Message};
use async_nats::{HeaderMap, header};
use futures_util::StreamExt;
use parking_lot::Mutex;
use sinks::socket::Address;
use tokio::runtime::{Builder, Runtime};

use super::{Held, Queue};
use crate::{Batch, PipeError};

/// The consumer's name.
const CONSUMER: &str = "pipe";

/// Bytes of one message of NATS: half of what a server takes by default.
const PART_BYTES: usize = 512 << 10;

/// What was delivered and not acknowledged for so long is delivered again: an acknowledgement, or
/// the delivery, was lost with a connection.
const REDELIVERY: Duration = Duration::from_secs(5);

/// An answer that takes longer is none.
const ANSWER_MAX: Duration = Duration::from_secs(5);

/// Numbers of messages within one message of NATS: more than it can hold.
const NUMBER_BITS: u32 = 24;

/// Keeps messages in a stream of a NATS server until they are stored.
pub struct NatsQueue {
    runtime: Runtime,
    context: Context,
    consumer: PullConsumer,
    place: String,
    name: String,
    origin: String,
    putting: Mutex<Putting>,
    taking: Mutex<Taking>,
    held: Held,
}

struct Putting {
    /// Names what is put: the server takes none twice.
    put: u64,
    run: String,
    before: Held,
    packed: Vec<u8>,
}

#[derive(Default)]
struct Taking {
    /// Taken, not acknowledged, by their numbers in the stream. Invariant: ascending.
    in_flight: VecDeque<(u64, Message)>,
    /// The last one that was acknowledged.
    acknowledged: u64,
}

impl NatsQueue {
    /// Connects, and makes the stream and its consumer if they are not there.
    ///
    /// # Errors
    /// The server does not answer, or has no JetStream.
    pub fn open(address: &Address, name: &str, origin: &str) -> Result<NatsQueue, PipeError> {
        let place = format!("nats {}:{}", address.host, address.port);
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("pipe nats")
            .enable_all()
            .build()
            .map_err(PipeError::io(&place))?;
        let url = format!("{}:{}", address.host, address.port);
        let (context, stream, consumer) = runtime
            .block_on(connect(&url, name))
            .map_err(|answer| refused(&place, answer))?;
        let info = stream.cached_info();
        let created = info.created.unix_timestamp_nanos();
        let (first, last) = (info.state.first_sequence, info.state.last_sequence);
        let ends = if info.state.messages == 0 {
            None
        } else {
            let ends = runtime.block_on(ends(&stream, first, last));
            Some(ends.map_err(|answer| refused(&place, answer))?)
        };
        let (held, before) = ends.map_or_else(Default::default, |(begin, end)| {
            let held = Held {
                messages: end.messages.saturating_sub(begin.messages),
                bytes: end.bytes.saturating_sub(begin.bytes),
            };
            (held, end)
        });
        Ok(NatsQueue {
            runtime,
            context,
            consumer,
            place,
            name: name.to_owned(),
            origin: format!("{name}-{created:x}"),
            putting: Mutex::new(Putting {
                put: 0,
                run: origin.to_owned(),
                before,
                packed: Vec::new(),
            }),
            taking: Mutex::default(),
            held,
        })
    }

    fn put_part(&self, putting: &mut Putting, part: &Batch) -> Result<(), PipeError> {
        part.pack(&mut putting.packed);
        let mut payload = Vec::with_capacity(16 + putting.packed.len());
        payload.extend_from_slice(&putting.before.messages.to_le_bytes());
        payload.extend_from_slice(&putting.before.bytes.to_le_bytes());
        payload.extend_from_slice(&putting.packed);
        let mut headers = HeaderMap::new();
        let id = format!("{}-{}", putting.run, putting.put);
        headers.insert(header::NATS_MESSAGE_ID, id.as_str());
        let name = self.name.clone();
        let result = self.runtime.block_on(async {
            let publish = async {
                let sent = self
                    .context
                    .publish_with_headers(name, headers, payload.into());
                sent.await.map_err(text)?.await.map_err(text)
            };
            in_time(publish).await
        });
        result.map_err(|answer| refused(&self.place, answer))?;
        putting.put += 1;
        putting.before.messages += part.len() as u64;
        putting.before.bytes += part.bytes().len() as u64;
        Ok(())
    }

    /// The next message, if one comes in time.
    async fn fetch(&self, at_most: Duration) -> Result<Option<Message>, String> {
        let wait = at_most.max(Duration::from_millis(1));
        let fetch = self.consumer.fetch().max_messages(1).expires(wait);
        let mut messages = fetch.messages().await.map_err(text)?;
        match tokio::time::timeout(wait * 2, messages.next()).await {
            Ok(Some(message)) => message.map(Some).map_err(text),
            Ok(None) | Err(_) => Ok(None),
        }
    }
}

async fn connect(url: &str, name: &str) -> Result<(Context, Stream, PullConsumer), String> {
    let open = async {
        let client = async_nats::connect(url).await.map_err(text)?;
        let context = jetstream::new(client);
        let config = Config {
            name: name.to_owned(),
            subjects: vec![name.to_owned()],
            retention: RetentionPolicy::WorkQueue,
            ..Config::default()
        };
        let stream = context.get_or_create_stream(config).await.map_err(text)?;
        let config = pull::Config {
            durable_name: Some(CONSUMER.to_owned()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: REDELIVERY,
            // In order, also when one is delivered again.
            max_ack_pending: 1,
            ..pull::Config::default()
        };
        let consumer = stream.get_or_create_consumer(CONSUMER, config).await;
        Ok((context, stream, consumer.map_err(text)?))
    };
    in_time(open).await
}

/// What was put before the first message, and up to the last one with it.
async fn ends(stream: &Stream, first: u64, last: u64) -> Result<(Held, Held), String> {
    let read = async {
        let begin = stream.get_raw_message(first).await.map_err(text)?;
        let end = stream.get_raw_message(last).await.map_err(text)?;
        let broken = || "the stream holds what no pipeline put there".to_owned();
        let (begin, _) = unpack(&begin.payload).ok_or_else(broken)?;
        let (before, packed) = unpack(&end.payload).ok_or_else(broken)?;
        let mut batch = Batch::new();
        batch.unpack(packed).map_err(text)?;
        let end = Held {
            messages: before.messages + batch.len() as u64,
            bytes: before.bytes + batch.bytes().len() as u64,
        };
        Ok((begin, end))
    };
    in_time(read).await
}

fn unpack(payload: &[u8]) -> Option<(Held, &[u8])> {
    let (messages, rest) = payload.split_first_chunk()?;
    let (bytes, packed) = rest.split_first_chunk()?;
    let held = Held {
        messages: u64::from_le_bytes(*messages),
        bytes: u64::from_le_bytes(*bytes),
    };
    Some((held, packed))
}

async fn in_time<T>(work: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    let ended = tokio::time::timeout(ANSWER_MAX, work).await;
    ended.unwrap_or_else(|_| Err("no answer in time".to_owned()))
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn refused(place: &str, answer: String) -> PipeError {
    PipeError::Refused {
        place: place.to_owned(),
        answer,
    }
}

impl Queue for NatsQueue {
    fn put(&self, batch: &mut Batch) -> Result<(), PipeError> {
        let mut putting = self.putting.lock();
        while !batch.is_empty() {
            if batch.bytes().len() <= PART_BYTES {
                self.put_part(&mut putting, batch)?;
                batch.clear();
                return Ok(());
            }
            let mut part = Batch::new();
            for message in batch.iter() {
                if !part.is_empty() && part.bytes().len() + message.len() > PART_BYTES {
                    break;
                }
                part.push(message);
            }
            self.put_part(&mut putting, &part)?;
            batch.remove_first(part.len());
        }
        Ok(())
    }

    fn take(&self, into: &mut Batch, at_most: Duration) -> Result<bool, PipeError> {
        into.clear();
        let mut taking = self.taking.lock();
        let told = |answer: String| refused(&self.place, answer);
        let fetched = self.runtime.block_on(self.fetch(at_most)).map_err(told)?;
        let Some(message) = fetched else {
            return Ok(false);
        };
        let info = message.info().map_err(|error| told(text(error)))?;
        let sequence = info.stream_sequence;
        if sequence <= taking.acknowledged {
            // The acknowledgement was lost.
            let again = self.runtime.block_on(message.ack_with(AckKind::Ack));
            return again.map(|()| false).map_err(|error| told(text(error)));
        }
        if let Some(known) = taking
            .in_flight
            .iter_mut()
            .find(|(one, _)| *one == sequence)
        {
            // The store has been at it for long; it is acknowledged as it was delivered last.
            known.1 = message;
            return Ok(false);
        }
        let broken = || told("a message that no pipeline put there".to_owned());
        let (_, packed) = unpack(&message.payload).ok_or_else(broken)?;
        into.unpack(packed)?;
        into.number(sequence << NUMBER_BITS);
        taking.in_flight.push_back((sequence, message));
        Ok(true)
    }

    fn acknowledge(&self, batch: &mut Batch) -> Result<(), PipeError> {
        let sequence = batch.first() >> NUMBER_BITS;
        batch.clear();
        let mut taking = self.taking.lock();
        taking.acknowledged = taking.acknowledged.max(sequence);
        let Some(place) = taking
            .in_flight
            .iter()
            .position(|(one, _)| *one == sequence)
        else {
            return Ok(());
        };
        let Some((_, message)) = taking.in_flight.remove(place) else {
            return Ok(());
        };
        let acknowledged = async { message.double_ack().await.map_err(text) };
        let result = self.runtime.block_on(in_time(acknowledged));
        result.map_err(|answer| refused(&self.place, answer))
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
