//! A block: what one write puts into a segment. Its bytes are drawn in `FORMAT.md`.

use crate::options::Compression;
use crate::{packed, record};

/// The bytes in front of a block's records.
pub(crate) const HEADER_BYTES: usize = 56;

/// Blocks begin at multiples of this, so that one can be found after damage.
pub(crate) const ALIGN_BYTES: usize = 8;

const MAGIC: u32 = u32::from_le_bytes(*b"CJb1");

/// A block's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// The id of the first record.
    pub first: u64,
    /// When the block was begun, in microseconds since 1970.
    pub time_us: i64,
    /// How many bytes all records before it had, since the journal was made.
    pub bytes_before: u64,
    /// How many records it has; at least one.
    pub count: u32,
    /// How many bytes follow the header, without those that align the next block.
    pub stored_bytes: u32,
    /// How many they are when unpacked.
    pub unpacked_bytes: u32,
    /// The checksum of what follows, if it is packed. Plain records have their own.
    pub checksum: u32,
    /// How what follows is packed.
    pub packing: Compression,
}

impl Header {
    /// The id after the last record.
    pub fn end(&self) -> u64 {
        self.first + u64::from(self.count)
    }

    /// How many bytes the records have, without what stands before each.
    pub fn payload_bytes(&self) -> u64 {
        let around = match self.packing {
            Compression::None => record::HEADER_BYTES,
            Compression::Lz4 => packed::LENGTH_BYTES,
        };
        let around = u64::from(self.count) * around as u64;
        u64::from(self.unpacked_bytes).saturating_sub(around)
    }

    /// How many bytes the whole block takes in its segment.
    pub fn block_bytes(&self) -> u64 {
        (HEADER_BYTES as u64 + u64::from(self.stored_bytes)).next_multiple_of(ALIGN_BYTES as u64)
    }

    pub fn write(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..4].copy_from_slice(&MAGIC.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.first.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.time_us.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.bytes_before.to_le_bytes());
        bytes[32..36].copy_from_slice(&self.count.to_le_bytes());
        bytes[36..40].copy_from_slice(&self.stored_bytes.to_le_bytes());
        bytes[40..44].copy_from_slice(&self.unpacked_bytes.to_le_bytes());
        bytes[44..48].copy_from_slice(&self.checksum.to_le_bytes());
        bytes[48] = packing_number(self.packing);
        let checksum = crc32c::crc32c(&bytes[8..]);
        bytes[4..8].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads a header, if these bytes begin with a good one.
    pub fn read(bytes: &[u8]) -> Option<Header> {
        let bytes = bytes.get(..HEADER_BYTES)?;
        if word(bytes, 0) != MAGIC || word(bytes, 4) != crc32c::crc32c(&bytes[8..]) {
            return None;
        }
        let header = Header {
            first: long(bytes, 8),
            time_us: long(bytes, 16).cast_signed(),
            bytes_before: long(bytes, 24),
            count: word(bytes, 32),
            stored_bytes: word(bytes, 36),
            unpacked_bytes: word(bytes, 40),
            checksum: word(bytes, 44),
            packing: packing_of(bytes[48])?,
        };
        let sane = header.count > 0 && header.first > 0 && header.first < u64::MAX / 2;
        sane.then_some(header)
    }
}

/// The number that stands for a packing in files.
pub(crate) fn packing_number(packing: Compression) -> u8 {
    match packing {
        Compression::None => 0,
        Compression::Lz4 => 1,
    }
}

/// The packing that a number stands for.
pub(crate) fn packing_of(number: u8) -> Option<Compression> {
    match number {
        0 => Some(Compression::None),
        1 => Some(Compression::Lz4),
        _ => None,
    }
}

pub(crate) fn word(bytes: &[u8], at: usize) -> u32 {
    let mut four = [0; 4];
    four.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(four)
}

pub(crate) fn long(bytes: &[u8], at: usize) -> u64 {
    let mut eight = [0; 8];
    eight.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(eight)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read_as_written_and_each_flipped_bit_is_seen() {
        let header = Header {
            first: 7,
            time_us: -1,
            bytes_before: 99,
            count: 3,
            stored_bytes: 50,
            unpacked_bytes: 60,
            checksum: 5,
            packing: Compression::Lz4,
        };
        let bytes = header.write();
        assert_eq!(Header::read(&bytes), Some(header));
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes;
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Header::read(&damaged), None, "bit {bit}");
        }
        assert_eq!(Header::read(&bytes[1..]), None);
    }
}
