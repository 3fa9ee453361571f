//! Reads records in batches, for one subscriber.

use crate::block::{self, Header};
use crate::error::{Damage, Error, Result};
use crate::journal::Journal;
use crate::limits::{DAMAGES_KEPT, UNPACKED_BYTES};
use crate::options::Compression;
use crate::record::{self, Found, Hole};
use crate::scan::{Scan, Step};
use crate::segment::Segment;
use crate::{Id, packed};

/// What a reader does where bytes are not what was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum OnDamage {
    /// Passes over it, counts it, and names it in [`Reader::take_damages`].
    #[default]
    Skip,
    /// Ends with [`Error::Damaged`], until it is told to skip.
    Stop,
}

/// Reads records in batches, for one subscriber.
///
/// What was read but not checkpointed is read again by the next reader of that name.
pub struct Reader {
    journal: Journal,
    name: String,
    passing: bool,
    on_damage: OnDamage,
    /// The id of the next record to be fetched.
    next: u64,
    /// The segment that is read now.
    scan: Option<Scan>,
    /// Records that were unpacked, or copied from the buffer.
    unpacked: Vec<u8>,
    source: Source,
    /// Invariant: places in what `source` names; those before `cursor` have been given out.
    found: Vec<Found>,
    cursor: usize,
    damages: Vec<Damage>,
    stopped: Option<Damage>,
}

/// Where the bytes of a batch stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Window,
    Unpacked,
}

/// Some records, in order.
#[derive(Clone, Copy)]
pub struct Batch<'a> {
    bytes: &'a [u8],
    found: &'a [Found],
}

impl<'a> Batch<'a> {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether there is none: the reader has caught up.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The records with their ids.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Id, &'a [u8])> + use<'a> {
        let bytes = self.bytes;
        let found = self.found.iter();
        found.map(move |found| (Id(found.id), &bytes[found.at..found.at + found.len]))
    }

    /// The last record.
    #[must_use]
    pub fn last(&self) -> Option<(Id, &'a [u8])> {
        let last = self.found.last()?;
        Some((Id(last.id), &self.bytes[last.at..last.at + last.len]))
    }
}

impl Reader {
    pub(crate) fn new(journal: Journal, name: &str, checkpoint: Id, passing: bool) -> Reader {
        Reader {
            journal,
            name: name.to_owned(),
            passing,
            on_damage: OnDamage::default(),
            next: checkpoint.0 + 1,
            scan: None,
            unpacked: Vec::new(),
            source: Source::Window,
            found: Vec::new(),
            cursor: 0,
            damages: Vec::new(),
            stopped: None,
        }
    }

    /// The subscriber's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Chooses what is done at damage.
    pub fn on_damage(&mut self, on_damage: OnDamage) {
        self.on_damage = on_damage;
        if on_damage == OnDamage::Skip {
            self.stopped = None;
        }
    }

    /// The damages met since this was last asked: the first [`DAMAGES_KEPT`] of them.
    pub fn take_damages(&mut self) -> Vec<Damage> {
        std::mem::take(&mut self.damages)
    }

