//! A segment: a file of blocks, named after its first record. Its bytes are drawn in `FORMAT.md`.

use std::sync::Arc;

use crate::block::{long, word};
use crate::disk::{Disk, DiskFile};
use crate::error::{Error, Result};

/// Where the first block begins.
pub(crate) const HEADER_BYTES: usize = 64;

/// The version that this program writes.
pub(crate) const VERSION: u32 = 1;

/// Segments that nobody needs, kept to be used again: their place on the disk is written already,
/// and in the kernel's memory they have theirs. Two, for a journal that is told the time ten times
/// a second may fill more than one meanwhile.
pub(crate) const SPARES: [&str; 2] = ["spare", "spare.2"];

const MAGIC: &[u8; 8] = b"CJsegmnt";
const SUFFIX: &str = ".segment";

/// The name of the segment that begins with a record.
pub(crate) fn name(first: u64) -> String {
    format!("{first:016x}{SUFFIX}")
}

/// The first record of the segment of this name.
pub(crate) fn first_of(name: &str) -> Option<u64> {
    let digits = name.strip_suffix(SUFFIX)?;
    (digits.len() == 16).then_some(())?;
    u64::from_str_radix(digits, 16).ok()
}

/// The first records of all segments, in order.
pub(crate) fn list(disk: &dyn Disk) -> Result<Vec<u64>> {
    let names = disk
        .list()
        .map_err(|error| Error::io("list", "the folder", error))?;
    let mut firsts: Vec<u64> = names.iter().filter_map(|name| first_of(name)).collect();
    firsts.sort_unstable();
    Ok(firsts)
}

/// The first records of all segments up to the one that grows. One after it is the beginning of
/// a segment that a killed process did not put to use.
pub(crate) fn list_up_to(disk: &dyn Disk, growing: u64) -> Result<Vec<u64>> {
    let mut firsts = list(disk)?;
    firsts.retain(|first| *first <= growing);
    Ok(firsts)
}

/// Deletes the spare segments.
pub(crate) fn delete_spares(disk: &dyn Disk) -> Result<()> {
    for spare in SPARES {
        match disk.remove(spare) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::io("delete", spare, error));
            }
            _ => {}
        }
    }
    Ok(())
}

/// What stands at the start of a segment's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub first: u64,
    pub time_us: i64,
    /// The bytes of all records before it.
    pub bytes_before: u64,
    /// Whether the file was another segment before, whose blocks may follow ours.
    pub reused: bool,
}

impl Header {
    fn write(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.first.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.time_us.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.bytes_before.to_le_bytes());
        bytes[40] = self.reused.into();
        let checksum = Header::checksum(&bytes);
        bytes[12..16].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    fn checksum(bytes: &[u8]) -> u32 {
        crc32c::crc32c_append(crc32c::crc32c(&bytes[..12]), &bytes[16..HEADER_BYTES])
    }

    /// Reads a header, if these bytes are a good one.
    ///
    /// # Errors
    /// If it has a newer version.
    pub fn read(bytes: &[u8]) -> Result<Option<Header>> {
        if bytes.len() < HEADER_BYTES || &bytes[..8] != MAGIC {
            return Ok(None);
        }
        if word(bytes, 12) != Header::checksum(bytes) {
            return Ok(None);
        }
        let version = word(bytes, 8);
        if version != VERSION {
            return Err(Error::Version {
                found: version,
                known: VERSION,
            });
        }
        Ok(Some(Header {
            first: long(bytes, 16),
            time_us: long(bytes, 24).cast_signed(),
            bytes_before: long(bytes, 32),
            reused: bytes[40] != 0,
        }))
    }
}

/// A segment's file, open.
#[derive(Clone)]
pub(crate) struct Segment {
    pub first: u64,
    pub file: Arc<dyn DiskFile>,
}

impl Segment {
    /// Makes a segment, from a spare one if there is one.
    pub fn create(disk: &dyn Disk, mut header: Header) -> Result<Segment> {
        let name = name(header.first);
        header.reused = SPARES.iter().any(|spare| disk.rename(spare, &name).is_ok());
        let segment = Segment::open_or_create(disk, header.first, true)?;
        // What a killed process left of the same segment. A new file is left alone: one that was
        // cut some file systems write to the disk when it is closed.
        if !header.reused && segment.len()? > 0 {
            segment.set_len(0)?;
        }
        segment.write_header(header)?;
        Ok(segment)
    }

    /// Writes the header anew.
    pub fn write_header(&self, header: Header) -> Result<()> {
        self.write(&header.write(), 0)
    }

    /// Opens a segment that is there.
    pub fn open(disk: &dyn Disk, first: u64) -> Result<Segment> {
        Segment::open_or_create(disk, first, false)
    }

    fn open_or_create(disk: &dyn Disk, first: u64, create: bool) -> Result<Segment> {
        let name = name(first);
        let file = disk
            .open(&name, create)
            .map_err(|error| Error::io("open", &name, error))?;
        Ok(Segment { first, file })
    }

    /// The header; `None` if it is damaged or another segment's.
    pub fn header(&self) -> Result<Option<Header>> {
        let mut bytes = [0; HEADER_BYTES];
        let len = self.read(&mut bytes, 0)?;
        let header = Header::read(&bytes[..len])?;
        Ok(header.filter(|header| header.first == self.first))
    }

    pub fn read(&self, into: &mut [u8], offset: u64) -> Result<usize> {
        self.file
            .read_at(into, offset)
            .map_err(|error| self.error("read", error))
    }

    pub fn write(&self, bytes: &[u8], offset: u64) -> Result<()> {
        self.file
            .write_at(bytes, offset)
            .map_err(|error| self.error("write", error))
    }

    pub fn len(&self) -> Result<u64> {
        self.file
            .len()
            .map_err(|error| self.error("measure", error))
    }

    pub fn set_len(&self, len: u64) -> Result<()> {
        self.file
            .set_len(len)
            .map_err(|error| self.error("cut", error))
    }

    pub fn sync(&self) -> Result<()> {
        self.file.sync().map_err(|error| self.error("sync", error))
    }

    fn error(&self, what: &'static str, error: std::io::Error) -> Error {
        Error::io(what, &name(self.first), error)
    }
}
