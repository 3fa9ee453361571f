//! What a start does with what the last process left: it finds the last whole record, cuts a
//! torn tail, and takes over what was still in the buffer.

use std::fmt;
use std::sync::Arc;

use crate::block::{self, Header};
use crate::buffer::{self, Buffer, Tail};
use crate::disk::Disk;
use crate::error::{Damage, Error, Result};
use crate::limits::{BUFFER_BYTES_MAX, BUFFER_BYTES_MIN};
use crate::options::{Compression, Options};
use crate::scan::{Scan, Step};
use crate::segment::{self, Segment};
use crate::settings::Settings;
use crate::table::Table;
use crate::writer::{Parts, Writer};
use crate::{misnamed, record, table};

/// What a start found and mended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Bytes of a write that a crash had cut short, and that were cut off.
    pub torn_bytes: u64,
    /// Records that were in the buffer and were put into a segment.
    pub from_buffer: u64,
    /// Records of the buffer that were damaged.
    pub lost_in_buffer: u64,
    /// Damage in the last segment. Older ones are looked at when they are read.
    pub damages: Vec<Damage>,
    /// Subscribers that were past the last record, and were set back to it.
    pub set_back: Vec<String>,
    /// Segments whose file had another one's name: they got their own, or were deleted if that
    /// was taken.
    pub misnamed: u64,
    /// Files named as segments that were none; they were put aside, under the same name with
    /// `.damaged` behind it.
    pub aside: Vec<String>,
}

impl Recovery {
    /// Whether there was nothing to mend. Records in the buffer are no fault.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        let expected = Recovery {
            from_buffer: self.from_buffer,
            ..Recovery::default()
        };
        *self == expected
    }
}

impl fmt::Display for Recovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} records taken from the buffer", self.from_buffer)?;
        if self.torn_bytes > 0 {
            write!(f, "; {} bytes of a torn write cut off", self.torn_bytes)?;
        }
        if self.lost_in_buffer > 0 {
            write!(f, "; {} damaged records in the buffer", self.lost_in_buffer)?;
        }
        for damage in &self.damages {
            write!(f, "; {damage}")?;
        }
        for name in &self.set_back {
            write!(f, "; subscriber {name} set back to the last record")?;
        }
        if self.misnamed > 0 {
            write!(f, "; {} misnamed segments put right", self.misnamed)?;
        }
        for name in &self.aside {
            write!(f, "; {name} is no segment and was put aside")?;
        }
        Ok(())
    }
}

/// Takes over a journal that nobody else has open.
pub(crate) fn recover(
    disk: &Arc<dyn Disk>,
    settings: Settings,
    options: &Options,
) -> Result<(Writer, Recovery)> {
    let mut report = Recovery::default();
    // After a crash of the machine ids may be given again; blocks of their first owners, in a
    // segment that is used again, would be taken for ours.
    segment::delete_spares(&**disk)?;
    let mut firsts = segment::list(&**disk)?;
    misnamed::restore(&**disk, &mut firsts, &mut report)?;
    drop_unbegun(&**disk, &mut firsts)?;
    misnamed::put_aside_aliens(&**disk, &mut firsts, &mut report)?;
    let (segment, tail) = match firsts.last() {
        Some(&last) => mend_last(&**disk, last, &mut report)?,
        None => begin(&**disk, &mut firsts, (options.now)())?,
    };
    let left = read_buffer(&**disk, tail.first)?;
    report.lost_in_buffer = left.lost;
    let capacity = options
        .buffer_bytes
        .clamp(BUFFER_BYTES_MIN, BUFFER_BYTES_MAX);
    let unwritten: Vec<(u64, Vec<u8>)> = left
        .records
        .into_iter()
        .filter(|(id, _)| *id >= tail.first)
        .collect();
    report.from_buffer = unwritten.len() as u64;
    let tail = write_left(&segment, tail, &unwritten, (options.now)())?;
    let table = read_table(&**disk, tail.first - 1, &mut report)?;
    let buffer = Buffer::create(&**disk, capacity, tail)?;
    buffer.note_table(table.durable_slot());
    let mut writer = Writer::new(Parts {
        disk: Arc::clone(disk),
        settings,
        durability: options.durability,
        retention: options.retention,
        now: Arc::clone(&options.now),
        buffer,
        segment,
        segments: firsts,
        table,
    });
    if report.misnamed > 0 {
        // A segment that all had passed may have come back.
        writer.retire()?;
    }
    Ok((writer, report))
}