    /// The next records, at most `max` and often fewer; none if the reader has caught up. What is
    /// still in the buffer is read as well.
    ///
    /// # Errors
    /// What the disk says; [`Error::Damaged`] if it was told to stop there.
    pub fn next_batch(&mut self, max: usize) -> Result<Batch<'_>> {
        if self.cursor == self.found.len() {
            self.refill()?;
        }
        let from = self.cursor;
        let to = self.found.len().min(from.saturating_add(max));
        self.cursor = to;
        let bytes = match (self.source, &self.scan) {
            (Source::Window, Some(scan)) => scan.window(),
            _ => &self.unpacked,
        };
        Ok(Batch {
            bytes,
            found: &self.found[from..to],
        })
    }

    /// Goes to just after a record, back or forth; the checkpoint stays where it is.
    pub fn seek(&mut self, id: Id) {
        self.next = id.0.saturating_add(1);
        self.scan = None;
        self.found.clear();
        self.cursor = 0;
        self.stopped = None;
    }

    /// Stores that the subscriber has read up to a record; an older one lets the next reader of
    /// that name begin there. Returns the id that holds.
    ///
    /// # Errors
    /// As [`Journal::checkpoint`].
    pub fn checkpoint(&mut self, id: Id) -> Result<Id> {
        self.journal.checkpoint(&self.name, id)
    }

    fn refill(&mut self) -> Result<()> {
        self.found.clear();
        self.cursor = 0;
        self.unpacked.clear();
        loop {
            if let Some(damage) = &self.stopped {
                return Err(Error::Damaged(damage.clone()));
            }
            if self.scan.is_some() && self.take_blocks()? {
                return Ok(());
            }
            match self.journal.look(self.next, &mut self.unpacked)? {
                Look::Nothing => return Ok(()),
                Look::Buffer { first, count } => {
                    self.take_buffer(first, count);
                    return Ok(());
                }
                Look::Gone { segment, end } => self.miss(Damage {
                    segment: Id(segment),
                    offset: 0,
                    bytes: 0,
                    first: Id(self.next),
                    records: end - self.next,
                }),
                Look::Segment {
                    segment,
                    limit,
                    end,
                } => self.go_to(segment, limit, end),
            }
        }
    }

    fn go_to(&mut self, segment: Segment, limit: u64, end: u64) {
        let first = segment.first;
        let goes_on = |scan: &Scan| scan.segment.first == first && scan.id <= self.next;
        if !self.scan.as_ref().is_some_and(goes_on) {
            self.scan = Some(Scan::new(segment, limit, end));
        }
        if let Some(scan) = &mut self.scan {
            scan.extend(limit, end, self.next);
        }
    }

    /// Takes blocks as long as their bytes stay where they are. Says whether there are records.
    fn take_blocks(&mut self) -> Result<bool> {
        while let Some(scan) = &mut self.scan {
            match scan.step()? {
                Step::Block(header) => {
                    self.take_block(&header);
                    let more = self.scan.as_ref().and_then(Scan::next_in_window);
                    let more = more.is_some_and(|next| {
                        next.packing == header.packing && self.unpacked.len() < UNPACKED_BYTES
                    });
                    if !self.found.is_empty() && !more {
                        return Ok(true);
                    }
                }
                Step::Damage(damage) => {
                    self.miss(damage);
                    if self.stopped.is_some() || !self.found.is_empty() {
                        return Ok(!self.found.is_empty());
                    }
                }
                Step::End => {
                    self.next = self.next.max(scan.id);
                    break;
                }
            }
        }
        Ok(!self.found.is_empty())
    }

    fn take_block(&mut self, header: &Header) {
        let Some(scan) = &self.scan else {
            return;
        };
        let next = self.next;
        let found = &mut self.found;
        let keep = |record: Found| {
            if record.id >= next {
                found.push(record);
            }
        };
        let mut holes = Vec::new();
        if header.packing == Compression::None {
            self.source = Source::Window;
            let at = scan.body_at();
            let bytes = &scan.window()[..at + header.stored_bytes as usize];
            let hole = |hole| holes.push(hole);
            record::read_all(bytes, at, header.first, header.count, keep, hole);
        } else {
            self.source = Source::Unpacked;
            let (packed, into) = (scan.body(), &mut self.unpacked);
            if packed::unpack_checked(header, packed, into, keep).is_none() {
                self.found.retain(|found| found.id < header.first);
                holes.push(Hole {
                    at: scan.body_at(),
                    bytes: header.stored_bytes as usize,
                    first: header.first,
                    records: u64::from(header.count),
                });
            }
        }
        let body_offset = scan.offset - header.block_bytes() + block::HEADER_BYTES as u64;
        let (segment, body_at) = (Id(scan.segment.first), scan.body_at());
        for hole in holes {
            self.miss(Damage {
                segment,
                offset: body_offset + (hole.at - body_at) as u64,
                bytes: hole.bytes as u64,
                first: Id(hole.first),
                records: hole.records,
            });
        }
        self.next = self.next.max(header.end());
    }

    fn take_buffer(&mut self, first: u64, count: u32) {
        self.source = Source::Unpacked;
        let (next, found) = (self.next, &mut self.found);
        let keep = |record: Found| {
            if record.id >= next {
                found.push(record);
            }
        };
        let mut lost = None;
        let hole = |hole: Hole| lost = Some(hole);
        record::read_all(&self.unpacked, 0, first, count, keep, hole);
        if let Some(hole) = lost {
            self.miss(Damage {
                segment: Id(first),
                offset: hole.at as u64,
                bytes: hole.bytes as u64,
                first: Id(hole.first),
                records: hole.records,
            });
        }
        self.next = self.next.max(first + u64::from(count));
    }

    /// Notes damage, unless it lies before what is wanted.
    fn miss(&mut self, damage: Damage) {
        let end = damage.first.0 + damage.records;
        if end <= self.next && damage.records > 0 {
            return;
        }
        self.next = self.next.max(end);
        self.journal.shared().count_damage(&damage);
        if self.on_damage == OnDamage::Stop && self.stopped.is_none() {
            self.stopped = Some(damage.clone());
        }
        if self.damages.len() < DAMAGES_KEPT {
            self.damages.push(damage);
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        if self.passing {
            self.journal.forget(&self.name);
        }
    }
}

/// Where the next record is.
pub(crate) enum Look {
    Nothing,
    /// In the buffer, of which a copy was made.
    Buffer {
        first: u64,
        count: u32,
    },
    /// In a segment, up to an offset and an id.
    Segment {
        segment: Segment,
        limit: u64,
        end: u64,
    },
    /// Nowhere: the records up to `end` are gone.
    Gone {
        segment: u64,
        end: u64,
    },
}

impl Journal {
    /// Looks where a record is.
    fn look(&self, next: u64, buffered: &mut Vec<u8>) -> Result<Look> {
        let mut writer = self.shared().hold()?;
        while next >= writer.buffer.tail().first {
            let first = writer.buffer.tail().first;
            let count = writer.buffer.count();
            if next >= writer.buffer.next() {
                return Ok(Look::Nothing);
            }
            buffered.clear();
            buffered.extend_from_slice(writer.buffer.records());
            if writer.buffer.is_current() {
                return Ok(Look::Buffer { first, count });
            }
            // Only a view comes here: the records were written to their segment meanwhile.
            writer.refresh()?;
        }
        let tail = writer.buffer.tail();
        let after = writer.segments.partition_point(|first| *first <= next);
        let Some(index) = after.checked_sub(1) else {
            let first = writer.segments[0];
            let end = first.min(tail.first);
            return Ok(Look::Gone {
                segment: first,
                end,
            });
        };
        let first = writer.segments[index];
        if first == tail.segment {
            return Ok(Look::Segment {
                segment: writer.segment.clone(),
                limit: tail.offset,
                end: tail.first,
            });
        }
        let end = writer.segments.get(after).copied().unwrap_or(tail.first);
        match Segment::open(&*writer.disk, first) {
            Ok(segment) => Ok(Look::Segment {
                limit: segment.len()?,
                segment,
                end,
            }),
            Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                Ok(Look::Gone {
                    segment: first,
                    end,
                })
            }
            Err(error) => Err(error),
        }
    }

    /// Ends a subscriber that lasts as long as its reader.
    fn forget(&self, name: &str) {
        if let Ok(mut writer) = self.shared().hold() {
            writer.remove_passing(name.as_bytes());
        }
    }
}
