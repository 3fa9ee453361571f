//! Riemann's messages: over TCP with an answer each, or in datagrams without.

use std::cell::RefCell;
use std::fmt::Display;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use codec::riemann::{
    DecodeError, Frames, decode_msg, encode_ack, encode_answer, encode_error, frame, repair_msg,
};
use event::{Time, Views};

use crate::datagram::Datagrams;
use crate::handler::{Failure, Handler, Receipt};
use crate::keeping::Streaming;
use crate::limits::EVENTS_PER_CALL;
use crate::protocol::{Next, Protocol, Taken};
use crate::stats::{ServerStats, add};
use crate::warning::Warnings;

/// How an answer begins that is an error: `ok` is false.
const NO: [u8; 2] = [0x10, 0];

/// The messages of one connection.
pub(crate) struct Messages {
    pub handler: Arc<dyn Handler>,
    pub stats: Arc<ServerStats>,
    pub warnings: Arc<Warnings>,
    pub peer: SocketAddr,
    pub frame_bytes_max: usize,
    pub answer_bytes_max: usize,
    /// Of the last call.
    pub receipt: Option<Receipt>,
}

impl Protocol for Messages {
    fn take(&mut self, bytes: &[u8], answers: &mut Vec<u8>) -> Taken {
        let read_at = Instant::now();
        let now = self.handler.now();
        let mut run = Run::new(&*self.handler, &self.stats, now);
        let mut frames = Frames::new(bytes, self.frame_bytes_max);
        let mut messages = 0;
        let next = loop {
            match frames.next() {
                None => break Next::Read,
                Some(Ok(frame)) => match run.message(frame, answers) {
                    Ok(()) => messages += 1,
                    Err(error) => break self.hang_up(&error),
                },
                Some(Err(error)) => break self.hang_up(&error),
            }
            if answers.len() >= self.answer_bytes_max {
                break Next::Send;
            }
        };
        self.receipt = run.finish(answers);
        self.stats.answered(messages, read_at);
        Taken {
            bytes: frames.consumed(),
            next,
        }
    }

    fn bytes_wanted(&self, tail: &[u8]) -> usize {
        Frames::new(tail, self.frame_bytes_max)
            .wanted()
            .unwrap_or(0)
    }

    fn receipt(&mut self) -> Option<(Arc<dyn Handler>, Receipt)> {
        let receipt = self.receipt.take().filter(|receipt| !receipt.is_durable)?;
        Some((Arc::clone(&self.handler), receipt))
    }

    /// Queries among them too: a message may have both, events and a query.
    fn refuse(&self, answers: &mut Vec<u8>, reason: &str) {
        let given = std::mem::take(answers);
        for answer in Frames::new(&given, usize::MAX).flatten() {
            if answer.starts_with(&NO) {
                frame(answers, |out| out.extend_from_slice(answer));
            } else {
                add(&self.stats.failed, 1);
                frame(answers, |out| encode_error(out, Some(reason)));
            }
        }
    }
}

impl Messages {
    /// As Riemann: no answer to what is not a message, the connection closes.
    fn hang_up(&self, error: &dyn Display) -> Next {
        add(&self.stats.malformed, 1);
        if let Some(left_out) = self.warnings.due() {
            let peer = self.peer;
            tracing::warn!(left_out, "{peer}: not a Riemann message, closing: {error}");
        }
        Next::Close
    }
}

/// Messages whose events are streamed in one call.
struct Run<'h, 'a> {
    handler: &'h dyn Handler,
    stats: &'h ServerStats,
    now: Time,
    views: Views<'a>,
    /// The messages that hold the events, as they came.
    messages: Vec<&'a [u8]>,
    /// Of the last messages that were kept.
    receipt: Option<Receipt>,
    /// For each message, where its events end in the views.
    ends: Vec<usize>,
    failures: Vec<Failure>,
    /// The views' memory is no more than the next run may need.
    ordinary: bool,
}

