//! Samples that are in no block yet.

use crate::series::SeriesId;
use crate::value::{Kept, Point};

/// Samples that are in no block yet, by series.
#[derive(Default)]
pub(crate) struct Head {
    series: Vec<SeriesHead>,
    /// Memory of the samples, about.
    pub bytes: usize,
    pub samples: u64,
    /// When a tick first found samples here.
    pub since_us: Option<i64>,
}

/// Numbers apart from the rest: most samples are, in half the memory.
#[derive(Default)]
struct SeriesHead {
    numbers: Vec<(i64, u64)>,
    rest: Vec<Point>,
}

impl Head {
    #[inline]
    pub fn push(&mut self, series: SeriesId, point: Point) {
        let at = series as usize;
        if self.series.len() <= at {
            self.series.resize_with(at + 1, SeriesHead::default);
        }
        let head = &mut self.series[at];
        self.samples += 1;
        match point.kept {
            Kept::Number(bits) => {
                self.bytes += size_of::<(i64, u64)>();
                head.numbers.push((point.time_us, bits));
            }
            _ => {
                self.bytes += size_of::<Point>() + point.kept.heap_bytes();
                head.rest.push(point);
            }
        }
    }

    /// How many series there may be.
    pub fn series_end(&self) -> SeriesId {
        self.series.len() as SeriesId
    }

    /// Adds the samples of a series in a stretch of time, its end excluded, in no order.
    pub fn copy(&self, series: SeriesId, from_us: i64, to_us: i64, into: &mut Vec<Point>) {
        let Some(head) = self.series.get(series as usize) else {
            return;
        };
        let is_in = |time_us: i64| from_us <= time_us && time_us < to_us;
        let numbers = head.numbers.iter().filter(|(time_us, _)| is_in(*time_us));
        into.extend(numbers.map(|&(time_us, bits)| Point {
            time_us,
            kept: Kept::Number(bits),
        }));
        let rest = head.rest.iter().filter(|point| is_in(point.time_us));
        into.extend(rest.cloned());
    }

    /// The times of all samples.
    pub fn times(&self) -> impl Iterator<Item = i64> {
        self.series.iter().flat_map(|head| {
            let numbers = head.numbers.iter().map(|number| number.0);
            numbers.chain(head.rest.iter().map(|point| point.time_us))
        })
    }
}

/// Puts samples in order, each once.
pub(crate) fn settle(points: &mut Vec<Point>) {
    points.sort();
    points.dedup();
}
