//! From a share to a number, and from a number to a share.

use std::fmt;

use crate::histogram::Histogram;

/// Why a list of quantiles or thresholds cannot be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuantileError {
    /// The list must ascend.
    NotAscending,
    /// A quantile must be from 0 to 1.
    OutOfRange,
}

impl fmt::Display for QuantileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            QuantileError::NotAscending => "the list must ascend: sort it",
            QuantileError::OutOfRange => "a quantile must be from 0 to 1",
        })
    }
}

impl std::error::Error for QuantileError {}

/// Which of the numbers a quantile is, as Hyndman and Fan number the definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum QuantileKind {
    /// The least number with at least `q × n` numbers up to it.
    #[default]
    Type1,
    /// The number at `floor((n - 1) × q + 1)`.
    Type7,
}

impl Histogram {
    /// The number below which a share `q` of the numbers lies; NaN if there are none, or `q` is not
    /// from 0 to 1.
    ///
    /// The answer is in the bin of the exact one (type 1): off by less than the bin's width, at
    /// most 10 % of it.
    pub fn quantile(&self, q: f64) -> f64 {
        self.quantiles(&[q]).map_or(f64::NAN, |numbers| numbers[0])
    }

    /// Quantiles of an ascending list, in one walk.
    ///
    /// # Errors
    /// If the list does not ascend or leaves 0 to 1.
    pub fn quantiles(&self, list: &[f64]) -> Result<Vec<f64>, QuantileError> {
        self.quantiles_of(QuantileKind::Type1, list)
    }

    /// Quantiles by the definition chosen.
    ///
    /// # Errors
    /// If the list does not ascend or leaves 0 to 1.
    pub fn quantiles_of(
        &self,
        kind: QuantileKind,
        list: &[f64],
    ) -> Result<Vec<f64>, QuantileError> {
        if !list.iter().all(|q| (0.0..=1.0).contains(q)) {
            return Err(QuantileError::OutOfRange);
        }
        if !list.is_sorted() {
            return Err(QuantileError::NotAscending);
        }
        let total = self.total();
        if total == 0.0 {
            return Ok(vec![f64::NAN; list.len()]);
        }
        let targets = list.iter().map(|q| match kind {
            QuantileKind::Type1 => q * total,
            QuantileKind::Type7 => ((total - 1.0) * q + 1.0).floor(),
        });
        Ok(self.numbers_at(targets))
    }

    /// For each ascending target, the place in its bin of the number at which so many are reached.
    fn numbers_at(&self, targets: impl Iterator<Item = f64>) -> Vec<f64> {
        let mut bins = self.number_bins();
        let Some((mut bin, mut count)) = bins.next() else {
            return Vec::new();
        };
        let mut below = 0.0;
        let mut numbers = Vec::with_capacity(targets.size_hint().0);
        for target in targets {
            while below + (count as f64) < target {
                let Some(next) = bins.next() else { break };
                below += count as f64;
                (bin, count) = next;
            }
            let rank = (target - below).ceil().clamp(1.0, count as f64);
            let share = rank / (count as f64 + 1.0);
            numbers.push(bin.left() + share * bin.width());
        }
        numbers
    }

    /// The share of numbers below a threshold, from 0 to 1; NaN if there are none.
    ///
    /// Numbers are taken as spread evenly over their bin: off by at most the share of the bin that
    /// holds the threshold, and exact where the threshold has two digits.
    pub fn share_below(&self, threshold: f64) -> f64 {
        self.shares_below(&[threshold])
            .map_or(f64::NAN, |shares| shares[0])
    }

    /// The share of numbers at or above a threshold; 1 less that below it, but for rounding.
    ///
    /// ```
    /// let waits: histogram::Histogram = [0.1, 0.2, 0.3, 2.0, 3.0].into_iter().collect();
    /// assert_eq!(waits.share_above(1.5), 0.4);
    /// ```
    pub fn share_above(&self, threshold: f64) -> f64 {
        let total = self.total();
        let below = self.counts_below(&[threshold]);
        (total - below[0]) / total
    }

    /// The shares below each of an ascending list of thresholds, in one walk.
    ///
    /// # Errors
    /// If the list does not ascend.
    pub fn shares_below(&self, thresholds: &[f64]) -> Result<Vec<f64>, QuantileError> {
        if !thresholds.is_sorted() {
            return Err(QuantileError::NotAscending);
        }
        let total = self.total();
        let below = self.counts_below(thresholds).into_iter();
        Ok(below.map(|below| below / total).collect())
    }

    fn total(&self) -> f64 {
        self.number_bins().map(|(_, count)| count as f64).sum()
    }

    /// How many numbers are below each of ascending thresholds, with a part of a bin's.
    fn counts_below(&self, thresholds: &[f64]) -> Vec<f64> {
        let mut bins = self.number_bins().peekable();
        let mut below = 0.0;
        let mut counts = Vec::with_capacity(thresholds.len());
        for threshold in thresholds {
            while let Some((_, count)) = bins.next_if(|(bin, _)| upper_end(*bin) <= *threshold) {
                below += count as f64;
            }
            let inside = bins.peek().map_or(0.0, |(bin, count)| {
                let reached = (threshold - bin.left()) / bin.width();
                if reached > 0.0 && !bin.is_zero() {
                    reached * *count as f64
                } else {
                    0.0
                }
            });
            counts.push(below + inside);
        }
        counts
    }
}

/// Where all of a bin is below: zero stands for all up to the least positive bin.
fn upper_end(bin: crate::Bin) -> f64 {
    if bin.is_zero() { 1e-128 } else { bin.right() }
}
