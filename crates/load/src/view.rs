//! The last line of a terminal while a load runs.

/// Heights of a cell.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Cells of the progress bar, and of the rates beside it.
const PROGRESS_CELLS: usize = 20;
const RATE_CELLS: usize = 30;

/// How far the load is, and the rates of the last seconds. `done` is from 0 to 1.
///
/// ```
/// let line = load::progress("warm-up", 0.5, &[1.0, 2.0, 4.0]);
/// assert_eq!(line, "warm-up [##########----------]  50 %  ▂▄█");
/// ```
pub fn progress(phase: &str, done: f64, rates: &[f64]) -> String {
    let done = done.clamp(0.0, 1.0);
    let full = (done * PROGRESS_CELLS as f64) as usize;
    let bar = "#".repeat(full) + &"-".repeat(PROGRESS_CELLS - full);
    let last = &rates[rates.len().saturating_sub(RATE_CELLS)..];
    let highest = last.iter().copied().fold(0.0, f64::max);
    let spark: String = last
        .iter()
        .map(|rate| {
            let height = (rate / highest * 8.0).ceil().clamp(1.0, 8.0);
            BARS[height as usize - 1]
        })
        .collect();
    format!("{phase} [{bar}] {:>3.0} %  {spark}", done * 100.0)
}
