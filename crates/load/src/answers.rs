//! What servers answer.

use std::fmt;

use codec::riemann::{FrameError, Frames, decode_msg};
use event::{Time, Views};

/// The answer to most messages of Riemann's protocol, with its length.
const OK_FRAME: [u8; 6] = [0, 0, 0, 2, 0x10, 1];

/// An answer may not be longer: a load asks for none but "ok" or an error.
const ANSWER_BYTES_MAX: usize = 1 << 20;

/// How a server answers each message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerKind {
    /// A message of Riemann's protocol.
    Riemann,
    /// A text frame: `{}`, or an object with an error.
    WebSocket,
}

/// Cuts what a connection gives into answers.
pub struct Answers {
    kind: AnswerKind,
    /// An answer that has not come whole.
    rest: Vec<u8>,
}

/// What some bytes answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answered {
    /// Messages that the server took.
    pub ok: u64,
    /// Messages that it answered with an error.
    pub failed: u64,
    /// The first of these errors.
    pub error: Option<String>,
}

/// Bytes that are no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerError {
    /// Not Riemann's protocol.
    Frame(FrameError),
    /// A message that does not parse.
    Message(String),
    /// Not a frame of a websocket as servers send it.
    WebSocket,
    /// The server closed the websocket, and its reason.
    Closed(String),
}

impl fmt::Display for AnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnswerError::Frame(error) => write!(f, "the server's answer: {error}"),
            AnswerError::Message(error) => write!(f, "the server's answer: {error}"),
            AnswerError::WebSocket => f.write_str("the server's answer is no websocket frame"),
            AnswerError::Closed(reason) => write!(f, "the server closed the websocket: {reason}"),
        }
    }
}

impl std::error::Error for AnswerError {}

impl Answers {
    /// Nothing read yet.
    pub fn new(kind: AnswerKind) -> Answers {
        Answers {
            kind,
            rest: Vec::new(),
        }
    }

    /// Counts the answers that are whole with these bytes.
    ///
    /// # Errors
    /// If they cannot be answers; the connection is of no more use.
    pub fn read(&mut self, bytes: &[u8]) -> Result<Answered, AnswerError> {
        let mut answered = Answered::default();
        if self.rest.is_empty() {
            let used = self.count(bytes, &mut answered)?;
            self.rest.extend_from_slice(&bytes[used..]);
        } else {
            let mut all = std::mem::take(&mut self.rest);
            all.extend_from_slice(bytes);
            let used = self.count(&all, &mut answered)?;
            all.drain(..used);
            self.rest = all;
        }
        Ok(answered)
    }

    /// Gives how many bytes were whole answers.
    fn count(&self, bytes: &[u8], answered: &mut Answered) -> Result<usize, AnswerError> {
        match self.kind {
            AnswerKind::Riemann => count_messages(bytes, answered),
            AnswerKind::WebSocket => count_frames(bytes, answered),
        }
    }
}

fn count_messages(bytes: &[u8], answered: &mut Answered) -> Result<usize, AnswerError> {
    let usual = bytes
        .chunks_exact(OK_FRAME.len())
        .take_while(|chunk| *chunk == OK_FRAME)
        .count();
    answered.ok += usual as u64;
    let skipped = usual * OK_FRAME.len();
    let mut frames = Frames::new(&bytes[skipped..], ANSWER_BYTES_MAX);
    for frame in frames.by_ref() {
        let frame = frame.map_err(AnswerError::Frame)?;
        let mut views = Views::new();
        let head = decode_msg(frame, Time::from_s(0), &mut views)
            .map_err(|error| AnswerError::Message(error.to_string()))?;
        if head.ok == Some(true) {
            answered.ok += 1;
        } else {
            answered.fail(head.error.unwrap_or("not ok, without a reason"));
        }
    }
    Ok(skipped + frames.consumed())
}

