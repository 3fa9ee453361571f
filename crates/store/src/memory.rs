//! Batches in memory: what the interface means, without a disk.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::block::Packed;
use crate::blocks::{Batch, Blocks, EachFound, Found, NextBlock, Wanted};
use crate::error::{Error, Result};
use crate::series::SeriesId;

type Content = Arc<Vec<(SeriesId, Packed)>>;

/// Batches in memory.
#[derive(Default)]
pub struct MemoryBlocks(Mutex<BTreeMap<Batch, Content>>);

impl MemoryBlocks {
    fn content(&self, batch: Batch) -> Result<Content> {
        let found = self.0.lock().get(&batch).cloned();
        found.ok_or_else(|| Error::Gone(format!("{batch:?}")))
    }
}

impl Blocks for MemoryBlocks {
    fn batches(&self) -> Vec<Batch> {
        self.0.lock().keys().copied().collect()
    }

    fn bytes(&self, batch: Batch) -> u64 {
        let content = self.content(batch).unwrap_or_default();
        content
            .iter()
            .map(|(_, packed)| packed.bytes.len() as u64)
            .sum()
    }

    fn put(&self, batch: Batch, next: &mut NextBlock) -> Result<()> {
        let mut content = Vec::new();
        while let Some(block) = next()? {
            content.push(block);
        }
        self.0
            .lock()
            .entry(batch)
            .or_insert_with(|| Arc::new(content));
        Ok(())
    }

    fn scan(&self, batch: Batch, wanted: Wanted, each: &mut EachFound) -> Result<()> {
        for (series, packed) in self.content(batch)?.iter() {
            let is_wanted = (wanted.first_series..=wanted.last_series).contains(series)
                && packed.last_us >= wanted.from_us
                && packed.first_us <= wanted.to_us;
            if is_wanted && !each(Found::Block(*series, &packed.bytes))? {
                break;
            }
        }
        Ok(())
    }

    fn series(&self, batch: Batch) -> Result<Vec<SeriesId>> {
        let content = self.content(batch)?;
        let mut series: Vec<SeriesId> = content.iter().map(|(series, _)| *series).collect();
        series.dedup();
        Ok(series)
    }

    fn remove(&self, batch: Batch) -> Result<()> {
        self.0.lock().remove(&batch);
        Ok(())
    }
}
