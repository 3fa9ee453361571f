//! Server-sent events: the index, then what enters it, to a browser.

use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use codec::json;
use event::Event;
use futures_util::stream;
use hyper::body::Incoming;
use hyper::header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;

use crate::accept;
use crate::bind::{self, BindError, Place};
use crate::body::{self, Body, sentence};
use crate::follower::Follower;
use crate::handler::Handler;
use crate::http_connection;
use crate::limits::{BACKLOG, CONNECTIONS_MAX};
use crate::server::{Server, Task};
use crate::stats::ServerStats;
use crate::target::parameter;
use crate::workers::Workers;

/// Riemann's `sse-server`, with its option names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SseOptions {
    pub host: String,
    pub port: u16,
    /// `:headers`, added to every stream, in place of ours of the same name.
    pub headers: Vec<(String, String)>,
    pub connections_max: usize,
}

impl Default for SseOptions {
    fn default() -> SseOptions {
        let (host, headers) = ("127.0.0.1".into(), Vec::new());
        SseOptions {
            host,
            port: 5558,
            headers,
            connections_max: CONNECTIONS_MAX,
        }
    }
}

/// A bound SSE server that does not accept yet.
pub struct SseServer {
    listener: TcpListener,
    addr: SocketAddr,
    headers: HeaderMap,
    connections_max: usize,
}

/// Why an SSE server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum SseError {
    #[error(transparent)]
    Bind(#[from] BindError),
    #[error("sse-server: {name}: {value} is not an HTTP header; mend :headers")]
    Header { name: String, value: String },
}

impl SseServer {
    /// Binds the port.
    ///
    /// # Errors
    /// The port is taken or not ours, or a header cannot be sent.
    pub fn bind(options: &SseOptions) -> Result<SseServer, SseError> {
        let headers = stream_headers(&options.headers)?;
        let place = Place {
            server: "sse-server",
            host: &options.host,
            port: options.port,
        };
        let (listener, addr) = bind::tcp(place, BACKLOG)?;
        Ok(SseServer {
            listener,
            addr,
            headers,
            connections_max: options.connections_max,
        })
    }

    /// The address it is bound to.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Begins to accept.
    pub fn serve(self, workers: &Workers, handler: Arc<dyn Handler>) -> Server {
        let server = Server::new("sse", self.addr);
        let stats = Arc::clone(server.stats());
        let headers = Arc::new(self.headers);
        accept::serve(
            &server,
            self.listener,
            self.connections_max,
            workers,
            move |accepted| {
                let (handler, stats) = (Arc::clone(&handler), Arc::clone(&stats));
                let headers = Arc::clone(&headers);
                async move {
                    let Ok((stream, open)) = accepted.attach() else {
                        return;
                    };
                    let task = open.task.clone();
                    let client = Arc::new(Client {
                        handler,
                        stats,
                        task,
                        headers,
                    });
                    let service = service_fn(move |request| {
                        let answer = client.answer(&request);
                        async move { Ok::<_, Infallible>(answer) }
                    });
                    http_connection::drive(TokioIo::new(stream), service, open.task.clone()).await;
                }
            },
        );
        server
    }
}

fn stream_headers(own: &[(String, String)]) -> Result<HeaderMap, SseError> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CONNECTION, HeaderValue::from_static("keepalive"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    for (name, value) in own {
        let parsed = (
            HeaderName::from_bytes(name.as_bytes()),
            HeaderValue::from_str(value),
        );
        let (Ok(parsed_name), Ok(parsed_value)) = parsed else {
            return Err(SseError::Header {
                name: name.clone(),
                value: value.clone(),
            });
        };
        headers.insert(parsed_name, parsed_value);
    }
    Ok(headers)
}

struct Client {
    handler: Arc<dyn Handler>,
    stats: Arc<ServerStats>,
    task: Task,
    headers: Arc<HeaderMap>,
}

impl Client {
    fn answer(&self, request: &Request<Incoming>) -> Response<Body> {
        let read_at = Instant::now();
        let path = request.uri().path();
        let known = request.method() == Method::GET && matches!(path, "/index" | "/index/");
        let query = parameter(request.uri().query().unwrap_or_default(), "query");
        let answer = match (known, query) {
            (false, _) => {
                let text = format!("There is nothing at {path}; the index is at /index?query=…");
                let mut answer = sentence(StatusCode::NOT_FOUND, text);
                answer
                    .headers_mut()
                    .insert(CONNECTION, HeaderValue::from_static("close"));
                answer
            }
            (true, None) => refused(String::new()),
            (true, Some(query)) => match self.follower(&query) {
                Ok(follower) => self.stream(follower),
                Err(reason) => refused(reason),
            },
        };
        self.stats.answered(1, read_at);
        answer
    }

    fn follower(&self, query: &str) -> Result<Follower, String> {
        Follower::new(
            Arc::clone(&self.handler),
            Arc::clone(&self.stats),
            self.task.clone(),
        )
        .with_channel("index", query)?
        .with_index(query)
    }

    fn stream(&self, follower: Follower) -> Response<Body> {
        let pieces = stream::unfold(follower, |mut follower| async {
            let events = follower.next().await?;
            Some((frames(&events), follower))
        });
        let mut answer = Response::new(body::streamed(pieces));
        *answer.headers_mut() = HeaderMap::clone(&self.headers);
        answer
    }
}

fn frames(events: &[Event]) -> Bytes {
    let mut frames = Vec::new();
    for event in events {
        frames.extend_from_slice(b"data: ");
        json::event_to_json(&mut frames, event);
        frames.extend_from_slice(b"\n\n");
    }
    frames.into()
}

fn refused(reason: String) -> Response<Body> {
    let mut answer = Response::new(body::whole(reason));
    *answer.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
    answer
}
