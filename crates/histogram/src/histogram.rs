//! The histogram: bins and counts, what goes in and what comes out.

use std::fmt;

use crate::bin::{Bin, PLACES};
use crate::side::Side;

/// A distribution: for each bin of the log-linear scale, how many numbers fell into it.
///
/// Counts are exact, and stop at 2^64 - 1. Merging is exact, associative and commutative. A number
/// is known to its first two digits: an estimate made from a bin is off by at most the bin's width,
/// 10 % of the number.
///
/// Memory is 8 bytes a bin in use and about 110 for each power of ten between the least and the
/// greatest magnitude of a sign: some 4 KB for latencies, 430 KB at most. Once all bins of a
/// distribution have been seen, nothing more is allocated.
///
/// ```
/// use histogram::Histogram;
/// let mut latency = Histogram::new();
/// for ms in 1..=1000 {
///     latency.insert_scaled(ms, -3, 1);
/// }
/// assert_eq!(latency.count(), 1000);
/// assert_eq!(latency.count_above(0.5), 501);
/// assert!((latency.quantile(0.99) - 0.99).abs() < 0.01);
/// ```
#[derive(Clone, Default)]
pub struct Histogram {
    pub(crate) nan: u64,
    pub(crate) zero: u64,
    pub(crate) negative: Side,
    pub(crate) positive: Side,
}

impl Histogram {
    /// An empty histogram. Allocates nothing.
    pub fn new() -> Histogram {
        Histogram::default()
    }

    /// Counts one number.
    #[inline]
    pub fn insert(&mut self, number: f64) {
        self.add(Bin::of(number), 1);
    }

    /// Counts a number `count` times.
    #[inline]
    pub fn insert_n(&mut self, number: f64, count: u64) {
        self.add(Bin::of(number), count);
    }

    /// Counts `value × 10^scale`, `count` times, without rounding: `(15, -1)` is 1.5 in its own
    /// bin.
    #[inline]
    pub fn insert_scaled(&mut self, value: i64, scale: i32, count: u64) {
        self.add(Bin::of_scaled(value, scale), count);
    }

    /// Adds to the count of a bin.
    #[inline]
    pub fn add(&mut self, bin: Bin, count: u64) {
        match bin.val() {
            -1 => self.nan = self.nan.saturating_add(count),
            0 => self.zero = self.zero.saturating_add(count),
            val if val < 0 => self.negative.add(bin.place(), count),
            _ => self.positive.add(bin.place(), count),
        }
    }

    /// Adds to neighbouring bins of one sign: the first count to `first`, each further one to the
    /// bin next to it, away from zero. Counts beyond the scale are NaN's; zero and NaN have no
    /// neighbours and take all.
    ///
    /// An empty histogram is made so in one pass, several times faster than bin by bin.
    ///
    /// ```
    /// use histogram::{Bin, Histogram};
    /// let mut histogram = Histogram::new();
    /// histogram.add_run(Bin::of(9.8), &[1, 0, 2]);
    /// assert_eq!(histogram, [9.8, 10.0, 10.0].into_iter().collect());
    /// ```
    pub fn add_run(&mut self, first: Bin, counts: &[u64]) {
        let Some((side, place)) = (match first.val() {
            -1 | 0 => None,
            val if val < 0 => Some((&mut self.negative, first.place())),
            _ => Some((&mut self.positive, first.place())),
        }) else {
            counts.iter().for_each(|count| self.add(first, *count));
            return;
        };
        let (on_scale, beyond) = counts.split_at(counts.len().min(PLACES - usize::from(place)));
        side.add_run(place, on_scale);
        for count in beyond {
            self.nan = self.nan.saturating_add(*count);
        }
    }

    /// Takes up to `count` off the bin of a number; gives how many there were to take.
    pub fn remove(&mut self, number: f64, count: u64) -> u64 {
        self.take(Bin::of(number), count)
    }

