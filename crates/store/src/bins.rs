//! A column of histograms: for each its bins as distances, and their counts, in Rice codes.

use histogram::{Bin, Histogram};

use crate::bits::{BitReader, BitWriter, rice_k, unzigzag, zigzag};
use crate::dense::Dense;
use crate::pairs::{LOOKS, Pairs, pairs_of};

/// Bins of one sign: 90 of two digits for each of 256 powers of ten.
pub(crate) const SIDE: i32 = 256 * 90;

/// The most bins a histogram has: both signs, zero and NaN.
const BINS_MAX: u64 = 2 * SIDE as u64 + 2;

/// The place of a bin in the order of all: NaN, then from the least number to the greatest.
#[inline]
pub(crate) fn place_of(bin: Bin) -> i32 {
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

/// Reads one histogram after the other.
pub(crate) struct Histograms<'r, 'b> {
    reader: &'r mut BitReader<'b>,
    ks: [u32; 4],
    /// How many bins each of them has.
    pub lens: Vec<u64>,
    next: usize,
    /// The first place of the histogram before.
    first: i32,
    pairs: Option<&'static Pairs>,
}

/// Fewer bins are read without a table, which would have to be made.
const TABLE_BINS: u64 = 512;

impl<'r, 'b> Histograms<'r, 'b> {
    /// Begins to read as many histograms.
    pub fn begin(reader: &'r mut BitReader<'b>, count: usize) -> Option<Histograms<'r, 'b>> {
        let ks = [0; 4].map(|_: u32| reader.read(6) as u32);
        if ks.iter().any(|k| *k > 62) {
            return None;
        }
        let mut lens = Vec::with_capacity(count);
        let mut bins: u64 = 0;
        for _ in 0..count {
            let len = reader.rice(ks[LEN]);
            if len > BINS_MAX || reader.is_past_end() {
                return None;
            }
            bins += len;
            lens.push(len);
        }
        let pairs = (bins >= TABLE_BINS).then(|| pairs_of(ks[GAP], ks[COUNT]));
        Some(Histograms {
            reader,
            ks,
            lens,
            next: 0,
            first: 0,
            pairs: pairs.flatten(),
        })
    }

    /// Gives the places and counts of the next histogram; `None` if the bytes are none, after what
    /// could be read. A place may be one that no bin has: the histogram is then none.
    #[inline]
    pub fn next(&mut self, mut add: impl FnMut(i32, u64)) -> Option<()> {
        let len = self.lens[self.next];
        self.next += 1;
        if len == 0 {
            return Some(());
        }
        if self.reader.is_past_end() {
            return None;
        }
        let far = i32::try_from(unzigzag(self.reader.rice(self.ks[FIRST]))).ok()?;
        self.first = checked(self.first.checked_add(far)?)?;
        let count = self.reader.rice(self.ks[COUNT]).saturating_add(1);
        add(self.first, count);
        let last = match self.pairs {
            Some(pairs) => self.read_pairs(pairs, len - 1, add)?,
            None => {
                let mut place = self.first;
                for _ in 1..len {
                    place = self.read_pair(place, &mut add)?;
                }
                place
            }
        };
        checked(last)?;
        Some(())
    }

    /// Reads the bins after the first one; gives the last place.
    #[inline]
    fn read_pairs(
        &mut self,
        pairs: &Pairs,
        bins: u64,
        mut add: impl FnMut(i32, u64),
    ) -> Option<i32> {
        let mut place = self.first;
        let mut left = bins;
        while left > 0 {
            let mut word = self.reader.peek();
            let mut looks = left.min(LOOKS as u64);
            let mut bits = 0;
            while looks > 0 {
                let pair = pairs[word as usize & (pairs.len() - 1)];
                if !pair.is_short() {
                    break;
                }
                place += pair.steps();
                add(place, pair.count());
                word >>= pair.bits();
                bits += pair.bits();
                looks -= 1;
                left -= 1;
            }
            self.reader.skip(bits);
            if looks > 0 {
                place = self.read_pair(place, &mut add)?;
                left -= 1;
            }
        }
        Some(place)
    }

    fn read_pair(&mut self, place: i32, add: &mut impl FnMut(i32, u64)) -> Option<i32> {
        let gap = i32::try_from(self.reader.rice(self.ks[GAP])).ok()?;
        let place = checked(place.checked_add(gap)?.checked_add(1)?)?;
        add(place, self.reader.rice(self.ks[COUNT]).saturating_add(1));
        Some(place)
    }
}

/// The place, if a bin has it.
#[inline]
fn checked(place: i32) -> Option<i32> {
    (-SIDE - 1..=SIDE).contains(&place).then_some(place)
}

/// Reads as many histograms.
pub(crate) fn read_histograms<'h>(
    reader: &mut BitReader,
    into: impl ExactSizeIterator<Item = &'h mut Histogram>,
) -> Option<()> {
    let mut histograms = Histograms::begin(reader, into.len())?;
    let mut dense = Dense::default();
    for histogram in into {
        histograms.next(|place, count| dense.add(place, count))?;
        dense.drain_into(histogram);
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
            prop_assert!(read_histograms(&mut reader, read.iter_mut()).is_some());
            prop_assert_eq!(read, histograms);
        }
    }
}
