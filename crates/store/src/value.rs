//! Samples: what is appended, and what is kept of it.

use std::sync::Arc;

use histogram::Histogram;

/// What was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// A number.
    Number(f64),
    /// A distribution.
    Histogram(&'a Histogram),
    /// A text, such as the new state at its change.
    Text(&'a str),
}

/// A value of a series at a time, as it is appended. Two samples that are equal in all are one.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// The series' host.
    pub host: Option<&'a str>,
    /// The series' service.
    pub service: Option<&'a str>,
    /// Fields and values that make the series more particular, always in the same order.
    pub by: &'a [(&'a str, &'a str)],
    /// When, in microseconds since 1970.
    pub time_us: i64,
    /// What.
    pub value: Value<'a>,
}

/// A value as it is kept. Numbers order by their bits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kept {
    /// The bits of a number.
    Number(u64),
    /// A histogram in OpenHistogram's binary form, its bins in order.
    Histogram(Arc<[u8]>),
    Text(Arc<str>),
}

/// A value at a time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Point {
    pub time_us: i64,
    pub kept: Kept,
}

impl Kept {
    pub fn of(value: Value) -> Kept {
        match value {
            Value::Number(number) => Kept::Number(number.to_bits()),
            Value::Histogram(histogram) => Kept::Histogram(histogram.encode().into()),
            Value::Text(text) => Kept::Text(text.into()),
        }
    }

    /// Bytes of memory beside the point itself.
    pub fn heap_bytes(&self) -> usize {
        match self {
            Kept::Number(_) => 0,
            Kept::Histogram(bytes) => bytes.len() + 16,
            Kept::Text(text) => text.len() + 16,
        }
    }

    /// Gives the value; a histogram that cannot be read is an empty one.
    pub fn with<R>(&self, take: impl FnOnce(Value) -> R) -> R {
        match self {
            Kept::Number(bits) => take(Value::Number(f64::from_bits(*bits))),
            Kept::Histogram(bytes) => {
                let histogram = Histogram::decode(bytes).unwrap_or_default();
                take(Value::Histogram(&histogram))
            }
            Kept::Text(text) => take(Value::Text(text)),
        }
    }
}
