//! Counts by place, for adding up many histograms: no look-up, no growing, one walk at the end.

use histogram::Bin;

use crate::bins::{PLACES, ZERO_PLACE, bin_at};

/// A count for every bin there is, and which of them are not 0.
pub(crate) struct Dense {
    counts: Vec<u64>,
    used: Vec<u64>,
    /// The words of `used` that may not be 0; none if `low` is above `high`.
    low: usize,
    high: usize,
}

impl Dense {
    pub fn new() -> Dense {
        Dense {
            counts: vec![0; PLACES],
            used: vec![0; PLACES.div_ceil(64)],
            low: usize::MAX,
            high: 0,
        }
    }

    /// Adds to the bin at a place that there is.
    #[inline]
    pub fn add(&mut self, place: i32, count: u64) {
        let at = (place + ZERO_PLACE) as usize;
        let word = at / 64;
        self.counts[at] = self.counts[at].saturating_add(count);
        self.used[word] |= 1 << (at % 64);
        self.low = self.low.min(word);
        self.high = self.high.max(word);
    }

    /// Gives the bins in order, and empties all.
    pub fn drain(&mut self, mut each: impl FnMut(Bin, u64)) {
        if self.low > self.high {
            return;
        }
        for word in self.low..=self.high {
            let mut bits = std::mem::take(&mut self.used[word]);
            while bits != 0 {
                let at = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let count = std::mem::take(&mut self.counts[at]);
                if let Some(bin) = bin_at(at as i32 - ZERO_PLACE) {
                    each(bin, count);
                }
            }
        }
        (self.low, self.high) = (usize::MAX, 0);
    }
}
