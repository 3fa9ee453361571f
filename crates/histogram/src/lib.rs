//! Log-linear histograms: a distribution as a value that merges without error.
//!
//! A number is kept to its first two significant digits, as OpenHistogram keeps it, bin by bin, so
//! that data may come from there and go there. Counts are exact; what is estimated from the bins
//! states its bound. Start at [`Histogram`].
//!
//! It never loses a count, reads a clock or does I/O, and no input makes a decoder panic.

mod bin;
mod binary;
mod count;
mod histogram;
mod moments;
mod power;
mod quantile;
mod side;

pub use bin::Bin;
pub use binary::DecodeError;
pub use histogram::Histogram;
pub use quantile::{QuantileError, QuantileKind};
