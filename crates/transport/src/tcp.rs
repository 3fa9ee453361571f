//! Riemann's protocol over TCP, plain or inside TLS.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;

use crate::accept::{self, Open};
use crate::bind::{self, BindError, Place};
use crate::connection::drive;
use crate::handler::Handler;
use crate::limits::{
    ANSWER_BYTES_MAX, BACKLOG, CONNECTIONS_MAX, FRAME_BYTES_MAX, HANDSHAKE_TIMEOUT,
};
use crate::riemann::Messages;
use crate::server::Server;
use crate::stats::add;
use crate::tls::{self, TlsError, TlsFiles};
use crate::warning::Warnings;
use crate::workers::Workers;

/// Riemann's `tcp-server`, with its option names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TcpOptions {
    pub host: String,
    /// `None` is 5555, or 5554 with TLS; 0 takes any free one.
    pub port: Option<u16>,
    /// `:so-backlog`.
    pub backlog: u32,
    pub tls: Option<TlsFiles>,
    pub frame_bytes_max: usize,
    pub connections_max: usize,
    pub answer_bytes_max: usize,
}

impl Default for TcpOptions {
    fn default() -> TcpOptions {
        TcpOptions {
            host: "127.0.0.1".into(),
            port: None,
            backlog: BACKLOG,
            tls: None,
            frame_bytes_max: FRAME_BYTES_MAX,
            connections_max: CONNECTIONS_MAX,
            answer_bytes_max: ANSWER_BYTES_MAX,
        }
    }
}

/// Why a TCP server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum TcpError {
    #[error(transparent)]
    Bind(#[from] BindError),
    #[error(transparent)]
    Tls(#[from] TlsError),
}

/// A bound TCP server that does not accept yet.
pub struct TcpServer {
    listener: TcpListener,
    addr: SocketAddr,
    tls: Option<TlsAcceptor>,
    frame_bytes_max: usize,
    connections_max: usize,
    answer_bytes_max: usize,
}

impl TcpServer {
    /// Reads the keys and binds the port.
    ///
    /// # Errors
    /// The port is taken, or a file cannot be used.
    pub fn bind(options: &TcpOptions) -> Result<TcpServer, TcpError> {
        let tls = options.tls.as_ref().map(tls::server_config).transpose()?;
        let port = options
            .port
            .unwrap_or(if tls.is_some() { 5554 } else { 5555 });
        let place = Place {
            server: "tcp-server",
            host: &options.host,
            port,
        };
        let (listener, addr) = bind::tcp(place, options.backlog)?;
        Ok(TcpServer {
            listener,
            addr,
            tls: tls.map(TlsAcceptor::from),
            frame_bytes_max: options.frame_bytes_max,
            connections_max: options.connections_max,
            answer_bytes_max: options.answer_bytes_max,
        })
    }

    /// The address it is bound to.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Begins to accept.
    pub fn serve(self, workers: &Workers, handler: Arc<dyn Handler>) -> Server {
        let kind = if self.tls.is_some() { "tls" } else { "tcp" };
        let server = Server::new(kind, self.addr);
        let stats = Arc::clone(server.stats());
        let warnings = Arc::<Warnings>::default();
        let (frame_bytes_max, answer_bytes_max) = (self.frame_bytes_max, self.answer_bytes_max);
        let tls = self.tls;
        accept::serve(
            &server,
            self.listener,
            self.connections_max,
            workers,
            move |accepted| {
                let messages = Messages {
                    handler: Arc::clone(&handler),
                    stats: Arc::clone(&stats),
                    warnings: Arc::clone(&warnings),
                    peer: accepted.peer,
                    frame_bytes_max,
                    answer_bytes_max,
                    receipt: None,
                };
                let (tls, stats) = (tls.clone(), Arc::clone(&stats));
                async move {
                    let Ok((stream, mut open)) = accepted.attach() else {
                        return;
                    };
                    match tls {
                        None => drive(stream, messages, stats, &mut open.task).await,
                        // Boxed, so that plain connections do not carry the size of a TLS session.
                        Some(tls) => Box::pin(shake_hands(tls, stream, messages, open)).await,
                    }
                }
            },
        );
        server
    }
}

async fn shake_hands(tls: TlsAcceptor, stream: TcpStream, messages: Messages, mut open: Open) {
    let (peer, stats) = (messages.peer, Arc::clone(&messages.stats));
    let handshake = tokio::time::timeout(HANDSHAKE_TIMEOUT, tls.accept(stream));
    let shaken = tokio::select! {
        shaken = handshake => shaken,
        () = open.task.stopping() => return,
    };
    let reason = match shaken {
        Ok(Ok(stream)) => return drive(stream, messages, stats, &mut open.task).await,
        Ok(Err(error)) => error.to_string(),
        Err(_) => "no handshake in time".into(),
    };
    add(&stats.malformed, 1);
    if let Some(left_out) = messages.warnings.due() {
        tracing::warn!(left_out, "tls {peer}: refused: {reason}");
    }
}
