//! Histograms as values of the language.

use std::any::Any;
use std::fmt::Write;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use event::Number;
use foldhash::fast::FixedState;
use histogram::Histogram;

use crate::{Object, Value};

/// What `(class x)` gives.
pub const CLASS: &str = "cauchy.Histogram";

/// Cells of the shape in the printed form.
const SHAPE_CELLS: usize = 8;

/// The value of a histogram.
pub fn value(histogram: impl Into<Arc<Histogram>>) -> Value {
    Value::object(Shared(histogram.into()))
}

/// The histogram that a value is, if it is one.
pub fn of(value: &Value) -> Option<&Arc<Histogram>> {
    value.downcast::<Shared>().map(|shared| &shared.0)
}

/// Counts a number so many times: a whole one without rounding, a float of single precision as the
/// decimal that it was meant by.
pub fn insert(histogram: &mut Histogram, number: &Number, count: u64) {
    match number {
        Number::Int(int) => histogram.insert_scaled(*int, 0, count),
        Number::F32(float) => histogram.insert_n(meant_by(*float), count),
        number => histogram.insert_n(number.to_f64(), count),
    }
}

/// A number in the bin of the decimal that a float of single precision was made of: 0.7 is
/// 0.69999999 then, which would fall into the bin below. Half of the way to the next float is added,
/// which no decimal of up to seven digits is beyond.
pub fn meant_by(float: f32) -> f64 {
    let next = f32::from_bits(float.to_bits().wrapping_add(1));
    if float == 0.0 || !float.is_finite() || !next.is_finite() {
        return f64::from(float);
    }
    f64::midpoint(float.into(), next.into())
}

/// The shape, how many and some quantiles, in a line: `▂█▁ n=300 p50=0.12 p99=3.5 max=9.1`.
pub fn summary(histogram: &Histogram) -> String {
    let shape = histogram.sparkline(SHAPE_CELLS);
    let parting = if shape.is_empty() { "" } else { " " };
    format!("{shape}{parting}{}", event::summary(histogram))
}

struct Shared(Arc<Histogram>);

impl Object for Shared {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        CLASS
    }

    fn print(&self, out: &mut String, _: bool) {
        let _ = write!(out, "#histogram \"{}\"", summary(&self.0));
    }

    fn equals(&self, other: &dyn Object) -> bool {
        let other = other.as_any().downcast_ref::<Shared>();
        other.is_some_and(|other| Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0)
    }

    fn hash_code(&self) -> Option<u64> {
        let mut hasher = FixedState::default().build_hasher();
        for (bin, count) in self.0.bins() {
            (bin.val(), bin.exp(), count).hash(&mut hasher);
        }
        Some(hasher.finish())
    }
}

#[cfg(test)]
mod tests {
    use histogram::Bin;

    use super::*;

    #[test]
    fn floats_of_single_precision_fall_where_their_decimals_do() {
        for exp in -9..=9 {
            for digits in 10..=99 {
                let text = format!("{}.{}e{exp}", digits / 10, digits % 10);
                let single: f32 = text.parse().expect("a number");
                let double: f64 = text.parse().expect("a number");
                assert_eq!(Bin::of(meant_by(single)), Bin::of(double), "{text}");
                let below = f32::from_bits(single.to_bits() - 1);
                // A decimal just between two floats, as 4.3e9, could have been either.
                let lower = Bin::of(meant_by(below)) < Bin::of(double);
                assert!(lower || meant_by(below) == double, "below {text}");
                assert_eq!(Bin::of(meant_by(-single)), Bin::of(-double), "-{text}");
            }
        }
    }

    #[test]
    fn equal_histograms_hash_alike_whatever_they_held_before() {
        let a: Histogram = [1.5, 0.0, -3.0, f64::NAN].into_iter().collect();
        let mut b = a.clone();
        b.insert(1e30);
        b.remove(1e30, 1);
        let (a, b) = (value(a), value(b));
        assert_eq!(a, b);
        let hash = |value: &Value| FixedState::default().hash_one(value);
        assert_eq!(hash(&a), hash(&b));
    }
}
