//! Answers to HTTP requests that take their time: made on another thread, the body piece by piece.

use bytes::Bytes;
use futures_util::stream;
use hyper::{Response, StatusCode};
use tokio::sync::{mpsc, oneshot};

use crate::body::{self, Body, sentence};
use crate::handler::HttpAnswer;
use crate::limits::PIECES_WAITING;

/// Makes a promise of an answer, and the answer that is to come.
pub fn later() -> (Promise, Later) {
    let (promise, later) = oneshot::channel();
    (Promise(promise), Later(later))
}

/// The end that answers.
#[derive(Debug)]
pub struct Promise(oneshot::Sender<Begun>);

/// The end that waits for the answer.
#[derive(Debug)]
pub struct Later(oneshot::Receiver<Begun>);

#[derive(Debug)]
struct Begun {
    answer: HttpAnswer,
    /// What follows the answer's body.
    rest: Option<mpsc::Receiver<Bytes>>,
}

impl Promise {
    /// Whether the client is still there.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        !self.0.is_closed()
    }

    /// Answers.
    pub fn answer(self, answer: HttpAnswer) {
        // A client that has gone needs no answer.
        let _ = self.0.send(Begun { answer, rest: None });
    }

    /// Begins to answer; more of the body follows.
    #[must_use]
    pub fn begin(self, answer: HttpAnswer) -> Rest {
        let (sender, rest) = mpsc::channel(PIECES_WAITING);
        // A client that has gone is found at the next piece.
        let _ = self.0.send(Begun {
            answer,
            rest: Some(rest),
        });
        Rest(sender)
    }
}

/// Takes the rest of a body; dropping it ends the body.
#[derive(Debug)]
pub struct Rest(mpsc::Sender<Bytes>);

impl Rest {
    /// Whether the client is still there.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        !self.0.is_closed()
    }

    /// Hands a piece on, and waits while the client is slow. Says whether the client is still
    /// there. Not to be called on a worker.
    #[must_use]
    pub fn send(&self, piece: Bytes) -> bool {
        self.0.blocking_send(piece).is_ok()
    }
}

impl Later {
    /// Waits for the answer; `convert` makes its head.
    pub(crate) async fn response(
        self,
        convert: impl FnOnce(HttpAnswer) -> Response<Body>,
    ) -> Response<Body> {
        let Ok(Begun { answer, rest }) = self.0.await else {
            let text = "The answer was given up.";
            return sentence(StatusCode::INTERNAL_SERVER_ERROR, text);
        };
        let Some(rest) = rest else {
            return convert(answer);
        };
        let first = answer.body.clone();
        let pieces = stream::unfold((Some(first), rest), |(first, mut rest)| async {
            let piece = match first {
                Some(first) => first,
                None => rest.recv().await?,
            };
            Some((piece, (None, rest)))
        });
        let mut response = convert(HttpAnswer {
            body: Bytes::new(),
            ..answer
        });
        *response.body_mut() = body::streamed(pieces);
        response
    }
}
