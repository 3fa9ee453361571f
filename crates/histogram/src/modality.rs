//! How many modes a distribution has, and where.
//!
//! The density along the axis is smoothed, from coarse to fine. At each smoothness a peak counts
//! if the valleys on both sides are deep enough not to be chance; the smoothness that shows most
//! modes is taken.

use crate::axis::Axis;
use crate::histogram::Histogram;

/// A mode: a peak of the density, between the valleys around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mode {
    /// The number where the density, along the axis of ratios, is highest.
    pub at: f64,
    /// The valley below, or the least number.
    pub low: f64,
    /// The valley above, or the greatest number.
    pub high: f64,
    /// The share of all numbers between the valleys, 0 to 1.
    pub share: f64,
}

/// How many times each smoothness is finer than the one before.
const FINER: f64 = std::f64::consts::SQRT_2;
/// How many degrees of smoothness are tried.
const DEGREES: i32 = 9;
/// A peak must be higher than its valley by so many times the deviation of the difference by
/// chance, at the coarsest degree, and by so much more at each finer one: there is more chance for
/// chance.
const DEVIATIONS_MIN: f64 = 2.4;
const DEVIATIONS_MORE: f64 = 0.25;
/// A valley must be below this part of its peak, however many numbers there are.
const VALLEY_MAX: f64 = 0.85;
/// A mode must have this share of all numbers.
const SHARE_MIN: f64 = 0.01;
/// Smoother than half a bin at its widest is not smooth: the bin itself would be seen.
const WIDTH_MIN: f64 = 0.01;
/// Cells of the grid at most.
const CELLS_MAX: usize = 8192;

impl Histogram {
    /// The modes, ascending. At most one if there are too few numbers to tell.
    ///
    /// Numbers that come in coarse steps (whole milliseconds near 1 ms) show a mode a step: record
    /// them more finely than they differ.
    ///
    /// ```
    /// use histogram::Histogram;
    /// let mut latency = Histogram::new();
    /// for n in 0..300 {
    ///     latency.insert(0.010 * 1.002_f64.powi(n % 100)); // found in the cache
    ///     latency.insert(0.150 * 1.002_f64.powi(n % 100)); // not found
    /// }
    /// let modes = latency.modes();
    /// assert_eq!(modes.len(), 2);
    /// assert!(modes[0].high < 0.15 && modes[1].low > 0.012);
    /// ```
    pub fn modes(&self) -> Vec<Mode> {
        let Some((low, high)) = self.range() else {
            return Vec::new();
        };
        let axis = Axis::of(self);
        let coarsest = coarsest_width(self, axis);
        let finest = (coarsest / FINER.powi(DEGREES - 1)).max(WIDTH_MIN);
        let margin = 4.0 * coarsest;
        let (from, to) = (axis.at(low) - margin, axis.at(high) + margin);
        let cells = ((to - from) / (finest / 3.0)).ceil();
        let cells = (cells as usize).clamp(16, CELLS_MAX);
        let step = (to - from) / cells as f64;
        let grid = axis.spread(self, from, step, cells);
        let mut best = Vec::new();
        for degree in 0..DEGREES {
            let width = coarsest / FINER.powi(degree);
            if width < finest && degree > 0 {
                break;
            }
            let deviations = DEVIATIONS_MIN + DEVIATIONS_MORE * f64::from(degree);
            let peaks = peaks(&grid, width / step, deviations);
            if peaks.len() > best.len() {
                best = peaks;
            }
        }
        let total: f64 = grid.iter().sum();
        let number = |cell: usize| axis.number(from + (cell as f64 + 0.5) * step);
        best.into_iter()
            .map(|peak| Mode {
                at: number(peak.at),
                low: number(peak.low).max(low),
                high: number(peak.high).min(high),
                share: grid[peak.low..peak.high].iter().sum::<f64>() / total,
            })
            .collect()
    }
}

/// Silverman's rule of thumb, from the narrower of two measures of spread.
fn coarsest_width(histogram: &Histogram, axis: Axis) -> f64 {
    let total = histogram.count() as f64;
    let middle = |bin: crate::Bin| {
        let (left, right) = axis.ends(bin);
        (left + right) / 2.0
    };
    let points = || {
        histogram
            .number_bins()
            .map(|(bin, count)| (middle(bin), count as f64))
    };
    let mean = points().map(|(at, count)| at * count).sum::<f64>() / total;
    let square = points().map(|(at, count)| (at - mean).powi(2) * count);
    let mut spread = (square.sum::<f64>() / total).sqrt();
    if let Ok(quartiles) = histogram.quantiles(&[0.25, 0.75]) {
        let between = (axis.at(quartiles[1]) - axis.at(quartiles[0])) / 1.34;
        if between > 0.0 {
            spread = spread.min(between);
        }
    }
    (0.9 * spread * total.powf(-0.2)).max(WIDTH_MIN)
}

