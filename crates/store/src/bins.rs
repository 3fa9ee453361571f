//! A column of histograms: for each its bins as distances, and their counts, in Rice codes.

use histogram::{Bin, Histogram};

use crate::bits::{BitReader, BitWriter, rice_k, unzigzag, zigzag};

/// Bins of one sign: 90 of two digits for each of 256 powers of ten.
const SIDE: i32 = 256 * 90;

/// The most bins a histogram has: both signs, zero and NaN.
const BINS_MAX: u64 = 2 * SIDE as u64 + 2;

/// How many places there are, and which of them is zero's, counted from NaN's.
pub(crate) const PLACES: usize = 2 * SIDE as usize + 2;
pub(crate) const ZERO_PLACE: i32 = SIDE + 1;

/// The place of a bin in the order of all: NaN, then from the least number to the greatest.
fn place_of(bin: Bin) -> i32 {
    if bin.is_nan() {
        return -SIDE - 1;
    }
    if bin.is_zero() {
        return 0;
    }
    let digits = i32::from(bin.val().unsigned_abs()) - 10;
    let place = (i32::from(bin.exp()) + 128) * 90 + digits + 1;
    if bin.val() < 0 { -place } else { place }
}

/// The bin at a place.
#[inline]
pub(crate) fn bin_at(place: i32) -> Option<Bin> {
    if place == -SIDE - 1 {
        return Some(Bin::NAN);
    }
    if place == 0 {
        return Some(Bin::ZERO);
    }
    let from = place.unsigned_abs() - 1;
    let val = i8::try_from(from % 90 + 10).ok()?;
    let exp = i8::try_from(i64::from(from / 90) - 128).ok()?;
    Bin::new(if place < 0 { -val } else { val }, exp)
}

/// The parameters of the codes: of the number of bins, the first bin, distances, counts.
struct Parameters([u32; 4]);

/// Numbers to be coded, and by which parameter.
#[derive(Default)]
struct Codes([Vec<u64>; 4]);

const LEN: usize = 0;
const FIRST: usize = 1;
const GAP: usize = 2;
const COUNT: usize = 3;

/// Writes histograms.
pub(crate) fn write_histograms(writer: &mut BitWriter, histograms: &[Histogram]) {
    let parameters = Parameters::of(histograms);
    for k in parameters.0 {
        writer.write(u64::from(k), 6);
    }
    walk(histograms, |which, number| {
        writer.rice(number, parameters.0[which])
    });
}

impl Parameters {
    fn of(histograms: &[Histogram]) -> Parameters {
        let mut codes = Codes::default();
        walk(histograms, |which, number| codes.0[which].push(number));
        Parameters(codes.0.map(|mut numbers| rice_k(&mut numbers)))
    }
}

fn walk(histograms: &[Histogram], mut code: impl FnMut(usize, u64)) {
    for histogram in histograms {
        code(LEN, histogram.bin_count() as u64);
    }
    let mut first = 0;
    for histogram in histograms {
        let mut last = None;
        for (bin, count) in histogram.bins() {
            let place = place_of(bin);
            match last {
                None => {
                    code(FIRST, zigzag(i64::from(place - first)));
                    first = place;
                }
                Some(last) => code(GAP, i64::from(place - last - 1) as u64),
            }
            last = Some(place);
            code(COUNT, count - 1);
        }
    }
}

/// Where the bins go that are read.
pub(crate) trait TakeBins {
    /// How many bins each of them has; called once, first.
    fn lens(&mut self, _lens: &[u64]) {}

    /// The bins of this histogram follow.
    fn begin(&mut self, index: usize);

    /// The bin at a place that there is.
    fn add(&mut self, place: i32, count: u64);
}

/// Adds to one histogram after the other.
impl<'h, I: Iterator<Item = &'h mut Histogram>> TakeBins for (I, Option<&'h mut Histogram>) {
    fn begin(&mut self, _index: usize) {
        self.1 = self.0.next();
    }

    fn add(&mut self, place: i32, count: u64) {
        if let (Some(histogram), Some(bin)) = (&mut self.1, bin_at(place)) {
            histogram.add(bin, count);
        }
    }
}

/// The place, if a bin has it.
#[inline]
fn checked(place: i32) -> Option<i32> {
    (-ZERO_PLACE..=SIDE).contains(&place).then_some(place)
}

/// Reads as many histograms.
pub(crate) fn read_histograms(
    reader: &mut BitReader,
    count: usize,
    into: &mut impl TakeBins,
) -> Option<()> {
    let ks = [0; 4].map(|_: u32| reader.read(6) as u32);
    if ks.iter().any(|k| *k > 62) {
        return None;
    }
    let mut lens = Vec::with_capacity(count);
    for _ in 0..count {
        let len = reader.rice(ks[LEN]);
        if len > BINS_MAX || reader.is_past_end() {
            return None;
        }
        lens.push(len);
    }
    into.lens(&lens);
    let mut first: i32 = 0;
    for (index, len) in lens.into_iter().enumerate() {
        into.begin(index);
        if len == 0 {
            continue;
        }
        if reader.is_past_end() {
            return None;
        }
        let far = i32::try_from(unzigzag(reader.rice(ks[FIRST]))).ok()?;
        first = first.checked_add(far)?;
        let mut place = first;
        into.add(checked(place)?, reader.rice(ks[COUNT]).saturating_add(1));
        for _ in 1..len {
            let gap = i32::try_from(reader.rice(ks[GAP])).ok()?;
            place = place.checked_add(gap)?.checked_add(1)?;
            into.add(checked(place)?, reader.rice(ks[COUNT]).saturating_add(1));
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_bin_has_its_place() {
        let mut last = None;
        for place in -SIDE - 1..=SIDE {
            let bin = bin_at(place).unwrap();
            assert_eq!(place_of(bin), place);
            assert!(last < Some(place));
            last = Some(place);
        }
        assert!(bin_at(SIDE + 1).is_none());
        assert!(bin_at(i32::MIN).is_none());
    }

    proptest! {
        #[test]
        fn histograms_come_back(lists in prop::collection::vec(
            prop::collection::vec((any::<f64>(), 1..u64::MAX), 0..20), 0..10))
        {
            let histograms: Vec<Histogram> = lists.into_iter().map(|list| {
                let mut histogram = Histogram::new();
                for (number, count) in list {
                    histogram.insert_n(number, count);
                }
                histogram
            }).collect();
            let mut writer = BitWriter::default();
            write_histograms(&mut writer, &histograms);
            let bytes = writer.finish();
            let mut read = vec![Histogram::new(); histograms.len()];
            let mut reader = BitReader::new(&bytes);
            let mut into = (read.iter_mut(), None);
            let done = read_histograms(&mut reader, histograms.len(), &mut into);
            prop_assert!(done.is_some());
            prop_assert_eq!(read, histograms);
        }
    }
}
