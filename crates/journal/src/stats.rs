//! What a journal holds, and how far each subscriber is behind.

use crate::Id;
use crate::error::{Error, Result};
use crate::journal::Journal;
use crate::options::Compression;
use crate::scan::{Scan, Step};
use crate::segment::Segment;
use crate::table::Place;
use crate::writer::Writer;
use crate::{packed, record};

/// What a journal holds. Counts are of this process, since it opened the journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// The oldest record that is kept, or the next one if none is.
    pub first: Id,
    /// The last record; [`Id::ZERO`] if there never was one.
    pub last: Id,
    /// How many segments there are.
    pub segments: usize,
    /// How many bytes their files have.
    pub disk_bytes: u64,
    /// How many bytes the records have that were ever appended.
    pub payload_bytes: u64,
    /// How many records wait in the buffer, to be written as one block.
    pub buffered: u64,
    /// When the oldest block that is kept was begun, in microseconds since 1970.
    pub oldest_us: Option<i64>,
    /// Records appended.
    pub appended: u64,
    /// Appends that failed.
    pub failed: u64,
    /// Blocks written.
    pub blocks: u64,
    /// Syncs.
    pub syncs: u64,
    /// Syncs that failed.
    pub sync_failures: u64,
    /// Whether the disk had no room for what was written last.
    pub disk_full: bool,
    /// Segments deleted.
    pub segments_deleted: u64,
    /// Records deleted that a subscriber had not read, once for each such subscriber.
    pub dropped: u64,
    /// How often readers met damage.
    pub damages: u64,
    /// How many records that cost them.
    pub records_damaged: u64,
    /// The subscribers, by name.
    pub subscribers: Vec<SubscriberStats>,
}

/// How far a subscriber is behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubscriberStats {
    /// Its name.
    pub name: String,
    /// The last record that it has read.
    pub checkpoint: Id,
    /// How many records it has not read.
    pub records: u64,
    /// How many bytes they have.
    pub bytes: u64,
    /// When the block of the oldest of them was begun, in microseconds since 1970.
    pub oldest_us: Option<i64>,
    /// How many records were deleted before it read them, ever.
    pub dropped: u64,
    /// Whether it lasts only as long as its reader.
    pub passing: bool,
}

impl Journal {
    /// What the journal holds, and how far each subscriber is behind. Reads the block that each
    /// subscriber is at.
    ///
    /// # Errors
    /// What the disk says.
    pub fn stats(&self) -> Result<Stats> {
        let mut stats = self.shared().hold()?.stats()?;
        (stats.damages, stats.records_damaged) = self.shared().damages();
        Ok(stats)
    }

    /// A record that came before a time, in microseconds since 1970, as did all before it: the
    /// last of which the times of blocks can tell that. All that came at the time or later are
    /// after it; so may be some that came shortly before.
    ///
    /// # Errors
    /// What the disk says.
    pub fn last_before(&self, time_us: i64) -> Result<Id> {
        self.shared().hold()?.last_before(time_us)
    }
}

impl Writer {
    fn stats(&self) -> Result<Stats> {
        let mut disk_bytes = 0;
        for &first in &self.segments {
            disk_bytes += Segment::open(&*self.disk, first)?.len()?;
        }
        let first = self.segments[0];
        let stored = self.table.places.iter().map(|entry| (entry, false));
        let passing = self.passing.iter().map(|entry| (entry, true));
        let mut subscribers = Vec::new();
        for ((name, place), passing) in stored.chain(passing) {
            subscribers.push(self.subscriber_stats(name, place, passing)?);
        }
        Ok(Stats {
            first: Id(first),
            last: Id(self.last()),
            segments: self.segments.len(),
            disk_bytes,
            payload_bytes: self.buffer.payload_bytes(),
            buffered: self.buffer.count().into(),
            oldest_us: self.locate(first)?.map(|(_, time_us)| time_us),
            appended: self.counts.appended,
            failed: self.counts.failed,
            blocks: self.counts.blocks,
            syncs: self.counts.syncs,
            sync_failures: self.counts.sync_failures,
            disk_full: self.counts.disk_full,
            segments_deleted: self.counts.segments_deleted,
            dropped: self.counts.records_dropped,
            damages: 0,
            records_damaged: 0,
            subscribers,
        })
    }

