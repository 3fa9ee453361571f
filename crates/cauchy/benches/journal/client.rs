//! A client of one thread: messages over TCP, so many unacknowledged at most.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use codec::riemann::Frames;

use crate::messages::{EVENTS_PER_MESSAGE, Messages, Ttl};
use crate::server::riemann::{event, events_message};

/// An acknowledgement: a length and `{ok: true}`.
const ACK_BYTES: usize = 6;
const KEYS: usize = 1_000;
const SINGLES: i64 = 8_000;

/// Framed messages, one after the other.
pub struct Sent {
    bytes: Vec<u8>,
    /// Where each ends.
    ends: Vec<usize>,
    pub events_per_message: usize,
    window: usize,
}

impl Sent {
    /// Messages of 100 events.
    pub fn bulk() -> Sent {
        let bytes = Messages::new(KEYS, Ttl::Given).bytes;
        Sent::of(bytes, EVENTS_PER_MESSAGE, 64)
    }

    /// Messages of an event each.
    pub fn singles() -> Sent {
        let of_key = |number: i64| event(&format!("disk {:03} used", number % 1000), number);
        let bytes = (0..SINGLES).flat_map(|number| events_message(&[of_key(number)]));
        Sent::of(bytes.collect(), 1, 4096)
    }

    fn of(bytes: Vec<u8>, events_per_message: usize, window: usize) -> Sent {
        let mut frames = Frames::new(&bytes, usize::MAX);
        let mut ends = Vec::new();
        while frames.next().is_some() {
            ends.push(frames.consumed());
        }
        Sent {
            bytes,
            ends,
            events_per_message,
            window,
        }
    }

    /// Sends for that long, many messages a write, and waits for every answer; gives how many
    /// messages that was.
    pub fn send(&self, stream: &mut TcpStream, length: Duration) -> usize {
        let (mut sent, mut answered_bytes) = (0, 0);
        let mut answers = vec![0; 64 << 10];
        let started = Instant::now();
        while started.elapsed() < length {
            let room = self.window - (sent - answered_bytes / ACK_BYTES);
            let first = sent % self.ends.len();
            let end = (first + room).min(self.ends.len());
            if end > first {
                let start = first.checked_sub(1).map_or(0, |before| self.ends[before]);
                let bytes = &self.bytes[start..self.ends[end - 1]];
                stream.write_all(bytes).expect("the server reads");
            }
            sent += end - first;
            answered_bytes += read_some(stream, &mut answers);
        }
        while answered_bytes < sent * ACK_BYTES {
            answered_bytes += read_some(stream, &mut answers);
        }
        sent
    }
}

fn read_some(stream: &mut TcpStream, answers: &mut [u8]) -> usize {
    let length = stream.read(answers).expect("an answer");
    assert_ne!(length, 0, "the server closed");
    length
}
