//! Less of a histogram: a range of it, fewer digits, or a sample of what it counted.

use crate::bin::Bin;
use crate::binomial::draw;
use crate::count::Rank;
use crate::histogram::Histogram;

impl Histogram {
    /// The bins from that of `low` to that of `high`, both included; NaN is left out.
    pub fn clamped(&self, low: f64, high: f64) -> Histogram {
        let (low, high) = (Rank::of(low), Rank::of(high));
        self.number_bins()
            .filter(|(bin, _)| (low..=high).contains(&Rank::At(*bin)))
            .collect()
    }

    /// A coarser histogram, for drawing: bins below `10^exp` are counted as zero, those from there
    /// to `10^(exp+1)` keep one digit, the others both. No count is lost.
    pub fn compressed(&self, exp: i8) -> Histogram {
        let coarse = |bin: Bin| {
            if bin.is_nan() || bin.exp() > exp {
                bin
            } else if bin.exp() < exp {
                Bin::ZERO
            } else {
                Bin::new(bin.val() / 10 * 10, exp).unwrap_or(Bin::ZERO)
            }
        };
        self.bins()
            .map(|(bin, count)| (coarse(bin), count))
            .collect()
    }

    /// A histogram as if each number had been kept with a chance of `share`, from 0 to 1. `random`
    /// gives 64 random bits a call.
    pub fn downsampled(&self, share: f64, mut random: impl FnMut() -> u64) -> Histogram {
        self.bins()
            .map(|(bin, count)| (bin, draw(count, share, &mut random)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_keeps_its_share_of_each_bin() {
        let mut state: u64 = 42;
        let mut random = || {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            mixed ^ (mixed >> 31)
        };
        for (count, share) in [(7, 0.5), (1_000, 0.002), (1_000, 0.9), (5_000_000, 0.25)] {
            let mut all = Histogram::new();
            all.insert_n(1.5, count);
            let draws: Vec<f64> = (0..4_000)
                .map(|_| all.downsampled(share, &mut random).count() as f64)
                .collect();
            let mean = draws.iter().sum::<f64>() / 4_000.0;
            let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 4_000.0;
            let expected = count as f64 * share;
            let spread = expected * (1.0 - share);
            assert!(
                (mean - expected).abs() < 5.0 * (spread / 4_000.0).sqrt(),
                "{count} {mean}"
            );
            assert!(
                (variance / spread - 1.0).abs() < 0.2,
                "{count} {share}: {variance}"
            );
        }
    }

    #[test]
    fn all_or_nothing_are_exact() {
        let some: Histogram = [1.0, 2.0, 2.0, -3.0, f64::NAN].into_iter().collect();
        assert_eq!(some.downsampled(1.0, || 0), some);
        assert!(some.downsampled(0.0, || u64::MAX).is_empty());
    }
}
