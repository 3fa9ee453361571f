//! The life of the server: load, open, reload, stop.

use std::path::PathBuf;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clock::{Clock, SystemClock};
use config::{Configuration, Kept, Mode, Problem, Settings, Text};
use sd_notify::NotifyState;
use transport::Workers;
use web::Reload;

use crate::handler::Live;
use crate::history;
use crate::host::Machine;
use crate::index_keeping::IndexKeeping;
use crate::ingest::{Ingest, LateClock};
use crate::log::{self, Log};
use crate::loopback::Loopback;
use crate::queues::Queues;
use crate::signals::{self, Signal};
use crate::source::{BUILT_IN, Source};
use crate::telemetry::{Counters, Teller};
use crate::web_status::WebStatus;
use crate::wire::Servers;
use crate::{cli, limits};

/// How long the executors of a configuration that was replaced may work off their queues.
const EXECUTORS_GRACE: Duration = Duration::from_secs(60);

/// The same when the server stops: the whole stop takes less than a second.
const EXECUTORS_GRACE_AT_STOP: Duration = Duration::from_millis(300);

/// How long a reload waits for events that are on their way through streams whose state is kept.
const CARRY_OVER_WAIT: Duration = Duration::from_secs(1);

/// How often to look whether events are still on their way through a replaced configuration.
const RETIRE_POLL: Duration = Duration::from_millis(5);

/// Dropping what a configuration holds may recurse.
const RETIRE_STACK_BYTES: usize = 16 << 20;

/// The running parts.
struct Daemon {
    source: Source,
    live: Arc<Live>,
    servers: Arc<Servers>,
    teller: Arc<Teller>,
    queues: Arc<Queues>,
    log: Log,
}

/// What a configuration needs of the running server.
struct Hold<'a> {
    kept: &'a Kept,
    servers: Arc<Servers>,
    teller: Arc<Teller>,
    late: Option<Arc<LateClock>>,
}

/// Runs the server until a signal ends it.
///
/// # Errors
/// One line: why it could not start.
pub fn run(start: &cli::Start) -> Result<(), String> {
    let started = Instant::now();
    let source = Source::find(start.config.as_deref())?;
    let log = log::start(&start.log)?;
    log::log_panics();
    limits::raise_file_handles();
    let signals =
        signals::listen().map_err(|error| format!("cannot listen to signals: {error}"))?;
    let daemon = Daemon::new(source, log, started)?;
    daemon.begin()?;
    daemon.announce(started);
    for signal in signals {
        match signal {
            Signal::Reload => daemon.reload(),
            Signal::Stop(name) => {
                tracing::info!("{name}: stopping");
                break;
            }
        }
    }
    daemon.stop();
    Ok(())
}

/// Loads a configuration for the commands that run no server. Its namespaces are also looked for
/// in the folders of `search`.
///
/// # Errors
/// What is wrong with it.
pub fn load(
    source: &Source,
    mode: Mode,
    search: &[PathBuf],
) -> Result<Configuration, Vec<Problem>> {
    let search = [source.search(), search.to_vec()].concat();
    load_with(source, mode, search, Kept::default(), None)
}

/// Words of a configuration and nothing else, with tasks that run, and servers for code that asks
/// for some.
///
/// # Errors
/// What is wrong, as text.
pub fn load_nothing(search: Vec<PathBuf>) -> Result<Arc<Configuration>, String> {
    let loopback = Arc::new(Loopback::default());
    let mut settings = settings(Mode::Evaluate, search, loopback.kept.clone(), None);
    settings.wire = Some(loopback.clone());
    let (name, text) = ("nothing", "");
    let configuration =
        config::load(&Text::Source { name, text }, settings).map_err(|problems| all(&problems))?;
    let configuration = Arc::new(configuration);
    let _ = loopback.configuration.set(Arc::downgrade(&configuration));
    configuration
        .start_scheduler()
        .map_err(|problem| problem.text)?;
    Ok(configuration)
}

fn settings(mode: Mode, search: Vec<PathBuf>, kept: Kept, hold: Option<&Hold<'_>>) -> Settings {
    let late = hold.and_then(|hold| hold.late.clone());
    let clock: Arc<dyn Clock> = match late {
        Some(late) => late,
        None => Arc::new(SystemClock::new()),
    };
    Settings {
        mode,
        host: Arc::new(Machine::new(search)),
        clock,
        kept,
        wire: hold.map(|hold| hold.servers.clone() as Arc<dyn config::Wire>),
        telemetry: hold.map(|hold| hold.teller.clone() as Arc<dyn config::Telemetry>),
    }
}

