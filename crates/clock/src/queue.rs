//! Coming runs, in order of their time, then of the task's age.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use event::Time;

use crate::task::{Run, State};

#[derive(Default)]
pub(crate) struct Queue {
    runs: BTreeMap<(i64, u64), Run>,
    last_id: u64,
    /// Counts calls of [`Queue::clear`]: a run taken before one does not come back after it.
    pub generation: u64,
    /// A thread is waiting for the first run's time.
    pub watched: bool,
}

impl Queue {
    pub fn new_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// Adds a run; true if it is now the first.
    pub fn push(&mut self, run: Run) -> bool {
        let key = (run.at.us, run.state.id);
        run.state.at_us.store(run.at.us, Ordering::Relaxed);
        let first = self
            .runs
            .first_key_value()
            .is_none_or(|(head, _)| key < *head);
        self.runs.insert(key, run);
        first
    }

    pub fn next_at(&self) -> Option<Time> {
        self.runs.first_key_value().map(|(_, run)| run.at)
    }

    /// Takes the first run, if its time is not after `until_us`.
    pub fn pop(&mut self, until_us: i64) -> Option<Run> {
        let head = self.runs.first_entry()?;
        (head.key().0 <= until_us).then(|| head.remove())
    }

    pub fn remove(&mut self, state: &State) -> Option<Run> {
        self.runs
            .remove(&(state.at_us.load(Ordering::Relaxed), state.id))
    }

    /// Takes all runs out.
    pub fn clear(&mut self) -> Vec<Run> {
        self.generation += 1;
        std::mem::take(&mut self.runs).into_values().collect()
    }

    pub fn len(&self) -> usize {
        self.runs.len()
    }
}
