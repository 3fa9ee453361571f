//! Looks at every byte of every file.

use journal::disk::Disk;

use crate::closed;
use crate::dictionary;
use crate::error::{Damage, Error, Result};
use crate::file_reader::{self, BlockFile, Opened};
use crate::layout;

/// What is in a store's files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Files of blocks.
    pub files: usize,
    /// Good blocks.
    pub blocks: u64,
    /// Names of series.
    pub series: usize,
    /// Good records of the journal.
    pub records: u64,
    /// Every damage.
    pub damages: Vec<Damage>,
}

/// Looks at every byte of a store's files, and changes nothing. The journal's damages are named by
/// the segment in which they are. While somebody has the store open, or if whoever had it was
/// killed, what the journal keeps beside its records is not looked at.
///
/// # Errors
/// What the disk says; [`Error::Version`].
pub fn verify(disk: &dyn Disk) -> Result<Verified> {
    let mut verified = Verified::default();
    let names = disk.list();
    for name in names.map_err(|error| Error::io("list", "the folder", error))? {
        if layout::batch_of(&name).is_some() {
            match verify_file(disk, &name, &mut verified) {
                // Merged or deleted meanwhile.
                Err(Error::Gone(_)) => {}
                done => done?,
            }
        }
    }
    verify_names(disk, &mut verified)?;
    let journal = journal::verify(disk)?;
    verified.records = journal.records;
    for damage in journal.damages {
        verified.damages.push(Damage {
            file: format!("{:016x}.segment", damage.segment.0),
            offset: damage.offset,
            bytes: damage.bytes,
            what: "records of the journal",
        });
    }
    verified.damages.extend(closed::verify(disk)?);
    Ok(verified)
}

fn verify_file(disk: &dyn Disk, name: &str, verified: &mut Verified) -> Result<()> {
    let Some(batch) = layout::batch_of(name) else {
        return Ok(());
    };
    verified.files += 1;
    match BlockFile::open(disk, batch)? {
        Opened::Good(file) => {
            let handle = file_reader::open(disk, name)?;
            verified.blocks += file.verify(&*handle, &mut verified.damages)?;
        }
        Opened::Damaged(damage) => verified.damages.push(damage),
    }
    Ok(())
}

fn verify_names(disk: &dyn Disk, verified: &mut Verified) -> Result<()> {
    let mut had = Vec::new();
    for name in dictionary::FILES {
        let content = dictionary::read_file(disk, name)?;
        verified.damages.extend(content.damages);
        had.push((name, content.end, content.entries));
    }
    verified.series = had
        .iter()
        .map(|(_, _, entries)| entries.len())
        .max()
        .unwrap_or(0);
    for (name, end, entries) in &had {
        if entries.len() < verified.series {
            verified.damages.push(Damage {
                file: (*name).to_owned(),
                offset: *end,
                bytes: 0,
                what: "names that only the other copy has, instead",
            });
        }
    }
    Ok(())
}
