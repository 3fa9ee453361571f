//! PUT or POST to `/events`: a JSON object a line, an answer a line, as long as the client likes.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream;
use http_body_util::BodyExt;
use hyper::Response;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};

use crate::body::{self, Body};
use crate::handler::Receipt;
use crate::http::Client;
use crate::json_events::{JsonEvents, unkept};
use crate::keeping::durable;
use crate::limits::JSON_BYTES_MAX;
use crate::lines::{self, Line};

/// Answers what has come, then reads on; the whole body is never held. Waits for the first bytes
/// before it answers at all, so that a client that asks `Expect: 100-continue` is told to go on.
pub(crate) async fn answer(client: Arc<Client>, incoming: Incoming) -> Response<Body> {
    let mut body = EventLines {
        client,
        incoming,
        tail: Vec::new(),
        ended: false,
    };
    let first = body.next().await;
    let pieces = stream::unfold((first, body), |(ready, mut body)| async move {
        let piece = match ready {
            Some(piece) => piece,
            None => body.next().await?,
        };
        Some((piece, (None, body)))
    });
    let mut answer = Response::new(body::streamed(pieces));
    answer
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}

struct EventLines {
    client: Arc<Client>,
    incoming: Incoming,
    /// The unfinished last line.
    tail: Vec<u8>,
    ended: bool,
}

impl EventLines {
    /// The answers to the next lines; `None` after the last.
    async fn next(&mut self) -> Option<Bytes> {
        while !self.ended {
            let mut task = self.client.task.clone();
            let frame = tokio::select! {
                biased;
                () = task.stopping() => None,
                frame = self.incoming.frame() => frame,
            };
            match frame {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.tail.extend_from_slice(&data),
                    Err(_trailers) => continue,
                },
                Some(Err(error)) => {
                    tracing::debug!("/events: {error}");
                    return None;
                }
                None => {
                    self.ended = true;
                    // The last line needs no end of its own.
                    self.tail.push(b'\n');
                }
            }
            let (mut answers, receipt) = self.take_lines();
            if let Err(reason) = durable(&self.client.handler, receipt).await {
                unkept(&mut answers, &reason);
            }
            if !answers.is_empty() {
                let mut lines = answers.join(&b'\n');
                lines.push(b'\n');
                return Some(lines.into());
            }
        }
        None
    }

    fn take_lines(&mut self) -> (Vec<Vec<u8>>, Option<Receipt>) {
        let mut texts = JsonEvents::new(&*self.client.handler, &self.client.stats);
        let mut at = 0;
        loop {
            match lines::first(&self.tail[at..], JSON_BYTES_MAX) {
                Line::Whole(line, used) => {
                    if !line.trim_ascii().is_empty() {
                        texts.push(line);
                    }
                    at += used;
                }
                Line::Partial => break,
                Line::TooLong => {
                    texts.refuse(&format!("a line has more than {JSON_BYTES_MAX} bytes"));
                    self.ended = true;
                    at = self.tail.len();
                    break;
                }
            }
        }
        self.tail.drain(..at);
        texts.stream()
    }
}
