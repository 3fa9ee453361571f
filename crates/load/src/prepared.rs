//! Messages as bytes, made before the load begins.

use std::fmt;

use codec::riemann::{encode_events, frame};
use event::{Number, Time};

use crate::shape::Shape;

/// At least so many bytes lie side by side, so that one write can take many messages.
const BYTES_MIN: usize = 512 << 10;

/// At most so many are made: more would not fit beside a server in a small machine.
const BYTES_MAX: usize = 1 << 30;

/// The mask of websocket frames: any will do, as it hides nothing.
const MASK: [u8; 4] = [0x5a, 0xc3, 0x3c, 0xa5];

/// How events become bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Riemann's messages, each after its length.
    Riemann,
    /// Riemann's messages, one a datagram.
    Datagram,
    /// An event of JSON in a text frame.
    WebSocket,
    /// Graphite's lines.
    Graphite,
    /// So many bytes that mean nothing, for servers that take messages of a fixed length.
    Fixed(usize),
}

/// Messages side by side, to be sent again and again.
pub struct Prepared {
    bytes: Vec<u8>,
    /// Where each message ends.
    ends: Vec<usize>,
    events_per_message: usize,
}

/// Why a load cannot be prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrepareError {
    /// The messages of all keys are too many.
    TooLarge,
}

impl fmt::Display for PrepareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PrepareError::TooLarge = self;
        write!(
            f,
            "the messages take more than {} MiB: choose fewer keys or smaller events",
            BYTES_MAX >> 20
        )
    }
}

impl std::error::Error for PrepareError {}

impl Prepared {
    /// Makes at least one message for each key, and more if they are few or short. `now` is for
    /// protocols whose messages must carry a time.
    ///
    /// # Errors
    /// If they take too much memory.
    pub fn new(
        encoding: Encoding,
        shape: &Shape,
        events_per_message: usize,
        now: Time,
    ) -> Result<Prepared, PrepareError> {
        let events_per_message = events_per_message.max(1);
        let mut prepared = Prepared {
            bytes: Vec::new(),
            ends: Vec::new(),
            events_per_message,
        };
        let mut number = 0;
        while number < shape.keys || prepared.bytes.len() < BYTES_MIN {
            put_message(
                &mut prepared.bytes,
                encoding,
                shape,
                number..number + events_per_message,
                now,
            );
            prepared.ends.push(prepared.bytes.len());
            number += events_per_message;
            // The first tells how long the others will be, nearly.
            let expected = (prepared.bytes.len() / number).saturating_mul(shape.keys);
            if prepared.bytes.len().max(expected) > BYTES_MAX {
                return Err(PrepareError::TooLarge);
            }
        }
        Ok(prepared)
    }

    /// Events in each message.
    pub fn events_per_message(&self) -> usize {
        self.events_per_message
    }

    /// How many messages there are; the first follows the last.
    pub fn messages(&self) -> usize {
        self.ends.len()
    }

    /// Length of the longest message.
    pub fn longest_bytes(&self) -> usize {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let lengths = self.ends.iter().zip(starts).map(|(end, start)| end - start);
        lengths.max().unwrap_or(0)
    }

    /// Where a message begins.
    pub(crate) fn start(&self, message: usize) -> usize {
        message.checked_sub(1).map_or(0, |before| self.ends[before])
    }

    /// The bytes from a place to the end of a message.
    pub(crate) fn bytes(&self, from: usize, last: usize) -> &[u8] {
        &self.bytes[from..self.ends[last]]
    }

    /// How many messages from this one on end at or before a place.
    pub(crate) fn ended(&self, first: usize, place: usize) -> usize {
        self.ends[first..].partition_point(|end| *end <= place)
    }
}

fn put_message(
    out: &mut Vec<u8>,
    encoding: Encoding,
    shape: &Shape,
    numbers: std::ops::Range<usize>,
    now: Time,
) {
    match encoding {
        Encoding::Riemann => frame(out, |out| put_events(out, shape, numbers)),
        Encoding::Datagram => put_events(out, shape, numbers),
        Encoding::WebSocket => {
            for number in numbers {
                let mut json = Vec::new();
                codec::json::event_to_json(&mut json, &shape.event(number, None));
                put_frame(out, &json);
            }
        }
        Encoding::Graphite => {
            for number in numbers {
                let value = Number::F64(number as f64);
                codec::graphite::encode_line(out, &shape.path(number), &value, now);
            }
        }
        Encoding::Fixed(length) => {
            for _ in numbers {
                out.extend((0..length).map(|at| b'a' + (at % 26) as u8));
            }
        }
    }
}

