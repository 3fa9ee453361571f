//! Bits in a row, the lowest first, and the few codes that all columns are made of.
//!
//! Reading past the end gives zeros; [`BitReader::finish`] says whether that happened.

/// Ones of a Rice code after which the number follows as it is.
const ONES_MAX: u32 = 24;

/// Bits that one look at the next ones gives at least.
const PEEK_BITS: u32 = 57;

/// Writes bits.
#[derive(Default)]
pub(crate) struct BitWriter {
    bytes: Vec<u8>,
    /// Invariant: the lowest `held` bits are not in `bytes` yet, all others are 0; `held` < 8
    /// between two calls.
    pending: u128,
    held: u32,
}

impl BitWriter {
    /// Writes the lowest `width` bits of a number that has no others.
    pub fn write(&mut self, number: u64, width: u32) {
        debug_assert!(width == 64 || number >> width == 0);
        self.pending |= u128::from(number) << self.held;
        self.held += width;
        while self.held >= 8 {
            self.bytes.push(self.pending as u8);
            self.pending >>= 8;
            self.held -= 8;
        }
    }

    /// Seven bits at a time, the eighth says that more follow.
    pub fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.write(number & 0x7f | 0x80, 8);
            number >>= 7;
        }
        self.write(number, 8);
    }

    /// A varint of a number that may be negative.
    pub fn signed(&mut self, number: i64) {
        self.varint(zigzag(number));
    }

    /// Golomb's code with a power of two, as Rice has it: `number >> k` ones, a zero, `k` bits.
    pub fn rice(&mut self, number: u64, k: u32) {
        let ones = number >> k;
        if ones < u64::from(ONES_MAX) {
            self.write((1 << ones) - 1, ones as u32 + 1);
            self.write(number & ((1 << k) - 1), k);
        } else {
            let len = 64 - number.leading_zeros();
            self.write((1 << ONES_MAX) - 1, ONES_MAX);
            self.write(u64::from(len - 1), 6);
            self.write(number, len);
        }
    }

    /// Bytes, beginning at a whole byte.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.align();
        self.bytes.extend_from_slice(bytes);
    }

    /// Fills up the last byte.
    pub fn align(&mut self) {
        if self.held > 0 {
            self.write(0, 8 - self.held);
        }
    }

    /// All bits, filled up to bytes.
    pub fn finish(mut self) -> Vec<u8> {
        self.align();
        self.bytes
    }
}

/// How many bits [`BitWriter::rice`] takes.
pub(crate) fn rice_bits(number: u64, k: u32) -> u64 {
    let ones = number >> k;
    if ones < u64::from(ONES_MAX) {
        ones + 1 + u64::from(k)
    } else {
        u64::from(ONES_MAX + 6 + 64 - number.leading_zeros())
    }
}

/// The `k` with which numbers take the fewest bits, or near it.
pub(crate) fn rice_k(numbers: &mut [u64]) -> u32 {
    if numbers.is_empty() {
        return 0;
    }
    let middle = numbers.len() / 2;
    let (_, median, _) = numbers.select_nth_unstable(middle);
    let len = 64 - median.leading_zeros();
    let cost = |k: &u32| {
        numbers
            .iter()
            .map(|number| rice_bits(*number, *k))
            .sum::<u64>()
    };
    (len.saturating_sub(2)..=(len + 3).min(62))
        .min_by_key(cost)
        .unwrap_or(0)
}

/// Small numbers for small distances from zero.
pub(crate) fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

/// The inverse of [`zigzag`].
pub(crate) fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// Reads bits.
pub(crate) struct BitReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> BitReader<'a> {
    pub fn new(bytes: &'a [u8]) -> BitReader<'a> {
        BitReader { bytes, at: 0 }
    }

    /// The next bits, at least 57 of them.
    #[inline]
    pub fn peek(&self) -> u64 {
        let byte = self.at >> 3;
        let word = match self.bytes.get(byte..byte + 8) {
            Some(eight) => u64::from_le_bytes(eight.try_into().expect("eight bytes")),
            None => self.peek_end(byte),
        };
        word >> (self.at & 7)
    }

    #[cold]
    fn peek_end(&self, byte: usize) -> u64 {
        let rest = self.bytes.get(byte..).unwrap_or_default();
        let mut eight = [0; 8];
        let len = rest.len().min(8);
        eight[..len].copy_from_slice(&rest[..len]);
        u64::from_le_bytes(eight)
    }

    #[inline]
    pub fn read(&mut self, width: u32) -> u64 {
        if width > 56 {
            let low = self.read(32);
            return low | self.read(width - 32) << 32;
        }
        let number = self.peek() & ((1 << width) - 1);
        self.at += width as usize;
        number
    }

    /// Passes over bits that were peeked at.
    #[inline]
    pub fn skip(&mut self, width: u32) {
        self.at += width as usize;
    }

    pub fn varint(&mut self) -> u64 {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.read(8);
            number |= (byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        number
    }

    pub fn signed(&mut self) -> i64 {
        unzigzag(self.varint())
    }

    #[inline]
    pub fn rice(&mut self, k: u32) -> u64 {
        let word = self.peek();
        let ones = word.trailing_ones();
        if ones + k < PEEK_BITS && ones < ONES_MAX {
            self.at += (ones + 1 + k) as usize;
            u64::from(ones) << k | (word >> (ones + 1)) & ((1 << k) - 1)
        } else if ones < ONES_MAX {
            self.at += ones as usize + 1;
            u64::from(ones) << k | self.read(k)
        } else {
            self.at += ONES_MAX as usize;
            let len = self.read(6) as u32 + 1;
            self.read(len)
        }
    }

    /// As many bytes, beginning at a whole byte; `None` if there are fewer.
    pub fn raw(&mut self, len: usize) -> Option<&'a [u8]> {
        let start = self.at.div_ceil(8);
        let bytes = self.bytes.get(start..)?.get(..len)?;
        self.at = (start + len) * 8;
        Some(bytes)
    }

    /// Whether more was read than there is.
    pub fn is_past_end(&self) -> bool {
        self.at > self.bytes.len() * 8
    }

    /// Whether exactly all bytes were read.
    pub fn finish(self) -> Option<()> {
        (self.at.div_ceil(8) == self.bytes.len()).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(
            numbers in prop::collection::vec((any::<u64>(), 0_u32..63), 0..100),
        ) {
            let mut writer = BitWriter::default();
            for &(number, k) in &numbers {
                writer.rice(number >> (k % 60), k);
                writer.varint(number);
                writer.signed(number as i64);
                writer.raw(&[number as u8]);
            }
            let bytes = writer.finish();
            let mut reader = BitReader::new(&bytes);
            for &(number, k) in &numbers {
                prop_assert_eq!(reader.rice(k), number >> (k % 60));
                prop_assert_eq!(reader.varint(), number);
                prop_assert_eq!(reader.signed(), number as i64);
                prop_assert_eq!(reader.raw(1), Some(&[number as u8][..]));
            }
            prop_assert!(reader.finish().is_some());
        }
    }
}
