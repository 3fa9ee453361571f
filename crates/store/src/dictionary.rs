//! The names of the series and their numbers: in memory, and in two files that only grow. What
//! one of them has lost is taken from the other.

use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use journal::disk::Disk;

use crate::error::{Damage, Error, Result};
use crate::file_reader::{open, read};
use crate::layout::{self, FRAME_BYTES};
use crate::limits::SERIES_MAX;
use crate::series::{SeriesId, read_len, read_varint, write_len, write_varint};

/// The two files.
pub(crate) const FILES: [&str; 2] = ["series", "series.copy"];

const HEADER: &[u8; 8] = b"CauchyS1";

/// Names by number, and numbers by name.
#[derive(Default)]
pub(crate) struct Names {
    keys: Vec<Option<Arc<[u8]>>>,
    numbers: HashTable<SeriesId>,
    hasher: RandomState,
}

impl Names {
    /// The number of a name, a new one if it has none.
    pub fn number_of(&mut self, key: &[u8]) -> Result<SeriesId> {
        let hash = self.hasher.hash_one(key);
        let is_it = |id: &SeriesId| self.keys[*id as usize].as_deref() == Some(key);
        if let Some(id) = self.numbers.find(hash, is_it) {
            return Ok(*id);
        }
        let id = self.keys.len() as SeriesId;
        if id >= SERIES_MAX {
            return Err(Error::TooManySeries);
        }
        self.set(id, key);
        Ok(id)
    }

    /// Gives a number to a name, if neither has one and the number is one.
    pub fn set(&mut self, id: SeriesId, key: &[u8]) {
        if id >= SERIES_MAX {
            return;
        }
        let hash = self.hasher.hash_one(key);
        let at = id as usize;
        if self.keys.len() <= at {
            self.keys.resize(at + 1, None);
        }
        let is_it = |id: &SeriesId| self.keys[*id as usize].as_deref() == Some(key);
        if self.keys[at].is_some() || self.numbers.find(hash, is_it).is_some() {
            return;
        }
        self.keys[at] = Some(key.into());
        let (keys, hasher) = (&self.keys, &self.hasher);
        let rehash =
            |id: &SeriesId| hasher.hash_one(keys[*id as usize].as_deref().unwrap_or_default());
        self.numbers.insert_unique(hash, id, rehash);
    }

    /// Sees to it that a number is never given to another name.
    pub fn reserve(&mut self, id: SeriesId) {
        if self.keys.len() <= id as usize {
            self.keys.resize(id as usize + 1, None);
        }
    }

    /// How many numbers were given.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// The numbers and names from a number on.
    pub fn from(&self, first: usize) -> Vec<(SeriesId, Arc<[u8]>)> {
        let keys = self.keys.iter().enumerate().skip(first);
        keys.filter_map(|(id, key)| Some((id as SeriesId, key.clone()?)))
            .collect()
    }

    /// The numbers and names that begin with these bytes.
    pub fn beginning_with(&self, prefix: &[u8]) -> Vec<(SeriesId, Arc<[u8]>)> {
        let keys = self.keys.iter().enumerate();
        let found = keys.filter_map(|(id, key)| {
            let key = key.as_ref().filter(|key| key.starts_with(prefix))?;
            Some((id as SeriesId, Arc::clone(key)))
        });
        found.collect()
    }
}

/// What one of the files holds.
#[derive(Default)]
pub(crate) struct FileContent {
    pub entries: Vec<(SeriesId, Vec<u8>)>,
    /// Where the last good frame ends.
    pub end: u64,
    pub damages: Vec<Damage>,
}

/// Reads one of the files; nothing if it is not there.
pub(crate) fn read_file(disk: &dyn Disk, name: &str) -> Result<FileContent> {
    let mut content = FileContent::default();
    let file = match open(disk, name) {
        Ok(file) => file,
        Err(Error::Gone(_)) => return Ok(content),
        Err(error) => return Err(error),
    };
    let len = file.len().map_err(|error| Error::io("read", name, error))?;
    let bytes = read(&*file, name, 0, len)?;
    let mut lost: Option<usize> = None;
    let mut at = HEADER.len();
    if !bytes.starts_with(HEADER) && !bytes.is_empty() {
        lost = Some(0);
    }
    while at < bytes.len() {
        match frame_at(&bytes, at) {
            Some((entries, end)) => {
                content
                    .damages
                    .extend(lost.take().map(|from| damage(name, from, at)));
                content.entries.extend(entries);
                at = end;
                content.end = end as u64;
            }
            None => {
                lost.get_or_insert(at);
                at += 1;
            }
        }
    }
    content
        .damages
        .extend(lost.map(|from| damage(name, from, bytes.len())));
    Ok(content)
}

type Entries = Vec<(SeriesId, Vec<u8>)>;

