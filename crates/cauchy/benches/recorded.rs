//! Figures for `cargo xtask bench`, beside the table that a bench prints for its reader.

use std::fs::OpenOptions;
use std::io::Write;

/// Names the file that figures are appended to: a line each, name and value parted by a tab.
const FILE_VARIABLE: &str = "CAUCHY_BENCH_FIGURES";

/// Notes a figure, if somebody collects them.
pub fn record(name: &str, value: f64) {
    let Some(path) = std::env::var_os(FILE_VARIABLE) else {
        return;
    };
    let file = OpenOptions::new().create(true).append(true).open(path);
    let mut file = file.expect("the file of figures opens");
    writeln!(file, "{name}\t{value}").expect("the file of figures takes a line");
}
