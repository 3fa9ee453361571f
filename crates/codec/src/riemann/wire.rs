//! Protobuf's wire format: tags, varints, lengths, and how to skip what is not known.

use event::HistogramError;
use thiserror::Error;

/// Why a message cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DecodeError {
    #[error("the message ends inside a field")]
    Truncated,
    #[error("a varint is longer than 64 bits")]
    Varint,
    #[error("a field has the number 0, or one that is too large")]
    Tag,
    #[error("a field has an unknown wire type")]
    WireType,
    #[error("a group ends that did not start")]
    EndGroup,
    #[error("groups are nested too deeply")]
    Depth,
    #[error("an attribute has no key")]
    MissingKey,
    #[error("field {HISTOGRAM_FIELD} of an event is no histogram: {0}")]
    Histogram(#[from] HistogramError),
    #[error("a message has more than {MSG_EVENTS_MAX} events")]
    TooManyEvents,
    /// [`repair_msg`](super::repair_msg) makes a message of it that can be decoded.
    #[error("a string is not UTF-8")]
    Utf8,
}

/// The number of an event's histogram: far from Riemann's own, so that no client knows it as another
/// thing.
pub(super) const HISTOGRAM_FIELD: u32 = 100;

pub(super) const VARINT: u32 = 0;
pub(super) const FIXED64: u32 = 1;
pub(super) const BYTES: u32 = 2;
pub(super) const START_GROUP: u32 = 3;
pub(super) const END_GROUP: u32 = 4;
pub(super) const FIXED32: u32 = 5;

/// Events of one message. An empty event takes two bytes on the wire and some 140 in memory, so the
/// length of a frame alone does not bound what it takes to decode it.
pub(super) const MSG_EVENTS_MAX: usize = 1 << 20;

/// Groups within groups; protobuf's own limit.
const DEPTH_MAX: u32 = 100;

/// The tag of a field whose number and type fit in one byte.
pub(super) const fn tag(number: u32, wire_type: u32) -> u32 {
    number << 3 | wire_type
}

/// What is left of a message.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next field's number and wire type, in one number.
    #[inline(always)]
    pub fn tag(&mut self) -> Result<u32, DecodeError> {
        let tag = u32::try_from(self.varint()?).map_err(|_| DecodeError::Tag)?;
        if tag < tag_min() {
            Err(DecodeError::Tag)
        } else {
            Ok(tag)
        }
    }

    #[inline(always)]
    pub fn varint(&mut self) -> Result<u64, DecodeError> {
        match self.0 {
            [byte, rest @ ..] if *byte < 0x80 => {
                self.0 = rest;
                Ok(u64::from(*byte))
            }
            _ => self.long_varint(),
        }
    }

    #[inline]
    fn long_varint(&mut self) -> Result<u64, DecodeError> {
        let Some(word) = self.0.first_chunk::<8>() else {
            return self.any_varint();
        };
        let word = u64::from_le_bytes(*word);
        let ends = !word & HIGH_BITS;
        if ends == 0 {
            return self.any_varint();
        }
        let last = ends.trailing_zeros();
        self.0 = &self.0[last as usize / 8 + 1..];
        Ok(squeeze(word & (u64::MAX >> (63 - last))))
    }

    fn any_varint(&mut self) -> Result<u64, DecodeError> {
        let mut value = 0;
        for (index, byte) in self.0.iter().take(10).enumerate() {
            value |= u64::from(byte & 0x7f) << (7 * index);
            if *byte < 0x80 {
                if index == 9 && *byte > 1 {
                    return Err(DecodeError::Varint);
                }
                self.0 = &self.0[index + 1..];
                return Ok(value);
            }
        }
        Err(if self.0.len() < 10 {
            DecodeError::Truncated
        } else {
            DecodeError::Varint
        })
    }

    /// A length and that many bytes.
    #[inline(always)]
    pub fn bytes(&mut self) -> Result<&'a [u8], DecodeError> {
        let length = usize::try_from(self.varint()?).map_err(|_| DecodeError::Truncated)?;
        let (bytes, rest) = self
            .0
            .split_at_checked(length)
            .ok_or(DecodeError::Truncated)?;
        self.0 = rest;
        Ok(bytes)
    }

    #[inline(always)]
    pub fn text(&mut self) -> Result<&'a str, DecodeError> {
        let bytes = self.bytes()?;
        if is_ascii(bytes) {
            // SAFETY: ASCII is UTF-8. The general check costs 3 ns a string more, of some 7 that
            // an event of 130 bytes has.
            return Ok(unsafe { std::str::from_utf8_unchecked(bytes) });
        }
        std::str::from_utf8(bytes).map_err(|_| DecodeError::Utf8)
    }

    #[inline(always)]
    pub fn fixed<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let (bytes, rest) = self
            .0
            .split_first_chunk::<N>()
            .ok_or(DecodeError::Truncated)?;
        self.0 = rest;
        Ok(*bytes)
    }

    /// Skips the value of a field that nobody asked for.
    pub fn skip(&mut self, tag: u32) -> Result<(), DecodeError> {
        self.skip_nested(tag, DEPTH_MAX)
    }

    fn skip_nested(&mut self, tag: u32, depth: u32) -> Result<(), DecodeError> {
        match tag & 7 {
            VARINT => self.varint().map(drop),
            FIXED64 => self.fixed::<8>().map(drop),
            FIXED32 => self.fixed::<4>().map(drop),
            BYTES => self.bytes().map(drop),
            START_GROUP => {
                let depth = depth.checked_sub(1).ok_or(DecodeError::Depth)?;
                loop {
                    let inner = self.tag()?;
                    if inner & 7 != END_GROUP {
                        self.skip_nested(inner, depth)?;
                    } else if inner >> 3 == tag >> 3 {
                        return Ok(());
                    } else {
                        return Err(DecodeError::EndGroup);
                    }
                }
            }
            END_GROUP => Err(DecodeError::EndGroup),
            _ => Err(DecodeError::WireType),
        }
    }
}

