//! Sums samples and cells up into the steps of a question, in one cell whose memory is kept.

use std::ops::ControlFlow;

use crate::bins::{TakeBins, bin_at};
use crate::block::{Front, Kind};
use crate::cell::Cell;
use crate::dense::Dense;

/// The step that is being summed up. What comes must be in order of time.
pub(crate) struct Steps<'a> {
    step_us: i64,
    start_us: Option<i64>,
    cell: Cell,
    /// Histograms of this step that `cell` does not have yet.
    histograms: Dense,
    each: &'a mut dyn FnMut(i64, &Cell) -> ControlFlow<()>,
    /// Whether the one who asks has had enough.
    pub flow: ControlFlow<()>,
}

impl<'a> Steps<'a> {
    pub fn new(step_us: i64, each: &'a mut dyn FnMut(i64, &Cell) -> ControlFlow<()>) -> Steps<'a> {
        Steps {
            step_us,
            start_us: None,
            cell: Cell::default(),
            histograms: Dense::new(),
            each,
            flow: ControlFlow::Continue(()),
        }
    }

    /// The length of a step.
    pub fn step_us(&self) -> i64 {
        self.step_us
    }

    fn start_of(&self, time_us: i64) -> i64 {
        time_us
            .div_euclid(self.step_us)
            .saturating_mul(self.step_us)
    }

    /// The cell of a time; gives out the one before it.
    pub fn at(&mut self, time_us: i64) -> &mut Cell {
        let start_us = self.start_of(time_us);
        if self.start_us != Some(start_us) {
            self.end();
            self.start_us = Some(start_us);
        }
        &mut self.cell
    }

    /// Gives out the last cell.
    pub fn end(&mut self) {
        let Some(start_us) = self.start_us.take() else {
            return;
        };
        self.take_histograms();
        if self.flow.is_continue() {
            self.flow = (self.each)(start_us, &self.cell);
        }
        self.cell.clear();
    }

    fn take_histograms(&mut self) {
        let (mut count, mut sum, mut range) = (0_u64, 0.0, None);
        let histogram = &mut self.cell.histogram;
        self.histograms.drain(|bin, times| {
            histogram.add(bin, times);
            if !bin.is_nan() {
                count = count.saturating_add(times);
                sum += bin.middle() * times as f64;
                let (least, _) = range.unwrap_or((bin.left(), 0.0));
                range = Some((least, bin.right()));
            }
        });
        if let Some(range) = range {
            self.cell.take(count, sum, range);
        }
    }

    /// Adds the samples of a block that are from `from_us` to before `to_us`; `None` if the block
    /// cannot be read.
    pub fn add_block(&mut self, front: &mut Front, from_us: i64, to_us: i64) -> Option<()> {
        let times = front.times.clone();
        if front.kind == Kind::Numbers {
            let numbers = front.numbers()?;
            for (time_us, bits) in times.into_iter().zip(numbers) {
                if from_us <= time_us && time_us < to_us {
                    self.at(time_us).add_number(time_us, f64::from_bits(bits));
                }
            }
            return Some(());
        }
        let mut bins = Bins {
            steps: self,
            times,
            from_us,
            to_us,
            is_last: Vec::new(),
            target: Target::Nowhere,
            last: (0, 0.0),
        };
        let read = front.bins(&mut bins);
        bins.end_last();
        read
    }
}

/// Where the bins of a histogram go.
enum Target {
    Nowhere,
    Step,
    /// Apart, for its mean is the last value of the step.
    Last(i64),
}

struct Bins<'s, 'a> {
    steps: &'s mut Steps<'a>,
    times: Vec<i64>,
    from_us: i64,
    to_us: i64,
    /// Which histograms are the last of their step that has any bin.
    is_last: Vec<bool>,
    target: Target,
    /// Count and sum of the one that is the last.
    last: (u64, f64),
}

impl Bins<'_, '_> {
    fn end_last(&mut self) {
        if let Target::Last(time_us) = self.target {
            let (count, sum) = std::mem::take(&mut self.last);
            self.steps.cell.take_last(time_us, sum / count as f64);
            self.target = Target::Nowhere;
        }
    }
}

impl TakeBins for Bins<'_, '_> {
    fn lens(&mut self, lens: &[u64]) {
        self.is_last = vec![false; lens.len()];
        let mut after = None;
        for (index, time_us) in self.times.iter().enumerate().rev() {
            let start_us = self.steps.start_of(*time_us);
            if *time_us < self.to_us && lens[index] > 0 && after != Some(start_us) {
                self.is_last[index] = true;
                after = Some(start_us);
            }
        }
    }

    fn begin(&mut self, index: usize) {
        self.end_last();
        let time_us = self.times[index];
        if time_us < self.from_us || time_us >= self.to_us {
            self.target = Target::Nowhere;
            return;
        }
        self.steps.at(time_us);
        self.target = if self.is_last[index] {
            Target::Last(time_us)
        } else {
            Target::Step
        };
    }

    #[inline]
    fn add(&mut self, place: i32, count: u64) {
        match self.target {
            Target::Nowhere => return,
            Target::Step => {}
            Target::Last(_) => {
                if let Some(bin) = bin_at(place).filter(|bin| !bin.is_nan()) {
                    self.last.0 = self.last.0.saturating_add(count);
                    self.last.1 += bin.middle() * count as f64;
                }
            }
        }
        self.steps.histograms.add(place, count);
    }
}
