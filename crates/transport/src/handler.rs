//! What the servers ask of the program.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use event::{Event, Time, Views};
use hyper::HeaderMap;

use crate::later::Later;

/// What a server does with what it receives. Called on the worker threads, one call at a time a
/// connection; calls of one connection come in the order of its messages.
pub trait Handler: Send + Sync + 'static {
    /// Streams received events, in order, and says which of them failed.
    fn stream(&self, views: &Views<'_>, failures: &mut Vec<Failure>);

    /// Streams events that did not come as protobuf, in order, and says which of them failed.
    fn stream_events(&self, events: Vec<Event>, failures: &mut Vec<Failure>);

    /// Keeps messages, each as it came, before their events are streamed. They are not acknowledged
    /// before the receipt is durable. `None` if nothing is kept.
    ///
    /// # Errors
    /// They cannot be kept: the text that the client shall see. Their events are not streamed.
    fn keep(&self, _messages: &[&[u8]], _now: Time) -> Result<Option<Receipt>, String> {
        Ok(None)
    }

    /// As [`Handler::keep`], of events that did not come as protobuf.
    ///
    /// # Errors
    /// As [`Handler::keep`].
    fn keep_events(&self, _events: &[Event], _now: Time) -> Result<Option<Receipt>, String> {
        Ok(None)
    }

    /// The events of a receipt have been streamed. Called once for each.
    fn streamed(&self, _receipt: Receipt) {}

    /// Calls `tell` once the receipt is durable, or is known never to be. Does not block.
    fn when_durable(&self, _receipt: Receipt, tell: Tell) {
        tell(Ok(()));
    }

    /// What the index holds that the query matches.
    ///
    /// # Errors
    /// The query does not parse, or there is no index: the text that the client shall see.
    fn query(&self, query: &str) -> Result<Vec<Event>, String>;

    /// Subscribes to the events of `channel` that match `query`. `notify` is called, from any
    /// thread, whenever the feed has become non-empty.
    ///
    /// # Errors
    /// The query does not parse: the text that the client shall see.
    fn subscribe(&self, channel: &str, query: &str, notify: Wake) -> Result<Box<dyn Feed>, String>;

    /// Answers a request that no protocol of the HTTP port takes; `None` is a 404.
    fn http(&self, request: &HttpRequest) -> Option<HttpAnswer>;

    /// Answers a request whose answer takes its time, from another thread; `None` if it is none of
    /// those. Asked before [`Handler::http`].
    fn http_later(&self, _request: &HttpRequest) -> Option<Later> {
        None
    }

    /// The time that an event gets that was sent with none.
    fn now(&self) -> Time;
}

/// What was kept, as [`Handler::keep`] gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Everything up to here is to be durable before an answer.
    pub id: u64,
    /// What was kept comes after this.
    pub after: u64,
    /// It is as durable as it has to be.
    pub is_durable: bool,
}

/// Hears that a receipt has become durable, or why it never will be: the text that the client shall
/// see. Never blocks.
pub type Tell = Box<dyn FnOnce(Result<(), String>) + Send>;

/// Wakes the reader of a [`Feed`]. Never blocks.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// A bounded subscription; dropping it unsubscribes.
pub trait Feed: Send {
    /// Appends at most `max` events, oldest first, and returns how many were lost since the last
    /// call because this reader was slow.
    fn take(&mut self, max: usize, into: &mut Vec<Event>) -> u64;
}

/// An event that a top-level stream threw on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Position in the call.
    pub index: usize,
    /// The exception's message, if it has one.
    pub message: Option<String>,
}

/// A plain HTTP request, its body whole.
#[derive(Clone, Debug)]
pub struct HttpRequest {
    /// `GET`, `POST`, …
    pub method: String,
    /// Still percent-encoded, without the query.
    pub path: String,
    /// What follows the `?`, still percent-encoded; empty if nothing does.
    pub query: String,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// The answer to a plain HTTP request.
#[derive(Clone, Debug)]
pub struct HttpAnswer {
    pub status: u16,
    pub content_type: Cow<'static, str>,
    /// Further headers, by name.
    pub headers: Vec<(Cow<'static, str>, String)>,
    pub body: Bytes,
}

/// What a configuration may do to an event that came as a line: change it, or drop it with `None`.
pub type LineHook = Arc<dyn Fn(Event) -> Option<Event> + Send + Sync>;
