//! What is due from time to time: sealing, merging, rolling up, deleting.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::block::{Packed, blocks_of, blocks_of_cells};
use crate::blocks::{Batch, Period};
use crate::error::{Damage, Error, Result};
use crate::gather::{self, Stretch};
use crate::head::Head;
use crate::limits::{BATCHES_MAX, SETTLED_AFTER_US};
use crate::series::SeriesId;
use crate::store::{Span, Store, Upkeep};

/// A bucket's batches of samples, oldest first, and the sources of its cells.
#[derive(Default)]
struct Bucket {
    raw: Vec<Batch>,
    minutes: Vec<Batch>,
    half_hours: Vec<Batch>,
}

impl Bucket {
    /// Whether the cells are of all its samples.
    fn is_rolled_up(&self) -> bool {
        let last = self.raw.last().map(|batch| batch.source);
        [&self.minutes, &self.half_hours]
            .iter()
            .all(|cells| cells.last().map(|batch| batch.source) == last)
    }
}

impl Store {
    /// Does what is due at this time, in microseconds since 1970: seals, merges, rolls up, deletes.
    /// Call it every second or so from a thread that may take its time; appends and queries go on
    /// meanwhile.
    ///
    /// # Errors
    /// What the disk says. Nothing is lost, and the next call tries again.
    pub fn tick(&self, now_us: i64) -> Result<()> {
        self.journal()?.tick(now_us)?;
        let from_us = self
            .options
            .behind_us
            .map_or(i64::MIN, |us| now_us.saturating_sub(us));
        let to_us = self
            .options
            .ahead_us
            .map_or(i64::MAX, |us| now_us.saturating_add(us));
        self.state.lock().span_us = Span(from_us, to_us);
        let mut upkeep = self.upkeep.lock();
        let mut done = Ok(());
        if self.is_seal_due(now_us) {
            done = self.seal_with(&mut upkeep);
        }
        if done.is_ok() {
            done = self.keep_buckets(&mut upkeep, now_us.saturating_sub(SETTLED_AFTER_US));
        }
        // Even if the disk is full: then all the more.
        self.drop_old(now_us)?;
        self.drop_much(&mut upkeep, now_us.saturating_sub(SETTLED_AFTER_US))?;
        done
    }

    fn keep_buckets(&self, upkeep: &mut Upkeep, settled_us: i64) -> Result<()> {
        for (number, bucket) in self.buckets() {
            let is_settled = self.bounds(number).1 <= settled_us;
            if is_settled || bucket.raw.len() >= BATCHES_MAX {
                self.keep_bucket(upkeep, number, bucket, is_settled)?;
            }
        }
        Ok(())
    }

    /// Merges and rolls up every bucket, whatever the time.
    ///
    /// # Errors
    /// As [`Store::tick`].
    pub fn compact(&self) -> Result<()> {
        let mut upkeep = self.upkeep.lock();
        self.seal_with(&mut upkeep)?;
        for (number, bucket) in self.buckets() {
            self.keep_bucket(&mut upkeep, number, bucket, true)?;
        }
        Ok(())
    }

    fn is_seal_due(&self, now_us: i64) -> bool {
        let mut state = self.state.lock();
        if state.frozen.is_some() || state.head.bytes >= self.options.head_bytes {
            return true;
        }
        if state.head.samples == 0 {
            return false;
        }
        let since_us = *state.head.since_us.get_or_insert(now_us);
        now_us.saturating_sub(since_us) >= self.options.seal_after_us
    }

    fn buckets(&self) -> BTreeMap<i64, Bucket> {
        let mut buckets: BTreeMap<i64, Bucket> = BTreeMap::new();
        for batch in self.blocks.batches() {
            let bucket = buckets.entry(batch.bucket).or_default();
            match batch.period {
                Period::Raw => bucket.raw.push(batch),
                Period::Minute => bucket.minutes.push(batch),
                Period::HalfHour => bucket.half_hours.push(batch),
            }
        }
        buckets
    }

    fn keep_bucket(
        &self,
        upkeep: &mut Upkeep,
        number: i64,
        mut bucket: Bucket,
        is_settled: bool,
    ) -> Result<()> {
        if bucket.raw.len() > 1 && !upkeep.damaged.contains(&number) {
            let chosen = self.worth_merging(&bucket.raw, is_settled);
            if let Some(merged) = self.merge(upkeep, number, &chosen)? {
                bucket.raw.retain(|batch| !chosen.contains(batch));
                bucket.raw.push(merged);
            }
        }
        // Cells that were made before the damage know more than could be made now.
        let is_better = upkeep.damaged.contains(&number) && !bucket.minutes.is_empty();
        if is_settled && !bucket.raw.is_empty() && !bucket.is_rolled_up() && !is_better {
            self.roll_up(number, &bucket)?;
        }
        Ok(())
    }

