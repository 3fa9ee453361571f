//! Events sent as JSON texts, and the answer that each of them gets.

use std::time::Instant;

use codec::json;
use event::Event;

use crate::handler::{Failure, Handler, Receipt};
use crate::keeping::stream_events;
use crate::stats::{ServerStats, add};

/// The answer to an event.
const OK: [u8; 2] = *b"{}";

/// Events collected to be streamed in one call, each with the answer it is owed.
pub(crate) struct JsonEvents<'a> {
    handler: &'a dyn Handler,
    stats: &'a ServerStats,
    read_at: Instant,
    events: Vec<Event>,
    /// In order of the texts: the error of one that did not parse, or the place of its event.
    outcomes: Vec<Result<usize, String>>,
}

impl<'a> JsonEvents<'a> {
    /// None yet, read now.
    pub(crate) fn new(handler: &'a dyn Handler, stats: &'a ServerStats) -> JsonEvents<'a> {
        let (events, outcomes) = (Vec::new(), Vec::new());
        JsonEvents {
            handler,
            stats,
            read_at: Instant::now(),
            events,
            outcomes,
        }
    }

    /// Adds a text.
    pub(crate) fn push(&mut self, text: &[u8]) {
        add(&self.stats.bytes_in, text.len() as u64);
        let event = std::str::from_utf8(text)
            .map_err(|error| error.to_string())
            .and_then(|text| {
                json::event_from_json(text, self.handler.now()).map_err(|error| error.to_string())
            });
        self.outcomes.push(event.map(|event| {
            self.events.push(event);
            self.events.len() - 1
        }));
    }

    /// Adds an answer to what is not an event at all.
    pub(crate) fn refuse(&mut self, reason: &str) {
        self.outcomes.push(Err(reason.to_owned()));
    }

    /// Streams the events; an answer for each text, `{}` or `{"error":"…"}`, in order, and what
    /// the answers have to wait for.
    pub(crate) fn stream(self) -> (Vec<Vec<u8>>, Option<Receipt>) {
        let (mut failures, mut receipt) = (Vec::new(), None);
        let count = self.events.len();
        if count > 0 {
            match stream_events(self.handler, self.events, &mut failures) {
                Ok(kept) => receipt = kept,
                Err(reason) => failures = refused(count, &reason),
            }
        }
        add(&self.stats.failed, failures.len() as u64);
        add(
            &self.stats.malformed,
            self.outcomes.iter().filter(|o| o.is_err()).count() as u64,
        );
        self.stats.answered(self.outcomes.len(), self.read_at);
        let outcomes = self.outcomes.into_iter();
        let answers = outcomes.map(|outcome| answer(outcome, &failures));
        (answers.collect(), receipt)
    }
}

/// Makes errors of the answers to what was streamed and cannot be kept.
pub(crate) fn unkept(answers: &mut [Vec<u8>], reason: &str) {
    for answer in answers.iter_mut().filter(|answer| answer[..] == OK) {
        *answer = error(Some(reason));
    }
}

fn refused(count: usize, reason: &str) -> Vec<Failure> {
    let failure = |index| Failure {
        index,
        message: Some(reason.to_owned()),
    };
    (0..count).map(failure).collect()
}

fn answer(outcome: Result<usize, String>, failures: &[Failure]) -> Vec<u8> {
    let failed = |index| failures.iter().find(|failure| failure.index == index);
    match outcome.map(failed) {
        Ok(None) => OK.to_vec(),
        Ok(Some(failure)) => error(failure.message.as_deref()),
        Err(reason) => error(Some(&reason)),
    }
}

/// An exception without a message is an error that is null, as in Riemann.
fn error(text: Option<&str>) -> Vec<u8> {
    let mut answer = b"{\"error\":".to_vec();
    match text {
        Some(text) => json::put_string(&mut answer, text),
        None => answer.extend_from_slice(b"null"),
    }
    answer.push(b'}');
    answer
}
