//! Questions to history over HTTP: each on a thread of its own, so that a long one holds up no
//! connection but its own.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use ask::Pieces;
use bytes::Bytes;
use store::Store;
use transport::{HttpAnswer, HttpRequest, Later, Promise, Rest, later};
use web::{Answer, HistoryRequest};

/// Questions that are answered at once; one may take 64 MB while it merges, and a core.
const AT_ONCE_MAX: usize = 8;

/// Stack of a thread that answers; what is read goes to the heap.
const STACK_BYTES: usize = 1 << 20;

/// How many questions are being answered.
#[derive(Clone, Debug, Default)]
pub struct Questions(Arc<AtomicUsize>);

impl Questions {
    /// Answers a request in time, if it is one about history.
    pub fn answer(
        &self,
        request: &HttpRequest,
        store: Option<Arc<Store>>,
        now_us: i64,
    ) -> Option<Later> {
        let accept = request.headers.get("accept");
        let accept = accept.and_then(|accept| accept.to_str().ok());
        let asked = HistoryRequest::of(&request.method, &request.path, &request.query, accept)?;
        let (promise, later) = later();
        let Some(turn) = self.turn() else {
            promise.answer(http_answer(web::busy(AT_ONCE_MAX)));
            return Some(later);
        };
        let spawned = thread::Builder::new()
            .name("question".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(move || {
                let _turn = turn;
                give(promise, &asked, store.as_deref(), now_us);
            });
        if let Err(error) = spawned {
            // The promise went with the thread that did not start: the client is told.
            tracing::warn!("a question to history is not answered: no thread: {error}");
        }
        Some(later)
    }

    fn turn(&self) -> Option<Turn> {
        let turn = Turn(Arc::clone(&self.0));
        // A turn that is refused gives itself back.
        (self.0.fetch_add(1, Ordering::Relaxed) < AT_ONCE_MAX).then_some(turn)
    }
}

/// One of the questions that are being answered.
struct Turn(Arc<AtomicUsize>);

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn give(promise: Promise, asked: &HistoryRequest, store: Option<&Store>, now_us: i64) {
    let mut body = Body::Waiting {
        promise,
        head: asked.head(),
        first: None,
    };
    match asked.answer(store, now_us, &mut body) {
        Ok(()) => body.end(),
        Err(instead) => body.refuse(*instead),
    }
}

/// A body on its way. The head is sent with the second piece, so that a short answer is sent whole.
enum Body {
    Waiting {
        promise: Promise,
        head: Answer,
        first: Option<Vec<u8>>,
    },
    Begun(Rest),
    Gone,
}

impl Body {
    fn end(self) {
        if let Body::Waiting {
            promise,
            head,
            first,
        } = self
        {
            promise.answer(with_body(head, first.unwrap_or_default()));
        }
    }

    fn refuse(self, instead: Answer) {
        if let Body::Waiting { promise, .. } = self {
            promise.answer(http_answer(instead));
        }
    }
}

impl Pieces for Body {
    fn is_wanted(&self) -> bool {
        match self {
            Body::Waiting { promise, .. } => promise.is_wanted(),
            Body::Begun(rest) => rest.is_wanted(),
            Body::Gone => false,
        }
    }

    fn piece(&mut self, bytes: Vec<u8>) -> ControlFlow<()> {
        *self = match std::mem::replace(self, Body::Gone) {
            Body::Waiting {
                promise,
                head,
                first: None,
            } => Body::Waiting {
                promise,
                head,
                first: Some(bytes),
            },
            Body::Waiting {
                promise,
                head,
                first: Some(first),
            } => {
                let rest = promise.begin(with_body(head, first));
                send(rest, bytes)
            }
            Body::Begun(rest) => send(rest, bytes),
            Body::Gone => Body::Gone,
        };
        match self {
            Body::Gone => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

fn send(rest: Rest, bytes: Vec<u8>) -> Body {
    if rest.send(Bytes::from(bytes)) {
        Body::Begun(rest)
    } else {
        Body::Gone
    }
}

fn with_body(head: Answer, body: Vec<u8>) -> HttpAnswer {
    HttpAnswer {
        body: Bytes::from(body),
        ..http_answer(head)
    }
}

/// An answer of the site as the HTTP port takes it.
pub fn http_answer(answer: Answer) -> HttpAnswer {
    let body = match answer.body {
        std::borrow::Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        std::borrow::Cow::Owned(bytes) => Bytes::from(bytes),
    };
    let headers = answer.headers.into_iter();
    HttpAnswer {
        status: answer.status,
        content_type: answer.content_type.into(),
        headers: headers.map(|(name, value)| (name.into(), value)).collect(),
        body,
    }
}