fn frame_at(bytes: &[u8], at: usize) -> Option<(Entries, usize)> {
    let body_at = at + FRAME_BYTES;
    let head = bytes.get(at..body_at)?;
    let end = body_at.checked_add(layout::word(head, 4) as usize)?;
    let mut rest = layout::unframe(bytes.get(at..end)?)?;
    let mut entries = Vec::new();
    while !rest.is_empty() {
        let id = SeriesId::try_from(read_varint(&mut rest)?).ok()?;
        let len = read_len(&mut rest)?;
        let (key, after) = rest.split_at_checked(len)?;
        entries.push((id, key.to_vec()));
        rest = after;
    }
    (!entries.is_empty()).then_some((entries, end))
}

fn damage(name: &str, from: usize, to: usize) -> Damage {
    Damage {
        file: name.to_owned(),
        offset: from as u64,
        bytes: (to - from) as u64,
        what: "names of series",
    }
}

/// The two files, and how far each is good.
pub(crate) struct Dictionary {
    disk: Arc<dyn Disk>,
    ends: [u64; 2],
}

impl Dictionary {
    /// Reads both files, and writes to each what only the other one has.
    pub fn open(disk: Arc<dyn Disk>) -> Result<(Dictionary, Names, Vec<Damage>)> {
        let mut names = Names::default();
        let mut damages = Vec::new();
        let mut had = [const { Vec::new() }; 2];
        let mut spoilt = [false; 2];
        let mut dictionary = Dictionary { disk, ends: [0; 2] };
        for (which, name) in FILES.into_iter().enumerate() {
            let content = read_file(&*dictionary.disk, name)?;
            for (id, key) in &content.entries {
                names.set(*id, key);
            }
            dictionary.ends[which] = content.end;
            had[which] = content.entries;
            spoilt[which] = !content.damages.is_empty();
            damages.extend(content.damages);
        }
        for (which, had) in had.iter().enumerate() {
            if spoilt[which] {
                dictionary.rewrite(which, &names.from(0))?;
                continue;
            }
            let mut missing = names.from(0);
            let had: std::collections::HashSet<SeriesId> =
                had.iter().map(|entry| entry.0).collect();
            missing.retain(|(id, _)| !had.contains(id));
            dictionary.append_to(which, &missing)?;
        }
        Ok((dictionary, names, damages))
    }

    /// Reads both files and writes neither.
    pub fn view(disk: Arc<dyn Disk>, names: &mut Names) -> Result<(Dictionary, Vec<Damage>)> {
        let mut damages = Vec::new();
        for name in FILES {
            let content = read_file(&*disk, name)?;
            for (id, key) in &content.entries {
                names.set(*id, key);
            }
            damages.extend(content.damages);
        }
        let ends = [0; 2];
        Ok((Dictionary { disk, ends }, damages))
    }

    /// Makes names durable.
    pub fn append(&mut self, entries: &[(SeriesId, Arc<[u8]>)]) -> Result<()> {
        self.append_to(0, entries)?;
        self.append_to(1, entries)
    }

    fn append_to(&mut self, which: usize, entries: &[(SeriesId, Arc<[u8]>)]) -> Result<()> {
        if entries.is_empty() {
            return Ok(());
        }
        let end = self.ends[which];
        let len = self.write(FILES[which], end, entries)?;
        self.ends[which] = end + len;
        Ok(())
    }

    /// Makes a file anew, of all names; it is there whole or as it was.
    fn rewrite(&mut self, which: usize, entries: &[(SeriesId, Arc<[u8]>)]) -> Result<()> {
        let name = FILES[which];
        let new = format!("{name}.new");
        self.ends[which] = self.write(&new, 0, entries)?;
        let failed = |error| Error::io("rename", &new, error);
        self.disk.rename(&new, name).map_err(failed)?;
        self.disk.sync_names().map_err(failed)
    }

    /// Writes a frame at the end of a file; gives how many bytes were added.
    fn write(&self, name: &str, end: u64, entries: &[(SeriesId, Arc<[u8]>)]) -> Result<u64> {
        let failed = |what| move |error| Error::io(what, name, error);
        let mut body = Vec::new();
        for (id, key) in entries {
            write_varint(&mut body, u64::from(*id));
            write_len(&mut body, key.len());
            body.extend_from_slice(key);
        }
        let mut bytes = Vec::new();
        if end == 0 {
            bytes.extend_from_slice(HEADER);
        }
        if !body.is_empty() {
            bytes.extend_from_slice(&layout::frame(&body));
            bytes.extend_from_slice(&body);
        }
        let file = self.disk.open(name, true).map_err(failed("make"))?;
        file.set_len(end).map_err(failed("cut"))?;
        file.write_at(&bytes, end).map_err(failed("write"))?;
        file.sync().map_err(failed("sync"))?;
        if end == 0 {
            self.disk.sync_names().map_err(failed("sync the name of"))?;
        }
        Ok(bytes.len() as u64)
    }
}
