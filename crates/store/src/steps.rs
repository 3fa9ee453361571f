//! Sums samples and cells up into the steps of a question, in one cell whose memory is kept.

use std::ops::ControlFlow;

use histogram::{Bin, Histogram};

use crate::bins::TakeBins;
use crate::block::{Front, Kind};
use crate::cell::Cell;

/// The step that is being summed up. What comes must be in order of time.
pub(crate) struct Steps<'a> {
    step_us: i64,
    start_us: Option<i64>,
    cell: Cell,
    /// Histograms of this step that `cell` does not have yet.
    histograms: Histogram,
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
            histograms: Histogram::new(),
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
        if let Some(range) = self.histograms.range() {
            let (count, sum) = (self.histograms.count(), self.histograms.sum());
            self.cell.take(count, sum, range);
        }
        if !self.histograms.is_empty() {
            self.cell.histogram.merge(&self.histograms);
        }
        self.histograms.clear();
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
            last: Histogram::new(),
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
    last: Histogram,
}

impl Bins<'_, '_> {
    fn end_last(&mut self) {
        if let Target::Last(time_us) = self.target {
            self.steps.cell.take_last(time_us, self.last.mean());
            self.steps.histograms.merge(&self.last);
            self.last.clear();
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
    fn add(&mut self, bin: Bin, count: u64) {
        match self.target {
            Target::Nowhere => {}
            Target::Step => self.steps.histograms.add(bin, count),
            Target::Last(_) => self.last.add(bin, count),
        }
    }
}
