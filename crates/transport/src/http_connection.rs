//! One HTTP/1.1 connection, with the limits and the stop that all HTTP ports share.

use std::convert::Infallible;
use std::pin::pin;

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;

use crate::body::Body;
use crate::limits::{HTTP_HEAD_BYTES_MAX, HTTP_HEAD_TIMEOUT, HTTP_HEADERS_MAX, STOP_GRACE};
use crate::server::Task;

/// Answers requests until the client closes, becomes a websocket, or the server stops.
pub(crate) async fn drive<S>(stream: TokioIo<TcpStream>, service: S, mut task: Task)
where
    S: Service<Request<Incoming>, Response = Response<Body>, Error = Infallible>,
    S::Future: Send + 'static,
{
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HTTP_HEAD_TIMEOUT)
        .max_buf_size(HTTP_HEAD_BYTES_MAX)
        .max_headers(HTTP_HEADERS_MAX)
        // Riemann's clients and its own dashboard were written against title case.
        .title_case_headers(true)
        .serve_connection(stream, service)
        .with_upgrades();
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = task.stopping() => {
            connection.as_mut().graceful_shutdown();
            tokio::time::timeout(STOP_GRACE, connection).await.unwrap_or(Ok(()))
        }
    };
    if let Err(error) = ended {
        tracing::debug!("http: {error}");
    }
}
