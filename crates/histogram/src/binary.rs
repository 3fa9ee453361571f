//! The binary form: OpenHistogram's, as `FORMAT.md` draws it.

use std::fmt;

use crate::bin::Bin;
use crate::histogram::Histogram;

/// Why bytes are not a histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// The bytes end within the header or a bin.
    CutShort,
    /// A count of more than eight bytes, and where it is announced.
    CountWidth { at: usize },
    /// Bytes after the last bin, and where they begin.
    Trailing { at: usize },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::CutShort => f.write_str("the histogram ends within a bin"),
            DecodeError::CountWidth { at } => {
                write!(f, "byte {at}: a count cannot be wider than 8 bytes")
            }
            DecodeError::Trailing { at } => {
                write!(f, "byte {at}: more bytes than the histogram's bins")
            }
        }
    }
}

impl std::error::Error for DecodeError {}

/// Bytes of the header: how many bins follow.
const HEADER_BYTES: usize = 2;

impl Histogram {
    /// The binary form.
    ///
    /// ```
    /// use histogram::Histogram;
    /// let one: Histogram = [1.5].into_iter().collect();
    /// assert_eq!(one.encode(), [0, 1, 15, 0, 0, 1]);
    /// assert_eq!(Histogram::decode(&one.encode()), Ok(one));
    /// ```
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER_BYTES + 5 * self.bin_count());
        self.encode_into(&mut bytes);
        bytes
    }

    /// Appends the binary form.
    pub fn encode_into(&self, bytes: &mut Vec<u8>) {
        let header = bytes.len();
        bytes.extend([0; HEADER_BYTES]);
        let mut bins: u16 = 0;
        for (bin, count) in self.bins() {
            let width = (64 - count.leading_zeros()).div_ceil(8);
            bytes.extend([bin.val() as u8, bin.exp() as u8, width as u8 - 1]);
            bytes.extend(&count.to_le_bytes()[..width as usize]);
            bins += 1;
        }
        bytes[header..header + HEADER_BYTES].copy_from_slice(&bins.to_be_bytes());
    }

    /// Reads a histogram that is all of the bytes.
    ///
    /// # Errors
    /// If the bytes end within a bin, announce a count wider than 8 bytes, or go on after the last
    /// bin.
    pub fn decode(bytes: &[u8]) -> Result<Histogram, DecodeError> {
        let (histogram, length) = Histogram::decode_prefix(bytes)?;
        if length < bytes.len() {
            return Err(DecodeError::Trailing { at: length });
        }
        Ok(histogram)
    }

    /// Reads the histogram that the bytes begin with, and its length.
    ///
    /// Bins may come in any order; those that are no bins are left out, as the reference does.
    /// Bytes that end after a whole bin are a whole histogram, whatever the header announced.
    ///
    /// # Errors
    /// If the bytes end within a bin or announce a count wider than 8 bytes.
    pub fn decode_prefix(bytes: &[u8]) -> Result<(Histogram, usize), DecodeError> {
        let mut histogram = Histogram::new();
        let length = histogram.merge_encoded(bytes)?;
        Ok((histogram, length))
    }

    /// Adds the counts of the histogram that the bytes begin with; gives its length. After an
    /// error, the bins before it have been added.
    ///
    /// # Errors
    /// As [`decode_prefix`](Histogram::decode_prefix).
    pub fn merge_encoded(&mut self, bytes: &[u8]) -> Result<usize, DecodeError> {
        each_encoded(bytes, |bin, count| self.add(bin, count))
    }
}

/// Gives the bins and counts of the histogram that the bytes begin with, as they come, and returns
/// its length.
///
/// # Errors
/// As [`Histogram::decode_prefix`].
pub fn each_encoded(bytes: &[u8], mut each: impl FnMut(Bin, u64)) -> Result<usize, DecodeError> {
    let Some((&[high, low], mut rest)) = bytes.split_first_chunk() else {
        return Err(DecodeError::CutShort);
    };
    for _ in 0..u16::from_be_bytes([high, low]) {
        if rest.is_empty() {
            break;
        }
        let Some((&[val, exp, width], after)) = rest.split_first_chunk() else {
            return Err(DecodeError::CutShort);
        };
        if width > 7 {
            let at = bytes.len() - rest.len() + 2;
            return Err(DecodeError::CountWidth { at });
        }
        let Some((digits, after)) = after.split_at_checked(usize::from(width) + 1) else {
            return Err(DecodeError::CutShort);
        };
        let mut count = [0; 8];
        count[..digits.len()].copy_from_slice(digits);
        if let Some(bin) = Bin::new(val as i8, exp as i8) {
            each(bin, u64::from_le_bytes(count));
        }
        rest = after;
    }
    Ok(bytes.len() - rest.len())
}
