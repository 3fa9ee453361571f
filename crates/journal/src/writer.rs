//! What stands behind a journal's lock: the buffer, the segment that grows, the subscribers.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::block::{self, Header};
use crate::buffer::{Buffer, Tail};
use crate::disk::Disk;
use crate::error::{Error, Result};
use crate::limits::{AHEAD_BYTES, RECORD_BYTES_MAX};
use crate::options::{Compression, Durability, Now, Options, Retention};
use crate::segment::{self, Segment};
use crate::settings::Settings;
use crate::table::{Place, Table};
use crate::{packed, record};

/// What stands behind a journal's lock.
pub(crate) struct Writer {
    pub disk: Arc<dyn Disk>,
    pub settings: Settings,
    pub durability: Durability,
    pub retention: Retention,
    pub now: Now,
    pub buffer: Buffer,
    /// The segment that grows.
    pub segment: Segment,
    /// All segments by their first record, in order; never empty.
    pub segments: Vec<u64>,
    pub table: Table,
    /// Subscribers that last as long as their reader.
    pub passing: BTreeMap<Vec<u8>, Place>,
    /// All records up to this one are durable, but for `doubtful`.
    pub durable: u64,
    /// Records whose sync failed: whether they are on the disk cannot be known.
    pub doubtful: Option<(u64, u64)>,
    /// Whether the segment takes no more blocks, because a sync of it failed.
    pub abandoned: bool,
    /// Whether the last flush failed, so that records wait in the buffer.
    pub stuck: bool,
    /// Whether a segment was begun since that was last looked at.
    pub rotated: bool,
    /// Whether somebody syncs now.
    pub syncing: bool,
    /// How often names had changed when they were last synced.
    pub names_synced: u64,
    /// What other processes had done when that was last looked at: to segments, to the table.
    pub seen: (u64, u64),
    /// When the last sync was, as the ticks tell it.
    pub synced_us: Option<i64>,
    pub counts: Counts,
    /// Up to where the segment's file is known to be written, with zeros if not with blocks.
    written_to: u64,
    bare: Vec<u8>,
    packed: Vec<u8>,
}

/// What has been counted since the journal was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub appended: u64,
    pub blocks: u64,
    pub syncs: u64,
    pub sync_failures: u64,
    /// Of the last write.
    pub disk_full: bool,
    pub failed: u64,
    pub segments_deleted: u64,
    pub records_dropped: u64,
}

/// What a writer begins with.
pub(crate) struct Parts {
    pub disk: Arc<dyn Disk>,
    pub settings: Settings,
    pub durability: Durability,
    pub retention: Retention,
    pub now: Now,
    pub buffer: Buffer,
    pub segment: Segment,
    pub segments: Vec<u64>,
    pub table: Table,
}

impl Writer {
    pub fn new(parts: Parts) -> Writer {
        Writer {
            disk: parts.disk,
            settings: parts.settings,
            durability: parts.durability,
            retention: parts.retention,
            now: parts.now,
            seen: parts.buffer.noted(),
            names_synced: parts.buffer.noted().0.wrapping_sub(1),
            buffer: parts.buffer,
            segment: parts.segment,
            segments: parts.segments,
            table: parts.table,
            passing: BTreeMap::new(),
            durable: 0,
            doubtful: None,
            abandoned: false,
            stuck: false,
            rotated: false,
            syncing: false,
            synced_us: None,
            counts: Counts::default(),
            written_to: 0,
            bare: Vec::new(),
            packed: Vec::new(),
        }
    }

    /// The writer of a journal that other processes have open.
    pub fn attach(disk: Arc<dyn Disk>, settings: Settings, options: &Options) -> Result<Writer> {
        let buffer = Buffer::attach(&*disk)?;
        let durable_slot = buffer.durable_slot();
        Ok(Writer::new(Parts {
            settings,
            durability: options.durability,
            retention: options.retention,
            now: Arc::clone(&options.now),
            segment: Segment::open(&*disk, buffer.tail().segment)?,
            segments: segment::list_up_to(&*disk, buffer.tail().segment)?,
            table: Table::read(&*disk, Some(durable_slot))?,
            buffer,
            disk,
        }))
    }

