//! Sealing: samples go from the head into blocks, in whoever's thread calls [`Store::tick`].

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::block::{Packed, blocks_of};
use crate::blocks::{Batch, Period};
use crate::error::Result;
use crate::head::{Head, settle};
use crate::series::SeriesId;
use crate::store::{SUBSCRIBER, Store, Upkeep, closed_of};

impl Store {
    /// Seals all samples that were taken so far. What is taken meanwhile waits for the next time.
    ///
    /// # Errors
    /// What the disk says. Nothing is lost: the samples stay where they were.
    pub fn seal(&self) -> Result<()> {
        let mut upkeep = self.upkeep.lock();
        self.seal_with(&mut upkeep)
    }

    pub(crate) fn seal_with(&self, upkeep: &mut Upkeep) -> Result<()> {
        let sealed = self.try_seal(upkeep);
        self.state.lock().failed = sealed.as_ref().err().map(ToString::to_string);
        sealed
    }

    fn try_seal(&self, upkeep: &mut Upkeep) -> Result<()> {
        // Twice if the last attempt failed: once for what it left, once for what came since.
        for _ in 0..2 {
            let Some((frozen, names)) = self.freeze(upkeep)? else {
                return Ok(());
            };
            upkeep.dictionary.append(&names)?;
            if let Some((last, _)) = names.last() {
                upkeep.kept = *last as usize + 1;
            }
            let times = frozen.times();
            let buckets: BTreeSet<i64> =
                times.map(|time| time.div_euclid(self.bucket_us)).collect();
            // Only what a crash brought back from the journal can be of a closed bucket; it is in
            // the cells already.
            let closed = Arc::clone(&self.state.lock().closed);
            for bucket in buckets
                .into_iter()
                .filter(|bucket| !closed.contains(bucket))
            {
                self.put_bucket(upkeep, &frozen, bucket)?;
            }
            self.journal()?.checkpoint(SUBSCRIBER, upkeep.frozen_to)?;
            let mut state = self.state.lock();
            state.frozen = None;
            state.generation += 1;
            state.stats.seals += 1;
            if state.head.samples == 0 {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Sets the head aside, unless an older one still is. Gives it, and the names that the
    /// dictionary does not have; nothing if there is no sample.
    #[expect(clippy::type_complexity, reason = "used once")]
    fn freeze(
        &self,
        upkeep: &mut Upkeep,
    ) -> Result<Option<(Arc<Head>, Vec<(SeriesId, Arc<[u8]>)>)>> {
        let mut state = self.state.lock();
        if state.frozen.is_none() {
            if state.head.samples == 0 {
                return Ok(None);
            }
            upkeep.frozen_to = self.journal()?.last()?;
            state.frozen = Some(Arc::new(std::mem::take(&mut state.head)));
        }
        let names = state.names.from(upkeep.kept);
        let frozen = state.frozen.clone();
        Ok(frozen.map(|frozen| (frozen, names)))
    }

    fn put_bucket(&self, upkeep: &mut Upkeep, frozen: &Head, bucket: i64) -> Result<()> {
        let batch = upkeep.new_batch(bucket);
        let (from_us, to_us) = self.bounds(bucket);
        let mut series: SeriesId = 0;
        let mut waiting = Vec::new().into_iter();
        let mut points = Vec::new();
        self.blocks.put(batch, &mut || {
            loop {
                if let Some(block) = waiting.next() {
                    return Ok(Some((series - 1, block)));
                }
                if series == frozen.series_end() {
                    return Ok(None);
                }
                points.clear();
                frozen.copy(series, from_us, to_us, &mut points);
                settle(&mut points);
                let blocks: Vec<Packed> = blocks_of(&points, self.options.block_samples);
                waiting = blocks.into_iter();
                series += 1;
            }
        })
    }

    /// The time of a bucket, its end excluded.
    pub(crate) fn bounds(&self, bucket: i64) -> (i64, i64) {
        let from_us = bucket.saturating_mul(self.bucket_us);
        (from_us, from_us.saturating_add(self.bucket_us))
    }

    /// Notes that batches came or went.
    pub(crate) fn batches_changed(&self) {
        let closed = Arc::new(closed_of(&self.blocks.batches()));
        let mut state = self.state.lock();
        state.closed = closed;
        state.generation += 1;
    }
}

impl Upkeep {
    pub(crate) fn new_batch(&mut self, bucket: i64) -> Batch {
        let source = self.next_source;
        self.next_source += 1;
        Batch {
            period: Period::Raw,
            bucket,
            source,
        }
    }
}
