//! The pipelines of a configuration, through reloads: what the next configuration wants as it is
//! goes on untouched, and of what it wants otherwise, the parts that stay the same.
//!
//! A change is prepared while the configuration is installed, which may fail, and made when it is
//! in. What cannot be prepared beside the old (both would hold the same journal) makes it go first.

mod change;
pub mod figures;
mod monitors;

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use ::journal::Journal;
use ::pipe::{Figures, Pipeline, Store};
use config::PipelineSpec;
use parking_lot::{Condvar, Mutex};
use sinks::pace::{MachinePace, Pace};

use crate::pipe::open::Source;
use crate::pipe::running::Running;
use crate::pipe::tick;
use change::Change;
use monitors::Monitors;

/// How often journals are told the time, and monitors are looked at.
const TICK: Duration = Duration::from_millis(200);

/// All pipelines of the running configuration.
#[derive(Clone, Default)]
pub struct Pipelines(Arc<Shared>);

#[derive(Default)]
struct Shared {
    open: Mutex<Vec<Open>>,
    /// What the configuration that is being installed wants.
    change: Mutex<Option<Change>>,
    /// Threads that end pipelines.
    ending: Mutex<Vec<JoinHandle<()>>>,
    follower: Mutex<Option<JoinHandle<()>>>,
    stopped: Mutex<bool>,
    stop: Condvar,
}

/// A pipeline that runs.
struct Open {
    spec: PipelineSpec,
    running: Running,
    journals: OpenJournals,
}

/// Journals of a pipeline: its queue's, its store's.
#[derive(Clone, Default)]
struct OpenJournals {
    queue: Option<Journal>,
    store: Option<Journal>,
}

/// A pipeline whose new parts are open, and where there is no new part, the old one goes on.
struct Prepared {
    spec: PipelineSpec,
    source: Option<Arc<Source>>,
    pipeline: Option<Arc<Pipeline>>,
    store: Option<Box<dyn Store>>,
    journals: OpenJournals,
}

impl Pipelines {
    /// Notes that a configuration is being installed: nothing is changed until it is in.
    pub fn begin(&self) {
        *self.0.change.lock() = Some(Change::default());
    }

    /// Opens a pipeline, now or when the configuration is in.
    ///
    /// # Errors
    /// One line for the user.
    pub fn start(&self, spec: &PipelineSpec) -> Result<(), String> {
        let told = |error| format!("pipeline {:?}: {error}", spec.name);
        let mut change = self.0.change.lock();
        if let Some(change) = &mut *change {
            change.wanted.push(spec.name.clone());
        }
        if self.0.open.lock().iter().any(|open| open.spec == *spec) {
            return Ok(());
        }
        let mut replaced = Vec::new();
        let prepared = self.0.prepare(spec, &mut replaced).map_err(told);
        match &mut *change {
            Some(change) => {
                change.replaced.append(&mut replaced);
                change.prepared.push(prepared?);
                Ok(())
            }
            None => self.activate(prepared?).map_err(told),
        }
    }

    /// The configuration is in: makes its changes.
    pub fn commit(&self) {
        let Some(change) = self.0.change.lock().take() else {
            return;
        };
        let doomed = self.0.take(|open| !change.wanted.contains(&open.spec.name));
        // What takes over a source finds it left.
        let doomed = doomed.into_iter().map(|mut open| {
            note(&open.spec.name, open.running.close_source());
            open
        });
        let doomed: Vec<Open> = doomed.collect();
        for prepared in change.prepared {
            let name = prepared.spec.name.clone();
            note(&name, self.activate(prepared));
        }
        for open in doomed {
            self.0.end(open);
        }
    }

    /// The configuration failed: what had to go for it comes back.
    pub fn roll_back(&self) {
        let change = self.0.change.lock().take();
        let replaced = change.map(|change| change.replaced).unwrap_or_default();
        for (spec, source) in replaced {
            let back = self.0.prepare(&spec, &mut vec![(spec.clone(), source)]);
            note(
                &spec.name,
                back.and_then(|prepared| self.activate(prepared)),
            );
        }
    }

    /// Ends one.
    pub fn stop_one(&self, name: &str) {
        let taken = self.0.take(|open| open.spec.name == name);
        taken.into_iter().for_each(stop);
    }

