//! Batches as files of a folder.

use std::collections::BTreeMap;
use std::sync::Arc;

use journal::disk::{Disk, DiskFile};
use parking_lot::RwLock;

use crate::blocks::{Batch, Blocks, EachFound, NextBlock, Period, Wanted};
use crate::error::{Damage, Error, Result};
use crate::file_reader::{self, BlockFile, Opened};
use crate::file_writer::{self, NEW};
use crate::layout;
use crate::series::SeriesId;

/// How often a look at a folder begins anew because a file went.
const VIEWS_MAX: usize = 100;

/// Batches as files of a folder, each written once.
pub(crate) struct FileBlocks {
    disk: Arc<dyn Disk>,
    bucket_us: i64,
    files: RwLock<BTreeMap<Batch, Arc<Held>>>,
}

/// A file, and its handle if it is read often: those of raw samples are few.
struct Held {
    file: BlockFile,
    handle: Option<Arc<dyn DiskFile>>,
}

impl FileBlocks {
    /// Opens the files of a folder. `bucket_us` holds if there are none.
    pub fn open(disk: Arc<dyn Disk>, bucket_us: i64) -> Result<(FileBlocks, Vec<Damage>)> {
        let names = disk.list();
        for name in names.map_err(|error| Error::io("list", "the folder", error))? {
            if name.ends_with(NEW) && layout::batch_of(name.trim_end_matches(NEW)).is_some() {
                let removed = disk.remove(&name);
                removed.map_err(|error| Error::io("remove", &name, error))?;
            }
        }
        let often = |period| period == Period::Raw;
        FileBlocks::load(disk, bucket_us, often)
    }

    /// Opens the files of a folder in which another may merge and delete, and removes none. What
    /// is there now stays readable.
    pub fn view(disk: Arc<dyn Disk>, bucket_us: i64) -> Result<(FileBlocks, Vec<Damage>)> {
        for _ in 0..VIEWS_MAX {
            match FileBlocks::load(Arc::clone(&disk), bucket_us, |_| true) {
                // Merged or deleted meanwhile: what takes its place was there before it went.
                Err(Error::Gone(_)) => {}
                loaded => return loaded,
            }
        }
        FileBlocks::load(disk, bucket_us, |_| true)
    }

    fn load(
        disk: Arc<dyn Disk>,
        bucket_us: i64,
        is_held: impl Fn(Period) -> bool,
    ) -> Result<(FileBlocks, Vec<Damage>)> {
        let mut damages = Vec::new();
        let mut files = BTreeMap::new();
        let names = disk.list();
        for name in names.map_err(|error| Error::io("list", "the folder", error))? {
            let Some(batch) = layout::batch_of(&name) else {
                continue;
            };
            match BlockFile::open(&*disk, batch)? {
                Opened::Good(file) => {
                    let held = hold(&*disk, file, is_held(batch.period))?;
                    files.insert(batch, Arc::new(held));
                }
                Opened::Damaged(damage) => damages.push(damage),
            }
        }
        let bucket_us = files
            .values()
            .next()
            .map_or(bucket_us, |held| held.file.bucket_us);
        let files = RwLock::new(files);
        Ok((
            FileBlocks {
                disk,
                bucket_us,
                files,
            },
            damages,
        ))
    }

    /// How long a bucket is.
    pub fn bucket_us(&self) -> i64 {
        self.bucket_us
    }

    fn held(&self, batch: Batch) -> Result<Arc<Held>> {
        let found = self.files.read().get(&batch).cloned();
        found.ok_or_else(|| Error::Gone(layout::name_of(batch)))
    }

    fn handle(&self, held: &Held) -> Result<Arc<dyn DiskFile>> {
        match &held.handle {
            Some(handle) => Ok(Arc::clone(handle)),
            None => file_reader::open(&*self.disk, &held.file.name),
        }
    }
}

fn hold(disk: &dyn Disk, file: BlockFile, is_held: bool) -> Result<Held> {
    let handle = match is_held {
        true => Some(file_reader::open(disk, &file.name)?),
        false => None,
    };
    Ok(Held { file, handle })
}

impl Blocks for FileBlocks {
    fn batches(&self) -> Vec<Batch> {
        self.files.read().keys().copied().collect()
    }

    fn bytes(&self, batch: Batch) -> u64 {
        self.held(batch).map_or(0, |held| held.file.bytes)
    }

    fn put(&self, batch: Batch, next: &mut NextBlock) -> Result<()> {
        if self.held(batch).is_ok() {
            return Ok(());
        }
        file_writer::write(&*self.disk, batch, self.bucket_us, next)?;
        match BlockFile::open(&*self.disk, batch)? {
            Opened::Good(file) => {
                let held = Arc::new(hold(&*self.disk, file, batch.period == Period::Raw)?);
                self.files.write().insert(batch, held);
                Ok(())
            }
            Opened::Damaged(damage) => {
                let why = std::io::Error::other(damage.to_string());
                Err(Error::io("read back", &damage.file, why))
            }
        }
    }

    fn scan(&self, batch: Batch, wanted: Wanted, each: &mut EachFound) -> Result<()> {
        let held = self.held(batch)?;
        held.file.scan(&*self.handle(&held)?, wanted, each)
    }

    fn series(&self, batch: Batch) -> Result<Vec<SeriesId>> {
        let held = self.held(batch)?;
        held.file.series(&*self.handle(&held)?)
    }

    fn remove(&self, batch: Batch) -> Result<()> {
        let Some(held) = self.files.write().remove(&batch) else {
            return Ok(());
        };
        let removed = self.disk.remove(&held.file.name);
        if let Err(error) = removed {
            let failed = Error::io("remove", &held.file.name, error);
            self.files.write().insert(batch, held);
            return Err(failed);
        }
        self.disk
            .sync_names()
            .map_err(|error| Error::io("sync", "the folder", error))
    }
}
