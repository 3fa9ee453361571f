//! A store that only counts, to measure what is before it.

use super::Store;
use crate::{Batch, PipeError};

/// Forgets what it takes; the pipeline counts it.
#[derive(Debug, Default)]
pub struct CountStore {
    /// Of all bytes, so that they are really read.
    pub sum: u64,
}

impl Store for CountStore {
    fn store(&mut self, batch: &Batch, _origin: &str) -> Result<(), PipeError> {
        let firsts = batch.iter().filter_map(|message| message.first());
        self.sum += firsts.map(|&byte| u64::from(byte)).sum::<u64>();
        Ok(())
    }
}
