//! Histograms as values of the language.

use std::any::Any;
use std::fmt::Write;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use event::Number;
use foldhash::fast::FixedState;
use histogram::{Bin, Histogram};

use crate::{Object, Value};

/// What `(class x)` gives.
pub const CLASS: &str = "cauchy.Histogram";

/// Cells of the shape in the printed form.
const SHAPE_CELLS: usize = 8;

/// The quantiles of the printed form, as they are called there.
const SHOWN: [(f64, &str); 3] = [(0.5, "p50"), (0.99, "p99"), (1.0, "max")];

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
/// 0.69999999 then, which would fall into the bin below. Half a step of such a float is added, which
/// no decimal of up to seven digits is beyond.
pub fn meant_by(float: f32) -> f64 {
    const HALF_STEP: f64 = 1.0 / (1 << f32::MANTISSA_DIGITS) as f64;
    f64::from(float) * (1.0 + HALF_STEP)
}

/// The shape, how many and some quantiles, in a line: `▂█▁ n=300 p50=0.12 p99=3.5 max=9.1`.
pub fn summary(histogram: &Histogram) -> String {
    let mut line = histogram.sparkline(SHAPE_CELLS);
    if !line.is_empty() {
        line.push(' ');
    }
    let _ = write!(line, "n={}", histogram.count());
    if histogram.count() > 0 {
        for (q, name) in SHOWN {
            let _ = write!(line, " {name}={}", two_digits(histogram.quantile(q)));
        }
    }
    if histogram.nan_count() > 0 {
        let _ = write!(line, " nan={}", histogram.nan_count());
    }
    line
}

/// A number as its bin knows it: to two digits.
fn two_digits(number: f64) -> String {
    let text = Number::F64(Bin::of(number).edge()).to_text();
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
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
    use super::*;

    #[test]
    fn numbers_are_shown_as_bins_know_them() {
        assert_eq!(two_digits(0.123_456), "0.12");
        assert_eq!(two_digits(1_234.5), "1200");
        assert_eq!(two_digits(-9.96), "-9.9");
        assert_eq!(two_digits(1.26e100), "1.2E100");
    }

    #[test]
    fn floats_of_single_precision_fall_where_their_decimals_do() {
        for exp in -9..=9 {
            for digits in 10..=99 {
                let text = format!("{}.{}e{exp}", digits / 10, digits % 10);
                let single: f32 = text.parse().expect("a number");
                let double: f64 = text.parse().expect("a number");
                assert_eq!(Bin::of(meant_by(single)), Bin::of(double), "{text}");
                let below = f32::from_bits(single.to_bits() - 1);
                assert!(Bin::of(meant_by(below)) < Bin::of(double), "below {text}");
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
