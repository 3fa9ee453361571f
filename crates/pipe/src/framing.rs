//! Where a message ends.

use std::str::FromStr;

use codec::riemann::{Frames, decode_msg, encode_ack, encode_error, encode_events, frame};
use event::{Time, Views};
use memchr::memchr;

use crate::limits::MESSAGE_BYTES_MAX;
use crate::{Batch, PipeError};

/// How a source cuts bytes into messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// Every message has so many bytes.
    Fixed(usize),
    /// Before a message stands its length: four bytes, the highest first.
    Length,
    /// A message ends at a line feed, which is no part of it.
    Lines,
    /// Riemann's protocol. A message is an event, encoded as a message of one event; senders are
    /// answered once the queue has what they sent.
    Events,
}

impl FromStr for Framing {
    type Err = PipeError;

    fn from_str(text: &str) -> Result<Framing, PipeError> {
        let asked = || {
            PipeError::Asked(format!(
                "there is no framing {text:?}: say fixed:BYTES, length, lines or events"
            ))
        };
        match text {
            "length" => Ok(Framing::Length),
            "lines" => Ok(Framing::Lines),
            "events" => Ok(Framing::Events),
            _ => {
                let size = text.strip_prefix("fixed:").ok_or_else(asked)?;
                let size: usize = size.parse().map_err(|_| asked())?;
                if size == 0 || size > MESSAGE_BYTES_MAX {
                    let most = MESSAGE_BYTES_MAX;
                    let text = format!("a message has 1 to {most} bytes, not {size}");
                    return Err(PipeError::Asked(text));
                }
                Ok(Framing::Fixed(size))
            }
        }
    }
}

/// What was cut off the front of some bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Split {
    /// How many bytes the messages took, with their frames.
    pub consumed: usize,
    /// How many bytes the unfinished message will need at least, its frame included.
    pub wanted: usize,
}

/// Cuts the bytes of one connection.
pub struct Splitter {
    framing: Framing,
    /// Bytes of the unfinished line that are known to hold no line feed.
    looked_at: usize,
}

impl Splitter {
    /// For a connection that begins.
    #[must_use]
    pub fn new(framing: Framing) -> Splitter {
        Splitter {
            framing,
            looked_at: 0,
        }
    }

    /// Appends the whole messages at the front of `bytes`, which begins where the last split
    /// ended, and to `answers` what the sender is told once they are in the queue. Events without
    /// a time get `now`.
    ///
    /// # Errors
    /// What follows the messages that were appended is no message, and nothing after it can be.
    pub fn split(
        &mut self,
        bytes: &[u8],
        now: Time,
        batch: &mut Batch,
        answers: &mut Vec<u8>,
    ) -> Result<Split, PipeError> {
        match self.framing {
            Framing::Fixed(size) => {
                let consumed = bytes.len() - bytes.len() % size;
                batch.push_fixed(&bytes[..consumed], size);
                Ok(Split {
                    consumed,
                    wanted: size,
                })
            }
            Framing::Lines => self.split_lines(bytes, batch),
            Framing::Length => split_frames(bytes, |message| batch.push(message)),
            Framing::Events => split_frames(bytes, |message| {
                frame(answers, |answer| take_events(message, now, batch, answer));
            }),
        }
    }

    fn split_lines(&mut self, bytes: &[u8], batch: &mut Batch) -> Result<Split, PipeError> {
        let mut consumed = 0;
        let mut from = self.looked_at;
        while let Some(length) = memchr(b'\n', &bytes[from..]) {
            batch.push(without_return(&bytes[consumed..from + length]));
            from += length + 1;
            consumed = from;
        }
        self.looked_at = bytes.len() - consumed;
        if self.looked_at > MESSAGE_BYTES_MAX {
            return Err(too_long(self.looked_at));
        }
        Ok(Split {
            consumed,
            wanted: self.looked_at + 1,
        })
    }

    /// What is left when the sender has ended: true if it was nothing, or a line without its end,
    /// which is appended.
    pub fn end(&self, rest: &[u8], batch: &mut Batch) -> bool {
        if self.framing == Framing::Lines && !rest.is_empty() {
            batch.push(without_return(rest));
            return true;
        }
        rest.is_empty()
    }