fn begin(disk: &dyn Disk, firsts: &mut Vec<u64>, time_us: i64) -> Result<(Segment, Tail)> {
    let header = segment::Header {
        first: 1,
        time_us,
        bytes_before: 0,
        reused: false,
    };
    firsts.push(header.first);
    let tail = Tail {
        segment: header.first,
        offset: segment::HEADER_BYTES as u64,
        first: header.first,
        bytes_before: 0,
    };
    Ok((Segment::create(disk, header)?, tail))
}

/// Deletes last segments that a crash left before anything was in them. The one before goes on.
fn drop_unbegun(disk: &dyn Disk, firsts: &mut Vec<u64>) -> Result<()> {
    while let [.., _, last] = firsts[..] {
        let segment = Segment::open(disk, last)?;
        let mut scan = Scan::new(segment.clone(), segment.len()?, u64::MAX);
        if segment.header()?.is_some() || !matches!(scan.step()?, Step::End) {
            break;
        }
        let name = segment::name(last);
        disk.remove(&name)
            .map_err(|error| Error::io("delete", &name, error))?;
        firsts.pop();
    }
    Ok(())
}

/// Finds the end of the last segment, and cuts what is behind it.
fn mend_last(disk: &dyn Disk, first: u64, report: &mut Recovery) -> Result<(Segment, Tail)> {
    let segment = Segment::open(disk, first)?;
    let len = segment.len()?;
    let header = segment.header()?;
    let mut tail = Tail {
        segment: first,
        offset: segment::HEADER_BYTES as u64,
        first,
        bytes_before: header.map_or(0, |header| header.bytes_before),
    };
    let mut scan = Scan::new(segment.clone(), len, u64::MAX);
    let mut last_block = None;
    loop {
        match scan.step()? {
            Step::Block(header) => {
                last_block = Some((tail, scan.offset - header.block_bytes(), header));
                tail.offset = scan.offset;
                tail.first = header.end();
                tail.bytes_before = header.bytes_before + header.payload_bytes();
            }
            Step::Damage(damage) => report.damages.push(damage),
            Step::End => break,
        }
    }
    if header.is_none() {
        // A header alone holds no records; it is written anew so that others can read it.
        let block = last_block.map(|(_, _, block)| block);
        segment.write_header(segment::Header {
            first,
            time_us: block.map_or(0, |block| block.time_us),
            bytes_before: tail.bytes_before,
            reused: true,
        })?;
    }
    if let Some((before, offset, header)) = last_block {
        match shorten(&segment, offset, &header, len)? {
            LastBlock::Whole => {}
            LastBlock::Nothing => {
                report.torn_bytes += header.block_bytes();
                tail = Tail { offset, ..before };
            }
            LastBlock::Shorter(shorter, stored) => {
                report.torn_bytes += header.block_bytes() - shorter.block_bytes();
                tail = write_block(&segment, offset, &shorter, stored)?;
            }
        }
    }
    if let Some((shorter, stored)) = cut_short(&segment, tail, len)? {
        tail = write_block(&segment, tail.offset, &shorter, stored)?;
        report.torn_bytes += len.saturating_sub(tail.offset);
    }
    let reused = header.is_some_and(|header| header.reused);
    report.torn_bytes += cut(&segment, &tail, len, reused)?;
    Ok((segment, tail))
}

/// The last block of a journal, looked at closely.
enum LastBlock {
    Whole,
    /// Some records at its end are not: the block without them.
    Shorter(Header, Vec<u8>),
    Nothing,
}

/// Looks at the last block: a crash may have left only its beginning.
fn shorten(segment: &Segment, offset: u64, header: &Header, file_len: u64) -> Result<LastBlock> {
    let start = offset + block::HEADER_BYTES as u64;
    let there = file_len
        .saturating_sub(start)
        .min(header.stored_bytes.into());
    let mut stored = vec![0; there as usize];
    let read = segment.read(&mut stored, start)?;
    stored.truncate(read);
    if header.packing != Compression::None {
        let good = stored.len() == header.stored_bytes as usize
            && crc32c::crc32c(&stored) == header.checksum;
        return Ok(if good {
            LastBlock::Whole
        } else {
            LastBlock::Nothing
        });
    }
    let (mut end, mut last) = (0, header.first);
    record::read_all(
        &stored,
        0,
        header.first,
        header.count,
        |found| {
            end = found.at + found.len;
            last = found.id + 1;
        },
        |_| {},
    );
    if last == header.end() {
        return Ok(LastBlock::Whole);
    }
    if end == 0 {
        return Ok(LastBlock::Nothing);
    }
    stored.truncate(end);
    let shorter = Header {
        count: (last - header.first) as u32,
        stored_bytes: end as u32,
        unpacked_bytes: end as u32,
        ..*header
    };
    Ok(LastBlock::Shorter(shorter, stored))
}

