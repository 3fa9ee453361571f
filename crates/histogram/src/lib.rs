//! Log-linear histograms: a distribution as a value that merges without error.
//!
//! A number is kept to its first two significant digits, as OpenHistogram keeps it, bin by bin, so
//! that data may come from there and go there. Counts are exact; what is estimated from the bins
//! states its bound. Start at [`Histogram`].
//!
//! It never loses a count, reads a clock or does I/O, and no input makes a decoder panic.

mod axis;
mod bin;
mod binary;
mod binomial;
mod count;
mod distance;
mod histogram;
mod modality;
mod moments;
mod power;
mod quantile;
mod range;
mod recorder;
mod reduce;
mod side;
mod sparkline;
mod text;

pub use bin::Bin;
pub use binary::{DecodeError, each_encoded};
pub use distance::Comparison;
pub use histogram::Histogram;
pub use modality::Mode;
pub use quantile::{QuantileError, QuantileKind};
pub use range::{Placement, Range};
pub use recorder::Recorder;
pub use text::TextError;
