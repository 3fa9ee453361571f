//! The checksums of the journal's files, whole, as they were when the store was closed: while
//! nobody has it open, every byte of them is known. `FORMAT.md` draws the file.

use std::sync::Arc;

use journal::disk::Disk;

use crate::error::{Damage, Error, Result};
use crate::file_reader::{open, read};
use crate::file_writer::NEW;
use crate::layout;
use crate::series::{read_len, read_varint, write_len, write_varint};

/// The file; it is there for as long as nobody has the store open.
pub(crate) const FILE: &str = "closed";

const HEADER: &[u8; 8] = b"CauchySc";

/// The bytes that have a checksum of their own, so that damage has a place.
const CHUNK: u64 = 64 << 10;

/// The journal's lock, held while the checksums are taken.
const ALIVE: &str = "alive";

/// Files of the journal beside its segments.
const OF_JOURNAL: [&str; 5] = ["journal", "buffer", "subscribers", "spare", "spare.2"];

/// Whether the journal writes a file of this name.
fn is_of_journal(name: &str) -> bool {
    name.ends_with(".segment") || OF_JOURNAL.contains(&name)
}

/// Notes the checksums; nobody may have the store open, and if somebody has nothing is done.
pub(crate) fn note(disk: &dyn Disk) -> Result<()> {
    let failed = |what| move |error| Error::io(what, FILE, error);
    let alive = open(disk, ALIVE)?;
    if !alive.try_lock().map_err(failed("lock"))? {
        return Ok(());
    }
    let noted = note_locked(disk);
    alive.unlock().map_err(failed("unlock"))?;
    noted
}

fn note_locked(disk: &dyn Disk) -> Result<()> {
    let failed = |what| move |error| Error::io(what, FILE, error);
    let mut names = disk.list().map_err(failed("list the folder for"))?;
    names.sort_unstable();
    let mut body = Vec::new();
    for name in names.iter().filter(|name| is_of_journal(name)) {
        let (len, checksums) = checksums_of(disk, name, u64::MAX)?;
        write_len(&mut body, name.len());
        body.extend_from_slice(name.as_bytes());
        write_varint(&mut body, len);
        for checksum in checksums {
            body.extend_from_slice(&checksum.to_le_bytes());
        }
    }
    let new = format!("{FILE}{NEW}");
    let file = disk.open(&new, true).map_err(failed("make"))?;
    let bytes = [&HEADER[..], &layout::frame(&body), &body].concat();
    file.set_len(0).map_err(failed("empty"))?;
    file.write_at(&bytes, 0).map_err(failed("write"))?;
    file.sync().map_err(failed("sync"))?;
    disk.rename(&new, FILE).map_err(failed("rename"))?;
    disk.sync_names().map_err(failed("sync the name of"))
}

/// Forgets the checksums, before the journal is opened.
pub(crate) fn forget(disk: &Arc<dyn Disk>) -> Result<()> {
    if open(&**disk, FILE).is_err() {
        return Ok(());
    }
    let failed = |error| Error::io("remove", FILE, error);
    disk.remove(FILE).map_err(failed)?;
    disk.sync_names().map_err(failed)
}

/// The length of a file, and the checksums of so many of its bytes.
fn checksums_of(disk: &dyn Disk, name: &str, bytes: u64) -> Result<(u64, Vec<u32>)> {
    let file = open(disk, name)?;
    let len = file.len().map_err(|error| Error::io("read", name, error))?;
    let mut checksums = Vec::new();
    let end = len.min(bytes);
    for at in (0..end).step_by(CHUNK as usize) {
        let chunk = read(&*file, name, at, CHUNK.min(end - at))?;
        checksums.push(crc32c::crc32c(&chunk));
    }
    Ok((len, checksums))
}

/// A file of the journal as it was.
struct Noted {
    name: String,
    len: u64,
    checksums: Vec<u32>,
}

/// Compares the journal's files with what was noted; nothing if the store was not closed.
pub(crate) fn verify(disk: &dyn Disk) -> Result<Vec<Damage>> {
    let Some(bytes) = noted_bytes(disk)? else {
        return Ok(Vec::new());
    };
    let Some(noted) = decode(&bytes) else {
        return Ok(vec![damage(
            FILE,
            0,
            bytes.len() as u64,
            "the checksums of the journal's files",
        )]);
    };
    let mut damages = Vec::new();
    for file in noted {
        compare(disk, &file, &mut damages)?;
    }
    // Somebody may have opened the store meanwhile: the journal is then another.
    if !damages.is_empty() && noted_bytes(disk)?.as_ref() != Some(&bytes) {
        damages.clear();
    }
    Ok(damages)
}

fn noted_bytes(disk: &dyn Disk) -> Result<Option<Vec<u8>>> {
    let file = match open(disk, FILE) {
        Err(Error::Gone(_)) => return Ok(None),
        file => file?,
    };
    let len = file.len().map_err(|error| Error::io("read", FILE, error))?;
    read(&*file, FILE, 0, len).map(Some)
}

fn decode(bytes: &[u8]) -> Option<Vec<Noted>> {
    let mut rest = layout::unframe(bytes.strip_prefix(&HEADER[..])?)?;
    let mut noted = Vec::new();
    while !rest.is_empty() {
        let len = read_len(&mut rest)?;
        let (name, after) = rest.split_at_checked(len)?;
        rest = after;
        let name = String::from_utf8(name.to_vec()).ok()?;
        let len = read_varint(&mut rest)?;
        let chunks = usize::try_from(len.div_ceil(CHUNK)).ok()?;
        let (words, after) = rest.split_at_checked(chunks.checked_mul(4)?)?;
        rest = after;
        let checksums = words.chunks_exact(4).map(|four| layout::word(four, 0));
        noted.push(Noted {
            name,
            len,
            checksums: checksums.collect(),
        });
    }
    Some(noted)
}

fn compare(disk: &dyn Disk, noted: &Noted, damages: &mut Vec<Damage>) -> Result<()> {
    let what = "what the journal held when it was closed";
    let (len, checksums) = match checksums_of(disk, &noted.name, noted.len) {
        Err(Error::Gone(_)) => (0, Vec::new()),
        checksums => checksums?,
    };
    for (index, checksum) in noted.checksums.iter().enumerate() {
        if checksums.get(index) != Some(checksum) {
            let at = index as u64 * CHUNK;
            damages.push(damage(&noted.name, at, CHUNK.min(noted.len - at), what));
        }
    }
    if len > noted.len {
        damages.push(damage(&noted.name, noted.len, len - noted.len, what));
    }
    Ok(())
}

fn damage(file: &str, offset: u64, bytes: u64, what: &'static str) -> Damage {
    Damage {
        file: file.to_owned(),
        offset,
        bytes,
        what,
    }
}
