//! Counts by place, for adding up many histograms: no look-up, one walk at the end.

use histogram::{Bin, Histogram};

use crate::bins::{SIDE, bin_at};

/// Places by which the window grows: a power of ten of one sign, nearly.
const GROWTH: i32 = 64;

/// A window that is so many times as wide as what it held is given back.
const WASTE: usize = 8;

/// A count for every place of a window, which grows to where there are bins.
#[derive(Default)]
pub(crate) struct Dense {
    /// The place of the first count.
    low: i32,
    counts: Vec<u64>,
}

impl Dense {
    /// Adds to the bin at a place; nothing if no bin has it.
    #[inline]
    pub fn add(&mut self, place: i32, count: u64) {
        match self.counts.get_mut(place.wrapping_sub(self.low) as usize) {
            Some(slot) => *slot = slot.saturating_add(count),
            None => self.add_beyond(place, count),
        }
    }

    #[cold]
    fn add_beyond(&mut self, place: i32, count: u64) {
        if !(-SIDE - 1..=SIDE).contains(&place) {
            return;
        }
        if self.counts.is_empty() {
            self.low = place;
        }
        let end = self.low + self.counts.len() as i32;
        if place < self.low {
            let low = (place - GROWTH).max(-SIDE - 1);
            let missing = (self.low - low) as usize;
            self.counts.splice(0..0, std::iter::repeat_n(0, missing));
            self.low = low;
        } else if place >= end {
            let end = (place + GROWTH).min(SIDE + 1);
            self.counts.resize((end - self.low) as usize, 0);
        }
        self.add(place, count);
    }

    /// Bytes of memory beside the struct itself.
    pub fn heap_bytes(&self) -> usize {
        self.counts.capacity() * size_of::<u64>()
    }

    /// The bins in order, and their counts.
    pub fn bins(&self) -> impl Iterator<Item = (Bin, u64)> {
        let places = (self.low..).zip(&self.counts);
        let counted = places.filter(|(_, count)| **count != 0);
        counted.filter_map(|(place, count)| Some((bin_at(place)?, *count)))
    }

    /// Moves all counts to a histogram.
    pub fn drain_into(&mut self, histogram: &mut Histogram) {
        let is_used = |count: &u64| *count != 0;
        let Some(first) = self.counts.iter().position(is_used) else {
            return;
        };
        let end = 1 + self.counts.iter().rposition(is_used).unwrap_or(first);
        let positive = ((1 - self.low).max(0) as usize).clamp(first, end);
        let below = (self.low..).zip(&self.counts).take(positive).skip(first);
        for (place, count) in below.filter(|(_, count)| **count != 0) {
            if let Some(bin) = bin_at(place) {
                histogram.add(bin, *count);
            }
        }
        if positive < end
            && let Some(bin) = bin_at(self.low + positive as i32)
        {
            histogram.add_run(bin, &self.counts[positive..end]);
        }
        if self.counts.len() > WASTE * (end - first + GROWTH as usize) {
            self.counts = Vec::new();
        } else {
            self.counts[first..end].fill(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::bins::place_of;

    proptest! {
        #[test]
        fn what_was_added_is_drained(
            lists in prop::collection::vec(prop::collection::vec(
                (prop_oneof![any::<f64>(), -2.0..5.0, Just(0.0)], 1..u64::MAX), 0..20), 1..5))
        {
            let mut dense = Dense::default();
            for list in lists {
                let mut expected = Histogram::new();
                for (number, count) in list {
                    expected.insert_n(number, count);
                    dense.add(place_of(Bin::of(number)), count);
                }
                prop_assert!(dense.bins().eq(expected.bins()));
                let mut drained = Histogram::new();
                dense.drain_into(&mut drained);
                prop_assert_eq!(drained, expected);
                prop_assert!(dense.bins().next().is_none());
            }
        }
    }

    #[test]
    fn places_off_the_scale_are_no_bins() {
        let mut dense = Dense::default();
        for place in [i32::MIN, -SIDE - 2, SIDE + 1, i32::MAX] {
            dense.add(place, 1);
            assert!(dense.bins().next().is_none());
        }
    }
}
