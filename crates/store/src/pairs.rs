//! Tables that read two codes at once: how far to the next bin of a histogram, and its count.

use std::sync::OnceLock;

use crate::bits::{BitReader, BitWriter, rice_bits};

/// Bits that one look-up reads: five are in a word.
pub(crate) const LOOK_BITS: u32 = 11;

/// How many look-ups the bits of one [`BitReader::peek`] are enough for.
pub(crate) const LOOKS: usize = 5;

/// Parameters from here on have no table: few pairs would be short enough for it.
const KS: usize = 6;

/// For the next [`LOOK_BITS`] bits what they begin with; [`Pair::is_short`] says whether it is
/// whole.
pub(crate) type Pairs = [Pair; 1 << LOOK_BITS];

/// A distance to the next bin and its count: bits, 8; steps of places, 12; count, 12. All 0 if the
/// bits do not hold both.
#[derive(Clone, Copy, Default)]
pub(crate) struct Pair(u32);

impl Pair {
    #[inline]
    pub fn is_short(self) -> bool {
        self.0 != 0
    }

    #[inline]
    pub fn bits(self) -> u32 {
        self.0 & 0xff
    }

    #[inline]
    pub fn steps(self) -> i32 {
        (self.0 >> 8 & 0xfff) as i32
    }

    #[inline]
    pub fn count(self) -> u64 {
        u64::from(self.0 >> 20)
    }
}

static TABLES: [OnceLock<Box<Pairs>>; KS * KS] = [const { OnceLock::new() }; KS * KS];

/// The table for distances and counts coded with these parameters, if there is one.
pub(crate) fn pairs_of(gap_k: u32, count_k: u32) -> Option<&'static Pairs> {
    let (gap, count) = (gap_k as usize, count_k as usize);
    if gap >= KS || count >= KS {
        return None;
    }
    let table = TABLES[gap * KS + count].get_or_init(|| Box::new(make(gap_k, count_k)));
    Some(table)
}

fn make(gap_k: u32, count_k: u32) -> Pairs {
    let mut table = [Pair::default(); 1 << LOOK_BITS];
    for (bits, pair) in table.iter_mut().enumerate() {
        let mut writer = BitWriter::default();
        writer.write(bits as u64, LOOK_BITS);
        // What follows is not known: a code that reaches into it is too long.
        let bytes = writer.finish();
        let mut reader = BitReader::new(&bytes);
        let (gap, count) = (reader.rice(gap_k), reader.rice(count_k));
        let len = rice_bits(gap, gap_k) + rice_bits(count, count_k);
        if len <= u64::from(LOOK_BITS) {
            *pair = Pair(len as u32 | (gap as u32 + 1) << 8 | (count as u32 + 1) << 20);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_reads_what_the_codes_say() {
        let mut short = 0;
        for (gap_k, count_k) in [(0, 0), (1, 0), (0, 3), (5, 5), (2, 4)] {
            let table = pairs_of(gap_k, count_k).unwrap();
            for gap in 0..40 {
                for count in 0..40 {
                    let mut writer = BitWriter::default();
                    writer.rice(gap, gap_k);
                    writer.rice(count, count_k);
                    writer.write(u64::MAX, 64);
                    let bytes = writer.finish();
                    let bits = BitReader::new(&bytes).read(LOOK_BITS);
                    let pair = table[bits as usize];
                    let len = rice_bits(gap, gap_k) + rice_bits(count, count_k);
                    assert_eq!(pair.is_short(), len <= u64::from(LOOK_BITS));
                    if pair.is_short() {
                        assert_eq!(u64::from(pair.bits()), len);
                        assert_eq!(pair.steps(), gap as i32 + 1);
                        assert_eq!(pair.count(), count + 1);
                        short += 1;
                    }
                }
            }
        }
        assert!(short > 100, "{short}");
        assert!(pairs_of(6, 0).is_none() && pairs_of(0, 62).is_none());
    }
}
