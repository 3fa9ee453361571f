//! The bytes of a file of blocks beside the blocks: header, index pages, top, footer.
//! `FORMAT.md` draws them.

use crate::bits::{unzigzag, zigzag};
use crate::blocks::{Batch, Period};
use crate::series::{SeriesId, read_varint, write_varint};

pub(crate) const VERSION: u32 = 1;
pub(crate) const HEADER_BYTES: usize = 48;
pub(crate) const FOOTER_BYTES: usize = 64;
pub(crate) const TOP_BYTES: usize = 24;
/// Checksum and length, before a block and before a page.
pub(crate) const FRAME_BYTES: usize = 8;

const MAGIC: &[u8; 8] = b"CauchySb";
const MAGIC_END: &[u8; 8] = b"CauchySe";
const SUFFIX: &str = ".blocks";

/// The name of a batch's file.
pub(crate) fn name_of(batch: Batch) -> String {
    format!(
        "{}.{:016x}.{:016x}{SUFFIX}",
        batch.period.name(),
        batch.bucket,
        batch.source
    )
}

/// The batch that a file is named after.
pub(crate) fn batch_of(name: &str) -> Option<Batch> {
    let mut parts = name.strip_suffix(SUFFIX)?.split('.');
    let period = parts.next()?;
    let period = Period::ALL
        .into_iter()
        .find(|known| known.name() == period)?;
    let mut number = || u64::from_str_radix(parts.next()?, 16).ok();
    let batch = Batch {
        period,
        bucket: number()? as i64,
        source: number()?,
    };
    (name_of(batch) == name).then_some(batch)
}

/// Why the beginning of a file is no header.
pub(crate) enum Unread {
    Damaged,
    Version(u32),
}

/// A file's header: the batch, and how long its bucket is.
pub(crate) fn header(batch: Batch, bucket_us: i64) -> [u8; HEADER_BYTES] {
    let mut bytes = [0; HEADER_BYTES];
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
    bytes[16..24].copy_from_slice(&batch.bucket.to_le_bytes());
    bytes[24..32].copy_from_slice(&batch.source.to_le_bytes());
    bytes[32..40].copy_from_slice(&bucket_us.to_le_bytes());
    bytes[40] = batch.period as u8;
    seal(&mut bytes, 12);
    bytes
}

/// Reads a header: the length of the bucket.
pub(crate) fn read_header(bytes: &[u8], batch: Batch) -> Result<i64, Unread> {
    if bytes.len() != HEADER_BYTES || &bytes[..8] != MAGIC || !is_sealed(bytes, 12) {
        return Err(Unread::Damaged);
    }
    if word(bytes, 8) != VERSION {
        return Err(Unread::Version(word(bytes, 8)));
    }
    let bucket_us = long(bytes, 32) as i64;
    if bytes != header(batch, bucket_us) || bucket_us <= 0 {
        return Err(Unread::Damaged);
    }
    Ok(bucket_us)
}

/// The end of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Footer {
    /// Where the first page is.
    pub pages_at: u64,
    /// Where the top is.
    pub top_at: u64,
    /// How many pages.
    pub pages: u64,
    /// How many blocks.
    pub blocks: u64,
    /// The checksum of the top.
    pub top_checksum: u32,
}

impl Footer {
    pub fn encode(&self) -> [u8; FOOTER_BYTES] {
        let mut bytes = [0; FOOTER_BYTES];
        bytes[..8].copy_from_slice(MAGIC_END);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.pages_at.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.top_at.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.pages.to_le_bytes());
        bytes[40..48].copy_from_slice(&self.blocks.to_le_bytes());
        bytes[48..52].copy_from_slice(&self.top_checksum.to_le_bytes());
        seal(&mut bytes, 12);
        bytes
    }

    /// Reads the footer of a file of so many bytes.
    pub fn decode(bytes: &[u8], file_bytes: u64) -> Option<Footer> {
        let is_one = bytes.len() == FOOTER_BYTES && &bytes[..8] == MAGIC_END;
        if !is_one || !is_sealed(bytes, 12) {
            return None;
        }
        let footer = Footer {
            pages_at: long(bytes, 16),
            top_at: long(bytes, 24),
            pages: long(bytes, 32),
            blocks: long(bytes, 40),
            top_checksum: word(bytes, 48),
        };
        let top_bytes = footer.pages.checked_mul(TOP_BYTES as u64)?;
        let end = footer.top_at.checked_add(top_bytes)?;
        let fits = HEADER_BYTES as u64 <= footer.pages_at
            && footer.pages_at <= footer.top_at
            && end.checked_add(FOOTER_BYTES as u64)? == file_bytes;
        (fits && bytes == footer.encode()).then_some(footer)
    }
}

