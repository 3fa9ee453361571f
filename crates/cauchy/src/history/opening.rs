//! Opening history beside the servers at the start: a disk may take its time to sync a new folder.

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use config::{Filing, HistoryLog, HistorySpec};
use event::{Event, Time, Views};
use histogram::Histogram;
use parking_lot::{Condvar, Mutex};

use super::change::{Change, open};
use crate::handler::Live;

/// A history that is being opened, if one is wanted.
pub struct Opening(Option<JoinHandle<Result<Change, String>>>);

/// Lets events wait until history is open.
#[derive(Default)]
struct Door {
    /// What is behind it, once that is known.
    log: Mutex<Option<Option<Arc<dyn HistoryLog>>>>,
    known: Condvar,
}

/// Begins to open the history that the first configuration asks for. Streams that keep something
/// wait for it.
///
/// # Errors
/// One line for the user.
pub fn begin(live: &Live, wanted: Option<HistorySpec>) -> Result<Opening, String> {
    let Some(wanted) = wanted else {
        return Ok(Opening(None));
    };
    let door = Arc::new(Door::default());
    let log: Arc<dyn HistoryLog> = door.clone();
    live.kept.history.store(Some(Arc::new(log)));
    let open = move || {
        let opened = open(&wanted);
        door.show(match &opened {
            Ok(Change::Open(history)) => Some(history.log()),
            _ => None,
        });
        opened
    };
    let named = thread::Builder::new().name("history-open".to_owned());
    let thread = named.spawn(open);
    let thread = thread.map_err(|error| format!("cannot start a thread: {error}"))?;
    Ok(Opening(Some(thread)))
}

impl Opening {
    /// Waits until it is open.
    ///
    /// # Errors
    /// One line for the user.
    pub fn finish(self, live: &Live) -> Result<(), String> {
        if let Some(thread) = self.0 {
            let opened = thread.join();
            opened
                .unwrap_or_else(|_| Err("opening history panicked".to_owned()))?
                .commit(live);
        }
        Ok(())
    }
}

impl Door {
    fn show(&self, log: Option<Arc<dyn HistoryLog>>) {
        *self.log.lock() = Some(log);
        self.known.notify_all();
    }

    fn pass(&self) -> Option<Arc<dyn HistoryLog>> {
        let mut log = self.log.lock();
        self.known.wait_while(&mut log, |log| log.is_none());
        log.clone().flatten()
    }
}

impl HistoryLog for Door {
    fn keep_views(
        &self,
        by: &[Filing],
        views: &Views<'_>,
        chosen: &mut dyn ExactSizeIterator<Item = usize>,
        now_us: i64,
    ) {
        if let Some(log) = self.pass() {
            log.keep_views(by, views, chosen, now_us);
        }
    }

    fn keep(&self, by: &[Filing], events: &[Event], now_us: i64) {
        if let Some(log) = self.pass() {
            log.keep(by, events, now_us);
        }
    }

    fn past(
        &self,
        by: &[Filing],
        event: &Event,
        from: Time,
        to: Time,
    ) -> Result<Option<Histogram>, String> {
        match self.pass() {
            Some(log) => log.past(by, event, from, to),
            None => Ok(None),
        }
    }
}
