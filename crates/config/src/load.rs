//! Loading a configuration, and running it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use clj::check::{Checker, Warning};
use clj::{Cx, Host, Runtime, Thrown, Value, seq};
use clock::{Clock, Scheduler, VirtualClock};
use event::{Event, Time, Views};
use index::Index;
use parking_lot::Mutex;
use streams::{Batch, World};

use crate::executor::Pools;
use crate::gate::Gate;
use crate::history::HistorySpec;
use crate::journal::JournalSpec;
use crate::kept::Kept;
use crate::logging::{LogRequest, LogRequests};
use crate::problem::Problem;
use crate::queue::Queues;
use crate::repl::{self, Repl};
use crate::server::Wire;
use crate::sinks_binding::Outlets;
use crate::state::{Mode, State, Telemetry};
use crate::time::{Controlled, Threads};
use crate::{advice, embedded, natives, review, words};

/// What a configuration is given by its program.
pub struct Settings {
    pub mode: Mode,
    pub host: Arc<dyn Host>,
    pub clock: Arc<dyn Clock>,
    pub kept: Kept,
    /// Opens sockets; `None` where nothing is to be opened.
    pub wire: Option<Arc<dyn Wire>>,
    pub telemetry: Option<Arc<dyn Telemetry>>,
}

/// What to load.
pub enum Text<'a> {
    /// A file, or a folder of them.
    Path(&'a str),
    /// A source and the name that errors give it.
    Source { name: &'a str, text: &'a str },
}

/// A configuration that has loaded whole.
pub struct Configuration {
    pub(crate) rt: Arc<Runtime>,
}

/// What it would start, counted as Riemann's core counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    pub streams: usize,
    pub services: usize,
    pub index: bool,
}

/// Loads a configuration. Nothing is opened and nothing runs until [`Configuration::apply`].
///
/// # Errors
/// Everything that is wrong with it, in the order of the source; then, if it is checked, what is odd.
pub fn load(text: &Text<'_>, settings: Settings) -> Result<Configuration, Vec<Problem>> {
    let mode = settings.mode;
    let rt = make_runtime(settings);
    let cx = Cx::new(&rt);
    let prepared =
        clj::load::load_namespace(&cx, "riemann.config", false).and_then(|()| prepare(&cx, mode));
    prepared.map_err(|thrown| vec![problem(&rt, &thrown)])?;
    let mut problems = evaluate(&cx, text);
    if problems.is_empty() {
        Ok(Configuration { rt })
    } else {
        if let Some(world) = rt.extension::<World>() {
            world.scheduler().clear();
        }
        problems.extend(warnings(&rt, false));
        dissolve(&rt);
        Err(problems)
    }
}

fn make_runtime(settings: Settings) -> Arc<Runtime> {
    let mut rt = Runtime::unshared(settings.host);
    let report = |who: &str, thrown: &Thrown| tracing::warn!("{who} threw {thrown}");
    let world = World::new(Scheduler::new(settings.clock), Arc::new(report));
    if settings.mode == Mode::Check {
        world.set_trial();
    }
    let controlled = Controlled::default();
    if settings.mode == Mode::Test {
        controlled.take(&world);
    }
    rt.attach(Arc::new(world));
    rt.attach(Arc::new(controlled));
    rt.attach(Arc::new(Threads::default()));
    rt.attach(Arc::new(Checker::new(review::checks(settings.mode))));
    rt.attach(Arc::new(LogRequests::default()));
    rt.attach(Arc::new(Pools::default()));
    rt.attach(Arc::new(Repl::default()));
    rt.attach(Arc::new(Outlets::telling(settings.kept.effects.clone())));
    rt.attach(Arc::new(Queues::new(settings.mode, &settings.kept)));
    rt.attach(Arc::new(State {
        mode: settings.mode,
        kept: settings.kept,
        wire: settings.wire,
        telemetry: settings.telemetry,
        installed: ArcSwapOption::empty(),
        journal: Mutex::default(),
        index_dir: Mutex::default(),
        history: Mutex::default(),
        gate: Gate::default(),
    }));
    natives::install(&rt);
    for (path, source) in embedded::SOURCES {
        rt.embed(path, source);
    }
    for (name, hint) in advice::ADVICE {
        rt.advise(name, hint);
    }
    let rt = Arc::new(rt);
    if let Some(outlets) = rt.extension::<Outlets>() {
        outlets.stand_ins.watch(&rt);
    }
    if let (Some(world), Some(var)) = (rt.extension::<World>(), rt.var("riemann.time", "unix-time"))
    {
        world.follow(&rt, var);
    }
    rt
}

