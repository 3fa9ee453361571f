//! A journal as the last stop: others read it as subscribers.

use std::path::Path;

use journal::{Durability, Journal, Options};

use super::Store;
use crate::{Batch, PipeError};

/// Appends each message as a record.
pub struct JournalStore {
    journal: Journal,
    durability: Durability,
    /// How much of the batch that failed last is in the journal: its first number, and how many.
    taken: (u64, usize),
}

impl JournalStore {
    /// Opens or makes the journal.
    ///
    /// # Errors
    /// It does not open.
    pub fn open(dir: &Path, options: Options) -> Result<JournalStore, PipeError> {
        let durability = options.durability;
        Ok(JournalStore {
            journal: Journal::open(dir, options)?,
            durability,
            taken: (0, 0),
        })
    }

    /// The journal, for its ticks.
    #[must_use]
    pub fn journal(&self) -> &Journal {
        &self.journal
    }
}

impl Store for JournalStore {
    fn store(&mut self, batch: &Batch, _origin: &str) -> Result<(), PipeError> {
        let (first, taken) = self.taken;
        let skipped = if first == batch.first() { taken } else { 0 };
        let mut left = batch.clone();
        left.remove_first(skipped);
        let result = crate::queue::append(&self.journal, self.durability, &mut left);
        self.taken = match result {
            Ok(()) => (0, 0),
            Err(_) => (batch.first(), batch.len() - left.len()),
        };
        result
    }
}
