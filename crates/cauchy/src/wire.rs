//! Opens and closes the servers that a configuration asks for.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use config::{Handle, Kind, PipelineSpec, ServerSpec, Wire};
use parking_lot::Mutex;
use transport::{
    GraphiteOptions, GraphiteServer, Handler, HttpOptions, HttpServer, LineProtocol,
    OpentsdbOptions, OpentsdbServer, Server, SseOptions, SseServer, TcpOptions, TcpServer,
    TlsFiles, UdpOptions, UdpServer, Workers,
};

use crate::handler::Live;
use crate::nrepl;
use crate::pipelines::Pipelines;

/// How long a server may take to answer what it has read when it is stopped.
const STOP_WITHIN: Duration = Duration::from_millis(500);

/// The running servers, through reloads: one that the next configuration asks for too goes on.
pub struct Servers {
    workers: Mutex<Workers>,
    live: Arc<Live>,
    open: Mutex<Vec<Open>>,
    last_id: AtomicU64,
    /// Servers that the configuration being installed has asked for.
    wanted: Mutex<HashSet<u64>>,
    /// Servers that had to make way for it: they come back if it fails.
    replaced: Mutex<Vec<Open>>,
    pub pipelines: Pipelines,
}

#[derive(Clone)]
struct Open {
    id: u64,
    spec: Arc<ServerSpec>,
    server: Arc<Listening>,
}

/// A server that runs.
enum Listening {
    Events(Arc<Server>),
    Repl(nrepl::Server),
}

impl Listening {
    fn kind(&self) -> &'static str {
        match self {
            Listening::Events(server) => server.kind(),
            Listening::Repl(_) => "nrepl",
        }
    }

    fn addr(&self) -> SocketAddr {
        match self {
            Listening::Events(server) => server.addr(),
            Listening::Repl(server) => server.addr(),
        }
    }

    fn begin_stop(&self) {
        match self {
            Listening::Events(server) => server.begin_stop(),
            Listening::Repl(server) => server.stop(),
        }
    }

    fn stopped_by(&self, deadline: Instant) -> bool {
        match self {
            Listening::Events(server) => server.stopped_by(deadline),
            Listening::Repl(_) => true,
        }
    }
}

impl Servers {
    pub fn new(workers: Workers, live: Arc<Live>) -> Servers {
        Servers {
            workers: Mutex::new(workers),
            live,
            open: Mutex::default(),
            last_id: AtomicU64::new(0),
            wanted: Mutex::default(),
            replaced: Mutex::default(),
            pipelines: Pipelines::default(),
        }
    }

    /// Every running server that takes events.
    pub fn list(&self) -> Vec<Arc<Server>> {
        let open = self.open.lock();
        let servers = open.iter().filter_map(|open| match &*open.server {
            Listening::Events(server) => Some(server.clone()),
            Listening::Repl(_) => None,
        });
        servers.collect()
    }

    /// What every running server speaks, and where.
    pub fn ports(&self) -> Vec<(&'static str, SocketAddr)> {
        let open = self.open.lock();
        open.iter()
            .map(|open| (open.server.kind(), open.server.addr()))
            .collect()
    }

    /// Notes which servers run before a configuration is installed.
    pub fn begin(&self) -> Before {
        self.wanted.lock().clear();
        self.replaced.lock().clear();
        self.pipelines.begin();
        Before(self.open.lock().iter().map(|open| open.id).collect())
    }

    /// The configuration is in: stops what it did not ask for.
    pub fn commit(&self) {
        let wanted = self.wanted.lock().clone();
        self.close(|open| !wanted.contains(&open.id));
        self.pipelines.commit();
        for open in self.open.lock().iter() {
            if let Listening::Repl(server) = &*open.server {
                server.forget();
            }
        }
    }

    /// The configuration failed: stops what was opened for it, and opens again what had made way.
    pub fn roll_back(&self, before: &Before) {
        self.close(|open| !before.0.contains(&open.id));
        self.pipelines.roll_back();
        for lost in self.replaced.lock().drain(..) {
            match self.bind(&lost.spec) {
                Ok(server) => {
                    tracing::info!("{} server {} online again", server.kind(), server.addr());
                    self.open.lock().push(Open {
                        server: Arc::new(server),
                        ..lost
                    });
                }
                Err(line) => {
                    tracing::error!("a server that had made way does not come back: {line}")
                }
            }
        }
    }

    /// Stops everything: no new connections, what was read is answered, then all is closed.
    pub fn stop(&self) {
        self.close(|_| true);
        self.pipelines.stop();
    }

    fn close(&self, doomed: impl Fn(&Open) -> bool) {
        let closing: Vec<Open> = {
            let mut open = self.open.lock();
            let (closing, staying) = open.drain(..).partition(|open| doomed(open));
            *open = staying;
            closing
        };
        closing.iter().for_each(|open| open.server.begin_stop());
        let deadline = Instant::now() + STOP_WITHIN;
        for open in &closing {
            let (kind, addr) = (open.server.kind(), open.server.addr());
            if open.server.stopped_by(deadline) {
                tracing::info!("{kind} server {addr} stopped");
            } else {
                tracing::warn!("{kind} server {addr} stopped with connections unfinished");
            }
        }
    }

