//! Scrubbing: looks at every byte, and makes cells anew that are damaged, of samples or of finer
//! cells. Damaged samples cannot be made again; the cells of their time know what they were.

use std::collections::BTreeSet;

use crate::block::blocks_of_cells;
use crate::blocks::{Batch, Period};
use crate::cell::Cell;
use crate::error::Result;
use crate::gather;
use crate::layout;
use crate::store::Store;
use crate::upkeep::Stop;
use crate::verify::{Verified, verify};

/// What a scrub found and did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scrubbed {
    /// What was found.
    pub found: Verified,
    /// Files of cells that were made anew.
    pub mended: Vec<String>,
    /// Damages that are left.
    pub left: usize,
}

impl Store {
    /// Looks at every byte of the store's files while it works on, and mends what can be mended.
    ///
    /// # Errors
    /// What the disk says; [`crate::Error::Version`].
    pub fn scrub(&self) -> Result<Scrubbed> {
        // Names are written under this lock, and batches come and go.
        let _upkeep = self.upkeep.lock();
        let mut scrubbed = Scrubbed {
            found: verify(&*self.disk)?,
            ..Scrubbed::default()
        };
        let names = scrubbed.found.damages.iter();
        let damaged: BTreeSet<Batch> = names
            .filter_map(|damage| layout::batch_of(&damage.file))
            .collect();
        for &batch in damaged.iter().filter(|batch| batch.period != Period::Raw) {
            if self.remake(batch, &damaged)? {
                scrubbed.mended.push(layout::name_of(batch));
            }
        }
        scrubbed.left = scrubbed.found.damages.len();
        if !scrubbed.mended.is_empty() {
            self.batches_changed();
            scrubbed.left = verify(&*self.disk)?.damages.len();
        }
        Ok(scrubbed)
    }

    /// Makes a batch of cells anew, if all that it is made of is good.
    fn remake(&self, batch: Batch, damaged: &BTreeSet<Batch>) -> Result<bool> {
        let of = |period: Period| -> Vec<Batch> {
            let all = self.blocks.batches().into_iter();
            all.filter(|other| other.period == period && other.bucket == batch.bucket)
                .collect()
        };
        let raw = of(Period::Raw);
        let is_of = raw.last().is_some_and(|last| last.source == batch.source);
        let minute = Batch {
            period: Period::Minute,
            ..batch
        };
        let from = if is_of {
            raw
        } else if batch.period == Period::HalfHour && of(Period::Minute).contains(&minute) {
            vec![minute]
        } else {
            return Ok(false);
        };
        if from.iter().any(|batch| damaged.contains(batch)) {
            return Ok(false);
        }
        self.blocks.remove(batch)?;
        let (samples, cell_us) = (self.options.block_samples, batch.period.cell_us());
        let made = self.put_each(batch, &from, &mut |stretch, damages| {
            let mut cells = Vec::new();
            if is_of {
                let mut points = Vec::new();
                gather::points(&*self.blocks, &from, stretch, &mut points, damages)?;
                gather::cells_of(&points, cell_us, &mut cells);
            } else {
                let minutes = gather::cells(&*self.blocks, minute, stretch, damages)?;
                cells = coarser(&minutes, cell_us);
            }
            Ok(blocks_of_cells(&cells, samples))
        });
        match made {
            Ok(()) => Ok(true),
            Err(Stop::Damaged(_)) => Ok(false),
            Err(Stop::Error(error)) => Err(error),
        }
    }
}

/// Cells in order, merged into longer ones.
fn coarser(cells: &[(i64, Cell)], cell_us: i64) -> Vec<(i64, Cell)> {
    let mut merged: Vec<(i64, Cell)> = Vec::new();
    for (at, cell) in cells {
        let start = at.div_euclid(cell_us).saturating_mul(cell_us);
        match merged.last_mut() {
            Some((last, sum)) if *last == start => sum.merge(cell),
            _ => merged.push((start, cell.clone())),
        }
    }
    merged
}