/// A peak and its valleys, as cells of the grid.
#[derive(Clone, Copy)]
struct Peak {
    at: usize,
    low: usize,
    high: usize,
}

/// The peaks of the grid smoothed over so many cells that are no chance.
fn peaks(grid: &[f64], width: f64, deviations: f64) -> Vec<Peak> {
    let density = smooth(grid, width);
    let total: f64 = grid.iter().sum();
    // The deviation of the root of a smoothed count does not depend on the count: 1/2 of the root
    // of what the kernel's square sums to. A difference of two has sqrt(2) of it.
    let kernel_square = 1.0 / (2.0 * std::f64::consts::PI.sqrt() * width);
    let root_rise = deviations * (kernel_square / 2.0).sqrt();
    let mut peaks = extremes(&density);
    while let Some(least) = least_peak(&peaks, &density, root_rise, grid, total) {
        merge_peak(&mut peaks, least, &density);
    }
    peaks
}

/// All peaks, each between its valleys.
fn extremes(density: &[f64]) -> Vec<Peak> {
    let mut peaks: Vec<Peak> = Vec::new();
    let mut valley = 0;
    let mut top = 0;
    let mut rising = true;
    for at in 1..density.len() {
        if rising {
            if density[at] > density[top] {
                top = at;
            } else if density[at] < density[top] {
                if let Some(last) = peaks.last_mut() {
                    last.high = valley;
                }
                let high = density.len();
                peaks.push(Peak {
                    at: top,
                    low: valley,
                    high,
                });
                rising = false;
                valley = at;
            }
        } else if density[at] <= density[valley] {
            valley = at;
        } else {
            rising = true;
            top = at;
        }
    }
    peaks
}

/// The peak that rises least above its higher valley, if that is too little.
fn least_peak(
    peaks: &[Peak],
    density: &[f64],
    root_rise: f64,
    grid: &[f64],
    total: f64,
) -> Option<usize> {
    if peaks.len() < 2 {
        return None;
    }
    let rise = |peak: &Peak| {
        let saddle = saddle(peak, density);
        density[peak.at].sqrt() - density[saddle].sqrt()
    };
    let (least, peak) = peaks
        .iter()
        .enumerate()
        .min_by(|(_, a), (_, b)| rise(a).total_cmp(&rise(b)))?;
    let shallow = density[saddle(peak, density)] > VALLEY_MAX * density[peak.at];
    if rise(peak) < root_rise || shallow {
        return Some(least);
    }
    let share = |peak: &Peak| grid[peak.low..peak.high].iter().sum::<f64>() / total;
    peaks.iter().position(|peak| share(peak) < SHARE_MIN)
}

/// The higher of a peak's valleys; the ends of the grid are none.
fn saddle(peak: &Peak, density: &[f64]) -> usize {
    let height = |at: usize| density.get(at).copied().unwrap_or(0.0);
    if height(peak.low) > height(peak.high) {
        peak.low
    } else {
        peak.high.min(density.len() - 1)
    }
}

/// Gives a peak's cells to the neighbour behind its higher valley.
fn merge_peak(peaks: &mut Vec<Peak>, at: usize, density: &[f64]) {
    let peak = peaks.remove(at);
    let below = saddle(&peak, density) == peak.low && at > 0 || at == peaks.len();
    let neighbour = if below { at - 1 } else { at };
    let neighbour = &mut peaks[neighbour];
    neighbour.low = neighbour.low.min(peak.low);
    neighbour.high = neighbour.high.max(peak.high);
    if density[peak.at] > density[neighbour.at] {
        neighbour.at = peak.at;
    }
}

/// The grid under a Gaussian of so many cells, as a density of counts a cell.
fn smooth(grid: &[f64], width: f64) -> Vec<f64> {
    let reach = (4.0 * width).ceil() as usize;
    let mut kernel: Vec<f64> = (0..=reach)
        .map(|away| (-0.5 * (away as f64 / width).powi(2)).exp())
        .collect();
    let sum = kernel[0] + 2.0 * kernel[1..].iter().sum::<f64>();
    for weight in &mut kernel {
        *weight /= sum;
    }
    let mut smoothed = vec![0.0; grid.len()];
    for (at, count) in grid.iter().enumerate().filter(|(_, count)| **count > 0.0) {
        let first = at.saturating_sub(reach);
        let last = (at + reach).min(grid.len() - 1);
        for (cell, value) in smoothed[first..=last].iter_mut().enumerate() {
            *value += count * kernel[(first + cell).abs_diff(at)];
        }
    }
    smoothed
}