fn put_events(out: &mut Vec<u8>, shape: &Shape, numbers: std::ops::Range<usize>) {
    let events: Vec<_> = numbers.map(|number| shape.event(number, None)).collect();
    encode_events(out, &events);
}

/// A text frame as clients send it: final, masked.
fn put_frame(out: &mut Vec<u8>, payload: &[u8]) {
    const TEXT: u8 = 0x81;
    const MASKED: u8 = 0x80;
    out.push(TEXT);
    match payload.len() {
        short @ 0..=125 => out.push(MASKED | short as u8),
        medium @ 126..=0xffff => {
            out.push(MASKED | 126);
            out.extend((medium as u16).to_be_bytes());
        }
        long => {
            out.push(MASKED | 127);
            out.extend((long as u64).to_be_bytes());
        }
    }
    out.extend(MASK);
    let masked = payload.iter().zip(MASK.iter().cycle());
    out.extend(masked.map(|(byte, mask)| byte ^ mask));
}

#[cfg(test)]
mod tests {
    use super::*;
    use codec::riemann::{Frames, decode_msg};
    use event::{Fields, Views};

    fn now() -> Time {
        Time::from_s(7)
    }

    #[test]
    fn every_key_is_sent_and_messages_are_whole() {
        let shape = Shape {
            keys: 250,
            ..Shape::default()
        };
        let prepared = Prepared::new(Encoding::Riemann, &shape, 100, now()).expect("small");
        let mut keys = std::collections::HashSet::new();
        let mut frames = Frames::new(&prepared.bytes, 1 << 20);
        for (at, frame) in frames.by_ref().enumerate() {
            let mut views = Views::new();
            let head = decode_msg(frame.expect("a frame"), now(), &mut views).expect("a message");
            assert_eq!(head.events, 100);
            for index in 0..views.len() {
                let view = views.get(index);
                keys.insert((
                    view.host().map(str::to_owned),
                    view.service().map(str::to_owned),
                ));
            }
            assert!(at < prepared.messages());
        }
        assert_eq!(frames.consumed(), prepared.bytes.len());
        assert_eq!(keys.len(), 250);
    }

    #[test]
    fn too_much_is_refused_at_once() {
        let shape = Shape {
            keys: usize::MAX / BYTES_MAX,
            ..Shape::default()
        };
        let refused = Prepared::new(Encoding::Riemann, &shape, 100, now());
        assert_eq!(refused.err(), Some(PrepareError::TooLarge));
    }

    #[test]
    fn a_frame_of_json_is_an_event_when_unmasked() {
        let mut out = Vec::new();
        put_message(
            &mut out,
            Encoding::WebSocket,
            &Shape::default(),
            3..4,
            now(),
        );
        assert_eq!((out[0], out[1]), (0x81, 0x80 | 126));
        let length = usize::from(u16::from_be_bytes([out[2], out[3]]));
        assert_eq!(out.len(), 8 + length);
        let text: Vec<u8> = out[8..]
            .iter()
            .zip(MASK.iter().cycle())
            .map(|(a, b)| a ^ b)
            .collect();
        let text = String::from_utf8(text).expect("text");
        let event = codec::json::event_from_json(&text, now()).expect("an event");
        assert_eq!(event.service(), Some("load 00"));
    }

    #[test]
    fn lines_and_fixed_lengths_are_as_asked() {
        let shape = Shape::default();
        let lines = Prepared::new(Encoding::Graphite, &shape, 1, now()).expect("small");
        assert!(lines.bytes(0, 0).starts_with(b"load-00000.load-00 0"));
        assert!(lines.bytes(0, 0).ends_with(b" 7\n"));
        let fixed = Prepared::new(Encoding::Fixed(100), &shape, 1, now()).expect("small");
        assert_eq!(
            (fixed.longest_bytes(), fixed.bytes(0, 9).len()),
            (100, 1_000)
        );
    }
}
