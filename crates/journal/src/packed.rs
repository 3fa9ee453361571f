//! Records of a packed block: each its length and its bytes, all of them packed together. The
//! block's checksum covers them, for one bad bit spoils what is packed after it.

use lz4_flex::block;

use crate::block::{Header, word};
use crate::record::{self, Found};

/// The bytes in front of each record, before packing.
pub(crate) const LENGTH_BYTES: usize = 4;

/// Packs `count` plain records (as they stand in the buffer). `None` if that saves nothing;
/// otherwise the packed bytes stand in `packed`, and their unpacked length is returned.
pub(crate) fn pack(
    plain: &[u8],
    count: u32,
    bare: &mut Vec<u8>,
    packed: &mut Vec<u8>,
) -> Option<usize> {
    bare.clear();
    let mut at = 0;
    for _ in 0..count {
        let end = at + record::HEADER_BYTES + word(plain, at) as usize;
        bare.extend_from_slice(&plain[at..at + LENGTH_BYTES]);
        bare.extend_from_slice(&plain[at + record::HEADER_BYTES..end]);
        at = end;
    }
    packed.clear();
    packed.resize(block::get_maximum_output_size(bare.len()), 0);
    let len = block::compress_into(bare, packed).ok()?;
    packed.truncate(len);
    (len < plain.len()).then_some(bare.len())
}

/// Unpacks a block whose checksum is right; `None` if it is not, or if the rest is not.
pub(crate) fn unpack_checked(
    header: &Header,
    packed: &[u8],
    into: &mut Vec<u8>,
    found: impl FnMut(Found),
) -> Option<()> {
    if crc32c::crc32c(packed) != header.checksum {
        return None;
    }
    let len = header.unpacked_bytes as usize;
    unpack(packed, len, header.first, header.count, into, found)
}

/// Unpacks onto the end of `into` and names the records there; `None` if the bytes are not what
/// was packed.
pub(crate) fn unpack(
    packed: &[u8],
    unpacked_bytes: usize,
    first: u64,
    count: u32,
    into: &mut Vec<u8>,
    mut found: impl FnMut(Found),
) -> Option<()> {
    let start = into.len();
    into.resize(start + unpacked_bytes, 0);
    let len = block::decompress_into(packed, &mut into[start..]).ok()?;
    if len != unpacked_bytes {
        return None;
    }
    let mut at = start;
    for id in first..first + u64::from(count) {
        let len = word(into.get(at..at + LENGTH_BYTES)?, 0) as usize;
        at += LENGTH_BYTES;
        into.get(at..at.checked_add(len)?)?;
        found(Found { id, at, len });
        at += len;
    }
    (at == into.len()).then_some(())
}