    /// The last record's id; 0 if there never was one.
    pub fn last(&self) -> u64 {
        self.buffer.next() - 1
    }

    /// Sees what other processes have done.
    pub fn refresh(&mut self) -> Result<()> {
        self.buffer.refresh();
        let noted = self.buffer.noted();
        // A block may be in a new segment before that is noted, for ever if its writer is killed.
        let is_new = self.segments.last() != Some(&self.buffer.tail().segment);
        if noted.0 != self.seen.0 || is_new {
            let growing = self.buffer.tail().segment;
            self.segments = segment::list_up_to(&*self.disk, growing)?;
        }
        if noted.1 != self.seen.1 {
            let durable_slot = self.buffer.durable_slot();
            self.table = Table::read(&*self.disk, Some(durable_slot))?;
        }
        self.seen = noted;
        let first = self.buffer.tail().segment;
        if first != self.segment.first {
            self.segment = Segment::open(&*self.disk, first)?;
            self.written_to = 0;
        }
        Ok(())
    }

    /// Puts a record in.
    #[inline]
    pub fn append(&mut self, bytes: &[u8]) -> Result<u64> {
        if !self.buffer.fits(bytes.len()) {
            self.make_room(bytes.len())?;
            if !self.buffer.fits(bytes.len()) {
                return self.append_large(bytes);
            }
        }
        if self.buffer.count() == 0 {
            self.buffer.stamp((self.now)());
        }
        self.counts.appended += 1;
        Ok(self.buffer.push(bytes))
    }

    fn make_room(&mut self, len: usize) -> Result<()> {
        if len > RECORD_BYTES_MAX {
            return Err(Error::TooLong { bytes: len });
        }
        self.flush()
    }

    /// Puts a record in that is longer than the buffer, as a block of its own.
    fn append_large(&mut self, bytes: &[u8]) -> Result<u64> {
        let id = self.buffer.next();
        let mut plain = Vec::with_capacity(record::HEADER_BYTES + bytes.len());
        plain.extend_from_slice(&record::header(id, bytes));
        plain.extend_from_slice(bytes);
        let time_us = (self.now)();
        let written = self.write_plain(&plain, 1, time_us);
        self.note_room(&written);
        written?;
        self.counts.appended += 1;
        Ok(id)
    }

    /// Writes what is in the buffer to the segment. After an error it is in the buffer still.
    pub fn flush(&mut self) -> Result<()> {
        let count = self.buffer.count();
        if count == 0 {
            return Ok(());
        }
        self.stuck = true;
        let written = self.write_buffer(count);
        self.note_room(&written);
        written?;
        self.stuck = false;
        Ok(())
    }

    fn note_room(&mut self, written: &Result<()>) {
        self.counts.disk_full = matches!(written, Err(Error::Full { .. }));
    }

    fn write_buffer(&mut self, count: u32) -> Result<()> {
        let plain = self.buffer.records();
        let time_us = self.buffer.time_us();
        if self.settings.compression == Compression::Lz4
            && let Some(unpacked) = packed::pack(plain, count, &mut self.bare, &mut self.packed)
        {
            return self.write_packed(unpacked, count, time_us);
        }
        let header = self.header(count, plain.len(), time_us);
        let (segment, offset) = self.place_for(&header)?;
        segment.write(self.buffer.block(&header.write()), offset)?;
        self.wrote(segment, offset, &header);
        Ok(())
    }

    /// Writes plain records that are not in the buffer, which is empty.
    pub fn write_plain(&mut self, plain: &[u8], count: u32, time_us: i64) -> Result<()> {
        if self.settings.compression == Compression::Lz4
            && let Some(unpacked) = packed::pack(plain, count, &mut self.bare, &mut self.packed)
        {
            return self.write_packed(unpacked, count, time_us);
        }
        let header = self.header(count, plain.len(), time_us);
        let bytes = aligned(&header, plain);
        let (segment, offset) = self.place_for(&header)?;
        segment.write(&bytes, offset)?;
        self.wrote(segment, offset, &header);
        Ok(())
    }

