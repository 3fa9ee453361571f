//! Servers of code that runs by itself, such as a file of tests: what a server needs is made when
//! the first is asked for.

use std::sync::{Arc, OnceLock, Weak};
use std::time::Instant;

use clock::{Clock, SystemClock};
use config::{Configuration, Handle, Kept, ServerSpec, Wire};
use parking_lot::Mutex;
use transport::Workers;

use crate::handler::Live;
use crate::telemetry::Counters;
use crate::web_status::WebStatus;
use crate::wire::Servers;

/// Threads that serve: what tests send is little.
const WORKERS: usize = 1;

#[derive(Default)]
pub struct Loopback {
    pub kept: Kept,
    /// Whose streams get what the servers receive; set once it has loaded.
    pub configuration: OnceLock<Weak<Configuration>>,
    servers: Mutex<Option<Arc<Servers>>>,
}

impl Loopback {
    fn servers(&self) -> Result<Arc<Servers>, String> {
        let mut servers = self.servers.lock();
        if let Some(servers) = &*servers {
            return Ok(servers.clone());
        }
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let web = WebStatus::new(Instant::now(), clock.now(), None);
        let live = Live::new(self.kept.clone(), Arc::new(Counters::default()), web, clock);
        let configuration = self.configuration.get().and_then(Weak::upgrade);
        live.configuration.store(configuration);
        let workers = Workers::start(Some(WORKERS))
            .map_err(|error| format!("cannot start worker threads: {error}"))?;
        let made = Arc::new(Servers::new(workers, Arc::new(live)));
        *servers = Some(made.clone());
        Ok(made)
    }
}

impl Wire for Loopback {
    fn start(&self, spec: &ServerSpec) -> Result<Handle, String> {
        self.servers()?.start(spec)
    }

    fn stop(&self, handle: &Handle) {
        let servers = self.servers.lock().clone();
        if let Some(servers) = servers {
            Wire::stop(&*servers, handle);
        }
    }
}
