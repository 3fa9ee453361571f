//! PUT or POST to `/httptrap/HOST`: a JSON document of metrics, an answer that counts them.

use std::time::Instant;

use bytes::Bytes;
use codec::httptrap::{self, Document};
use codec::json::put_string;
use event::Event;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};

use crate::body::{self, Body};
use crate::handler::{Failure, Receipt};
use crate::http::Client;
use crate::keeping::{durable, stream_events};
use crate::limits::{EVENTS_PER_CALL, HTTPTRAP_ERRORS_SHOWN};
use crate::stats::add;

/// What became of a document.
#[derive(Default)]
struct Outcome {
    /// Metrics that all streams have seen.
    stats: usize,
    /// Of metrics, and of the streams.
    errors: Vec<String>,
    /// Nothing of it was taken.
    status: StatusCode,
    /// The last of those that the answer waits for.
    receipt: Option<Receipt>,
}

/// Streams the metrics of a document. `host` is theirs.
pub(crate) async fn answer(client: &Client, host: Option<&str>, text: Bytes) -> Response<Body> {
    let read_at = Instant::now();
    add(&client.stats.bytes_in, text.len() as u64);
    let mut outcome = take(client, host, &text);
    if let Err(reason) = durable(&client.handler, outcome.receipt).await {
        outcome.stats = 0;
        outcome.errors = vec![reason];
        outcome.status = StatusCode::SERVICE_UNAVAILABLE;
    }
    client.stats.answered(1, read_at);
    told(&outcome)
}

fn take(client: &Client, host: Option<&str>, text: &[u8]) -> Outcome {
    let document = match httptrap::read(text, host, client.handler.now()) {
        Ok(document) => document,
        Err(error) => {
            add(&client.stats.malformed, 1);
            return Outcome {
                errors: vec![error.to_string()],
                status: StatusCode::BAD_REQUEST,
                ..Outcome::default()
            };
        }
    };
    let Document { events, errors } = document;
    add(&client.stats.malformed, errors.len() as u64);
    let mut outcome = Outcome {
        errors: errors.iter().map(ToString::to_string).collect(),
        ..Outcome::default()
    };
    if events.is_empty() && !errors.is_empty() {
        outcome.status = StatusCode::BAD_REQUEST;
    }
    let mut events = events.into_iter().peekable();
    while events.peek().is_some() {
        stream(
            client,
            events.by_ref().take(EVENTS_PER_CALL).collect(),
            &mut outcome,
        );
    }
    outcome
}

fn stream(client: &Client, events: Vec<Event>, outcome: &mut Outcome) {
    let count = events.len();
    let mut failures = Vec::new();
    match stream_events(&*client.handler, events, &mut failures) {
        Ok(receipt) => {
            outcome.receipt = receipt.or(outcome.receipt);
            outcome.stats += count - failures.len();
        }
        Err(reason) => {
            outcome.errors.push(reason);
            outcome.status = StatusCode::SERVICE_UNAVAILABLE;
        }
    }
    add(&client.stats.failed, failures.len() as u64);
    let message = |failure: Failure| failure.message.unwrap_or_else(|| "no message".to_owned());
    let streams = failures.into_iter().map(message);
    outcome
        .errors
        .extend(streams.map(|message| format!("a stream failed: {message}")));
}

/// `{"stats":2}`, or `{"stats":1,"errors":["…"]}`.
fn told(outcome: &Outcome) -> Response<Body> {
    let mut text = format!("{{\"stats\":{}", outcome.stats).into_bytes();
    if !outcome.errors.is_empty() {
        let beyond = outcome.errors.len().saturating_sub(HTTPTRAP_ERRORS_SHOWN);
        let more = (beyond > 0).then(|| format!("and {beyond} more"));
        let shown = outcome.errors.iter().take(HTTPTRAP_ERRORS_SHOWN);
        text.extend_from_slice(b",\"errors\":[");
        for (index, error) in shown.chain(&more).enumerate() {
            if index > 0 {
                text.push(b',');
            }
            put_string(&mut text, error);
        }
        text.push(b']');
    }
    text.extend_from_slice(b"}\n");
    let mut answer = Response::new(body::whole(text));
    *answer.status_mut() = outcome.status;
    let kind = HeaderValue::from_static("application/json");
    answer.headers_mut().insert(CONTENT_TYPE, kind);
    answer
}
