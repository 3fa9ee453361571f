//! The axis on which a distribution is looked at: where powers of ten are equally long, as far as
//! the numbers allow.

use crate::bin::Bin;
use crate::histogram::Histogram;

/// From numbers to lengths and back, ascending.
#[derive(Clone, Copy)]
pub(crate) enum Axis {
    /// The decimal logarithm, if all numbers are positive.
    Log,
    /// Else the same far from zero, and even within about this distance of it.
    Even { near: f64 },
}

impl Axis {
    /// The axis for a histogram with numbers.
    pub(crate) fn of(histogram: &Histogram) -> Axis {
        let all_positive = histogram
            .number_bins()
            .next()
            .is_some_and(|(bin, _)| bin.val() > 0);
        if all_positive {
            return Axis::Log;
        }
        let mut magnitudes = Histogram::new();
        for (bin, count) in histogram.number_bins() {
            magnitudes.insert_n(bin.middle().abs(), count);
        }
        let near = magnitudes.quantile(0.5);
        Axis::Even {
            near: if near > 0.0 { near } else { 1.0 },
        }
    }

    /// Where a number is.
    pub(crate) fn at(self, number: f64) -> f64 {
        match self {
            Axis::Log => number.log10(),
            Axis::Even { near } => (number / near).asinh() / std::f64::consts::LN_10,
        }
    }

    /// Which number is there.
    pub(crate) fn number(self, at: f64) -> f64 {
        match self {
            Axis::Log => 10f64.powf(at),
            Axis::Even { near } => (at * std::f64::consts::LN_10).sinh() * near,
        }
    }

    /// Where a bin begins and ends.
    pub(crate) fn ends(self, bin: Bin) -> (f64, f64) {
        (self.at(bin.left()), self.at(bin.right()))
    }

    /// The counts of a histogram on a grid of equal steps from `from`, each bin's spread evenly.
    pub(crate) fn spread(
        self,
        histogram: &Histogram,
        from: f64,
        step: f64,
        steps: usize,
    ) -> Vec<f64> {
        let mut grid = vec![0.0; steps];
        for (bin, count) in histogram.number_bins() {
            let (left, right) = self.ends(bin);
            let (left, right) = ((left - from) / step, (right - from) / step);
            let first = (left.max(0.0) as usize).min(steps - 1);
            let last = (right.max(0.0) as usize).min(steps - 1);
            let length = right - left;
            if first == last || length <= 0.0 {
                grid[first] += count as f64;
                continue;
            }
            for (at, cell) in grid.iter_mut().enumerate().take(last + 1).skip(first) {
                let inside = right.min(at as f64 + 1.0) - left.max(at as f64);
                *cell += count as f64 * inside.max(0.0) / length;
            }
        }
        grid
    }
}
