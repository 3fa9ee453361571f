//! Looks at a journal's files as they are, opens nothing and changes nothing; and mends the two
//! that can stop a journal from opening.

use crate::disk::Disk;
use crate::error::{Damage, Error, Result};
use crate::limits::SEGMENT_BYTES;
use crate::options::{Compression, Mode};
use crate::record::{self, Hole};
use crate::scan::{Scan, Step};
use crate::segment::{self, Segment};
use crate::settings::Settings;
use crate::table::{self, Table};
use crate::{Id, block, packed};

/// What is in a journal's files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Segments.
    pub segments: usize,
    /// Blocks.
    pub blocks: u64,
    /// Good records.
    pub records: u64,
    /// The bytes of good records.
    pub bytes: u64,
    /// Every damage, in order.
    pub damages: Vec<Damage>,
}

/// What was mended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repaired {
    /// The settings were made anew, from what the segments say.
    pub settings: bool,
    /// The table of subscribers could not be read; it was put aside under this name, and every
    /// subscriber must be added again.
    pub subscribers: Option<String>,
    /// What is in the files now. Damaged records cannot be brought back: readers pass over them.
    pub verified: Verified,
}

impl Repaired {
    /// Whether there was nothing to mend, and nothing is damaged.
    #[must_use]
    pub fn is_healthy(&self) -> bool {
        !self.settings && self.subscribers.is_none() && self.verified.damages.is_empty()
    }
}

/// Looks at every record of every segment.
///
/// # Errors
/// What the disk says.
pub fn verify(disk: &dyn Disk) -> Result<Verified> {
    let mut verified = Verified::default();
    let firsts = segment::list(disk)?;
    for (index, &first) in firsts.iter().enumerate() {
        let end = firsts.get(index + 1).copied();
        let segment = Segment::open(disk, first)?;
        verify_segment(segment, end.unwrap_or(u64::MAX), &mut verified)?;
        verified.segments += 1;
    }
    Ok(verified)
}

/// How many good records a segment has.
pub(crate) fn good_records(segment: Segment) -> Result<u64> {
    let mut verified = Verified::default();
    verify_segment(segment, u64::MAX, &mut verified)?;
    Ok(verified.records)
}

fn verify_segment(segment: Segment, end: u64, verified: &mut Verified) -> Result<()> {
    let first = segment.first;
    if segment.header()?.is_none() {
        verified.damages.push(Damage {
            segment: Id(first),
            offset: 0,
            bytes: segment::HEADER_BYTES as u64,
            first: Id(first),
            records: 0,
        });
    }
    let len = segment.len()?;
    let mut scan = Scan::new(segment, len, end);
    loop {
        match scan.step()? {
            Step::End => return Ok(()),
            Step::Damage(damage) => verified.damages.push(damage),
            Step::Block(header) => {
                verified.blocks += 1;
                let body_offset = scan.offset - header.block_bytes() + block::HEADER_BYTES as u64;
                for hole in verify_block(&header, scan.body(), verified) {
                    verified.damages.push(Damage {
                        segment: Id(first),
                        offset: body_offset + hole.at as u64,
                        bytes: hole.bytes as u64,
                        first: Id(hole.first),
                        records: hole.records,
                    });
                }
            }
        }
    }
}

fn verify_block(header: &block::Header, body: &[u8], verified: &mut Verified) -> Vec<Hole> {
    let (first, count) = (header.first, header.count);
    let (mut records, mut bytes) = (0, 0);
    let mut holes = Vec::new();
    let keep = |found: record::Found| {
        records += 1;
        bytes += found.len as u64;
    };
    if header.packing == Compression::None {
        record::read_all(body, 0, first, count, keep, |hole| holes.push(hole));
    } else if packed::unpack_checked(header, body, &mut Vec::new(), keep).is_none() {
        (records, bytes) = (0, 0);
        holes.push(Hole {
            at: 0,
            bytes: body.len(),
            first,
            records: count.into(),
        });
    }
    verified.records += records;
    verified.bytes += bytes;
    holes
}

/// Mends what can stop a journal from opening: its settings, and the table of subscribers. No
/// good record is ever removed. Nobody may have the journal open.
///
/// # Errors
/// What the disk says.
pub fn repair(disk: &dyn Disk) -> Result<Repaired> {
    let mut repaired = Repaired::default();
    let settings = match Settings::read(disk) {
        Ok(settings) => settings,
        Err(Error::Broken { .. }) => None,
        Err(error) => return Err(error),
    };
    if settings.is_none() {
        if segment::list(disk)?.is_empty() {
            return Err(Error::Missing);
        }
        guess_settings(disk)?.write(disk)?;
        repaired.settings = true;
    }
    if let Err(Error::Broken { .. }) = Table::read(disk, None) {
        let aside = format!("{}.damaged", table::FILE);
        disk.rename(table::FILE, &aside)
            .map_err(|error| Error::io("rename", table::FILE, error))?;
        repaired.subscribers = Some(aside);
    }
    repaired.verified = verify(disk)?;
    Ok(repaired)
}

/// The settings of a journal that has lost them: packed if any block is.
fn guess_settings(disk: &dyn Disk) -> Result<Settings> {
    let mut compression = Compression::None;
    for first in segment::list(disk)? {
        let segment = Segment::open(disk, first)?;
        let len = segment.len()?;
        let mut scan = Scan::new(segment, len, u64::MAX);
        while let step @ (Step::Block(_) | Step::Damage(_)) = scan.step()? {
            if matches!(step, Step::Block(header) if header.packing == Compression::Lz4) {
                compression = Compression::Lz4;
            }
        }
    }
    Ok(Settings {
        compression,
        mode: Mode::SingleProcess,
        segment_bytes: SEGMENT_BYTES,
    })
}
