//! What is summed up of one step: a cell whose bins are counted in plain arrays until it is whole.

use histogram::{Bin, each_encoded};

use crate::bins::{Histograms, bin_at, place_of};
use crate::cell::Cell;
use crate::dense::Dense;

/// A cell that is being made.
#[derive(Default)]
pub(crate) struct Sum {
    cell: Cell,
    /// Bins that the cell has counted.
    counted: Dense,
    /// Bins of histograms, of which the cell does not know count, sum and range yet.
    samples: Dense,
}

impl Sum {
    pub fn add_number(&mut self, time_us: i64, number: f64) {
        self.cell.take(1, number, (number, number));
        self.cell.take_last(time_us, number);
        self.counted.add(place_of(Bin::of(number)), 1);
    }

    /// Adds the next histogram; `is_last` if none of its step comes after it. `None` if it cannot
    /// be read.
    #[inline]
    pub fn add_histogram(
        &mut self,
        time_us: i64,
        histograms: &mut Histograms,
        is_last: bool,
    ) -> Option<()> {
        let samples = &mut self.samples;
        if !is_last || time_us <= self.cell.last_us {
            return histograms.next(|place, count| samples.add(place, count));
        }
        let (mut all, mut sum) = (0_u64, 0.0);
        histograms.next(|place, count| {
            if let Some(bin) = bin_at(place).filter(|bin| !bin.is_nan()) {
                all = all.saturating_add(count);
                sum += bin.middle() * count as f64;
            }
            samples.add(place, count);
        })?;
        self.cell.take_last(time_us, sum / all as f64);
        Some(())
    }

    /// Adds a histogram in its binary form; `is_last` as above. Bytes that are none are left out.
    pub fn add_encoded(&mut self, time_us: i64, bytes: &[u8], is_last: bool) {
        let (mut all, mut sum, mut is_any) = (0_u64, 0.0, false);
        let samples = &mut self.samples;
        let read = each_encoded(bytes, |bin, count| {
            is_any |= count > 0;
            if is_last && !bin.is_nan() {
                all = all.saturating_add(count);
                sum += bin.middle() * count as f64;
            }
            samples.add(place_of(bin), count);
        });
        if is_last && is_any && read.is_ok() {
            self.cell.take_last(time_us, sum / all as f64);
        }
    }

    /// Adds a cell without its histogram, and the next histogram, which is its.
    pub fn add_cell(&mut self, cell: &Cell, bins: u64, histograms: &mut Histograms) -> Option<()> {
        if cell.count > 0 {
            self.cell.take(cell.count, cell.sum, (cell.min, cell.max));
        }
        if bins > 0 {
            self.cell.take_last(cell.last_us, cell.last);
        }
        if let Some((time_us, text)) = &cell.text {
            self.cell.take_text(*time_us, text);
        }
        let counted = &mut self.counted;
        histograms.next(|place, count| counted.add(place, count))
    }

    /// The cell, for what is not in bins.
    pub fn cell(&mut self) -> &mut Cell {
        &mut self.cell
    }

    /// Bytes of memory, but for the cell's histogram.
    pub fn bytes(&self) -> usize {
        size_of::<Sum>() + self.counted.heap_bytes() + self.samples.heap_bytes()
    }

    /// Makes the cell whole, and gives it.
    pub fn whole(&mut self) -> &Cell {
        let (mut count, mut sum, mut range) = (0_u64, 0.0, None);
        for (bin, times) in self.samples.bins().filter(|(bin, _)| !bin.is_nan()) {
            count = count.saturating_add(times);
            sum += bin.middle() * times as f64;
            let (least, _) = range.unwrap_or((bin.left(), 0.0));
            range = Some((least, bin.right()));
        }
        if let Some(range) = range {
            self.cell.take(count, sum, range);
        }
        self.samples.drain_into(&mut self.cell.histogram);
        self.counted.drain_into(&mut self.cell.histogram);
        &self.cell
    }

    /// Empties the sum after it was whole, and keeps its memory.
    pub fn clear(&mut self) {
        self.cell.clear();
    }
}
