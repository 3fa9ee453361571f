//! From an HTTP request to a websocket.

use hyper::body::Incoming;
use hyper::header::{CONNECTION, HeaderMap, HeaderName, HeaderValue, UPGRADE};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use crate::body::{self, Body, sentence};
use crate::limits::JSON_BYTES_MAX;

const KEY: &str = "sec-websocket-key";
const VERSION: &str = "sec-websocket-version";
const ACCEPT: &str = "sec-websocket-accept";

pub(crate) type WebSocket = WebSocketStream<TokioIo<Upgraded>>;

/// A connection that is about to become a websocket.
pub(crate) struct Upgrade {
    on: OnUpgrade,
    pub path: String,
    pub query: String,
}

impl Upgrade {
    /// Waits until the connection speaks websocket; `None` if the client has gone.
    pub(crate) async fn open(self) -> Option<WebSocket> {
        let upgraded = TokioIo::new(self.on.await.ok()?);
        let config = WebSocketConfig::default()
            .max_message_size(Some(JSON_BYTES_MAX))
            .max_frame_size(Some(JSON_BYTES_MAX));
        Some(WebSocketStream::from_raw_socket(upgraded, Role::Server, Some(config)).await)
    }
}

/// Whether the client asks for a websocket.
pub(crate) fn wanted(request: &Request<Incoming>) -> bool {
    request.method() == Method::GET && names(request.headers(), &UPGRADE, "websocket")
}

fn names(headers: &HeaderMap, header: &HeaderName, word: &str) -> bool {
    let mut values = headers
        .get_all(header)
        .iter()
        .filter_map(|value| value.to_str().ok());
    values.any(|value| {
        value
            .split(',')
            .any(|item| item.trim().eq_ignore_ascii_case(word))
    })
}

/// The answer that makes the connection a websocket, or that says what the handshake lacks.
pub(crate) fn accept(mut request: Request<Incoming>) -> (Response<Body>, Option<Upgrade>) {
    let headers = request.headers();
    if headers.get(VERSION).is_none_or(|version| version != "13") {
        let mut refusal = sentence(
            StatusCode::UPGRADE_REQUIRED,
            "Websockets are of version 13 here.",
        );
        refusal
            .headers_mut()
            .insert(VERSION, HeaderValue::from_static("13"));
        return (refusal, None);
    }
    let key = headers
        .get(KEY)
        .map(|key| derive_accept_key(key.as_bytes()));
    let Some(Ok(accept)) = key.map(HeaderValue::try_from) else {
        return (
            sentence(StatusCode::BAD_REQUEST, "Sec-WebSocket-Key is missing."),
            None,
        );
    };
    let upgrade = Upgrade {
        on: hyper::upgrade::on(&mut request),
        path: request.uri().path().to_owned(),
        query: request.uri().query().unwrap_or_default().to_owned(),
    };
    let mut answer = Response::new(body::whole(""));
    *answer.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = answer.headers_mut();
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(ACCEPT, accept);
    (answer, Some(upgrade))
}