/// Where a page is and where it begins to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Top {
    /// The series of its first block.
    pub series: SeriesId,
    /// The bytes of the page, without its frame.
    pub len: u32,
    /// Where the page's frame is.
    pub page_at: u64,
    /// Where the frame of its first block is.
    pub block_at: u64,
}

impl Top {
    pub fn encode(&self) -> [u8; TOP_BYTES] {
        let mut bytes = [0; TOP_BYTES];
        bytes[..4].copy_from_slice(&self.series.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.len.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.page_at.to_le_bytes());
        bytes[16..].copy_from_slice(&self.block_at.to_le_bytes());
        bytes
    }

    pub fn decode(bytes: &[u8]) -> Top {
        Top {
            series: word(bytes, 0),
            len: word(bytes, 4),
            page_at: long(bytes, 8),
            block_at: long(bytes, 16),
        }
    }
}

/// A block in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub series: SeriesId,
    pub first_us: i64,
    pub last_us: i64,
    /// The block's bytes, without its frame.
    pub len: u32,
}

/// A page of the index.
pub(crate) fn encode_page(entries: &[Entry]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (mut series, mut first_us) = (0, 0_i64);
    for entry in entries {
        write_varint(&mut bytes, u64::from(entry.series - series));
        write_varint(&mut bytes, zigzag(entry.first_us.wrapping_sub(first_us)));
        write_varint(
            &mut bytes,
            entry.last_us.wrapping_sub(entry.first_us) as u64,
        );
        write_varint(&mut bytes, u64::from(entry.len));
        (series, first_us) = (entry.series, entry.first_us);
    }
    bytes
}

/// Reads a page.
pub(crate) fn decode_page(mut rest: &[u8]) -> Option<Vec<Entry>> {
    let mut entries = Vec::new();
    let (mut series, mut first_us): (SeriesId, i64) = (0, 0);
    while !rest.is_empty() {
        let further = SeriesId::try_from(read_varint(&mut rest)?).ok()?;
        series = series.checked_add(further)?;
        first_us = first_us.wrapping_add(unzigzag(read_varint(&mut rest)?));
        let last_us = first_us.wrapping_add(read_varint(&mut rest)? as i64);
        let len = u32::try_from(read_varint(&mut rest)?).ok()?;
        entries.push(Entry {
            series,
            first_us,
            last_us,
            len,
        });
    }
    Some(entries)
}

/// Checksum and length of what follows.
pub(crate) fn frame(bytes: &[u8]) -> [u8; FRAME_BYTES] {
    let len = (bytes.len() as u32).to_le_bytes();
    let checksum = crc32c::crc32c_append(crc32c::crc32c(&len), bytes);
    let mut frame = [0; FRAME_BYTES];
    frame[..4].copy_from_slice(&checksum.to_le_bytes());
    frame[4..].copy_from_slice(&len);
    frame
}

/// What is in a frame that takes all of the bytes.
pub(crate) fn unframe(bytes: &[u8]) -> Option<&[u8]> {
    let (head, body) = bytes.split_at_checked(FRAME_BYTES)?;
    (head == frame(body)).then_some(body)
}

fn seal(bytes: &mut [u8], at: usize) {
    let checksum = checksum_without(bytes, at);
    bytes[at..at + 4].copy_from_slice(&checksum.to_le_bytes());
}

fn is_sealed(bytes: &[u8], at: usize) -> bool {
    word(bytes, at) == checksum_without(bytes, at)
}

fn checksum_without(bytes: &[u8], at: usize) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&bytes[..at]), &bytes[at + 4..])
}

pub(crate) fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

pub(crate) fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}