    /// Takes up to `count` off a bin; gives how many there were to take.
    pub fn take(&mut self, bin: Bin, count: u64) -> u64 {
        let slot = match bin.val() {
            -1 => Some(&mut self.nan),
            0 => Some(&mut self.zero),
            val if val < 0 => self.negative.get(bin.place()),
            _ => self.positive.get(bin.place()),
        };
        slot.map_or(0, |slot| {
            let taken = count.min(*slot);
            *slot -= taken;
            taken
        })
    }

    /// Adds all counts of another histogram.
    pub fn merge(&mut self, other: &Histogram) {
        self.nan = self.nan.saturating_add(other.nan);
        self.zero = self.zero.saturating_add(other.zero);
        self.negative.merge(&other.negative);
        self.positive.merge(&other.positive);
    }

    /// Takes off all counts of another histogram. What there was not to take is left out, and its
    /// number given: 0 if all was there.
    pub fn subtract(&mut self, other: &Histogram) -> u64 {
        let mut missing: u64 = 0;
        for (bin, count) in other.bins() {
            missing = missing.saturating_add(count - self.take(bin, count));
        }
        missing
    }

    /// Empties the histogram and keeps its memory.
    pub fn clear(&mut self) {
        self.nan = 0;
        self.zero = 0;
        self.negative.clear();
        self.positive.clear();
    }

    /// The bins that counted something: NaN first, then from the least number to the greatest.
    pub fn bins(&self) -> impl Iterator<Item = (Bin, u64)> {
        let nan = (self.nan != 0).then_some((Bin::NAN, self.nan));
        nan.into_iter().chain(self.number_bins())
    }

    /// The same without NaN.
    pub(crate) fn number_bins(&self) -> impl Iterator<Item = (Bin, u64)> {
        let zero = (self.zero != 0).then_some((Bin::ZERO, self.zero));
        self.negative
            .bins(true)
            .rev()
            .chain(zero)
            .chain(self.positive.bins(false))
    }

    /// How many numbers were counted; NaN is none.
    pub fn count(&self) -> u64 {
        let sides = self.negative.counts().iter().chain(self.positive.counts());
        sides.fold(self.zero, |sum, count| sum.saturating_add(*count))
    }

    /// How many of the inserted had no place on the scale: NaN, infinities, beyond ±9.9e127.
    pub fn nan_count(&self) -> u64 {
        self.nan
    }

    /// Whether nothing was counted, not even NaN.
    pub fn is_empty(&self) -> bool {
        self.bins().next().is_none()
    }

    /// How many bins counted something.
    pub fn bin_count(&self) -> usize {
        self.bins().count()
    }

    /// The lower end of the least bin and the upper end of the greatest; nothing without numbers.
    pub fn range(&self) -> Option<(f64, f64)> {
        let least = self.number_bins().next()?;
        let greatest = self.number_bins().last()?;
        Some((least.0.left(), greatest.0.right()))
    }

    /// Bytes of memory, with the struct itself.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Histogram>() + self.negative.heap_bytes() + self.positive.heap_bytes()
    }
}

/// The same counts in the same bins.
impl PartialEq for Histogram {
    fn eq(&self, other: &Histogram) -> bool {
        self.bins().eq(other.bins())
    }
}

impl Eq for Histogram {}

impl fmt::Debug for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.bins()).finish()
    }
}

impl FromIterator<f64> for Histogram {
    fn from_iter<I: IntoIterator<Item = f64>>(numbers: I) -> Histogram {
        let mut histogram = Histogram::new();
        histogram.extend(numbers);
        histogram
    }
}

impl Extend<f64> for Histogram {
    fn extend<I: IntoIterator<Item = f64>>(&mut self, numbers: I) {
        for number in numbers {
            self.insert(number);
        }
    }
}

impl FromIterator<(Bin, u64)> for Histogram {
    fn from_iter<I: IntoIterator<Item = (Bin, u64)>>(bins: I) -> Histogram {
        let mut histogram = Histogram::new();
        for (bin, count) in bins {
            histogram.add(bin, count);
        }
        histogram
    }
}