/// A block behind the last whole one whose header is good, and which the file cuts short.
fn cut_short(segment: &Segment, tail: Tail, len: u64) -> Result<Option<(Header, Vec<u8>)>> {
    let mut bytes = [0; block::HEADER_BYTES];
    let read = segment.read(&mut bytes, tail.offset)?;
    let Some(header) = Header::read(&bytes[..read]) else {
        return Ok(None);
    };
    let body_end = tail.offset + (block::HEADER_BYTES as u64) + u64::from(header.stored_bytes);
    if header.first != tail.first || body_end <= len {
        return Ok(None);
    }
    Ok(match shorten(segment, tail.offset, &header, len)? {
        LastBlock::Shorter(shorter, stored) => Some((shorter, stored)),
        LastBlock::Whole | LastBlock::Nothing => None,
    })
}

/// Writes a block where a torn one was, or behind the last. Returns the new tail.
fn write_block(segment: &Segment, offset: u64, header: &Header, stored: Vec<u8>) -> Result<Tail> {
    let mut bytes = header.write().to_vec();
    bytes.extend(stored);
    bytes.resize(header.block_bytes() as usize, 0);
    segment.write(&bytes, offset)?;
    Ok(Tail {
        segment: segment.first,
        offset: offset + header.block_bytes(),
        first: header.end(),
        bytes_before: header.bytes_before + header.payload_bytes(),
    })
}

/// Cuts a segment behind its last block. Returns how many bytes of ours were torn: zeros were
/// filled in ahead, and a segment used again has the rest of its former self.
fn cut(segment: &Segment, tail: &Tail, len: u64, reused: bool) -> Result<u64> {
    const STRETCH_BYTES: usize = 64 << 10;
    let mut stretch = vec![0; STRETCH_BYTES];
    let (mut at, mut end) = (tail.offset, tail.offset);
    while at < len {
        let read = segment.read(&mut stretch, at)?;
        if read == 0 {
            break;
        }
        if let Some(last) = stretch[..read].iter().rposition(|byte| *byte != 0) {
            end = at + last as u64 + 1;
        }
        at += read as u64;
    }
    if len > tail.offset {
        segment.set_len(tail.offset)?;
    }
    Ok(if reused { 0 } else { end - tail.offset })
}

fn read_buffer(disk: &dyn Disk, next: u64) -> Result<buffer::Left> {
    let failed = |error| Error::io("read", buffer::FILE, error);
    let mut bytes = Vec::new();
    match disk.open(buffer::FILE, false) {
        Ok(file) => {
            let len = file.len().map_err(failed)? as usize;
            bytes.resize(len.min(BUFFER_BYTES_MAX * 2), 0);
            let read = file.read_at(&mut bytes, 0).map_err(failed)?;
            bytes.truncate(read);
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    Ok(buffer::left_in(&bytes, next))
}

/// Puts the buffer's records behind the segment's, a block for each run of ids.
fn write_left(
    segment: &Segment,
    mut tail: Tail,
    records: &[(u64, Vec<u8>)],
    time_us: i64,
) -> Result<Tail> {
    for run in records.chunk_by(|(id, _), (next, _)| id + 1 == *next) {
        let mut stored = Vec::new();
        for (id, bytes) in run {
            stored.extend_from_slice(&record::header(*id, bytes));
            stored.extend_from_slice(bytes);
        }
        let header = Header {
            first: run[0].0,
            time_us,
            bytes_before: tail.bytes_before,
            count: run.len() as u32,
            stored_bytes: stored.len() as u32,
            unpacked_bytes: stored.len() as u32,
            checksum: 0,
            packing: Compression::None,
        };
        tail = write_block(segment, tail.offset, &header, stored)?;
    }
    Ok(tail)
}

fn read_table(disk: &dyn Disk, last: u64, report: &mut Recovery) -> Result<Table> {
    // What is found may be in the kernel only; from here on it is taken to be on the disk.
    if let Ok(file) = disk.open(table::FILE, false) {
        file.sync()
            .map_err(|error| Error::io("sync", table::FILE, error))?;
    }
    let mut table = Table::read(disk, None)?;
    let mut changed = false;
    for (name, place) in &mut table.places {
        if place.checkpoint > last {
            place.checkpoint = last;
            changed = true;
            let name = String::from_utf8_lossy(name).into_owned();
            report.set_back.push(name);
        }
    }
    if changed {
        table.write(disk, true)?;
    }
    Ok(table)
}
