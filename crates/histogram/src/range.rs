//! Counts of other people's bins: ranges of any width, such as Prometheus' buckets.

use crate::bin::Bin;
use crate::histogram::Histogram;

/// How many numbers fell between two ends. `low` may be minus infinity, `high` infinity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// How many.
    pub count: u64,
}

/// At which of its numbers a whole range is counted. Near and far are from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Placement {
    /// Half way.
    #[default]
    Middle,
    /// At the harmonic mean of the ends, where the greatest relative error is least.
    HarmonicMean,
    /// In the last bin before the far end.
    High,
    /// At the near end.
    Low,
}

impl Histogram {
    /// Adds the counts of ranges in ascending order. A range always goes to the same bin whatever
    /// it counts, so that counts that only grow stay so.
    ///
    /// A range that is open to infinity is counted as far beyond its low end as the range before it
    /// is wide, or as that end is far from zero if that is nearer; one open to minus infinity
    /// likewise below its high end. If that is above zero, the range is taken to begin at zero.
    ///
    /// ```
    /// use histogram::{Histogram, Placement, Range};
    /// let mut histogram = Histogram::new();
    /// histogram.add_ranges(&[Range { low: 0.1, high: 0.2, count: 7 }], Placement::Middle);
    /// assert_eq!(histogram.count_near(0.15), 7);
    /// ```
    pub fn add_ranges(&mut self, ranges: &[Range], placement: Placement) {
        for (at, range) in ranges.iter().enumerate() {
            let bin = if range.high == f64::INFINITY {
                let before = at.checked_sub(1).and_then(|at| ranges.get(at));
                Bin::of(range.low + open_width(before, range.low))
            } else if range.low > f64::NEG_INFINITY {
                place(range.low, range.high, placement)
            } else if range.high > 0.0 {
                place(0.0, range.high, placement)
            } else {
                Bin::of(range.high - open_width(ranges.get(at + 1), range.high))
            };
            self.add(bin, range.count);
        }
    }
}

/// How wide to take a range that is open on one side.
fn open_width(neighbour: Option<&Range>, end: f64) -> f64 {
    let width = neighbour.map_or(f64::INFINITY, |range| range.high - range.low);
    width.min(end.abs())
}

/// The bin of a range with two ends.
fn place(low: f64, high: f64, placement: Placement) -> Bin {
    let (near, far) = if low + high < 0.0 {
        (high, low)
    } else {
        (low, high)
    };
    // Zero is within: no end is the nearer one.
    if near * far < 0.0 {
        return Bin::of(low / 2.0 + high / 2.0);
    }
    match placement {
        Placement::Middle => Bin::of(low / 2.0 + high / 2.0),
        Placement::HarmonicMean if near == 0.0 => Bin::ZERO,
        Placement::HarmonicMean => Bin::of(2.0 / (1.0 / near + 1.0 / far)),
        Placement::Low => Bin::of(near),
        Placement::High => {
            let last = Bin::of(far);
            // As near to the edge as the digits of a literal: the far end itself is not within.
            let is_edge = (last.edge() - far).abs() <= far.abs() * 1e-12;
            if is_edge && near != far {
                before(last)
            } else {
                last
            }
        }
    }
}

/// The next bin towards zero.
fn before(bin: Bin) -> Bin {
    let digits = bin.val().unsigned_abs();
    if bin.is_zero() || bin.is_nan() {
        return bin;
    }
    let sign = bin.val().signum();
    let (digits, exp) = match (digits, bin.exp()) {
        (10, i8::MIN) => return Bin::ZERO,
        (10, exp) => (99, exp - 1),
        (digits, exp) => (digits as i8 - 1, exp),
    };
    Bin::new(sign * digits, exp).unwrap_or(Bin::ZERO)
}
