//! Gives segments their names back, and takes them from files that are none.
//!
//! A crash may leave a segment that is used again under its old name, or with its old header under
//! the new one; and files are copied and renamed by hand. The header tells which segment it is.

use crate::disk::Disk;
use crate::error::{Error, Result};
use crate::recovery::Recovery;
use crate::scan::{Scan, Step};
use crate::segment::{self, Segment};
use crate::verify;

/// A segment on its way from a wrong name to its own, so that two may change places.
const PREFIX: &str = "misnamed-";

/// What is behind the name of a file that was put aside.
const ASIDE_SUFFIX: &str = ".damaged";

/// Renames segments that have the name of others. Of two of one name the one with more good records
/// stays: one of them is a copy.
pub(crate) fn restore(disk: &dyn Disk, firsts: &mut Vec<u64>, report: &mut Recovery) -> Result<()> {
    let mut kept = Vec::with_capacity(firsts.len());
    for &first in firsts.iter() {
        match header(disk, &segment::name(first))? {
            Some(header) if header.first != first => {
                let away = format!("{PREFIX}{first:016x}");
                rename(disk, &segment::name(first), &away)?;
            }
            _ => kept.push(first),
        }
    }
    let names = disk
        .list()
        .map_err(|error| Error::io("list", "the folder", error))?;
    for away in names.iter().filter(|name| name.starts_with(PREFIX)) {
        report.misnamed += 1;
        let Some(own) = header(disk, away)?.map(|header| header.first) else {
            continue;
        };
        let name = segment::name(own);
        if !kept.contains(&own) {
            rename(disk, away, &name)?;
            kept.push(own);
        } else if records(disk, away, own)? > records(disk, &name, own)? {
            rename(disk, away, &name)?;
        } else {
            disk.remove(away)
                .map_err(|error| Error::io("delete", away, error))?;
        }
    }
    kept.sort_unstable();
    *firsts = kept;
    Ok(())
}

/// Puts aside files that have the name of a segment and are none: nothing of one is in them, or the
/// segment before has their records. Another would be read only up to there.
pub(crate) fn put_aside_aliens(
    disk: &dyn Disk,
    firsts: &mut Vec<u64>,
    report: &mut Recovery,
) -> Result<()> {
    let mut kept: Vec<u64> = Vec::with_capacity(firsts.len());
    for (index, &first) in firsts.iter().enumerate() {
        let segment = Segment::open(disk, first)?;
        let end = firsts.get(index + 1).copied().unwrap_or(u64::MAX);
        let is_own = segment.header()?.is_some()
            || has_record(segment, first, end)?
                && match kept.last() {
                    Some(&before) => !has_record(Segment::open(disk, before)?, first, u64::MAX)?,
                    None => true,
                };
        if is_own {
            kept.push(first);
            continue;
        }
        let name = segment::name(first);
        let aside = format!("{name}{ASIDE_SUFFIX}");
        rename(disk, &name, &aside)?;
        report.aside.push(name);
    }
    *firsts = kept;
    Ok(())
}

/// Whether a block of a segment has this record or a later one, before `end`.
fn has_record(segment: Segment, id: u64, end: u64) -> Result<bool> {
    let len = segment.len()?;
    let mut scan = Scan::new(segment, len, end);
    loop {
        match scan.step()? {
            Step::Block(header) if header.end() > id => return Ok(true),
            Step::Block(_) | Step::Damage(_) => {}
            Step::End => return Ok(false),
        }
    }
}

fn records(disk: &dyn Disk, name: &str, first: u64) -> Result<u64> {
    let file = disk
        .open(name, false)
        .map_err(|error| Error::io("open", name, error))?;
    verify::good_records(Segment { first, file })
}

fn header(disk: &dyn Disk, name: &str) -> Result<Option<segment::Header>> {
    let file = disk
        .open(name, false)
        .map_err(|error| Error::io("open", name, error))?;
    let mut bytes = [0; segment::HEADER_BYTES];
    let len = file
        .read_at(&mut bytes, 0)
        .map_err(|error| Error::io("read", name, error))?;
    segment::Header::read(&bytes[..len])
}

fn rename(disk: &dyn Disk, from: &str, to: &str) -> Result<()> {
    disk.rename(from, to)
        .map_err(|error| Error::io("rename", from, error))
}