fn load_with(
    source: &Source,
    mode: Mode,
    search: Vec<PathBuf>,
    kept: Kept,
    hold: Option<&Hold<'_>>,
) -> Result<Configuration, Vec<Problem>> {
    let settings = settings(mode, search, kept, hold);
    match source {
        Source::File(path) => config::load(&Text::Path(&path.to_string_lossy()), settings),
        Source::BuiltIn => config::load(
            &Text::Source {
                name: "built-in.config",
                text: BUILT_IN,
            },
            settings,
        ),
    }
}

impl Daemon {
    fn new(source: Source, log: Log, started: Instant) -> Result<Daemon, String> {
        let queues = Arc::new(Queues::default());
        let kept = Kept {
            backlogs: Some(queues.clone()),
            ..Kept::default()
        };
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let path = match &source {
            Source::File(path) => Some(path.display().to_string()),
            Source::BuiltIn => None,
        };
        let web = WebStatus::new(started, clock.now(), path);
        let live = Arc::new(Live::new(kept, Arc::new(Counters::default()), web, clock));
        let workers = Workers::start(None)
            .map_err(|error| format!("cannot start worker threads: {error}"))?;
        let servers = Arc::new(Servers::new(workers, live.clone()));
        let _ = live.web.servers.set(Arc::downgrade(&servers));
        let teller = Arc::new(Teller::new(&live));
        Ok(Daemon {
            source,
            live,
            servers,
            teller,
            queues,
            log,
        })
    }

    fn hold(&self) -> Hold<'_> {
        Hold {
            kept: &self.live.kept,
            servers: self.servers.clone(),
            teller: self.teller.clone(),
            late: self.live.late.lock().clone(),
        }
    }

    fn load_for(&self, hold: &Hold<'_>) -> Result<Configuration, Vec<Problem>> {
        let search = self.source.search();
        load_with(
            &self.source,
            Mode::Run,
            search,
            hold.kept.clone(),
            Some(hold),
        )
    }

    /// Loads the configuration and opens what it asks for.
    fn begin(&self) -> Result<(), String> {
        let mut configuration = self.load_now()?;
        if let Some(dir) = configuration.index_dir() {
            let keeping = IndexKeeping::open(&dir, &self.live.kept)?;
            let _ = self.live.index_keeping.set(keeping);
        }
        if let Some(spec) = configuration.journal() {
            let ingest = Ingest::open(&spec, self.live.index_keeping.get().cloned())?;
            if let Some(since) = ingest.unseen_since()? {
                // What it sees first is old: it is loaded once more, at that time.
                *self.live.late.lock() = Some(Arc::new(LateClock::new(since)));
                retire(configuration);
                configuration = self.load_now()?;
            }
            self.live.ingest.store(Some(Arc::new(ingest)));
        }
        self.log.apply(&configuration.log_request());
        let history = history::begin(&self.live, configuration.history())?;
        self.live.configuration.store(Some(configuration.clone()));
        configuration.apply().map_err(|problem| {
            self.servers.stop();
            problem.text
        })?;
        history
            .finish(&self.live)
            .inspect_err(|_| self.servers.stop())?;
        match &*self.live.ingest.load() {
            Some(ingest) => ingest.begin(),
            None => Ok(()),
        }
    }

    fn load_now(&self) -> Result<Arc<Configuration>, String> {
        let loaded = self.load_for(&self.hold());
        Ok(Arc::new(loaded.map_err(|problems| all(&problems))?))
    }

    fn announce(&self, started: Instant) {
        let name = self.source.name();
        let ms = started.elapsed().as_secs_f64() * 1e3;
        tracing::info!(
            "cauchy {} with {name}: ready in {ms:.1} ms",
            env!("CARGO_PKG_VERSION")
        );
        for server in self.servers.list() {
            if server.kind() == "ws" {
                tracing::info!("the page is at http://{}/", server.addr());
            }
        }
        notify(&[NotifyState::Ready, NotifyState::MainPid(process::id())]);
    }

    /// Reads the configuration again. It replaces the old one if it loads whole and everything that
    /// it asks for opens; otherwise nothing changes.
    fn reload(&self) {
        notify(&[NotifyState::Reloading]);
        let outcome = self.try_reload();
        match &outcome {
            Ok(()) => tracing::info!("{}: reloaded", self.source.name()),
            Err(error) => tracing::error!(
                "{}: reload failed, the running configuration stays\n{error}",
                self.source.name()
            ),
        }
        let at = transport::Handler::now(&*self.live);
        *self.live.web.last_reload.lock() = Some(Reload {
            at,
            error: outcome.err(),
        });
        notify(&[NotifyState::Ready]);
    }

    fn try_reload(&self) -> Result<(), String> {
        let next = self.load_now()?;
        self.adopt_journal(&next)?;
        let history = match history::prepare(&self.live, next.history()) {
            Ok(history) => history,
            Err(error) => {
                retire(next);
                return Err(error);
            }
        };
        let before = self.servers.begin();
        if let Err(problem) = next.apply() {
            self.servers.roll_back(&before);
            history.abandon();
            retire(next);
            return Err(problem.text);
        }
        let carries = next.keeps_state();
        if carries {
            next.shut();
        }
        let old = self.live.configuration.swap(Some(next.clone()));
        self.servers.commit();
        history.commit(&self.live);
        if let Some(old) = old {
            if carries {
                carry_over(&old, &next);
            }
            retire(old);
        }
        if next.index().is_none() {
            self.live.kept.index.clear();
            if let Some(log) = self.live.kept.index_log.get() {
                log.cleared();
            }
        }
        self.log.apply(&next.log_request());
        Ok(())
    }

    /// The journal goes on. That there is one, and where, is settled when the server starts: the
    /// answers on their way belong to it.
    fn adopt_journal(&self, next: &Arc<Configuration>) -> Result<(), String> {
        if next.index_dir().is_some() && self.live.index_keeping.get().is_none() {
            tracing::warn!("the index is kept from the next start of the server on");
        }
        let running = self.live.ingest.load_full();
        let refused = match (running.as_deref(), next.journal()) {
            (None, None) => return Ok(()),
            (Some(ingest), Some(spec)) if ingest.spec.dir == spec.dir => {
                if ingest.spec != spec {
                    tracing::warn!("the journal's new options hold from the next start on");
                }
                return Ok(());
            }
            (None, Some(_)) => "a journal comes in front of the streams",
            (Some(_), None) => "the journal in front of the streams goes",
            (Some(_), Some(_)) => "the journal in front of the streams changes its folder",
        };
        retire(next.clone());
        Err(format!("{refused}: that takes a restart of the server"))
    }

    fn stop(&self) {
        notify(&[NotifyState::Stopping]);
        self.servers.stop();
        if let Some(configuration) = self.live.configuration.swap(None) {
            configuration.retire(EXECUTORS_GRACE_AT_STOP);
        }
        self.queues.close();
        if let Some(ingest) = self.live.ingest.swap(None) {
            ingest.close();
        }
        if let Some(history) = self.live.set_history(None) {
            history.close();
        }
        if let Some(keeping) = self.live.index_keeping.get() {
            keeping.close();
        }
        tracing::info!("stopped");
    }
}