const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

/// The low seven bits of each byte, side by side.
#[inline(always)]
fn squeeze(word: u64) -> u64 {
    let word = word & !HIGH_BITS;
    let word = word & 0x007f_007f_007f_007f | (word & 0x7f00_7f00_7f00_7f00) >> 1;
    let word = word & 0x0000_3fff_0000_3fff | (word & 0x3fff_0000_3fff_0000) >> 2;
    word & 0x0fff_ffff | (word & 0x0fff_ffff_0000_0000) >> 4
}

/// Eight bytes at a time; the last eight may overlap those before.
#[inline(always)]
fn is_ascii(bytes: &[u8]) -> bool {
    let Some(last) = bytes.last_chunk::<8>() else {
        return bytes.iter().fold(0, |seen, byte| seen | byte) < 0x80;
    };
    let (chunks, _) = bytes.as_chunks::<8>();
    let seen = chunks
        .iter()
        .fold(0, |seen, chunk| seen | u64::from_ne_bytes(*chunk));
    (seen | u64::from_ne_bytes(*last)) & HIGH_BITS == 0
}

/// Field numbers start at 1.
const fn tag_min() -> u32 {
    tag(1, 0)
}

/// Undoes the zigzag of a `sint64`.
#[inline(always)]
pub(super) fn zigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_varint(bytes: &[u8], expected: Result<u64, DecodeError>) {
        assert_eq!(Reader(bytes).varint(), expected);
    }

    #[test]
    fn varints_have_at_most_64_bits() {
        let mut longest = [0xff; 10];
        longest[9] = 1;
        check_varint(&[0xac, 2], Ok(300));
        check_varint(&longest, Ok(u64::MAX));
        longest[9] = 2;
        check_varint(&longest, Err(DecodeError::Varint));
        check_varint(&[0x80; 11], Err(DecodeError::Varint));
        check_varint(&[0x80; 3], Err(DecodeError::Truncated));
        check_varint(&[], Err(DecodeError::Truncated));
        for bits in 0..64 {
            for value in [1 << bits, u64::MAX >> bits] {
                let mut bytes = Vec::new();
                prost::encoding::encode_varint(value, &mut bytes);
                check_varint(&bytes, Ok(value));
                bytes.extend([0xff; 8]);
                check_varint(&bytes, Ok(value));
            }
        }
    }

    #[test]
    fn groups_are_skipped_to_their_own_end() {
        let check = |bytes: &[u8], expected| {
            let mut reader = Reader(bytes);
            let tag = reader.tag().unwrap();
            assert_eq!(reader.skip(tag).map(|()| reader.0.len()), expected);
        };
        check(&[0x0b, 0x10, 1, 0x0c, 9], Ok(1));
        check(&[0x0b, 0x13, 0x14, 0x0c], Ok(0));
        check(&[0x0b, 0x14], Err(DecodeError::EndGroup));
        check(&[0x0b, 0x10], Err(DecodeError::Truncated));
        check(&[0x0b; 200], Err(DecodeError::Depth));
        check(&[0x0c], Err(DecodeError::EndGroup));
        check(&[0x0e], Err(DecodeError::WireType));
    }

    #[test]
    fn zigzag_alternates() {
        assert_eq!([0, 1, 2, u64::MAX].map(zigzag), [0, -1, 1, i64::MIN]);
    }
}
