//! Clients of one thread: messages of one event, so many unacknowledged at most; and round trips.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use event::{Draft, Event, Number};

use crate::server::PATIENCE;
use crate::server::riemann::{event, events_message};

/// An acknowledgement: a length and `{ok: true}`.
pub const ACK_BYTES: usize = 6;
const KEYS: usize = 1_000;
/// Messages prepared: each key comes several times, with other metrics.
const MESSAGES: usize = 8 * KEYS;

/// Framed messages of an event each.
pub struct Singles {
    bytes: Vec<u8>,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Singles {
    pub fn new() -> Singles {
        let now = event("now", 0);
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        for number in 0..MESSAGES {
            bytes.extend(events_message(&[single(number, &now)]));
            ends.push(bytes.len());
        }
        Singles { bytes, ends }
    }

    fn start(&self, number: usize) -> usize {
        number.checked_sub(1).map_or(0, |before| self.ends[before])
    }

    /// Up to `count` messages from `first` on, and how many they are.
    fn some(&self, first: usize, count: usize) -> (&[u8], usize) {
        let end = (first + count).min(MESSAGES);
        (
            &self.bytes[self.start(first)..self.ends[end - 1]],
            end - first,
        )
    }
}

fn single(number: usize, now: &Event) -> Event {
    // A prime to the number of keys, so that neighbours lie far apart.
    let key = number * 617 % KEYS;
    Draft {
        host: Some(format!("web-{:05}.example.com", key / 100).into()),
        service: Some(format!("disk {:02} used", key % 100).into()),
        state: Some("ok".into()),
        description: Some("all is well on this one".into()),
        metric: Some(Number::F64(number as f64)),
        tags: Some(vec!["production".into(), "web".into()]),
        ttl: Some(Number::F32(3600.0)),
        ..now.draft()
    }
    .build()
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Writes {
    /// One takes all that may go.
    Coalesced,
    /// One a message.
    Each,
}

pub fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("the server takes a connection");
    stream.set_nodelay(true).expect("a socket takes options");
    stream
        .set_read_timeout(Some(PATIENCE))
        .expect("a socket takes options");
    stream
}

/// Sends for that long and waits for every answer; gives the number of messages and the time.
pub fn pipeline(
    stream: &mut TcpStream,
    singles: &Singles,
    window: usize,
    writes: Writes,
    length: Duration,
) -> (usize, Duration) {
    let (mut sent, mut answered_bytes) = (0, 0);
    let mut answers = vec![0; 64 << 10];
    let started = Instant::now();
    while started.elapsed() < length {
        let room = window - (sent - answered_bytes / ACK_BYTES);
        sent += send(stream, singles, sent % MESSAGES, room, writes);
        answered_bytes += read_some(stream, &mut answers);
    }
    while answered_bytes < sent * ACK_BYTES {
        answered_bytes += read_some(stream, &mut answers);
    }
    (sent, started.elapsed())
}

fn send(
    stream: &mut TcpStream,
    singles: &Singles,
    first: usize,
    room: usize,
    writes: Writes,
) -> usize {
    let (bytes, count) = singles.some(first, room);
    if writes == Writes::Coalesced {
        stream.write_all(bytes).expect("the server reads");
    } else {
        for number in first..first + count {
            let (message, _) = singles.some(number, 1);
            stream.write_all(message).expect("the server reads");
        }
    }
    count
}

fn read_some(stream: &mut TcpStream, answers: &mut [u8]) -> usize {
    let length = stream.read(answers).expect("an answer");
    assert_ne!(length, 0, "the server closed");
    length
}

/// The median time from a message's write to the last of its answer's bytes.
pub fn round_trip_p50(
    stream: &mut TcpStream,
    singles: &Singles,
    answer_bytes: Option<usize>,
    count: usize,
) -> Duration {
    let mut answer = vec![0; 4 << 10];
    let mut times: Vec<Duration> = (0..count)
        .map(|number| {
            let (message, _) = singles.some(number % MESSAGES, 1);
            let wanted = answer_bytes.unwrap_or(message.len());
            let started = Instant::now();
            stream.write_all(message).expect("the server reads");
            stream
                .read_exact(&mut answer[..wanted])
                .expect("the whole answer");
            started.elapsed()
        })
        .collect();
    times.sort();
    times[count / 2]
}
