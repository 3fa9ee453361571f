//! A folder of the machine.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::MmapRaw;

use super::{Disk, DiskFile};
use crate::region::Region;

/// A folder of the machine.
pub struct RealDisk {
    folder: PathBuf,
}

impl RealDisk {
    /// The folder, made if it is not there.
    ///
    /// # Errors
    /// What the system says.
    pub fn create(folder: &Path) -> io::Result<RealDisk> {
        fs::create_dir_all(folder)?;
        Ok(RealDisk::at(folder))
    }

    /// The folder as it is.
    #[must_use]
    pub fn at(folder: &Path) -> RealDisk {
        RealDisk {
            folder: folder.to_owned(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn open_file(&self, name: &str, create: bool) -> io::Result<File> {
        OpenOptions::new()
            .read(true)
            .write(true)
            .create(create)
            .truncate(false)
            .open(self.path(name))
    }
}

impl Disk for RealDisk {
    fn open(&self, name: &str, create: bool) -> io::Result<Arc<dyn DiskFile>> {
        match self.open_file(name, create) {
            // Who may only read can still look.
            Err(error) if !create && is_for_reading(&error) => {
                Ok(Arc::new(RealFile(File::open(self.path(name))?)))
            }
            file => Ok(Arc::new(RealFile(file?))),
        }
    }

    fn list(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        Ok(names)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.path(from), self.path(to))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path(name))
    }

    fn sync_names(&self) -> io::Result<()> {
        File::open(&self.folder)?.sync_all()
    }

    fn map(&self, name: &str, len: usize) -> io::Result<Region> {
        let file = self.open_file(name, false)?;
        if file.metadata()?.len() < len as u64 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let map = memmap2::MmapOptions::new().len(len).map_raw(&file)?;
        let start = MmapRaw::as_mut_ptr(&map);
        // SAFETY: the mapping has `len` bytes, is page-aligned, and lives as long as the region,
        // which owns it. The file is never made shorter while a journal is open.
        Ok(unsafe { Region::new(start, len, Box::new(map)) })
    }
}

/// Whether a file could not be opened because it may not be written.
fn is_for_reading(error: &io::Error) -> bool {
    let kinds = [
        io::ErrorKind::PermissionDenied,
        io::ErrorKind::ReadOnlyFilesystem,
    ];
    kinds.contains(&error.kind())
}

struct RealFile(File);

impl DiskFile for RealFile {
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut done = 0;
        while done < into.len() {
            match self.0.read_at(&mut into[done..], offset + done as u64) {
                Ok(0) => break,
                Ok(bytes) => done += bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(done)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.0.write_all_at(bytes, offset)
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn lock(&self, alone: bool) -> io::Result<()> {
        if alone {
            self.0.lock()
        } else {
            self.0.lock_shared()
        }
    }

    fn try_lock(&self) -> io::Result<bool> {
        match self.0.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn unlock(&self) -> io::Result<()> {
        self.0.unlock()
    }
}