/// How long retiring waits for what is on its way out; the rest leaves behind its back.
const OUTLETS_WAIT: Duration = Duration::from_millis(500);

/// Errors that are told of one file: what comes after so many seldom stands by itself.
pub const PROBLEMS_MAX: usize = 100;

/// Under test, the whole runtime is a test environment: taps record, `io` is closed.
fn prepare(cx: &Cx<'_>, mode: Mode) -> clj::Result<()> {
    if mode == Mode::Test {
        cx.rt
            .eval_source(cx, "test environment", TEST_ENVIRONMENT)?;
    }
    Ok(())
}

const TEST_ENVIRONMENT: &str = "
(alter-var-root #'riemann.test/*testing* (constantly true))
(alter-var-root #'riemann.test/*taps* (constantly (atom {})))
(alter-var-root #'riemann.test/*core* (constantly riemann.config/next-core))";

/// Reads the source in the namespace `riemann.config`, form by form, going on after an error as far
/// as that makes sense.
fn evaluate(cx: &Cx<'_>, text: &Text<'_>) -> Vec<Problem> {
    let files = match text {
        Text::Source { name, text } => vec![((*name).to_owned(), (*text).to_owned())],
        Text::Path(path) => match read_files(cx, path) {
            Ok(files) => files,
            Err(problem) => return vec![problem],
        },
    };
    let mut problems = Vec::new();
    for (name, text) in &files {
        let failed = in_config_namespace(cx, name, || {
            cx.rt.check_source(cx, name, text, PROBLEMS_MAX)
        });
        problems.extend(failed.iter().map(|thrown| problem(cx.rt, thrown)));
    }
    problems
}

fn read_files(cx: &Cx<'_>, path: &str) -> Result<Vec<(String, String)>, Problem> {
    let list = cx
        .rt
        .var("riemann.config", "-included-files")
        .and_then(|var| var.root());
    let files = cx
        .call(&list.unwrap_or_default(), &[Value::str(path)])
        .and_then(|files| seq::to_vec(&files))
        .map_err(|thrown| Problem::plain(thrown.message().unwrap_or_default()))?;
    files
        .iter()
        .filter_map(Value::as_str)
        .map(|file| match cx.rt.host.read_file(file) {
            Ok(text) => Ok((file.to_owned(), text)),
            Err(error) => Err(Problem::plain(format!("{file}: {error}"))),
        })
        .collect()
}

/// Runs `body` with `*ns*`, `*file*` and `*config-file*` as a configuration file sees them.
fn in_config_namespace<R>(cx: &Cx<'_>, file: &str, body: impl FnOnce() -> R) -> R {
    let mut bindings = Vec::new();
    let namespace = cx.rt.ensure_namespace("riemann.config");
    for (namespace, name, value) in [
        ("clojure.core", "*ns*", Value::Object(namespace)),
        ("clojure.core", "*file*", Value::str(file)),
        ("riemann.config", "*config-file*", Value::str(file)),
    ] {
        if let Some(var) = cx.rt.var(namespace, name) {
            bindings.push((var, value));
        }
    }
    clj::dynamic::with(bindings, body)
}

pub fn problem(rt: &Runtime, thrown: &Thrown) -> Problem {
    let diagnostic = clj::diagnostics::diagnose(thrown);
    let text = clj::diagnostics::render(rt, thrown);
    let place = diagnostic.span.as_ref();
    Problem {
        text,
        file: place.map(|span| span.file.to_string()),
        line: place.map(|span| span.line),
        column: place.map(|span| span.column),
        message: diagnostic.message.to_string(),
        hint: diagnostic.hint.map(|hint| hint.to_string()),
        is_warning: false,
    }
}

/// What is odd about what has been loaded; known if it was checked.
fn warnings(rt: &Runtime, works: bool) -> Vec<Problem> {
    let warnings = rt
        .extension::<Checker>()
        .map(|checker| checker.warnings(works));
    let told = |warning: Warning| Problem {
        text: clj::diagnostics::render_warning(rt, &warning),
        file: Some(warning.span.file.to_string()),
        line: Some(warning.span.line),
        column: Some(warning.span.column),
        message: warning.message,
        hint: warning.hint,
        is_warning: true,
    };
    warnings.into_iter().flatten().map(told).collect()
}

/// The runtime may outlive its configuration, held by functions that hold it; its threads may not.
impl Drop for Configuration {
    fn drop(&mut self) {
        self.threads().stop();
    }
}

/// Empties every var. Functions, vars and lazy sequences hold each other in circles, which counting
/// references does not free.
fn dissolve(rt: &Runtime) {
    for namespace in rt.namespaces() {
        let vars: Vec<Arc<clj::Var>> = namespace
            .mappings
            .write()
            .drain()
            .map(|(_, var)| var)
            .collect();
        for var in &vars {
            var.set_root(None);
            var.set_meta(clj::Map::default());
        }
    }
}

impl Configuration {
    /// What it would start.
    pub fn counts(&self) -> Counts {
        let core = self.next_core();
        let count = |key: &str| {
            let items = seq::get(&core, &Value::keyword(key)).unwrap_or_default();
            seq::to_vec(&items).map_or(0, |items| items.len())
        };
        let index = seq::get(&core, &Value::keyword("index")).unwrap_or_default();
        Counts {
            streams: count("streams"),
            services: count("services"),
            index: index.truthy(),
        }
    }

    /// What is odd about it, in the order of the source, if it was checked.
    pub fn warnings(&self) -> Vec<Problem> {
        warnings(&self.rt, true)
    }

    /// How it wants the log.
    pub fn log_request(&self) -> LogRequest {
        let requests = self.rt.extension::<LogRequests>();
        requests.map_or_else(LogRequest::default, |requests| requests.0.lock().clone())
    }

    /// Starts everything that it asks for.
    ///
    /// # Errors
    /// What could not be started; what was opened before that stays open, for the program to close.
    pub fn apply(&self) -> Result<(), Problem> {
        self.install()?;
        repl::open(&Cx::new(&self.rt)).map_err(Problem::plain)?;
        self.start_scheduler()?;
        self.queues().begin(&self.rt).map_err(Problem::plain)
    }

    /// As [`Configuration::apply`], but tasks only run when the clock is moved by
    /// [`Configuration::advance`].
    ///
    /// # Errors
    /// As there.
    pub fn install(&self) -> Result<(), Problem> {
        self.open_queues().map_err(Problem::plain)?;
        let cx = Cx::new(&self.rt);
        let apply = self
            .rt
            .var("riemann.config", "apply!")
            .and_then(|var| var.root());
        cx.call(&apply.unwrap_or_default(), &[]).map_err(|thrown| {
            // What a socket says is for the user as it is, without a place in the source.
            match thrown.message() {
                Some(message) if thrown.class().starts_with("java.net.") => Problem::plain(message),
                _ => problem(&self.rt, &thrown),
            }
        })?;
        Ok(())
    }

    /// Runs tasks when their time comes, from now on.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn start_scheduler(&self) -> Result<(), Problem> {
        self.threads().start(self.world()).map_err(|error| {
            Problem::plain(format!("cannot start the scheduler's threads: {error}"))
        })
    }

    /// Stops its tasks and its executors, once what they have taken is done (or `grace` is over),
    /// and lets go of everything it holds. Sockets are the program's. No event may be on its way
    /// through it any more.
    pub fn retire(&self, grace: Duration) {
        let began = self.outlets().now();
        let retire = self
            .rt
            .var("riemann.config", "-retire!")
            .and_then(|var| var.root());
        if let Err(thrown) = Cx::new(&self.rt).call(&retire.unwrap_or_default(), &[]) {
            tracing::warn!("stopping the old configuration's services: {thrown}");
        }
        self.world().scheduler().clear();
        self.threads().stop();
        let pools: Option<&Pools> = self.rt.extension();
        let have_finished = pools.is_none_or(|pools| pools.finish(grace));
        if self.queues().end(grace) && have_finished {
            self.state().installed.store(None);
            dissolve(&self.rt);
        }
        let left = grace.saturating_sub(self.outlets().now() - began);
        self.outlets().close(OUTLETS_WAIT.min(left));
    }

    /// What each outlet that leads out of this configuration tells of itself.
    pub fn outlet_stats(&self) -> Vec<sinks::stats::Stats> {
        let mut stats = self.outlets().stats();
        stats.extend(self.queues().stats());
        stats
    }

    /// Opens the journals of its queues.
    fn open_queues(&self) -> Result<(), String> {
        let in_front = "the journal in front of the streams";
        let journal = self.journal().map(|spec| (in_front, spec.dir));
        let index = self.index_dir().map(|dir| ("the index", dir));
        self.queues().open(journal.into_iter().chain(index))
    }

    fn queues(&self) -> &Queues {
        self.rt
            .extension()
            .expect("attached when the runtime was made")
    }

    /// Streams received events; `failed` is told the index of each that a stream threw on, and the
    /// exception's message.
    pub fn stream_views(&self, views: &Views<'_>, failed: impl FnMut(usize, Option<String>)) {
        self.stream(&Batch::of_views(views), failed);
    }

    /// As [`Configuration::stream_views`], of owned events.
    pub fn stream_events(&self, events: Vec<Event>, failed: impl FnMut(usize, Option<String>)) {
        let values: Vec<Value> = events.into_iter().map(Value::Event).collect();
        self.stream(&Batch::of_values(&values), failed);
    }

    fn stream(&self, batch: &Batch<'_>, mut failed: impl FnMut(usize, Option<String>)) {
        self.state().gate.pass();
        let Some(installed) = self.state().installed.load_full() else {
            return;
        };
        for (index, thrown) in installed.streams.push(&Cx::new(&self.rt), batch) {
            failed(index, thrown.message().map(str::to_owned));
        }
    }

    /// The journal that is to be in front of its streams.
    pub fn journal(&self) -> Option<JournalSpec> {
        self.state().journal.lock().clone()
    }

    /// Where its index is to be kept, if it is.
    pub fn index_dir(&self) -> Option<PathBuf> {
        self.state().index_dir.lock().clone()
    }

    /// The history that its streams keep events in.
    pub fn history(&self) -> Option<HistorySpec> {
        self.state().history.lock().clone()
    }

    /// Moves the clock that it was loaded with on to a time, running each task at its own.
    pub fn advance(&self, clock: &VirtualClock, time: Time) {
        clock.advance(time, &self.world().scheduler());
    }

    /// The index of the core that runs.
    pub fn index(&self) -> Option<Arc<Index>> {
        let installed = self.state().installed.load();
        installed
            .as_ref()
            .and_then(|installed| installed.index.clone())
    }

    /// True if there are streams inside of a `keep-state`.
    pub fn keeps_state(&self) -> bool {
        !self.world().keeper().is_empty()
    }

    /// Lets events wait until [`Configuration::open`].
    pub fn shut(&self) {
        self.state().gate.shut();
    }

    pub fn open(&self) {
        self.state().gate.open();
    }

    /// Goes on with what the `keep-state`s of `old` keep, through which no event goes any more. Gives
    /// a line for the log on each.
    pub fn carry_over(&self, old: &Configuration) -> Vec<String> {
        old.threads().stop();
        let taken = old.world().keeper().take(&Cx::new(&old.rt));
        self.world().keeper().adopt(&Cx::new(&self.rt), taken)
    }

    /// Events that streams dropped because they kept as many as they may, by the stream's name.
    pub fn dropped(&self) -> Vec<(&'static str, u64)> {
        self.world().dropped()
    }

    /// Forks of `by` that are alive.
    pub fn forks(&self) -> usize {
        self.world().forks()
    }

    /// The core that the configuration has built.
    fn next_core(&self) -> Value {
        let atom = self
            .rt
            .var("riemann.config", "next-core")
            .and_then(|var| var.root());
        words::call(&Cx::new(&self.rt), "deref", &[atom.unwrap_or_default()]).unwrap_or_default()
    }

    fn world(&self) -> &World {
        self.rt
            .extension()
            .expect("attached when the runtime was made")
    }

    fn threads(&self) -> &Threads {
        self.rt
            .extension()
            .expect("attached when the runtime was made")
    }

    fn outlets(&self) -> &Outlets {
        self.rt
            .extension()
            .expect("attached when the runtime was made")
    }

    fn state(&self) -> &State {
        self.rt
            .extension()
            .expect("attached when the runtime was made")
    }
}
