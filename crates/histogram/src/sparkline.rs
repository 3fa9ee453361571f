//! A distribution in one line of text.

use crate::axis::Axis;
use crate::histogram::Histogram;

/// Heights of a cell, from nothing.
const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

impl Histogram {
    /// The shape of the distribution in so many characters, from its least to its greatest number;
    /// equal lengths are equal ratios if all numbers are positive. A cell that holds anything shows
    /// it. Empty without numbers.
    ///
    /// ```
    /// let waits: histogram::Histogram = [1.0, 2.0, 2.0, 2.1, 4.0].into_iter().collect();
    /// assert_eq!(waits.sparkline(5).chars().count(), 5);
    /// ```
    pub fn sparkline(&self, width: usize) -> String {
        let Some((low, high)) = self.range() else {
            return String::new();
        };
        if width == 0 {
            return String::new();
        }
        let axis = Axis::of(self);
        let (from, to) = (axis.at(low), axis.at(high));
        let step = ((to - from) / width as f64).max(f64::MIN_POSITIVE);
        let cells = axis.spread(self, from, step, width);
        let highest = cells.iter().copied().fold(0.0, f64::max);
        let bar = |cell: &f64| {
            if *cell <= 0.0 {
                return BARS[0];
            }
            let height = (cell / highest * 8.0).round().clamp(1.0, 8.0);
            BARS[height as usize]
        };
        cells.iter().map(bar).collect()
    }
}
