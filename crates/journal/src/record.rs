//! A record as it stands in the buffer and in plain blocks: its length, its checksum, its bytes.

use crate::block::word;

/// The bytes in front of a record.
pub(crate) const HEADER_BYTES: usize = 8;

/// An odd number that spreads small ids over all bits (2^64 divided by the golden ratio), so that
/// bytes inside a record hardly ever look like a record.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// The checksum of a record. It depends on the id, so that a record of another time in the same
/// place is not taken for this one.
#[inline]
pub(crate) fn checksum(id: u64, bytes: &[u8]) -> u32 {
    let mixed = (id ^ (bytes.len() as u64) << 40).wrapping_mul(SPREAD);
    crc32c::crc32c_append((mixed >> 32) as u32, bytes)
}

/// The header of a record.
#[inline]
pub(crate) fn header(id: u64, bytes: &[u8]) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..4].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
    header[4..].copy_from_slice(&checksum(id, bytes).to_le_bytes());
    header
}

/// A record found in a stretch of bytes, by the place of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub id: u64,
    pub at: usize,
    pub len: usize,
}

/// The good record at a place, if there is one.
#[inline]
pub(crate) fn read(bytes: &[u8], at: usize, id: u64) -> Option<Found> {
    let header = bytes.get(at..at + HEADER_BYTES)?;
    let (len, at) = (word(header, 0) as usize, at + HEADER_BYTES);
    let body = bytes.get(at..at.checked_add(len)?)?;
    (word(header, 4) == checksum(id, body)).then_some(Found { id, at, len })
}

/// Where a stretch that should hold records does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hole {
    pub at: usize,
    pub bytes: usize,
    pub first: u64,
    pub records: u64,
}

/// Reads records from `at` to the end of `bytes`, the first of which has the id `first`, `count`
/// in all; finds the next good one after damage.
pub(crate) fn read_all(
    bytes: &[u8],
    at: usize,
    first: u64,
    count: u32,
    mut found: impl FnMut(Found),
    mut hole: impl FnMut(Hole),
) {
    let end = first + u64::from(count);
    let (mut at, mut id) = (at, first);
    while id < end {
        if let Some(record) = read(bytes, at, id) {
            at = record.at + record.len;
            id += 1;
            found(record);
            continue;
        }
        let next = find(bytes, at, id, end);
        let (next_at, next_id) = next.unwrap_or((bytes.len(), end));
        hole(Hole {
            at,
            bytes: next_at.saturating_sub(at),
            first: id,
            records: next_id - id,
        });
        (at, id) = (next_at, next_id);
    }
}

/// How many records may be missing in a row before the rest of a block is given up: each is
/// tried at every byte.
const MISSING_MAX: u64 = 16;

/// The next good record after damage at `at`: its place and id.
fn find(bytes: &[u8], at: usize, id: u64, end: u64) -> Option<(usize, u64)> {
    // Where only the body is damaged, the length still leads to the next record.
    let behind = bytes.get(at..at + HEADER_BYTES).and_then(|header| {
        let next = at + HEADER_BYTES + word(header, 0) as usize;
        (id + 1 < end && read(bytes, next, id + 1).is_some()).then_some((next, id + 1))
    });
    if behind.is_some() {
        return behind;
    }
    let ids = id + 1..end.min(id + 1 + MISSING_MAX);
    for at in at + 1..bytes.len().saturating_sub(HEADER_BYTES - 1) {
        let len = word(bytes, at) as usize;
        if len > bytes.len() - at - HEADER_BYTES {
            continue;
        }
        for id in ids.clone() {
            if read(bytes, at, id).is_some() {
                return Some((at, id));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(bodies: &[&[u8]]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (id, body) in (1..).zip(bodies) {
            bytes.extend(header(id, body));
            bytes.extend_from_slice(body);
        }
        bytes
    }

    #[test]
    fn a_flipped_bit_loses_one_record_and_is_named() {
        let bodies: [&[u8]; 4] = [b"one", b"", b"three", b"four"];
        let good = records(&bodies);
        for bit in 0..good.len() * 8 {
            let mut bytes = good.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let (mut ids, mut holes) = (Vec::new(), Vec::new());
            read_all(
                &bytes,
                0,
                1,
                4,
                |found| {
                    let body = &bytes[found.at..found.at + found.len];
                    assert_eq!(body, bodies[found.id as usize - 1], "bit {bit}");
                    ids.push(found.id);
                },
                |hole| holes.push(hole),
            );
            assert_eq!(ids.len(), 3, "bit {bit}: {holes:?}");
            assert_eq!(holes.len(), 1, "bit {bit}");
            assert_eq!(holes[0].records, 1, "bit {bit}");
            assert!(!ids.contains(&holes[0].first), "bit {bit}");
        }
    }
}