    /// Appends the messages of a datagram; false if it does not hold whole ones.
    pub fn split_datagram(&mut self, bytes: &[u8], now: Time, batch: &mut Batch) -> bool {
        if self.framing == Framing::Events {
            let before = batch.len();
            take_events(bytes, now, batch, &mut Vec::new());
            return batch.len() > before;
        }
        self.looked_at = 0;
        let before = batch.len();
        match self.split(bytes, now, batch, &mut Vec::new()) {
            Ok(split) => self.end(&bytes[split.consumed..], batch) && batch.len() > before,
            Err(_) => false,
        }
    }
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn split_frames(bytes: &[u8], mut take: impl FnMut(&[u8])) -> Result<Split, PipeError> {
    let mut frames = Frames::new(bytes, MESSAGE_BYTES_MAX);
    for message in frames.by_ref() {
        take(message.map_err(|error| PipeError::Message(error.to_string()))?);
    }
    Ok(Split {
        consumed: frames.consumed(),
        wanted: frames.wanted().unwrap_or(4),
    })
}

/// Appends each event as a message of its own, and the answer.
fn take_events(message: &[u8], now: Time, batch: &mut Batch, answer: &mut Vec<u8>) {
    let mut views = Views::new();
    match decode_msg(message, now, &mut views) {
        Ok(head) if head.query.is_some() => {
            encode_error(
                answer,
                Some("a pipeline has no index: it answers no queries"),
            );
        }
        Ok(_) => {
            for view in views.iter() {
                batch.push_with(|bytes| encode_events(bytes, [&view]));
            }
            encode_ack(answer);
        }
        Err(error) => encode_error(answer, Some(&error.to_string())),
    }
}

fn too_long(bytes: usize) -> PipeError {
    PipeError::Message(format!(
        "a line of {bytes} bytes and no end: {MESSAGE_BYTES_MAX} are the most"
    ))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Splits bytes that come in pieces, as a connection does.
    fn split(framing: Framing, pieces: &[&[u8]]) -> Result<(Vec<Vec<u8>>, usize), String> {
        let mut splitter = Splitter::new(framing);
        let (mut held, mut batch) = (Vec::new(), Batch::new());
        for piece in pieces {
            held.extend_from_slice(piece);
            let split = splitter
                .split(&held, Time::from_s(1), &mut batch, &mut Vec::new())
                .map_err(|error| error.to_string())?;
            held.drain(..split.consumed);
        }
        let rest = held.len();
        let whole = splitter.end(&held, &mut batch);
        let messages = batch.iter().map(<[u8]>::to_vec).collect();
        Ok((messages, if whole { 0 } else { rest }))
    }

    #[test]
    fn each_framing_finds_its_messages() {
        let check = |framing: &str, bytes: &[u8], expected: &[&[u8]], torn| {
            let framing = framing.parse().unwrap();
            let expected = expected.iter().map(|message| message.to_vec()).collect();
            assert_eq!(split(framing, &[bytes]), Ok((expected, torn)));
        };
        check("fixed:2", b"aabbc", &[b"aa", b"bb"], 1);
        check(
            "lines",
            b"one\r\n\ntwo\nthree",
            &[b"one", b"", b"two", b"three"],
            0,
        );
        check("length", b"\0\0\0\x01a\0\0\0\0\0\0\0\x02b", &[b"a", b""], 5);
        check(
            "events",
            b"\0\0\0\x05\x32\x03\x22\x01h",
            &[b"\x32\x09\x08\x01\x22\x01h\x50\xc0\x84\x3d"],
            0,
        );
    }

    #[test]
    fn bad_words_and_bad_lengths_are_told() {
        let told = |text: &str| text.parse::<Framing>().unwrap_err().to_string();
        assert!(told("fixed").contains("say fixed:BYTES"));
        assert!(told("fixed:0").contains("not 0"));
        let error = split(Framing::Length, &[b"\xff\xff\xff\xff"]).unwrap_err();
        assert!(error.contains("-1"), "{error}");
    }

    #[test]
    fn senders_of_events_are_answered_each() {
        let mut answers = Vec::new();
        let sent = [
            &b"\0\0\0\x05\x32\x03\x22\x01h"[..],
            b"\0\0\0\x02\x2a\x00",
            b"\0\0\0\x01\xff",
        ];
        let mut batch = Batch::new();
        let mut splitter = Splitter::new(Framing::Events);
        splitter
            .split(&sent.concat(), Time::from_s(1), &mut batch, &mut answers)
            .unwrap();
        let told: Vec<_> = Frames::new(&answers, 1000)
            .map(|answer| {
                let mut views = Views::new();
                decode_msg(answer.unwrap(), Time::from_s(1), &mut views)
                    .unwrap()
                    .ok
            })
            .collect();
        assert_eq!(told, [Some(true), Some(false), Some(false)]);
        assert_eq!(batch.len(), 1);
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(
            bytes in prop::collection::vec(prop_oneof![Just(0_u8), Just(10), 0..4_u8, any::<u8>()], 0..200),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
            which in 0..4_usize,
        ) {
            let framing = [Framing::Fixed(7), Framing::Length, Framing::Lines, Framing::Events][which];
            let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            cuts.sort_unstable();
            let mut pieces = Vec::new();
            let mut from = 0;
            for cut in cuts {
                pieces.push(&bytes[from..cut]);
                from = cut;
            }
            pieces.push(&bytes[from..]);
            prop_assert_eq!(split(framing, &pieces), split(framing, &[&bytes]));
        }

        #[test]
        fn no_datagram_panics(bytes in prop::collection::vec(any::<u8>(), 0..100), which in 0..4_usize) {
            let framing = [Framing::Fixed(7), Framing::Length, Framing::Lines, Framing::Events][which];
            Splitter::new(framing).split_datagram(&bytes, Time::from_s(1), &mut Batch::new());
        }
    }
}
