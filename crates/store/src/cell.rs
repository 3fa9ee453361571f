//! What is kept of a stretch of time: enough to ask any quantile of it later.

use std::sync::Arc;

use histogram::Histogram;

use crate::value::{Kept, Point, Value};

/// What is kept of the samples of a stretch of time.
///
/// A histogram sample counts as many as it holds; its sum, least and greatest are those that its
/// bins give. Numbers are exact but for the histogram, which knows them to two digits.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// How many were measured.
    pub count: u64,
    /// Their sum.
    pub sum: f64,
    /// The least; meaningless without any.
    pub min: f64,
    /// The greatest; meaningless without any.
    pub max: f64,
    /// The last number, or the mean of the last histogram.
    pub last: f64,
    /// When that was, in microseconds since 1970.
    pub last_us: i64,
    /// All of them, to two digits.
    pub histogram: Histogram,
    /// The last text and its time.
    pub text: Option<(i64, Arc<str>)>,
}

impl Default for Cell {
    /// A cell of nothing.
    fn default() -> Cell {
        Cell {
            count: 0,
            sum: 0.0,
            min: 0.0,
            max: 0.0,
            last: 0.0,
            last_us: i64::MIN,
            histogram: Histogram::new(),
            text: None,
        }
    }
}

impl Cell {
    /// Adds what another cell holds, of this series or of another one.
    pub fn merge(&mut self, other: &Cell) {
        if other.count > 0 {
            self.take(other.count, other.sum, (other.min, other.max));
        }
        if !other.histogram.is_empty() {
            self.take_last(other.last_us, other.last);
            self.histogram.merge(&other.histogram);
        }
        if let Some((time_us, text)) = &other.text {
            self.take_text(*time_us, text);
        }
    }

    /// The sum divided by the count; NaN without any.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.sum / self.count as f64
    }

    pub(crate) fn add(&mut self, point: &Point) {
        match &point.kept {
            Kept::Text(text) => self.take_text(point.time_us, text),
            kept => kept.with(|value| self.add_value(point.time_us, value)),
        }
    }

    fn add_value(&mut self, time_us: i64, value: Value) {
        match value {
            Value::Number(number) => {
                self.take(1, number, (number, number));
                self.take_last(time_us, number);
                self.histogram.insert(number);
            }
            Value::Histogram(histogram) => {
                let count = histogram.count();
                if let Some(range) = histogram.range() {
                    self.take(count, histogram.sum(), range);
                }
                if !histogram.is_empty() {
                    self.take_last(time_us, histogram.mean());
                    self.histogram.merge(histogram);
                }
            }
            Value::Text(_) => {}
        }
    }

    /// Empties the cell and keeps its memory.
    pub(crate) fn clear(&mut self) {
        let mut histogram = std::mem::take(&mut self.histogram);
        histogram.clear();
        *self = Cell {
            histogram,
            ..Cell::default()
        };
    }

    pub(crate) fn take(&mut self, count: u64, sum: f64, (min, max): (f64, f64)) {
        if self.count == 0 {
            (self.min, self.max) = (min, max);
        }
        self.count = self.count.saturating_add(count);
        self.sum += sum;
        self.min = self.min.min(min);
        self.max = self.max.max(max);
    }

    pub(crate) fn take_last(&mut self, time_us: i64, last: f64) {
        // Of several at the same time the first counts.
        if time_us > self.last_us || self.last_us == i64::MIN {
            (self.last_us, self.last) = (time_us, last);
        }
    }

    pub(crate) fn take_text(&mut self, time_us: i64, text: &Arc<str>) {
        if self.text.as_ref().is_none_or(|held| held.0 <= time_us) {
            self.text = Some((time_us, Arc::clone(text)));
        }
    }
}
