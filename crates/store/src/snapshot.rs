//! Snapshots: a folder that is the store as it was, made of hard links while the store works on;
//! and going back to one.

use std::fs;
use std::io;
use std::path::Path;

use crate::dictionary::FILES;
use crate::error::{Error, Result};
use crate::layout;
use crate::store::Store;

impl Store {
    /// Makes a snapshot in a folder on the same file system, which must not be there: all that
    /// was appended before is in it. Returns how many files it has.
    ///
    /// `store_dir` is the folder that the store was opened in.
    ///
    /// # Errors
    /// What the disk says. What is left of an attempt that failed has another name, `….new`.
    pub fn snapshot(&self, store_dir: &Path, into: &Path) -> Result<usize> {
        let mut upkeep = self.upkeep.lock();
        self.seal_with(&mut upkeep)?;
        if into.exists() {
            let error = io::Error::from(io::ErrorKind::AlreadyExists);
            return Err(failed("make", into)(error));
        }
        let new = into.with_extension("new");
        fs::create_dir_all(&new).map_err(failed("make", &new))?;
        let mut files = 0;
        for batch in self.blocks.batches() {
            let name = layout::name_of(batch);
            let link = new.join(&name);
            fs::hard_link(store_dir.join(&name), &link).map_err(failed("link", &link))?;
            files += 1;
        }
        for name in FILES {
            let from = store_dir.join(name);
            if from.exists() {
                copy_synced(&from, &new.join(name))?;
                files += 1;
            }
        }
        sync_folder(&new)?;
        fs::rename(&new, into).map_err(failed("rename", &new))?;
        sync_folder(into.parent().unwrap_or(into))?;
        Ok(files)
    }
}

/// Makes a store of a snapshot, in place of the one in `store_dir`, which is kept beside it as
/// `….before`. Nobody may have it open. The snapshot stays as it is.
///
/// # Errors
/// What the disk says; if there is a `….before` already. The store is then as it was.
pub fn roll_back(store_dir: &Path, snapshot: &Path) -> Result<()> {
    let before = store_dir.with_extension("before");
    if before.exists() {
        let error = io::Error::from(io::ErrorKind::AlreadyExists);
        return Err(failed("keep what was there as", &before)(error));
    }
    let new = store_dir.with_extension("new");
    fs::create_dir_all(&new).map_err(failed("make", &new))?;
    for entry in fs::read_dir(snapshot).map_err(failed("list", snapshot))? {
        let name = entry.map_err(failed("list", snapshot))?.file_name();
        let (from, to) = (snapshot.join(&name), new.join(&name));
        match layout::batch_of(&name.to_string_lossy()) {
            Some(_) => fs::hard_link(&from, &to).map_err(failed("link", &to))?,
            None => copy_synced(&from, &to)?,
        }
    }
    sync_folder(&new)?;
    if store_dir.exists() {
        fs::rename(store_dir, &before).map_err(failed("rename", store_dir))?;
    }
    fs::rename(&new, store_dir).map_err(failed("rename", &new))?;
    sync_folder(store_dir.parent().unwrap_or(store_dir))
}

fn copy_synced(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).map_err(failed("copy", from))?;
    let file = fs::File::open(to).map_err(failed("open", to))?;
    file.sync_all().map_err(failed("sync", to))
}

fn sync_folder(folder: &Path) -> Result<()> {
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let file = fs::File::open(folder).map_err(failed("open", folder))?;
    file.sync_all().map_err(failed("sync", folder))
}

fn failed(what: &'static str, path: &Path) -> impl Fn(io::Error) -> Error + use<> {
    let file = path.display().to_string();
    move |error| Error::io(what, &file, error)
}
