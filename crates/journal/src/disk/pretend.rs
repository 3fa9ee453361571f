//! A folder in memory, for tests: it keeps only what was synced, fills up, and fails when told.
//!
//! Every change of the disk (a write, a sync, a new name) is a step. A test runs something once
//! to count the steps, then again for each of them with [`PretendDisk::crash_at`], and looks at
//! what [`PretendDisk::after`] a crash is left.

use std::cell::UnsafeCell;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use parking_lot::Mutex;

use super::{Disk, DiskFile};
use crate::region::Region;

/// Bytes that a disk writes whole or not at all.
const SECTOR_BYTES: usize = 512;

/// Bytes of mapped memory that the kernel writes together.
const PAGE_BYTES: usize = 4096;

/// What ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crash {
    /// The process: what it wrote is in the kernel, mapped memory too.
    Process,
    /// The machine: of what was not synced any part may be there, or none.
    Machine,
}

/// A folder in memory.
#[derive(Clone, Default)]
pub struct PretendDisk(Arc<Mutex<World>>);

#[derive(Default)]
struct World {
    files: Vec<Content>,
    names: BTreeMap<String, usize>,
    names_durable: BTreeMap<String, usize>,
    names_changed: Vec<Rename>,
    steps: u64,
    crash_at: Option<u64>,
    room_bytes: Option<u64>,
    sync_fails: bool,
}

#[derive(Default, Clone)]
struct Content {
    now: Vec<u8>,
    durable: Vec<u8>,
    changed: Vec<Change>,
    mapped: Option<Arc<Memory>>,
}

#[derive(Clone)]
enum Change {
    Write(usize, Vec<u8>),
    Length(usize),
}

#[derive(Clone)]
enum Rename {
    Add(String, usize),
    Move(String, String),
    Remove(String),
}

/// Mapped memory, in words so that it is aligned.
struct Memory(UnsafeCell<Vec<u64>>);

// SAFETY: only regions touch it while a journal runs, under the journal's lock; the disk reads it
// when the journal is gone or holds its lock.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    fn copy(&self) -> Vec<u8> {
        // SAFETY: see above; nobody writes now.
        let words = unsafe { &*self.0.get() };
        words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }
}

impl PretendDisk {
    /// An empty folder.
    #[must_use]
    pub fn new() -> PretendDisk {
        PretendDisk::default()
    }

    /// How many steps the disk has taken.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.0.lock().steps
    }

    /// From this step on everything fails; the step itself is half done.
    pub fn crash_at(&self, step: u64) {
        self.0.lock().crash_at = Some(step);
    }

    /// How many bytes all files together may have.
    pub fn room(&self, bytes: Option<u64>) {
        self.0.lock().room_bytes = bytes;
    }

    /// Whether every sync fails from now on.
    pub fn fail_syncs(&self, fail: bool) {
        self.0.lock().sync_fails = fail;
    }

    /// How many bytes all files have.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.0.lock().bytes()
    }

    /// The bytes of a file, if it is there.
    #[must_use]
    pub fn read(&self, name: &str) -> Option<Vec<u8>> {
        let mut world = self.0.lock();
        let file = *world.names.get(name)?;
        world.files[file].take_mapped();
        Some(world.files[file].now.clone())
    }

    /// Puts bytes in place of a file's.
    pub fn write(&self, name: &str, bytes: &[u8]) {
        let mut world = self.0.lock();
        let file = world.open(name);
        world.files[file] = Content {
            now: bytes.to_vec(),
            durable: bytes.to_vec(),
            ..Content::default()
        };
    }

    /// The folder as the next start finds it after a crash. `seed` chooses what of the unsynced
    /// survives the machine.
    #[must_use]
    pub fn after(&self, crash: Crash, seed: u64) -> PretendDisk {
        let mut world = self.0.lock();
        let mut dice = Dice(seed | 1);
        let names = match crash {
            Crash::Process => world.names.clone(),
            Crash::Machine => world.names_after(&mut dice),
        };
        let mut left = World::default();
        for (name, file) in names {
            let bytes = world.files[file].after(crash, &mut dice);
            left.names.insert(name.clone(), left.files.len());
            left.names_durable.insert(name, left.files.len());
            left.files.push(Content {
                now: bytes.clone(),
                durable: bytes,
                ..Content::default()
            });
        }
        PretendDisk(Arc::new(Mutex::new(left)))
    }
}

