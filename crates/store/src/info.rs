//! Looks at a store's folder from outside, whoever has it open.

use journal::disk::Disk;

use crate::blocks::Batch;
use crate::dictionary;
use crate::error::{Error, Result};
use crate::file_reader::{BlockFile, Opened, open};
use crate::layout;

/// What is in a store's folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// Series that have a name.
    pub series: usize,
    /// The batches, in order, and the bytes of each.
    pub batches: Vec<(Batch, u64)>,
    /// The length of a bucket in microseconds, if there is a good batch.
    pub bucket_us: Option<i64>,
}

/// Looks at a store's folder and changes nothing. What is not sealed yet is not counted.
///
/// # Errors
/// What the disk says; [`Error::Version`].
pub fn info(disk: &dyn Disk) -> Result<Info> {
    let mut info = Info::default();
    let names = disk.list();
    for name in names.map_err(|error| Error::io("list", "the folder", error))? {
        let Some(batch) = layout::batch_of(&name) else {
            continue;
        };
        let file = match open(disk, &name) {
            Err(Error::Gone(_)) => continue,
            file => file?,
        };
        let bytes = file
            .len()
            .map_err(|error| Error::io("read", &name, error))?;
        info.batches.push((batch, bytes));
        if info.bucket_us.is_none()
            && let Opened::Good(file) = BlockFile::open(disk, batch)?
        {
            info.bucket_us = Some(file.bucket_us);
        }
    }
    info.batches.sort_unstable();
    for name in dictionary::FILES {
        let content = dictionary::read_file(disk, name)?;
        info.series = info.series.max(content.entries.len());
    }
    Ok(info)
}
