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
use crate::handler::{Failure, Handler};
use crate::limits::EVENTS_PER_CALL;
use crate::protocol::{Next, Protocol, Taken};
use crate::stats::{ServerStats, add};
use crate::warning::Warnings;

/// The messages of one connection.
pub(crate) struct Messages {
    pub handler: Arc<dyn Handler>,
    pub stats: Arc<ServerStats>,
    pub warnings: Arc<Warnings>,
    pub peer: SocketAddr,
    pub frame_bytes_max: usize,
    pub answer_bytes_max: usize,
}

impl Protocol for Messages {
    fn take(&mut self, bytes: &[u8], answers: &mut Vec<u8>) -> Taken {
        let read_at = Instant::now();
        let now = self.handler.now();
        let mut run = Run::new(&*self.handler, &self.stats);
        let mut frames = Frames::new(bytes, self.frame_bytes_max);
        let mut messages = 0;
        let next = loop {
            match frames.next() {
                None => break Next::Read,
                Some(Ok(frame)) => match run.message(frame, now, answers) {
                    Ok(()) => messages += 1,
                    Err(error) => break self.refuse(&error),
                },
                Some(Err(error)) => break self.refuse(&error),
            }
            if answers.len() >= self.answer_bytes_max {
                break Next::Send;
            }
        };
        run.finish(answers);
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
}

impl Messages {
    /// As Riemann: no answer to what is not a message, the connection closes.
    fn refuse(&self, error: &dyn Display) -> Next {
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
    views: Views<'a>,
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
    fn new(handler: &'h dyn Handler, stats: &'h ServerStats) -> Run<'h, 'a> {
        let (views, ends) = SPARE.take();
        Run {
            handler,
            stats,
            views: views.recycle(),
            ends,
            failures: Vec::new(),
            ordinary: true,
        }
    }

    /// Adds a message; answers it, and those before it, if it holds a query.
    fn message(
        &mut self,
        frame: &'a [u8],
        now: Time,
        answers: &mut Vec<u8>,
    ) -> Result<(), DecodeError> {
        let head = match decode_msg(frame, now, &mut self.views) {
            Err(DecodeError::Utf8) => return self.repaired(frame, now, answers),
            decoded => decoded?,
        };
        self.ends.push(self.views.len());
        match head.query {
            Some(query) => self.answer(Some(query), answers),
            None if self.views.len() >= EVENTS_PER_CALL => self.answer(None, answers),
            None => {}
        }
        Ok(())
    }

    /// Strings that are not UTF-8 are rare enough for a copy and a run of their own.
    fn repaired(
        &mut self,
        frame: &[u8],
        now: Time,
        answers: &mut Vec<u8>,
    ) -> Result<(), DecodeError> {
        self.answer(None, answers);
        let copy = repair_msg(frame);
        let mut run = Run::new(self.handler, self.stats);
        let head = decode_msg(&copy, now, &mut run.views)?;
        run.ends.push(run.views.len());
        run.answer(head.query, answers);
        Ok(())
    }

    /// Streams the events and answers the messages; `query` is the last one's.
    fn answer(&mut self, query: Option<&str>, answers: &mut Vec<u8>) {
        if !self.views.is_empty() {
            self.handler.stream(&self.views, &mut self.failures);
            add(&self.stats.failed, self.failures.len() as u64);
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
        self.ordinary &= self.views.len() <= 2 * EVENTS_PER_CALL;
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

    fn finish(mut self, answers: &mut Vec<u8>) {
        self.answer(None, answers);
        if self.ordinary {
            SPARE.set((self.views.recycle(), self.ends));
        }
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
        let mut run = Run::new(&*self.handler, &self.stats);
        let mut messages = 0;
        for datagram in datagrams {
            match decode_msg(datagram, now, &mut run.views) {
                Ok(_) => messages += 1,
                Err(DecodeError::Utf8) => {
                    self.stream(&mut run);
                    let copy = repair_msg(datagram);
                    let mut repaired = Run::new(&*self.handler, &self.stats);
                    match decode_msg(&copy, now, &mut repaired.views) {
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
        };
        (messages, recorder)
    }
}
