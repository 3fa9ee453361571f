//! The HTTP port: websockets, JSON lines, and whatever else the program answers.

use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use bytes::Bytes;
use http_body_util::{BodyExt, Limited};
use hyper::body::{Body as _, Incoming};
use hyper::header::{CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue, UPGRADE};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;

use crate::accept;
use crate::bind::{self, BindError, Place};
use crate::body::{self, Body, sentence};
use crate::event_lines;
use crate::handler::{Handler, HttpAnswer, HttpRequest};
use crate::http_connection;
use crate::httptrap;
use crate::limits::{BACKLOG, BODY_BYTES_MAX, BODY_TIMEOUT, CONNECTIONS_MAX};
use crate::server::{Server, Task};
use crate::stats::ServerStats;
use crate::target::{self, Target};
use crate::upgrade;
use crate::websocket::{self, Session};
use crate::workers::Workers;

/// Riemann's `ws-server`, with its option names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpOptions {
    pub host: String,
    pub port: u16,
    pub connections_max: usize,
}

impl Default for HttpOptions {
    fn default() -> HttpOptions {
        HttpOptions {
            host: "127.0.0.1".into(),
            port: 5556,
            connections_max: CONNECTIONS_MAX,
        }
    }
}

/// A bound HTTP server that does not accept yet.
pub struct HttpServer {
    listener: TcpListener,
    addr: SocketAddr,
    connections_max: usize,
}

impl HttpServer {
    /// Binds the port.
    ///
    /// # Errors
    /// The port is taken or not ours.
    pub fn bind(options: &HttpOptions) -> Result<HttpServer, BindError> {
        let place = Place {
            server: "ws-server",
            host: &options.host,
            port: options.port,
        };
        let (listener, addr) = bind::tcp(place, BACKLOG)?;
        Ok(HttpServer {
            listener,
            addr,
            connections_max: options.connections_max,
        })
    }

    /// The address it is bound to.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Begins to accept.
    pub fn serve(self, workers: &Workers, handler: Arc<dyn Handler>) -> Server {
        let server = Server::new("ws", self.addr);
        let stats = Arc::clone(server.stats());
        accept::serve(
            &server,
            self.listener,
            self.connections_max,
            workers,
            move |accepted| {
                let (handler, stats) = (Arc::clone(&handler), Arc::clone(&stats));
                async move {
                    let Ok((stream, open)) = accepted.attach() else {
                        return;
                    };
                    let client = Arc::new(Client {
                        handler,
                        stats,
                        task: open.task.clone(),
                        session: Mutex::new(None),
                    });
                    let service = {
                        let client = Arc::clone(&client);
                        service_fn(move |request| answer(Arc::clone(&client), request))
                    };
                    http_connection::drive(TokioIo::new(stream), service, open.task.clone()).await;
                    let session = client
                        .session
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .take();
                    if let Some(session) = session {
                        Box::pin(websocket::serve(session, &client)).await;
                    }
                }
            },
        );
        server
    }
}

/// One connection's view of the server.
pub(crate) struct Client {
    pub handler: Arc<dyn Handler>,
    pub stats: Arc<ServerStats>,
    pub task: Task,
    /// The websocket that this connection becomes once its last answer is out.
    session: Mutex<Option<Session>>,
}

async fn answer(
    client: Arc<Client>,
    request: Request<Incoming>,
) -> Result<Response<Body>, std::convert::Infallible> {
    if upgrade::wanted(&request) {
        return Ok(open_websocket(&client, request));
    }
    let read_at = Instant::now();
    let answer = match target::target(request.uri().path()) {
        Some(Target::Events) if !matches!(*request.method(), Method::GET | Method::HEAD) => {
            return Ok(event_lines::answer(client, request.into_body()).await);
        }
        Some(Target::Httptrap(host)) if matches!(*request.method(), Method::PUT | Method::POST) => {
            return Ok(match whole_body(request.into_body()).await {
                Ok(text) => httptrap::answer(&client, host.as_deref(), text).await,
                Err(refusal) => refusal,
            });
        }
        Some(Target::Httptrap(_)) => sentence(
            StatusCode::METHOD_NOT_ALLOWED,
            "PUT or POST a JSON object of metrics here.",
        ),
        Some(_) => websocket_required(),
        None => ask_program(&client, request).await,
    };
    client.stats.answered(1, read_at);
    Ok(answer)
}

fn open_websocket(client: &Client, request: Request<Incoming>) -> Response<Body> {
    let (answer, upgrade) = upgrade::accept(request);
    *client
        .session
        .lock()
        .unwrap_or_else(PoisonError::into_inner) =
        upgrade.map(|upgrade| Session::begin(upgrade, client));
    answer
}

fn websocket_required() -> Response<Body> {
    let text = "This is a websocket: connect with ws://, or PUT or POST JSON lines to /events.";
    let mut answer = sentence(StatusCode::UPGRADE_REQUIRED, text);
    answer
        .headers_mut()
        .insert(UPGRADE, HeaderValue::from_static("websocket"));
    answer
        .headers_mut()
        .insert(CONNECTION, HeaderValue::from_static("upgrade"));
    answer
}

async fn ask_program(client: &Client, request: Request<Incoming>) -> Response<Body> {
    let (head, incoming) = request.into_parts();
    let body = match whole_body(incoming).await {
        Ok(body) => body,
        Err(refusal) => return refusal,
    };
    let path = head.uri.path().to_owned();
    let request = HttpRequest {
        method: head.method.as_str().to_owned(),
        query: head.uri.query().unwrap_or_default().to_owned(),
        headers: head.headers,
        path,
        body,
    };
    if let Some(later) = client.handler.http_later(&request) {
        return later.response(convert).await;
    }
    match client.handler.http(&request) {
        Some(answer) => convert(answer),
        None => {
            let text = format!("There is nothing at {}.", request.path);
            sentence(StatusCode::NOT_FOUND, text)
        }
    }
}

/// The body, or the answer to one that is too large or too slow.
async fn whole_body(incoming: Incoming) -> Result<Bytes, Response<Body>> {
    if incoming.size_hint().lower() > BODY_BYTES_MAX as u64 {
        return Err(body_too_large());
    }
    let whole = Limited::new(incoming, BODY_BYTES_MAX).collect();
    match tokio::time::timeout(BODY_TIMEOUT, whole).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(_)) => Err(body_too_large()),
        Err(_) => Err(sentence(
            StatusCode::REQUEST_TIMEOUT,
            "The body did not come in time.",
        )),
    }
}

fn body_too_large() -> Response<Body> {
    let text = format!("The body has more than {BODY_BYTES_MAX} bytes.");
    sentence(StatusCode::PAYLOAD_TOO_LARGE, text)
}

fn convert(answer: HttpAnswer) -> Response<Body> {
    let mut response = Response::new(body::whole(answer.body));
    let Ok(status) = StatusCode::from_u16(answer.status) else {
        return sentence(
            StatusCode::INTERNAL_SERVER_ERROR,
            "The answer had no valid status.",
        );
    };
    *response.status_mut() = status;
    let headers = response.headers_mut();
    if let Ok(kind) = HeaderValue::from_str(&answer.content_type) {
        headers.insert(CONTENT_TYPE, kind);
    }
    for (name, value) in answer.headers {
        let name = HeaderName::from_bytes(name.as_bytes());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_str(&value)) {
            headers.append(name, value);
        }
    }
    response
}
