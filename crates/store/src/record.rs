//! A record of the journal: names that are new, then samples.

use crate::bits::{unzigzag, zigzag};
use crate::series::{SeriesId, read_len, read_varint, write_len, write_varint};
use crate::value::{Kept, Point};

const NUMBER: u8 = 0;
const HISTOGRAM: u8 = 1;
const TEXT: u8 = 2;

/// Begins a record with the names that no record has held.
pub(crate) fn write_names<'a>(
    bytes: &mut Vec<u8>,
    names: impl ExactSizeIterator<Item = (SeriesId, &'a [u8])>,
) {
    write_len(bytes, names.len());
    for (id, key) in names {
        write_varint(bytes, u64::from(id));
        write_len(bytes, key.len());
        bytes.extend_from_slice(key);
    }
}

/// Adds a sample; `last_us` is the time of the one before, 0 at first.
pub(crate) fn write_sample(bytes: &mut Vec<u8>, series: SeriesId, point: &Point, last_us: i64) {
    write_varint(bytes, u64::from(series));
    write_varint(bytes, zigzag(point.time_us.wrapping_sub(last_us)));
    match &point.kept {
        Kept::Number(bits) => {
            bytes.push(NUMBER);
            bytes.extend_from_slice(&bits.to_le_bytes());
        }
        Kept::Histogram(encoded) => {
            bytes.push(HISTOGRAM);
            write_len(bytes, encoded.len());
            bytes.extend_from_slice(encoded);
        }
        Kept::Text(text) => {
            bytes.push(TEXT);
            write_len(bytes, text.len());
            bytes.extend_from_slice(text.as_bytes());
        }
    }
}

/// Reads a record; `None` if it ends early or is none, after what could be read.
pub(crate) fn read(
    bytes: &[u8],
    mut name: impl FnMut(SeriesId, &[u8]),
    mut sample: impl FnMut(SeriesId, Point),
) -> Option<()> {
    let mut rest = bytes;
    for _ in 0..read_len(&mut rest)? {
        let id = SeriesId::try_from(read_varint(&mut rest)?).ok()?;
        let len = read_len(&mut rest)?;
        let (key, after) = rest.split_at_checked(len)?;
        name(id, key);
        rest = after;
    }
    let mut time_us: i64 = 0;
    while !rest.is_empty() {
        let series = SeriesId::try_from(read_varint(&mut rest)?).ok()?;
        time_us = time_us.wrapping_add(unzigzag(read_varint(&mut rest)?));
        let kept = read_kept(&mut rest)?;
        sample(series, Point { time_us, kept });
    }
    Some(())
}

fn read_kept(rest: &mut &[u8]) -> Option<Kept> {
    let (&tag, after) = rest.split_first()?;
    *rest = after;
    if tag == NUMBER {
        let (eight, after) = rest.split_first_chunk()?;
        *rest = after;
        return Some(Kept::Number(u64::from_le_bytes(*eight)));
    }
    let len = read_len(rest)?;
    let (bytes, after) = rest.split_at_checked(len)?;
    *rest = after;
    match tag {
        HISTOGRAM => Some(Kept::Histogram(bytes.into())),
        TEXT => Some(Kept::Text(std::str::from_utf8(bytes).ok()?.into())),
        _ => None,
    }
}
