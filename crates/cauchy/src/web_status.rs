//! What the page and `/metrics` show of the running server.

use std::sync::OnceLock;
use std::sync::atomic::Ordering;
use std::time::Instant;

use event::Time;
use parking_lot::Mutex;
use transport::HttpRequest;
use web::{Answer, Port, Reload, Request, Site, Status};

use crate::handler::Live;
use crate::pipelines::Pipelines;
use crate::wire::Servers;
use crate::{host, telemetry};

/// The site, and what it needs to know of the program.
pub struct WebStatus {
    site: Site,
    started: Instant,
    started_at: Time,
    /// Path of the configuration; `None` for the built-in one.
    config: Option<String>,
    pub last_reload: Mutex<Option<Reload>>,
    /// Set once the servers exist: they are made with the handler that holds this.
    pub servers: OnceLock<std::sync::Weak<Servers>>,
}

impl WebStatus {
    pub fn new(started: Instant, started_at: Time, config: Option<String>) -> WebStatus {
        WebStatus {
            site: Site::new(),
            started,
            started_at,
            config,
            last_reload: Mutex::new(None),
            servers: OnceLock::new(),
        }
    }

    pub fn answer(&self, request: &HttpRequest, live: &Live) -> Option<Answer> {
        let if_none_match = request
            .headers
            .get("if-none-match")
            .and_then(|tag| tag.to_str().ok());
        let request = Request {
            method: &request.method,
            path: &request.path,
            if_none_match,
        };
        self.site.answer(
            &request,
            || self.status(live),
            || telemetry::metrics(live, &self.servers(), self.started.elapsed()),
        )
    }

    pub fn servers(&self) -> Vec<std::sync::Arc<transport::Server>> {
        let servers = self.servers.get().and_then(std::sync::Weak::upgrade);
        servers.map_or(Vec::new(), |servers| servers.list())
    }

    /// The pipelines that run; none before there are servers.
    pub fn pipelines(&self) -> Pipelines {
        let servers = self.servers.get().and_then(std::sync::Weak::upgrade);
        servers.map_or_else(Pipelines::default, |servers| servers.pipelines.clone())
    }

    fn status(&self, live: &Live) -> Status {
        let ports = self.servers.get().and_then(std::sync::Weak::upgrade);
        let ports = ports.map_or(Vec::new(), |servers| servers.ports());
        let port = |(kind, address): &(&str, std::net::SocketAddr)| Port {
            name: (*kind).to_owned(),
            address: address.to_string(),
        };
        let uptime_s = self.started.elapsed().as_secs_f64();
        Status {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            hostname: host::hostname(),
            pid: std::process::id(),
            now: transport::Handler::now(live),
            started_at: self.started_at,
            uptime_s,
            ports: ports.iter().map(port).collect(),
            events_total: live.counters.events.load(Ordering::Relaxed),
            events_per_s: live.counters.rate_now(),
            index_size: live.kept.index.len() as u64,
            has_history: live.history.load().is_some(),
            config: self.config.clone(),
            last_reload: self.last_reload.lock().clone(),
        }
    }
}