impl World {
    /// Takes a step. `Ok(false)` means: do half of it, then fail.
    fn step(&mut self) -> io::Result<bool> {
        self.steps += 1;
        match self.crash_at {
            Some(at) if self.steps > at => Err(crashed()),
            Some(at) if self.steps == at => Ok(false),
            _ => Ok(true),
        }
    }

    fn whole_step(&mut self) -> io::Result<()> {
        if self.step()? { Ok(()) } else { Err(crashed()) }
    }

    fn bytes(&self) -> u64 {
        let kept = self.names.values();
        kept.map(|&file| self.files[file].now.len() as u64).sum()
    }

    fn open(&mut self, name: &str) -> usize {
        if let Some(&file) = self.names.get(name) {
            return file;
        }
        let file = self.files.len();
        self.files.push(Content::default());
        self.names.insert(name.to_owned(), file);
        self.names_changed.push(Rename::Add(name.to_owned(), file));
        file
    }

    /// Names are written in order; a crash keeps the first few changes.
    fn names_after(&self, dice: &mut Dice) -> BTreeMap<String, usize> {
        let mut names = self.names_durable.clone();
        let kept = dice.below(self.names_changed.len() + 1);
        for change in &self.names_changed[..kept] {
            match change {
                Rename::Add(name, file) => {
                    names.insert(name.clone(), *file);
                }
                Rename::Move(from, to) => {
                    if let Some(file) = names.remove(from) {
                        names.insert(to.clone(), file);
                    }
                }
                Rename::Remove(name) => {
                    names.remove(name);
                }
            }
        }
        names
    }
}

impl Content {
    fn take_mapped(&mut self) {
        if let Some(memory) = &self.mapped {
            let bytes = memory.copy();
            let len = bytes.len().min(self.now.len());
            self.now[..len].copy_from_slice(&bytes[..len]);
        }
    }

    fn after(&mut self, crash: Crash, dice: &mut Dice) -> Vec<u8> {
        self.take_mapped();
        if crash == Crash::Process {
            return self.now.clone();
        }
        let mut left = self.durable.clone();
        for change in &self.changed {
            match change {
                Change::Length(len) if dice.heads() => left.resize(*len, 0),
                Change::Length(_) => {}
                Change::Write(at, bytes) => write_some(&mut left, *at, bytes, dice),
            }
        }
        if self.mapped.is_some() {
            left.resize(self.now.len(), 0);
            let pages = left.chunks_mut(PAGE_BYTES).zip(self.now.chunks(PAGE_BYTES));
            for (old, new) in pages {
                if dice.heads() {
                    old.copy_from_slice(new);
                }
            }
        }
        left
    }
}

/// Writes all, none, or some sectors of an unsynced write.
fn write_some(file: &mut Vec<u8>, at: usize, bytes: &[u8], dice: &mut Dice) {
    let whole = dice.below(3);
    if whole == 0 {
        return;
    }
    for (index, sector) in bytes.chunks(SECTOR_BYTES).enumerate() {
        if whole == 1 || dice.heads() {
            let at = at + index * SECTOR_BYTES;
            put(file, at, sector);
        }
    }
}

fn put(file: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    if file.len() < at + bytes.len() {
        file.resize(at + bytes.len(), 0);
    }
    file[at..at + bytes.len()].copy_from_slice(bytes);
}

fn crashed() -> io::Error {
    io::Error::other("the pretend disk has crashed")
}

impl Disk for PretendDisk {
    fn open(&self, name: &str, create: bool) -> io::Result<Arc<dyn DiskFile>> {
        let mut world = self.0.lock();
        if !world.names.contains_key(name) {
            if !create {
                return Err(io::ErrorKind::NotFound.into());
            }
            world.whole_step()?;
        }
        let file = world.open(name);
        Ok(Arc::new(PretendFile(self.clone(), file)))
    }

