//! A pipeline's threads: one at its source, one at its store.

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use ::pipe::limits::DRAIN_TIME_MAX;
use ::pipe::source::Inlet;
use ::pipe::{Batch, Framing, PipeError, Pipeline, Store};
use parking_lot::Mutex;

use super::open::Source;

/// Stack of a store's thread: functions of a configuration may recurse. Only what is used is taken.
const STORE_STACK_BYTES: usize = 16 << 20;

/// How long a stop waits for a store that neither takes a batch nor fails.
const STORE_WAIT: Duration = DRAIN_TIME_MAX.saturating_add(Duration::from_secs(2));

/// How long a store that another replaces may take for the batch that it has.
const REPLACE_WAIT: Duration = Duration::from_secs(1);

/// How often it is looked whether a thread has ended.
const POLL: Duration = Duration::from_millis(5);

/// A pipeline that runs.
pub struct Running {
    pub pipeline: Arc<Pipeline>,
    source: Reading,
    outlet: Arc<Outlet>,
    store: JoinHandle<()>,
}

/// A source that is read.
struct Reading {
    source: Arc<Source>,
    inlet: Arc<Inlet>,
    thread: Option<JoinHandle<Result<(), PipeError>>>,
}

/// A store that another may replace between two batches.
struct Outlet {
    store: Mutex<Box<dyn Store>>,
    next: Mutex<Option<Box<dyn Store>>>,
}

struct Through(Arc<Outlet>);

impl Store for Through {
    fn store(&mut self, batch: &Batch, origin: &str) -> Result<(), PipeError> {
        let mut store = self.0.store.lock();
        if let Some(next) = self.0.next.lock().take() {
            *store = next;
        }
        store.store(batch, origin)
    }
}

/// Puts what it is given into another pipeline.
struct HandOver(Arc<Pipeline>);

impl Store for HandOver {
    fn store(&mut self, batch: &Batch, _origin: &str) -> Result<(), PipeError> {
        self.0.take_over(batch)
    }
}

impl Running {
    /// Starts both threads.
    pub fn start(
        pipeline: Arc<Pipeline>,
        source: Arc<Source>,
        framing: Framing,
        store: Box<dyn Store>,
    ) -> Result<Running, String> {
        let outlet = Arc::new(Outlet {
            store: Mutex::new(store),
            next: Mutex::new(None),
        });
        let (drained, mut through) = (pipeline.clone(), Through(outlet.clone()));
        let thread = thread::Builder::new()
            .name("pipe store".into())
            .stack_size(STORE_STACK_BYTES);
        let store = thread.spawn(move || drained.drain(&mut through));
        let store = store.map_err(no_thread)?;
        let source = Reading::start(&pipeline, source, framing).inspect_err(|_| pipeline.stop())?;
        Ok(Running {
            pipeline,
            source,
            outlet,
            store,
        })
    }

    /// Whether a thread ended of its own: the source failed, or something panicked.
    pub fn has_ended(&self) -> bool {
        let source = self.source.thread.as_ref();
        source.is_none_or(JoinHandle::is_finished) || self.store.is_finished()
    }

    /// The socket, for whoever goes on with it.
    pub fn source(&self) -> &Arc<Source> {
        &self.source.source
    }

    /// Takes what has been sent, and leaves the senders.
    pub fn close_source(&mut self) -> Result<(), String> {
        self.source.stop()
    }

    /// Reads another source, or this one in another way, when the old one is closed.
    pub fn open_source(&mut self, source: Arc<Source>, framing: Framing) -> Result<(), String> {
        self.source = Reading::start(&self.pipeline, source, framing)?;
        Ok(())
    }

    /// Has another store take the batches from now on; waits a moment for the old one to be done
    /// with the one that it has.
    pub fn replace_store(&self, store: Box<dyn Store>) {
        *self.outlet.next.lock() = Some(store);
        if let Some(mut current) = self.outlet.store.try_lock_for(REPLACE_WAIT)
            && let Some(next) = self.outlet.next.lock().take()
        {
            *current = next;
        }
    }

    /// Ends the threads: first what comes, then what is stored.
    pub fn stop(mut self) -> Result<(), String> {
        let source = self.close_source();
        self.stop_store()?;
        source
    }

    /// Ends them when the queue is empty: what it holds goes to another pipeline.
    pub fn hand_over(mut self, to: Arc<Pipeline>) -> Result<(), String> {
        let source = self.close_source();
        self.replace_store(Box::new(HandOver(to)));
        self.stop_store()?;
        source
    }

    fn stop_store(self) -> Result<(), String> {
        self.pipeline.stop();
        let deadline = Instant::now() + STORE_WAIT;
        while !self.store.is_finished() {
            if Instant::now() >= deadline {
                let depth = self.pipeline.figures().depth;
                return Err(format!("the store does not end; {depth} messages wait"));
            }
            thread::sleep(POLL);
        }
        let ended = self.store.join();
        ended.map_err(|_| "the store's thread panicked".to_owned())
    }
}

impl Reading {
    fn start(
        pipeline: &Arc<Pipeline>,
        source: Arc<Source>,
        framing: Framing,
    ) -> Result<Reading, String> {
        let inlet = Inlet::new(pipeline.clone(), framing, Arc::new(super::now));
        let (read, into) = (source.clone(), inlet.clone());
        let thread = thread::Builder::new().name("pipe source".into());
        let thread = thread.spawn(move || read.run(&into)).map_err(no_thread)?;
        Ok(Reading {
            source,
            inlet,
            thread: Some(thread),
        })
    }

    fn stop(&mut self) -> Result<(), String> {
        self.inlet.close();
        let Some(thread) = self.thread.take() else {
            return Ok(());
        };
        let ended = thread.join().map_err(|_| "the source's thread panicked")?;
        ended.map_err(|error| format!("the source: {error}"))
    }
}

fn no_thread(error: std::io::Error) -> String {
    format!("cannot start a thread: {error}")
}
