//! How far apart two distributions are.

use crate::bin::Bin;
use crate::histogram::Histogram;

/// What [`Histogram::compare`] finds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// Earth mover's distance: by how much, on average, a number would have to be moved.
    pub distance: f64,
    /// How much of it is upwards: the difference of the means, of numbers spread over their bins.
    pub shift: f64,
    /// The greatest difference between the shares of numbers below a threshold, 0 to 1.
    pub gap: f64,
    /// The threshold where it is.
    pub gap_at: f64,
    /// The chance of such a gap between two draws from one distribution (Kolmogorov and Smirnov's
    /// test, an upper bound as bins hide ties): small means that the distribution changed.
    pub chance: f64,
}

impl Histogram {
    /// Earth mover's distance to another histogram, each scaled to one: the area between the two
    /// shares-below, in the unit of the numbers. NaN if one has no numbers.
    ///
    /// Numbers are taken as spread evenly over their bins. Each is off by at most its bin's width,
    /// so the answer by at most a tenth of the mean magnitude of both.
    pub fn distance(&self, other: &Histogram) -> f64 {
        self.compare(other).distance
    }

    /// Compares with a baseline. All is NaN if one has no numbers.
    pub fn compare(&self, baseline: &Histogram) -> Comparison {
        let (ours, theirs) = (total(self), total(baseline));
        let mut found = Comparison {
            distance: 0.0,
            shift: 0.0,
            gap: 0.0,
            gap_at: f64::NAN,
            chance: f64::NAN,
        };
        if ours == 0.0 || theirs == 0.0 {
            (found.distance, found.shift, found.gap) = (f64::NAN, f64::NAN, f64::NAN);
            return found;
        }
        let mut lead = 0.0;
        for step in steps(self, ours, baseline, theirs) {
            let next = lead + step.gain;
            found.distance += area(lead, next) * step.width;
            found.shift -= (lead + next) / 2.0 * step.width;
            lead = next;
            if lead.abs() > found.gap {
                (found.gap, found.gap_at) = (lead.abs(), step.end);
            }
        }
        found.chance = chance_of_gap(found.gap, ours, theirs);
        found
    }
}

/// A stretch of the axis: how much of the one share comes in more than of the other, evenly.
struct Step {
    width: f64,
    end: f64,
    gain: f64,
}

/// The axis cut at the ends of all bins of either, ascending.
fn steps(a: &Histogram, a_total: f64, b: &Histogram, b_total: f64) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut a = a.number_bins().peekable();
    let mut b = b.number_bins().peekable();
    let mut last_end = None;
    loop {
        let bin = match (a.peek(), b.peek()) {
            (Some((a, _)), Some((b, _))) => *a.min(b),
            (Some((bin, _)), None) | (None, Some((bin, _))) => *bin,
            (None, None) => return steps,
        };
        let mut gain = 0.0;
        if let Some((_, count)) = a.next_if(|(at, _)| *at == bin) {
            gain += count as f64 / a_total;
        }
        if let Some((_, count)) = b.next_if(|(at, _)| *at == bin) {
            gain -= count as f64 / b_total;
        }
        push_gap(&mut steps, last_end, bin);
        steps.push(Step {
            width: bin.width(),
            end: bin.right(),
            gain,
        });
        last_end = Some(bin.right());
    }
}

/// Between the bins nothing comes in.
fn push_gap(steps: &mut Vec<Step>, last_end: Option<f64>, bin: Bin) {
    if let Some(end) = last_end
        && bin.left() > end
    {
        steps.push(Step {
            width: bin.left() - end,
            end: bin.left(),
            gain: 0.0,
        });
    }
}

fn total(histogram: &Histogram) -> f64 {
    histogram.number_bins().map(|(_, count)| count as f64).sum()
}

/// The mean magnitude of a line from one height to another.
fn area(from: f64, to: f64) -> f64 {
    if from * to >= 0.0 {
        (from + to).abs() / 2.0
    } else {
        (from * from + to * to) / (2.0 * (from - to).abs())
    }
}

/// The tail of Kolmogorov's distribution, with Stephens' correction for few numbers.
fn chance_of_gap(gap: f64, n: f64, m: f64) -> f64 {
    let effective = (n * m / (n + m)).sqrt();
    let lambda = (effective + 0.12 + 0.11 / effective) * gap;
    if lambda < 0.2 {
        return 1.0;
    }
    let mut sum = 0.0;
    for term in 1..=100 {
        let term = f64::from(term);
        let value = (-2.0 * (term * lambda).powi(2)).exp();
        sum += if term % 2.0 == 1.0 { value } else { -value };
        if value < 1e-16 {
            break;
        }
    }
    (2.0 * sum).clamp(0.0, 1.0)
}