    fn list(&self) -> io::Result<Vec<String>> {
        Ok(self.0.lock().names.keys().cloned().collect())
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut world = self.0.lock();
        world.whole_step()?;
        let Some(file) = world.names.remove(from) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        world.names.insert(to.to_owned(), file);
        let change = Rename::Move(from.to_owned(), to.to_owned());
        world.names_changed.push(change);
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let mut world = self.0.lock();
        world.whole_step()?;
        world.names.remove(name).ok_or(io::ErrorKind::NotFound)?;
        world.names_changed.push(Rename::Remove(name.to_owned()));
        Ok(())
    }

    fn sync_names(&self) -> io::Result<()> {
        let mut world = self.0.lock();
        world.whole_step()?;
        world.names_durable = world.names.clone();
        world.names_changed.clear();
        Ok(())
    }

    fn map(&self, name: &str, len: usize) -> io::Result<Region> {
        let mut world = self.0.lock();
        let file = *world.names.get(name).ok_or(io::ErrorKind::NotFound)?;
        let content = &mut world.files[file];
        if content.now.len() < len {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut words = vec![0_u64; len.div_ceil(8)];
        for (word, bytes) in words.iter_mut().zip(content.now[..len].chunks(8)) {
            let mut eight = [0; 8];
            eight[..bytes.len()].copy_from_slice(bytes);
            *word = u64::from_ne_bytes(eight);
        }
        let start = words.as_mut_ptr().cast();
        let memory = Arc::new(Memory(UnsafeCell::new(words)));
        content.mapped = Some(Arc::clone(&memory));
        // SAFETY: the words live in `memory`, which the region owns, and are never reallocated.
        Ok(unsafe { Region::new(start, len, Box::new(memory)) })
    }
}

struct PretendFile(PretendDisk, usize);

impl DiskFile for PretendFile {
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut world = self.0.0.lock();
        let content = &mut world.files[self.1];
        content.take_mapped();
        let from = content.now.len().min(offset as usize);
        let bytes = &content.now[from..];
        let len = bytes.len().min(into.len());
        into[..len].copy_from_slice(&bytes[..len]);
        Ok(len)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let mut world = self.0.0.lock();
        let whole = world.step()?;
        let at = offset as usize;
        let grows = (at + bytes.len()).saturating_sub(world.files[self.1].now.len());
        let room = match world.room_bytes {
            Some(room) => room.saturating_sub(world.bytes()) as usize,
            None => usize::MAX,
        };
        let mut len = if whole { bytes.len() } else { bytes.len() / 2 };
        if grows > room {
            len = len.min((bytes.len() - grows) + room);
        }
        let content = &mut world.files[self.1];
        put(&mut content.now, at, &bytes[..len]);
        content
            .changed
            .push(Change::Write(at, bytes[..len].to_vec()));
        if !whole {
            return Err(crashed());
        }
        if grows > room {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(())
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.0.0.lock().files[self.1].now.len() as u64)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut world = self.0.0.lock();
        world.whole_step()?;
        let content = &mut world.files[self.1];
        content.now.resize(len as usize, 0);
        content.changed.push(Change::Length(len as usize));
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let mut world = self.0.0.lock();
        world.whole_step()?;
        if world.sync_fails {
            return Err(io::Error::other("the pretend disk cannot sync"));
        }
        let content = &mut world.files[self.1];
        content.take_mapped();
        content.durable = content.now.clone();
        content.changed.clear();
        Ok(())
    }

    fn lock(&self, _alone: bool) -> io::Result<()> {
        Ok(())
    }

    fn try_lock(&self) -> io::Result<bool> {
        Ok(true)
    }

    fn unlock(&self) -> io::Result<()> {
        Ok(())
    }
}

/// Numbers from a seed (xorshift).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.roll() >> 16) as usize % end
    }

    fn heads(&mut self) -> bool {
        self.below(2) == 0
    }
}