    /// Ends all: takes what has been sent, and stores what memory holds if the stores take it.
    pub fn stop(&self) {
        let open = self.0.take(|_| true);
        thread::scope(|scope| {
            for open in open {
                scope.spawn(|| stop(open));
            }
        });
        for thread in self.0.ending.lock().drain(..) {
            // A thread that panicked has said so.
            let _ = thread.join();
        }
        *self.0.stopped.lock() = true;
        self.0.stop.notify_all();
        if let Some(thread) = self.0.follower.lock().take() {
            let _ = thread.join();
        }
    }

    /// What each of them counts, by name.
    pub fn figures(&self) -> Vec<(String, Figures)> {
        self.0.figures(|_| true)
    }

    /// The journals that they queue or store in, by name.
    pub fn journals(&self) -> Vec<(String, Journal)> {
        let mut journals = Vec::new();
        for open in self.0.open.lock().iter() {
            let name = &open.spec.name;
            let queue = open.journals.queue.clone();
            journals.extend(queue.map(|journal| (format!("pipeline {name}"), journal)));
            let store = open.journals.store.clone();
            journals.extend(store.map(|journal| (format!("pipeline {name} store"), journal)));
        }
        journals
    }

    fn activate(&self, prepared: Prepared) -> Result<(), String> {
        self.0.activate(prepared)?;
        let mut follower = self.0.follower.lock();
        if follower.is_none() {
            let shared = self.0.clone();
            let thread = thread::Builder::new().name("pipelines".into());
            let thread = thread.spawn(move || shared.follow());
            *follower = Some(thread.map_err(|error| format!("cannot start a thread: {error}"))?);
        }
        Ok(())
    }
}

impl Shared {
    /// Takes those out of the open ones.
    fn take(&self, chosen: impl Fn(&Open) -> bool) -> Vec<Open> {
        let mut open = self.open.lock();
        let (taken, staying) = open.drain(..).partition(|open| chosen(open));
        *open = staying;
        taken
    }

    /// Ends one whose source is closed, in its own time.
    fn end(&self, open: Open) {
        let mut ending = self.ending.lock();
        ending.retain(|thread| !thread.is_finished());
        let thread = thread::Builder::new().name("pipeline end".into());
        match thread.spawn(move || stop(open)) {
            Ok(thread) => ending.push(thread),
            Err(error) => tracing::error!("cannot start a thread: {error}"),
        }
    }

    fn figures(&self, chosen: impl Fn(&PipelineSpec) -> bool) -> Vec<(String, Figures)> {
        let open = self.open.lock();
        let chosen = open.iter().filter(|open| chosen(&open.spec));
        chosen
            .map(|open| (open.spec.name.clone(), open.running.pipeline.figures()))
            .collect()
    }

    /// Tells journals the time, and the log what monitors see, until stopped.
    fn follow(&self) {
        let pace = MachinePace::start();
        let mut monitors = Monitors::default();
        let mut failed: Vec<String> = Vec::new();
        loop {
            let mut stopped = self.stopped.lock();
            if !*stopped {
                self.stop.wait_for(&mut stopped, TICK);
            }
            if *stopped {
                return;
            }
            drop(stopped);
            let mut journals = Vec::new();
            let mut ended = Vec::new();
            for open in self.open.lock().iter() {
                journals.extend(open.journals.queue.clone());
                journals.extend(open.journals.store.clone());
                if open.running.has_ended() {
                    ended.push(open.spec.name.clone());
                }
            }
            tick(&journals);
            for name in ended.iter().filter(|name| !failed.contains(name)) {
                tracing::error!("pipeline {name}: a thread of it has ended; a restart mends that");
            }
            failed = ended;
            self.monitor(&mut monitors, pace.now());
        }
    }

    fn monitor(&self, monitors: &mut Monitors, now: Duration) {
        let open = self.open.lock();
        let intervals: Vec<Duration> = open.iter().filter_map(|open| open.spec.monitor).collect();
        drop(open);
        for interval in monitors.due(&intervals, now) {
            let figures = self.figures(|spec| spec.monitor == Some(interval));
            tracing::info!("{}", monitors.text(interval, now, &figures).trim_end());
        }
    }
}

/// Ends a pipeline, and tells what went wrong.
fn stop(open: Open) {
    let name = open.spec.name;
    let pipeline = open.running.pipeline.clone();
    note(&name, open.running.stop());
    let figures = pipeline.figures();
    let (stored, depth) = (figures.stored, figures.depth);
    tracing::info!("pipeline {name} stopped: {stored} messages stored, {depth} wait");
}

fn note(name: &str, outcome: Result<(), String>) {
    if let Err(error) = outcome {
        tracing::error!("pipeline {name}: {error}");
    }
}