    /// All, or all but the greatest if it is more than the others together: it is then not
    /// written again for every few that come.
    fn worth_merging(&self, raw: &[Batch], is_settled: bool) -> Vec<Batch> {
        let mut sized: Vec<(u64, Batch)> = raw
            .iter()
            .map(|batch| (self.blocks.bytes(*batch), *batch))
            .collect();
        sized.sort_unstable();
        let all: u64 = sized.iter().map(|(bytes, _)| bytes).sum();
        if !is_settled && sized.last().is_some_and(|(bytes, _)| *bytes > all / 2) {
            sized.pop();
        }
        sized.into_iter().map(|(_, batch)| batch).collect()
    }

    /// Merges batches of a bucket into one; not if a byte of them is damaged.
    fn merge(&self, upkeep: &mut Upkeep, number: i64, chosen: &[Batch]) -> Result<Option<Batch>> {
        let batch = upkeep.new_batch(number);
        let samples = self.options.block_samples;
        let merged = self.put_each(batch, chosen, &mut |stretch, damages| {
            let mut points = Vec::new();
            gather::points(&*self.blocks, chosen, stretch, &mut points, damages)?;
            Ok(blocks_of(&points, samples))
        });
        match merged {
            Ok(()) => {}
            Err(Stop::Damaged(damage)) => {
                self.note_damage(&damage);
                upkeep.damaged.insert(number);
                return Ok(None);
            }
            Err(Stop::Error(error)) => return Err(error),
        }
        self.remove_all(chosen)?;
        self.state.lock().stats.merges += 1;
        Ok(Some(batch))
    }

    /// Makes cells of all samples of a bucket. Those of a damaged block are left out.
    fn roll_up(&self, number: i64, bucket: &Bucket) -> Result<()> {
        let Some(source) = bucket.raw.last().map(|batch| batch.source) else {
            return Ok(());
        };
        for period in [Period::Minute, Period::HalfHour] {
            let batch = Batch {
                period,
                bucket: number,
                source,
            };
            let mut cells = Vec::new();
            let samples = self.options.block_samples;
            let done = self.put_each(batch, &bucket.raw, &mut |stretch, damages| {
                let mut points = Vec::new();
                gather::points(&*self.blocks, &bucket.raw, stretch, &mut points, damages)?;
                for damage in damages.drain(..) {
                    self.note_damage(&damage);
                }
                gather::cells_of(&points, period.cell_us(), &mut cells);
                Ok(blocks_of_cells(&cells, samples))
            });
            match done {
                Ok(()) => {}
                Err(Stop::Damaged(damage)) => self.note_damage(&damage),
                Err(Stop::Error(error)) => return Err(error),
            }
        }
        self.state.lock().stats.rollups += 1;
        let older = bucket.minutes.iter().chain(&bucket.half_hours);
        let older: Vec<Batch> = older
            .filter(|batch| batch.source != source)
            .copied()
            .collect();
        self.remove_all(&older)
    }

    /// Puts a batch made series by series of others.
    pub(crate) fn put_each(
        &self,
        batch: Batch,
        from: &[Batch],
        make: &mut Make,
    ) -> std::result::Result<(), Stop> {
        let mut all = BTreeSet::new();
        for &batch in from {
            all.extend(self.blocks.series(batch)?);
        }
        let (from_us, to_us) = self.bounds(batch.bucket);
        let mut rest = all.into_iter();
        let mut series: SeriesId = 0;
        let mut waiting = Vec::new().into_iter();
        let mut damages = Vec::new();
        let put = self.blocks.put(batch, &mut || {
            loop {
                if let Some(block) = waiting.next() {
                    return Ok(Some((series, block)));
                }
                let Some(next) = rest.next() else {
                    return Ok(None);
                };
                series = next;
                let stretch = Stretch {
                    series,
                    from_us,
                    to_us,
                };
                waiting = make(stretch, &mut damages)?.into_iter();
                if let Some(damage) = damages.first() {
                    return Err(Error::Gone(damage.to_string()));
                }
            }
        });
        match (put, damages.pop()) {
            (_, Some(damage)) => Err(Stop::Damaged(damage)),
            (put, None) => Ok(put?),
        }
    }

