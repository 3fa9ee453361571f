//! Events: what every part of Cauchy takes and gives.
//!
//! An [`Event`] is owned and immutable: one block of memory, shared by reference count. A [`View`]
//! is the same event still in the buffer it was received in. Both are read through [`Fields`], so a
//! predicate or an index does not care which it was given. Numbers keep their kind ([`Number`]),
//! times are microseconds that remember how they were written ([`Time`]).
//!
//! This crate never does I/O and never reads a clock.

mod attr;
mod decimal;
mod event;
mod fields;
mod number;
mod packed;
mod patch;
mod receive;
mod time;
mod view;

pub use attr::{Attr, Foreign};
pub use decimal::{Decimal, Rounding};
pub use event::{Draft, Event};
pub use fields::{Field, FieldRef, Fields, Tags};
pub use number::{DivideByZero, Number, Overflow};
pub use packed::{HISTOGRAM_BYTES_MAX, HistogramError, HistogramRef, PackedHistogram, summary};
pub use patch::Patch;
pub use time::{Time, TimeKind};
pub use view::{Scalar, View, Views};
