//! The table of subscribers: the file `subscribers`, written whole into one of three slots. Its
//! bytes are drawn in `FORMAT.md`.

use std::collections::BTreeMap;

use crate::block::{long, word};
use crate::disk::Disk;
use crate::error::{Error, Result};

/// The file's name.
pub(crate) const FILE: &str = "subscribers";

/// The file's name while a larger one is made.
const FILE_NEW: &str = "subscribers.new";

const MAGIC: &[u8; 4] = b"CJt1";
const HEADER_BYTES: usize = 24;

/// The smallest slot: some dozens of subscribers.
const SLOT_BYTES_MIN: usize = 4096;

/// How far a subscriber is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// The last record that it has read.
    pub checkpoint: u64,
    /// How many records were deleted before it read them.
    pub dropped: u64,
}

/// The table.
#[derive(Default)]
pub(crate) struct Table {
    pub places: BTreeMap<Vec<u8>, Place>,
    generation: u64,
    /// Invariant: this slot holds a whole table that survives a crash of the machine; it is not
    /// written. Nor is the newest one, so that a write cut short costs only that write.
    durable_slot: usize,
    newest_slot: usize,
    slot_bytes: usize,
}

/// One is synced, one is the newest, one is written next.
const SLOTS: usize = 3;

impl Table {
    /// Reads the table. `durable_slot` is which slot is synced, if that is known.
    pub fn read(disk: &dyn Disk, durable_slot: Option<usize>) -> Result<Table> {
        let file = match disk.open(FILE, false) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Table::default());
            }
            Err(error) => return Err(Error::io("open", FILE, error)),
        };
        let failed = |error| Error::io("read", FILE, error);
        let mut bytes = vec![0; file.len().map_err(failed)? as usize];
        let len = file.read_at(&mut bytes, 0).map_err(failed)?;
        bytes.truncate(len);
        let slot_bytes = bytes.len() / SLOTS;
        let best = bytes
            .chunks_exact(slot_bytes.max(1))
            .enumerate()
            .filter_map(|(slot, bytes)| decode(bytes).map(|table| (slot, table)))
            .max_by_key(|(_, (generation, _))| *generation);
        let Some((slot, (generation, places))) = best else {
            return Err(Error::Broken {
                file: FILE,
                why: "has no good copy of the subscribers".to_owned(),
            });
        };
        Ok(Table {
            places,
            generation,
            durable_slot: durable_slot.unwrap_or(slot),
            newest_slot: slot,
            slot_bytes,
        })
    }

    /// Writes the table. With `durable` it survives a crash of the machine on return.
    pub fn write(&mut self, disk: &dyn Disk, durable: bool) -> Result<()> {
        let bytes = encode(&self.places, self.generation + 1);
        if bytes.len() > self.slot_bytes {
            return self.write_larger(disk, bytes.len());
        }
        let taken = [self.durable_slot, self.newest_slot];
        let slot = (0..SLOTS).find(|slot| !taken.contains(slot)).unwrap_or(0);
        let failed = |what| move |error| Error::io(what, FILE, error);
        let file = disk.open(FILE, false).map_err(failed("open"))?;
        file.write_at(&bytes, (slot * self.slot_bytes) as u64)
            .map_err(failed("write"))?;
        self.generation += 1;
        self.newest_slot = slot;
        if durable {
            file.sync().map_err(failed("sync"))?;
            self.durable_slot = slot;
        }
        Ok(())
    }

    /// The slot that is synced.
    pub fn durable_slot(&self) -> usize {
        self.durable_slot
    }

    fn write_larger(&mut self, disk: &dyn Disk, bytes: usize) -> Result<()> {
        let slot_bytes = (bytes * 2).next_multiple_of(SLOT_BYTES_MIN);
        let failed = |what| move |error| Error::io(what, FILE_NEW, error);
        let file = disk.open(FILE_NEW, true).map_err(failed("make"))?;
        file.set_len(0).map_err(failed("cut"))?;
        let mut all = encode(&self.places, self.generation + 1);
        all.resize(SLOTS * slot_bytes, 0);
        file.write_at(&all, 0).map_err(failed("write"))?;
        file.sync().map_err(failed("sync"))?;
        disk.rename(FILE_NEW, FILE).map_err(failed("rename"))?;
        disk.sync_names()
            .map_err(|error| Error::io("sync", "the folder", error))?;
        self.generation += 1;
        self.slot_bytes = slot_bytes;
        (self.durable_slot, self.newest_slot) = (0, 0);
        Ok(())
    }
}

fn encode(places: &BTreeMap<Vec<u8>, Place>, generation: u64) -> Vec<u8> {
    let mut bytes = vec![0; HEADER_BYTES];
    for (name, place) in places {
        bytes.extend((name.len() as u16).to_le_bytes());
        bytes.extend(name);
        bytes.extend(place.checkpoint.to_le_bytes());
        bytes.extend(place.dropped.to_le_bytes());
    }
    let len = (bytes.len() - HEADER_BYTES) as u32;
    bytes[..4].copy_from_slice(MAGIC);
    bytes[8..12].copy_from_slice(&len.to_le_bytes());
    bytes[12..16].copy_from_slice(&(places.len() as u32).to_le_bytes());
    bytes[16..24].copy_from_slice(&generation.to_le_bytes());
    let checksum = crc32c::crc32c(&bytes[8..]);
    bytes[4..8].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

fn decode(slot: &[u8]) -> Option<(u64, BTreeMap<Vec<u8>, Place>)> {
    if slot.get(..4)? != MAGIC || slot.len() < HEADER_BYTES {
        return None;
    }
    let end = HEADER_BYTES.checked_add(word(slot, 8) as usize)?;
    let bytes = slot.get(..end)?;
    if word(bytes, 4) != crc32c::crc32c(&bytes[8..]) {
        return None;
    }
    let mut places = BTreeMap::new();
    let mut rest = &bytes[HEADER_BYTES..];
    for _ in 0..word(bytes, 12) {
        let len = u16::from_le_bytes(rest.get(..2)?.try_into().ok()?) as usize;
        let name = rest.get(2..2 + len)?;
        let numbers = rest.get(2 + len..2 + len + 16)?;
        let place = Place {
            checkpoint: long(numbers, 0),
            dropped: long(numbers, 8),
        };
        places.insert(name.to_vec(), place);
        rest = &rest[2 + len + 16..];
    }
    Some((long(bytes, 16), places))
}
