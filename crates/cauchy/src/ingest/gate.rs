//! Who waits for a sync of the journal. One sync serves all who came before it began.

use journal::{Id, Journal};
use parking_lot::{Condvar, Mutex};
use transport::Tell;

/// Those who wait, and the thread that serves them.
#[derive(Default)]
pub struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: Vec<(u64, Tell)>,
    is_closed: bool,
}

impl Gate {
    /// Tells once everything up to an id is durable, or why it never will be.
    pub fn wait(&self, id: u64, tell: Tell) {
        let mut state = self.state.lock();
        if state.is_closed {
            drop(state);
            return tell(Err("not durable, the server stops".to_owned()));
        }
        state.waiting.push((id, tell));
        self.changed.notify_one();
    }

    /// Serves who waits until the gate is closed and nobody does. `failed` hears why a sync did.
    pub fn serve(&self, journal: &Journal, failed: impl Fn(&journal::Error)) {
        loop {
            let waiting = {
                let mut state = self.state.lock();
                while state.waiting.is_empty() {
                    if state.is_closed {
                        return;
                    }
                    self.changed.wait(&mut state);
                }
                std::mem::take(&mut state.waiting)
            };
            let last = waiting.iter().map(|(id, _)| *id).max().unwrap_or_default();
            let synced = journal.wait_durable(Id(last)).map_err(|error| {
                failed(&error);
                format!("streamed, but not durable: the journal is out of order: {error}")
            });
            for (_, tell) in waiting {
                tell(synced.clone());
            }
        }
    }

    pub fn close(&self) {
        self.state.lock().is_closed = true;
        self.changed.notify_one();
    }
}
