//! Latencies counted in log-linear bins: cheap to record, quantiles within one part in 16.

use std::sync::atomic::{AtomicU64, Ordering};

/// Bins of one power of two.
const BINS_PER_OCTAVE: usize = 16;
const OCTAVES: usize = 40;
const BINS: usize = OCTAVES * BINS_PER_OCTAVE;

/// Counts of latencies in nanoseconds, up to about 4 hours; longer ones count as that.
#[derive(Debug)]
pub struct LatencyCounter {
    bins: Box<[AtomicU64; BINS]>,
}

/// The latencies recorded between two calls of [`LatencyCounter::take`].
#[derive(Clone, Debug)]
pub struct Latencies {
    counts: Box<[u64; BINS]>,
}

impl Default for LatencyCounter {
    fn default() -> LatencyCounter {
        LatencyCounter {
            bins: Box::new([const { AtomicU64::new(0) }; BINS]),
        }
    }
}

impl LatencyCounter {
    /// Counts `times` latencies of `ns` nanoseconds.
    pub fn record(&self, ns: u64, times: u64) {
        self.bins[bin(ns)].fetch_add(times, Ordering::Relaxed);
    }

    /// What was recorded since the last call; begins anew.
    pub fn take(&self) -> Latencies {
        let mut counts = Box::new([0; BINS]);
        for (count, bin) in counts.iter_mut().zip(self.bins.iter()) {
            *count = bin.swap(0, Ordering::Relaxed);
        }
        Latencies { counts }
    }
}

impl Latencies {
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The latency in nanoseconds that a share of `quantile` (0 to 1) does not exceed; `None` if
    /// nothing was recorded.
    pub fn quantile(&self, quantile: f64) -> Option<u64> {
        let total = self.count();
        let rank = ((total as f64 * quantile).ceil() as u64).clamp(1, total.max(1));
        let mut seen = 0;
        self.counts.iter().enumerate().find_map(|(index, count)| {
            seen += count;
            (seen >= rank && total > 0).then(|| middle(index))
        })
    }
}

/// Below 16 each nanosecond has its bin; above, each octave has 16.
fn bin(ns: u64) -> usize {
    let octave = (u64::BITS - (ns | 15).leading_zeros()) as usize - 4;
    let index = match octave {
        0 => ns as usize,
        _ => octave * BINS_PER_OCTAVE + ((ns >> (octave - 1)) as usize & (BINS_PER_OCTAVE - 1)),
    };
    index.min(BINS - 1)
}

fn middle(bin: usize) -> u64 {
    let (octave, step) = (bin / BINS_PER_OCTAVE, (bin % BINS_PER_OCTAVE) as u64);
    match octave {
        0 => step,
        _ => ((BINS_PER_OCTAVE as u64 + step) << (octave - 1)) + (1 << (octave - 1)) / 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bin_holds_its_own_middle() {
        for index in 0..BINS {
            assert_eq!(bin(middle(index)), index);
        }
    }

    #[test]
    fn bins_grow_with_the_value() {
        let mut last = 0;
        for ns in (0..100_000).chain([1 << 30, 1 << 41, u64::MAX]) {
            assert!(bin(ns) >= last, "{ns}");
            last = bin(ns);
        }
        assert_eq!(last, BINS - 1);
    }

    #[test]
    fn quantiles_are_near() {
        let counter = LatencyCounter::default();
        (1..=1000).for_each(|ns| counter.record(ns * 1000, 1));
        let latencies = counter.take();
        assert_eq!(latencies.count(), 1000);
        for (quantile, expected) in [(0.0, 1000.0), (0.5, 500_000.0), (0.99, 990_000.0)] {
            let found = latencies.quantile(quantile).unwrap() as f64;
            assert!(
                (found / expected - 1.0).abs() < 1.0 / 16.0,
                "{quantile}: {found}"
            );
        }
        assert_eq!(counter.take().quantile(0.5), None);
    }
}
