//! How many: exact where a threshold has two significant digits.

use crate::bin::Bin;
use crate::histogram::Histogram;

impl Histogram {
    /// How many numbers are below a threshold or in its bin.
    pub fn count_below(&self, threshold: f64) -> u64 {
        self.count_where(|bin, edge| bin <= edge, threshold)
    }

    /// How many numbers are in bins below the threshold's.
    ///
    /// Exact for a positive threshold of two significant digits: such a number is the least of its
    /// bin. For others, the numbers of its bin that are below it are left out.
    pub fn count_below_exclusive(&self, threshold: f64) -> u64 {
        self.count_where(|bin, edge| bin < edge, threshold)
    }

    /// How many numbers are above a threshold or in its bin. Exact for a positive threshold of two
    /// significant digits: so many were at or above it.
    ///
    /// ```
    /// let waits: histogram::Histogram = [0.2, 1.49, 1.5, 7.0].into_iter().collect();
    /// assert_eq!(waits.count_above(1.5), 2);
    /// ```
    pub fn count_above(&self, threshold: f64) -> u64 {
        self.count_where(|bin, edge| bin >= edge, threshold)
    }

    /// How many numbers are in bins above the threshold's.
    pub fn count_above_exclusive(&self, threshold: f64) -> u64 {
        self.count_where(|bin, edge| bin > edge, threshold)
    }

    /// How many numbers are in the same bin as this one.
    pub fn count_near(&self, number: f64) -> u64 {
        self.count_where(|bin, edge| bin == edge, number)
    }

    /// The sum of the bins that compare so with the threshold's; a threshold beyond the scale is
    /// beyond all bins, and NaN compares with none.
    fn count_where(&self, keep: impl Fn(Rank, Rank) -> bool, threshold: f64) -> u64 {
        if threshold.is_nan() {
            return 0;
        }
        let edge = Rank::of(threshold);
        self.number_bins()
            .filter(|(bin, _)| keep(Rank::At(*bin), edge))
            .fold(0, |sum, (_, count)| sum.saturating_add(count))
    }
}

/// Where a threshold lies among the bins of numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    Below,
    At(Bin),
    Above,
}

impl Rank {
    pub(crate) fn of(threshold: f64) -> Rank {
        match Bin::of(threshold) {
            Bin::NAN if threshold < 0.0 => Rank::Below,
            Bin::NAN => Rank::Above,
            bin => Rank::At(bin),
        }
    }
}