    fn write_packed(&mut self, unpacked: usize, count: u32, time_us: i64) -> Result<()> {
        let header = Header {
            checksum: crc32c::crc32c(&self.packed),
            unpacked_bytes: unpacked as u32,
            packing: Compression::Lz4,
            ..self.header(count, self.packed.len(), time_us)
        };
        let bytes = aligned(&header, &self.packed);
        let (segment, offset) = self.place_for(&header)?;
        segment.write(&bytes, offset)?;
        self.wrote(segment, offset, &header);
        Ok(())
    }

    fn header(&self, count: u32, stored: usize, time_us: i64) -> Header {
        let tail = self.buffer.tail();
        Header {
            first: tail.first,
            time_us,
            bytes_before: tail.bytes_before,
            count,
            stored_bytes: stored as u32,
            unpacked_bytes: stored as u32,
            checksum: 0,
            packing: Compression::None,
        }
    }

    /// The segment that the next block goes to, and where. It is a new one if the block would
    /// make the old one too long.
    fn place_for(&mut self, header: &Header) -> Result<(Segment, u64)> {
        let tail = self.buffer.tail();
        let empty = tail.offset <= segment::HEADER_BYTES as u64;
        let len = header.block_bytes();
        let full = !empty && tail.offset + len > self.settings.segment_bytes;
        let (segment, offset) = if full || (self.abandoned && tail.segment != header.first) {
            let header = segment::Header {
                first: header.first,
                time_us: header.time_us,
                bytes_before: header.bytes_before,
                reused: false,
            };
            let segment = Segment::create(&*self.disk, header)?;
            self.written_to = segment.len()?;
            (segment, segment::HEADER_BYTES as u64)
        } else {
            (self.segment.clone(), tail.offset)
        };
        self.write_ahead(&segment, offset + len)?;
        Ok((segment, offset))
    }

    /// Fills the segment with zeros ahead of its blocks, so that a sync has only data to write.
    fn write_ahead(&mut self, segment: &Segment, end: u64) -> Result<()> {
        if !self.is_durable() || end <= self.written_to {
            return Ok(());
        }
        self.written_to = self.written_to.max(segment.len()?);
        if end <= self.written_to {
            return Ok(());
        }
        let to = (end + AHEAD_BYTES)
            .min(self.settings.segment_bytes)
            .max(end);
        let zeros = vec![0; (to - self.written_to) as usize];
        match segment.write(&zeros, self.written_to) {
            Ok(()) => self.written_to = to,
            // The block itself may still find room.
            Err(Error::Full { .. }) => self.written_to = end,
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Notes that a block was written: from here on it counts.
    fn wrote(&mut self, segment: Segment, offset: u64, header: &Header) {
        let is_new = segment.first != self.segment.first;
        self.buffer.flip(Tail {
            segment: segment.first,
            offset: offset + header.block_bytes(),
            first: header.end(),
            bytes_before: header.bytes_before + header.payload_bytes(),
        });
        self.counts.blocks += 1;
        if is_new {
            self.segments.push(segment.first);
            self.segment = segment;
            self.abandoned = false;
            self.rotated = true;
            self.seen.0 = self.buffer.note_segments();
        }
    }

    pub fn is_durable(&self) -> bool {
        self.durability != Durability::Os
    }

    /// Writes the table of subscribers.
    pub fn write_table(&mut self, durable: bool) -> Result<()> {
        self.table.write(&*self.disk, durable)?;
        self.seen.1 = self.buffer.note_table(self.table.durable_slot());
        Ok(())
    }

    /// Cuts what was only filled ahead.
    pub fn trim(&self) -> Result<()> {
        let end = self.buffer.tail().offset;
        if self.segment.len()? > end {
            self.segment.set_len(end)?;
        }
        Ok(())
    }
}

/// A block of records that do not stand in the buffer.
fn aligned(header: &Header, stored: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(header.block_bytes() as usize);
    bytes.extend_from_slice(&header.write());
    bytes.extend_from_slice(stored);
    bytes.resize(header.block_bytes() as usize, 0);
    debug_assert!(bytes.len().is_multiple_of(block::ALIGN_BYTES));
    bytes
}