fn count_frames(bytes: &[u8], answered: &mut Answered) -> Result<usize, AnswerError> {
    const TEXT: u8 = 0x81;
    const CLOSE: u8 = 0x88;
    const PING: u8 = 0x89;
    const PONG: u8 = 0x8a;
    let mut used = 0;
    while let Some((kind, payload, after)) = server_frame(&bytes[used..])? {
        match kind {
            TEXT if payload == b"{}" => answered.ok += 1,
            TEXT => answered.fail(&String::from_utf8_lossy(payload)),
            PING | PONG => {}
            CLOSE => {
                let reason = payload.get(2..).unwrap_or_default();
                let reason = String::from_utf8_lossy(reason).into_owned();
                return Err(AnswerError::Closed(reason));
            }
            _ => return Err(AnswerError::WebSocket),
        }
        used += after;
    }
    Ok(used)
}

/// The first byte, the payload and the length of a whole frame without a mask.
type Frame<'a> = (u8, &'a [u8], usize);

fn server_frame(bytes: &[u8]) -> Result<Option<Frame<'_>>, AnswerError> {
    let [kind, short, ..] = *bytes else {
        return Ok(None);
    };
    let (length, head) = match short {
        0..=125 => (usize::from(short), 2),
        126 => match bytes.get(2..4).and_then(|two| two.first_chunk()) {
            Some(two) => (usize::from(u16::from_be_bytes(*two)), 4),
            None => return Ok(None),
        },
        _ => return Err(AnswerError::WebSocket),
    };
    let payload = bytes.get(head..head + length);
    Ok(payload.map(|payload| (kind, payload, head + length)))
}

impl Answered {
    fn fail(&mut self, error: &str) {
        self.failed += 1;
        self.error.get_or_insert_with(|| error.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use codec::riemann::{encode_ack, encode_error, frame};
    use proptest::prelude::*;

    /// Reads in pieces of every length; the counts must not depend on it.
    #[track_caller]
    fn check(kind: AnswerKind, bytes: &[u8], ok: u64, failed: u64, error: &str) {
        for piece in 1..=bytes.len() {
            let mut answers = Answers::new(kind);
            let mut all = Answered::default();
            for part in bytes.chunks(piece) {
                let some = answers.read(part).expect("answers");
                all.ok += some.ok;
                all.failed += some.failed;
                all.error = all.error.or(some.error);
            }
            assert_eq!(
                (all.ok, all.failed, all.error.as_deref()),
                (ok, failed, Some(error))
            );
            assert!(answers.rest.is_empty());
        }
    }

    #[test]
    fn acknowledgements_and_errors_are_counted() {
        let mut bytes = Vec::new();
        for _ in 0..3 {
            frame(&mut bytes, encode_ack);
        }
        frame(&mut bytes, |out| encode_error(out, Some("out of order")));
        frame(&mut bytes, encode_ack);
        frame(&mut bytes, |out| encode_error(out, None));
        check(AnswerKind::Riemann, &bytes, 4, 2, "out of order");
    }

    #[test]
    fn text_frames_are_counted() {
        let mut bytes = b"\x81\x02{}\x89\x00\x81\x0d{\"error\":\"x\"}\x81\x7e\x00\x80".to_vec();
        bytes.extend([b'e'; 128]);
        bytes.extend(b"\x81\x02{}");
        check(AnswerKind::WebSocket, &bytes, 2, 2, "{\"error\":\"x\"}");
        let mut answers = Answers::new(AnswerKind::WebSocket);
        let closed = answers.read(b"\x88\x06\x03\xf0gone");
        assert_eq!(closed, Err(AnswerError::Closed("gone".to_owned())));
    }

    proptest! {
        #[test]
        fn nothing_panics(pieces in prop::collection::vec(any::<Vec<u8>>(), 0..6), riemann: bool) {
            let kind = if riemann { AnswerKind::Riemann } else { AnswerKind::WebSocket };
            let mut answers = Answers::new(kind);
            for piece in pieces {
                if answers.read(&piece).is_err() {
                    break;
                }
            }
        }
    }
}