thread_local! {
    /// The memory of the last run, for the next.
    static SPARE: RefCell<(Views<'static>, Vec<usize>)> = RefCell::default();
}

impl<'h, 'a> Run<'h, 'a> {
    fn new(handler: &'h dyn Handler, stats: &'h ServerStats, now: Time) -> Run<'h, 'a> {
        let (views, ends) = SPARE.take();
        Run {
            handler,
            stats,
            now,
            views: views.recycle(),
            messages: Vec::new(),
            receipt: None,
            ends,
            failures: Vec::new(),
            ordinary: true,
        }
    }

    /// Adds a message; answers it, and those before it, if it holds a query.
    fn message(&mut self, frame: &'a [u8], answers: &mut Vec<u8>) -> Result<(), DecodeError> {
        let query = match self.decode(frame) {
            Err(DecodeError::Utf8) => return self.repaired(frame, answers),
            decoded => decoded?,
        };
        self.ends.push(self.views.len());
        match query {
            Some(query) => self.answer(Some(query), answers),
            None if self.views.len() >= EVENTS_PER_CALL => self.answer(None, answers),
            None => {}
        }
        Ok(())
    }

    /// Adds the events of a message, and returns its query.
    fn decode(&mut self, message: &'a [u8]) -> Result<Option<&'a str>, DecodeError> {
        let before = self.views.len();
        let head = decode_msg(message, self.now, &mut self.views)?;
        if self.views.len() > before {
            self.messages.push(message);
        }
        Ok(head.query)
    }

    /// Strings that are not UTF-8 are rare enough for a copy and a run of their own.
    fn repaired(&mut self, frame: &[u8], answers: &mut Vec<u8>) -> Result<(), DecodeError> {
        self.answer(None, answers);
        let copy = repair_msg(frame);
        let mut run = Run::new(self.handler, self.stats, self.now);
        let query = run.decode(&copy)?;
        run.ends.push(run.views.len());
        run.answer(query, answers);
        self.receipt = run.receipt.or(self.receipt);
        Ok(())
    }

    /// Streams the events and answers the messages; `query` is the last one's.
    fn answer(&mut self, query: Option<&str>, answers: &mut Vec<u8>) {
        if !self.views.is_empty()
            && let Err(reason) = self.keep_and_stream()
        {
            self.refuse(&reason, answers);
            return self.clear();
        }
        self.failures.sort_by_key(|failure| failure.index);
        let mut failures = &self.failures[..];
        let last = self.ends.len().saturating_sub(1);
        for (message, &end) in self.ends.iter().enumerate() {
            let own = failures.partition_point(|failure| failure.index < end);
            let (failed, later) = failures.split_at(own);
            failures = later;
            match (failed, query) {
                ([], Some(query)) if message == last => self.ask(query, answers),
                ([], _) => frame(answers, encode_ack),
                _ => frame(answers, |out| encode_error(out, error(failed).as_deref())),
            }
        }
        self.clear();
    }

    fn keep_and_stream(&mut self) -> Result<(), String> {
        let receipt = self.handler.keep(&self.messages, self.now)?;
        let streaming = Streaming::new(self.handler, receipt);
        self.handler.stream(&self.views, &mut self.failures);
        drop(streaming);
        self.receipt = receipt.or(self.receipt);
        add(&self.stats.failed, self.failures.len() as u64);
        Ok(())
    }

    /// Tells every client why its message is not taken.
    fn refuse(&self, reason: &str, answers: &mut Vec<u8>) {
        add(&self.stats.failed, self.views.len() as u64);
        for _ in &self.ends {
            frame(answers, |out| encode_error(out, Some(reason)));
        }
    }

    fn clear(&mut self) {
        self.ordinary &= self.views.len() <= 2 * EVENTS_PER_CALL;
        self.messages.clear();
        self.views = std::mem::take(&mut self.views).recycle();
        self.ends.clear();
        self.failures.clear();
    }

    fn ask(&self, query: &str, answers: &mut Vec<u8>) {
        match self.handler.query(query) {
            Ok(events) => frame(answers, |out| encode_answer(out, &events)),
            Err(reason) => frame(answers, |out| encode_error(out, Some(&reason))),
        }
    }

    fn finish(mut self, answers: &mut Vec<u8>) -> Option<Receipt> {
        self.answer(None, answers);
        let receipt = self.receipt;
        if self.ordinary {
            SPARE.set((self.views.recycle(), self.ends));
        }
        receipt
    }
}

/// What a client is told of the events of its message that failed: as Riemann, if it is one.
fn error(failed: &[Failure]) -> Option<String> {
    let (first, more) = failed.split_first()?;
    let message = first.message.as_deref();
    match more.len() {
        0 => message.map(str::to_owned),
        1 => Some(format!(
            "{} (and 1 more event failed)",
            message.unwrap_or("no message")
        )),
        n => Some(format!(
            "{} (and {n} more events failed)",
            message.unwrap_or("no message")
        )),
    }
}

/// Messages that come in datagrams. Nobody waits for an answer, so queries are not run.
pub(crate) struct OneWay {
    pub handler: Arc<dyn Handler>,
    pub stats: Arc<ServerStats>,
    pub warnings: Warnings,
}

impl Datagrams for OneWay {
    fn take(&self, datagrams: &mut dyn Iterator<Item = &[u8]>) {
        let read_at = Instant::now();
        let now = self.handler.now();
        let mut run = Run::new(&*self.handler, &self.stats, now);
        let mut messages = 0;
        for datagram in datagrams {
            match run.decode(datagram) {
                Ok(_) => messages += 1,
                Err(DecodeError::Utf8) => {
                    self.stream(&mut run);
                    let copy = repair_msg(datagram);
                    let mut repaired = Run::new(&*self.handler, &self.stats, now);
                    match repaired.decode(&copy) {
                        Ok(_) => messages += 1,
                        Err(error) => self.refuse(&error),
                    }
                    self.stream(&mut repaired);
                }
                Err(error) => self.refuse(&error),
            }
        }
        self.stream(&mut run);
        run.finish(&mut Vec::new());
        self.stats.answered(messages, read_at);
    }
}

impl OneWay {
    fn stream(&self, run: &mut Run<'_, '_>) {
        run.answer(None, &mut Vec::new());
    }

    fn refuse(&self, error: &dyn Display) {
        add(&self.stats.malformed, 1);
        if let Some(left_out) = self.warnings.due() {
            tracing::warn!(left_out, "udp: not a Riemann message: {error}");
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::limits::{ANSWER_BYTES_MAX, FRAME_BYTES_MAX};
    use crate::recorder::Recorder;

    /// A connection's protocol, and what it streams to.
    pub(crate) fn messages() -> (Messages, Arc<Recorder>) {
        let recorder = Recorder::new();
        let messages = Messages {
            handler: Arc::clone(&recorder) as Arc<dyn Handler>,
            stats: Arc::default(),
            warnings: Arc::default(),
            peer: ([127, 0, 0, 1], 1).into(),
            frame_bytes_max: FRAME_BYTES_MAX,
            answer_bytes_max: ANSWER_BYTES_MAX,
            receipt: None,
        };
        (messages, recorder)
    }
}