    fn drop_old(&self, now_us: i64) -> Result<()> {
        let mut old = Vec::new();
        for (number, bucket) in self.buckets() {
            let end_us = self.bounds(number).1;
            let is_old = |period| {
                let keep_us = self.options.keep.of(period);
                keep_us.is_some_and(|keep_us| end_us < now_us.saturating_sub(keep_us))
            };
            if is_old(Period::Raw) && bucket.is_rolled_up() {
                old.extend(&bucket.raw);
            }
            for (period, cells) in [
                (Period::Minute, &bucket.minutes),
                (Period::HalfHour, &bucket.half_hours),
            ] {
                if is_old(period) && (bucket.raw.is_empty() || is_old(Period::Raw)) {
                    old.extend(cells);
                }
            }
        }
        self.drop_batches(&old)
    }

    /// Deletes the oldest until all is within its size: samples that have been rolled up first,
    /// then minutes, then half hours.
    fn drop_much(&self, upkeep: &mut Upkeep, settled_us: i64) -> Result<()> {
        let Some(max_bytes) = self.options.keep.max_bytes else {
            return Ok(());
        };
        let mut bytes = self.bytes();
        if bytes <= max_bytes {
            return Ok(());
        }
        let mut rolled_up = BTreeSet::new();
        for (number, bucket) in self.buckets() {
            if self.bounds(number).1 <= settled_us && bucket.is_rolled_up() {
                rolled_up.insert(number);
            }
        }
        upkeep.damaged.retain(|number| !rolled_up.contains(number));
        let batches = self.blocks.batches();
        let has_raw: BTreeSet<i64> = batches
            .iter()
            .filter(|batch| batch.period == Period::Raw)
            .map(|batch| batch.bucket)
            .collect();
        let mut much = Vec::new();
        for batch in batches {
            let is_needed = match batch.period {
                Period::Raw => !rolled_up.contains(&batch.bucket),
                _ => has_raw.contains(&batch.bucket) && !rolled_up.contains(&batch.bucket),
            };
            if bytes <= max_bytes {
                break;
            }
            if !is_needed {
                bytes -= self.blocks.bytes(batch);
                much.push(batch);
            }
        }
        self.drop_batches(&much)
    }

    /// Deletes the oldest samples that have been rolled up, as if they were too old, until so many
    /// bytes are free. Returns how many are: fewer if there are no more such samples.
    ///
    /// # Errors
    /// What the disk says.
    pub fn drop_rolled_up(&self, bytes: u64) -> Result<u64> {
        let _upkeep = self.upkeep.lock();
        let mut freed = 0;
        let mut going = Vec::new();
        for bucket in self.buckets().into_values() {
            if freed >= bytes {
                break;
            }
            if !bucket.raw.is_empty() && bucket.is_rolled_up() {
                let sizes = bucket.raw.iter().map(|batch| self.blocks.bytes(*batch));
                freed += sizes.sum::<u64>();
                going.extend(bucket.raw);
            }
        }
        self.drop_batches(&going)?;
        Ok(freed)
    }

    fn bytes(&self) -> u64 {
        let batches = self.blocks.batches().into_iter();
        batches.map(|batch| self.blocks.bytes(batch)).sum()
    }

    fn drop_batches(&self, batches: &[Batch]) -> Result<()> {
        if batches.is_empty() {
            return Ok(());
        }
        let mut state = self.state.lock();
        // A bucket that still gets samples is not closed: cells of those alone would take the
        // place of the cells of all.
        let heads = [Some(&state.head), state.frozen.as_deref()];
        let times = heads.into_iter().flatten().flat_map(Head::times);
        let waiting: BTreeSet<i64> = times.map(|time| time.div_euclid(self.bucket_us)).collect();
        let mut closed = (*state.closed).clone();
        let mut going = Vec::new();
        for &batch in batches {
            if batch.period != Period::Raw {
                going.push(batch);
            } else if !waiting.contains(&batch.bucket) {
                closed.insert(batch.bucket);
                going.push(batch);
            }
        }
        state.closed = Arc::new(closed);
        state.stats.dropped += going.len() as u64;
        drop(state);
        self.remove_all(&going)
    }

    fn remove_all(&self, batches: &[Batch]) -> Result<()> {
        let removed = batches
            .iter()
            .try_for_each(|batch| self.blocks.remove(*batch));
        self.batches_changed();
        removed
    }

    fn note_damage(&self, _damage: &Damage) {
        self.state.lock().stats.damages += 1;
    }
}

/// Makes the blocks of a series; adds to the damages if some of it is lost.
pub(crate) type Make<'a> = dyn FnMut(Stretch, &mut Vec<Damage>) -> Result<Vec<Packed>> + 'a;

/// Why a batch was not made.
pub(crate) enum Stop {
    Damaged(Damage),
    Error(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Error(error)
    }
}