/// Has the new configuration go on with the states that the old one keeps, once no event is on its
/// way through it any more; until then events wait.
fn carry_over(old: &Arc<Configuration>, next: &Configuration) {
    let began = Instant::now();
    while Arc::strong_count(old) > 1 && began.elapsed() < CARRY_OVER_WAIT {
        thread::sleep(RETIRE_POLL);
    }
    for line in next.carry_over(old) {
        tracing::info!("{line}");
    }
    next.open();
}

/// Lets go of a configuration as soon as no event is on its way through it any more.
fn retire(configuration: Arc<Configuration>) {
    let wait = move || {
        while Arc::strong_count(&configuration) > 1 {
            thread::sleep(RETIRE_POLL);
        }
        configuration.retire(EXECUTORS_GRACE);
    };
    let spawned = thread::Builder::new()
        .name("retire".into())
        .stack_size(RETIRE_STACK_BYTES)
        .spawn(wait);
    if let Err(error) = spawned {
        tracing::warn!("the old configuration stays in memory: cannot start a thread: {error}");
    }
}

/// Everything that is wrong, as text.
pub fn all(problems: &[Problem]) -> String {
    let texts: Vec<&str> = problems
        .iter()
        .map(|problem| problem.text.trim_end())
        .collect();
    texts.join("\n\n")
}

/// Tells systemd, if it started us.
fn notify(states: &[NotifyState<'_>]) {
    static FAILED: AtomicBool = AtomicBool::new(false);
    if let Err(error) = sd_notify::notify(states)
        && !FAILED.swap(true, Ordering::Relaxed)
    {
        tracing::warn!("cannot notify systemd: {error}");
    }
}
