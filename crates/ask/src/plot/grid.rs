//! Bins over time on a grid: what a heatmap is drawn of.

use super::axis::Scale;
use super::panel::Bin;

/// How many were measured in each cell; row 0 is the lowest.
#[derive(Debug)]
pub struct Grid {
    pub columns: usize,
    pub rows: usize,
    pub scale: Scale,
    counts: Vec<f64>,
    most: f64,
}

impl Grid {
    /// Spreads each bin evenly over the rows that it covers. A step covers the columns of its time.
    pub fn new(
        steps: &[(i64, Vec<Bin>)],
        (from_us, to_us, step_us): (i64, i64, i64),
        (columns, rows): (usize, usize),
    ) -> Grid {
        let all = || steps.iter().flat_map(|(_, bins)| bins);
        let low = all().map(|bin| bin.0).fold(f64::INFINITY, f64::min);
        let high = all().map(|bin| bin.1).fold(f64::NEG_INFINITY, f64::max);
        let mut grid = Grid {
            columns,
            rows,
            scale: Scale::of_bins(low, high),
            counts: vec![0.0; columns * rows],
            most: 0.0,
        };
        let range_us = (to_us - from_us).max(1) as f64;
        let column = |us: i64| {
            let at = (us - from_us) as f64 / range_us * columns as f64;
            at.clamp(0.0, columns as f64)
        };
        for (start_us, bins) in steps {
            let ends = (column(*start_us), column(start_us.saturating_add(step_us)));
            for bin in bins {
                grid.add(ends, *bin);
            }
        }
        grid.most = grid.counts.iter().copied().fold(0.0, f64::max);
        grid
    }

    fn add(&mut self, (left, right): (f64, f64), (low, high, count): Bin) {
        let rows = self.rows as f64;
        let (bottom, top) = (
            self.scale.height(low) * rows,
            self.scale.height(high) * rows,
        );
        let wide = shares(left, right, self.columns);
        for (row, tall) in shares(bottom, top, self.rows) {
            for (column, wide) in wide.clone() {
                self.counts[row * self.columns + column] += count * tall * wide;
            }
        }
    }

    /// How full a cell is: 0 if empty, else up to 1, by the logarithm of the count.
    pub fn fullness(&self, column: usize, row: usize) -> f64 {
        let count = self.counts[row * self.columns + column];
        // A cell that holds less than a hundred-thousandth of the fullest is as good as empty.
        let floor = self.most / 1e5;
        if count <= floor {
            return 0.0;
        }
        (1.0 + (count / self.most).log10() / 5.0).max(0.05)
    }
}

/// The cells from one place to another, and which share of the stretch is in each.
fn shares(from: f64, to: f64, cells: usize) -> impl Iterator<Item = (usize, f64)> + Clone {
    let last = cells.saturating_sub(1);
    let first_cell = (from.max(0.0) as usize).min(last);
    let last_cell = ((to.ceil().max(1.0) as usize) - 1).clamp(first_cell, last);
    let length = to - from;
    (first_cell..=last_cell).map(move |cell| {
        if first_cell == last_cell || length <= 0.0 {
            return (cell, 1.0);
        }
        let inside = to.min(cell as f64 + 1.0) - from.max(cell as f64);
        (cell, inside.max(0.0) / length)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_on_the_grid() {
        let steps = [
            (0, vec![(1.0, 1.1, 10.0), (50.0, 51.0, 4.0)]),
            (10, vec![(2.0, 2.1, 6.0)]),
        ];
        let grid = Grid::new(&steps, (0, 20, 10), (8, 6));
        let sum: f64 = grid.counts.iter().sum();
        assert!((sum - 20.0).abs() < 1e-9, "{sum}");
        assert!(grid.fullness(0, 0) > 0.9 && grid.fullness(0, 5) > 0.5);
        assert_eq!(grid.fullness(7, 5), 0.0);
    }
}