    fn subscriber_stats(
        &self,
        name: &[u8],
        place: &Place,
        passing: bool,
    ) -> Result<SubscriberStats> {
        let next = (place.checkpoint + 1).max(self.segments[0]);
        let at = self.locate(next)?;
        let total = self.buffer.payload_bytes();
        Ok(SubscriberStats {
            name: String::from_utf8_lossy(name).into_owned(),
            checkpoint: Id(place.checkpoint),
            records: (self.last() + 1).saturating_sub(next),
            bytes: at.map_or(0, |(before, _)| total.saturating_sub(before)),
            oldest_us: at.map(|(_, time_us)| time_us),
            dropped: place.dropped,
            passing,
        })
    }

    /// How many bytes all records before this one have, and when its block was begun. `None` if
    /// there is no such record yet.
    fn locate(&self, id: u64) -> Result<Option<(u64, i64)>> {
        let tail = self.buffer.tail();
        if id > self.last() {
            return Ok(None);
        }
        if id >= tail.first {
            let records = self.buffer.records();
            let before = bytes_before(records, 0, record::HEADER_BYTES, tail.first, id);
            return Ok(Some((tail.bytes_before + before, self.buffer.time_us())));
        }
        let after = self.segments.partition_point(|first| *first <= id);
        for index in after.saturating_sub(1)..self.segments.len() {
            let end = self.segments.get(index + 1).copied();
            if let Some(found) = self.locate_in(self.segments[index], end, id)? {
                return Ok(Some(found));
            }
        }
        Ok(Some((tail.bytes_before, self.buffer.time_us())))
    }

    fn locate_in(&self, first: u64, end: Option<u64>, id: u64) -> Result<Option<(u64, i64)>> {
        let tail = self.buffer.tail();
        let segment = match Segment::open(&*self.disk, first) {
            Ok(segment) => segment,
            Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let limit = match end {
            Some(_) => segment.len()?,
            None => tail.offset,
        };
        let mut scan = Scan::new(segment, limit, end.unwrap_or(tail.first));
        scan.extend(limit, end.unwrap_or(tail.first), id);
        loop {
            match scan.step()? {
                Step::Damage(_) => {}
                Step::End => return Ok(None),
                Step::Block(header) => {
                    let mut unpacked = Vec::new();
                    let (bytes, around) = if header.packing == Compression::None {
                        (scan.body(), record::HEADER_BYTES)
                    } else {
                        let (first, count) = (header.first, header.count);
                        let len = header.unpacked_bytes as usize;
                        let into = &mut unpacked;
                        let _ = packed::unpack(scan.body(), len, first, count, into, |_| {});
                        (&unpacked[..], packed::LENGTH_BYTES)
                    };
                    let before = bytes_before(bytes, 0, around, header.first, id);
                    return Ok(Some((header.bytes_before + before, header.time_us)));
                }
            }
        }
    }

    fn last_before(&self, time_us: i64) -> Result<Id> {
        let tail = self.buffer.tail();
        let mut before = Id(self.segments[0] - 1);
        let started_before = |first: &u64| {
            let header = Segment::open(&*self.disk, *first).and_then(|segment| segment.header());
            matches!(header, Ok(Some(header)) if header.time_us < time_us)
        };
        let index = self.segments.partition_point(started_before);
        let Some(index) = index.checked_sub(1) else {
            return Ok(before);
        };
        let segment = Segment::open(&*self.disk, self.segments[index])?;
        let end = self.segments.get(index + 1).copied().unwrap_or(tail.first);
        let limit = if segment.first == tail.segment {
            tail.offset
        } else {
            segment.len()?
        };
        let mut scan = Scan::new(segment, limit, end);
        before = before.max(Id(scan.id - 1));
        loop {
            match scan.step()? {
                Step::Damage(_) => {}
                Step::End => break,
                Step::Block(header) if header.time_us >= time_us => return Ok(before),
                Step::Block(header) => before = Id(header.first - 1),
            }
        }
        let in_buffer = end == tail.first && self.buffer.count() > 0;
        if in_buffer && self.buffer.time_us() < time_us {
            before = Id(tail.first - 1);
        }
        Ok(before)
    }
}

/// How many bytes the records before `id` have, in a stretch whose first record is `first`.
fn bytes_before(bytes: &[u8], at: usize, around: usize, first: u64, id: u64) -> u64 {
    let (mut at, mut total) = (at, 0);
    for _ in first..id.max(first) {
        let Some(length) = bytes.get(at..at + 4) else {
            break;
        };
        let len = crate::block::word(length, 0) as usize;
        total += len as u64;
        at = at.saturating_add(around + len);
    }
    total
}
