//! What the natives of a configuration find attached to their runtime.

use std::path::PathBuf;
use std::sync::Arc;

use arc_swap::ArcSwapOption;
use index::Index;
use parking_lot::Mutex;
use streams::TopLevel;

use crate::gate::Gate;
use crate::history::HistorySpec;
use crate::journal::JournalSpec;
use crate::kept::Kept;
use crate::server::Wire;

/// What a configuration is loaded for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// To run.
    Run,
    /// To see whether it loads: nothing is opened.
    Check,
    /// To run its tests, in time that is moved by hand.
    Test,
    /// To evaluate code by itself: nothing is opened, time is the machine's.
    Evaluate,
}

/// The extension that ties a runtime to its program.
pub struct State {
    pub mode: Mode,
    pub kept: Kept,
    /// Opens sockets; `None` where nothing is to be opened.
    pub wire: Option<Arc<dyn Wire>>,
    /// Tells of the server itself; `None` where there is no server.
    pub telemetry: Option<Arc<dyn Telemetry>>,
    /// What of the core that runs is on the way of events.
    pub installed: ArcSwapOption<Installed>,
    /// What is to be in front of the streams.
    pub journal: Mutex<Option<JournalSpec>>,
    /// Where the index is to be kept, if it is.
    pub index_dir: Mutex<Option<PathBuf>>,
    /// The history that its streams keep events in.
    pub history: Mutex<Option<HistorySpec>>,
    /// Keeps events outside while states are carried over.
    pub gate: Gate,
}

/// The parts of a running core that the servers need at once.
pub struct Installed {
    pub streams: TopLevel,
    pub index: Option<Arc<Index>>,
}

/// Where the instrumentation service gets its events.
pub trait Telemetry: Send + Sync {
    /// Events that tell how the server did in the last `interval_s` seconds.
    fn events(&self, interval_s: f64) -> Vec<event::Event>;
}