    fn bind(&self, spec: &ServerSpec) -> Result<Listening, String> {
        if spec.kind == Kind::Repl {
            let live = Arc::downgrade(&self.live);
            let server = nrepl::Server::bind(&spec.host, spec.port, live).map_err(line)?;
            return Ok(Listening::Repl(server));
        }
        let server = self.bind_for_events(spec)?;
        Ok(Listening::Events(Arc::new(server)))
    }

    fn bind_for_events(&self, spec: &ServerSpec) -> Result<Server, String> {
        let handler: Arc<dyn Handler> = self.live.clone();
        let workers = &*self.workers.lock();
        let host = spec.host.clone();
        Ok(match spec.kind {
            Kind::Repl => return Err("nREPL takes no events".to_owned()),
            Kind::Tcp => {
                let options = tcp_options(spec);
                TcpServer::bind(&options)
                    .map_err(line)?
                    .serve(workers, handler)
            }
            Kind::Udp => {
                let mut options = UdpOptions {
                    host,
                    port: spec.port,
                    ..UdpOptions::default()
                };
                options.bytes_max = spec.message_bytes_max.unwrap_or(options.bytes_max);
                options.receive_buffer_bytes = spec
                    .receive_buffer_bytes
                    .unwrap_or(options.receive_buffer_bytes);
                UdpServer::bind(&options)
                    .map_err(line)?
                    .serve(workers, handler)
            }
            Kind::Ws => {
                let mut options = HttpOptions {
                    host,
                    port: spec.port,
                    ..HttpOptions::default()
                };
                options.connections_max = spec.connections_max.unwrap_or(options.connections_max);
                HttpServer::bind(&options)
                    .map_err(line)?
                    .serve(workers, handler)
            }
            Kind::Sse => {
                let headers = spec.headers.clone();
                let options = SseOptions {
                    host,
                    port: spec.port,
                    headers,
                    ..SseOptions::default()
                };
                SseServer::bind(&options)
                    .map_err(line)?
                    .serve(workers, handler)
            }
            Kind::Graphite => {
                let options = GraphiteOptions {
                    host,
                    port: spec.port,
                    protocol: if spec.udp {
                        LineProtocol::Udp
                    } else {
                        LineProtocol::Tcp
                    },
                    tags: spec.tags,
                    hook: spec.line_hook.clone(),
                    ..GraphiteOptions::default()
                };
                GraphiteServer::bind(&options)
                    .map_err(line)?
                    .serve(workers, handler)
            }
            Kind::OpenTsdb => {
                let hook = spec.line_hook.clone();
                let options = OpentsdbOptions {
                    host,
                    port: spec.port,
                    hook,
                    ..OpentsdbOptions::default()
                };
                OpentsdbServer::bind(&options)
                    .map_err(line)?
                    .serve(workers, handler)
            }
        })
    }

    /// The same port with other options: the old server has to go before the new one can come.
    fn make_way_for(&self, spec: &ServerSpec) {
        let rivals: Vec<Open> = {
            let (open, wanted) = (self.open.lock(), self.wanted.lock());
            let is_rival =
                |open: &&Open| open.spec.takes_port_of(spec) && !wanted.contains(&open.id);
            open.iter().filter(is_rival).cloned().collect()
        };
        self.close(|open| rivals.iter().any(|rival| rival.id == open.id));
        self.replaced.lock().extend(rivals);
    }

    fn find(&self, same: impl Fn(&Open) -> bool) -> Option<Open> {
        self.open.lock().iter().find(|open| same(open)).cloned()
    }
}

/// The servers that ran before.
pub struct Before(HashSet<u64>);

impl Wire for Servers {
    fn start(&self, spec: &ServerSpec) -> Result<Handle, String> {
        if let Some(open) = self.find(|open| *open.spec == *spec) {
            self.wanted.lock().insert(open.id);
            return Ok(Arc::new(open.id));
        }
        self.make_way_for(spec);
        let server = self.bind(spec)?;
        tracing::info!("{} server {} online", server.kind(), server.addr());
        let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let open = Open {
            id,
            spec: Arc::new(spec.clone()),
            server: Arc::new(server),
        };
        self.open.lock().push(open);
        self.wanted.lock().insert(id);
        Ok(Arc::new(id))
    }

    fn stop(&self, handle: &Handle) {
        if let Some(id) = handle.downcast_ref::<u64>() {
            self.close(|open| open.id == *id);
        }
    }

    fn start_pipeline(&self, spec: &PipelineSpec) -> Result<Handle, String> {
        self.pipelines.start(spec)?;
        Ok(Arc::new(spec.name.clone()))
    }

    fn stop_pipeline(&self, handle: &Handle) {
        if let Some(name) = handle.downcast_ref::<String>() {
            self.pipelines.stop_one(name);
        }
    }

    fn catch_up(&self) -> Result<(), String> {
        self.live.catch_up()
    }
}

fn line(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn tcp_options(spec: &ServerSpec) -> TcpOptions {
    let mut options = TcpOptions {
        host: spec.host.clone(),
        port: Some(spec.port),
        ..TcpOptions::default()
    };
    options.backlog = spec.backlog.unwrap_or(options.backlog);
    options.frame_bytes_max = spec.message_bytes_max.unwrap_or(options.frame_bytes_max);
    options.connections_max = spec.connections_max.unwrap_or(options.connections_max);
    options.tls = spec.tls.as_ref().map(|tls| TlsFiles {
        key: tls.key.clone(),
        cert: tls.cert.clone(),
        ca_cert: tls.ca_cert.clone(),
    });
    options
}
