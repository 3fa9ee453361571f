//! A look at a store's folder, whoever has it open.

use std::io;
use std::path::Path;
use std::sync::Arc;

use journal::Journal;
use journal::disk::real::RealDisk;
use journal::disk::{Disk, DiskFile};
use journal::region::Region;

use crate::dictionary::Dictionary;
use crate::error::Result;
use crate::files::FileBlocks;
use crate::options::Options;
use crate::stats::Recovery;
use crate::store::{self, SUBSCRIBER, State, Store};

impl Store {
    /// Looks at the store in a folder, or at a snapshot, whoever else has it open: it is what it
    /// was when this was called, while the other goes on. Nothing is written; what would write is
    /// refused with [`View`](crate::Error::View).
    ///
    /// # Errors
    /// What the disk says; [`Version`](crate::Error::Version).
    pub fn view(dir: &Path) -> Result<Store> {
        let disk: Arc<dyn Disk> = Arc::new(Untouched(RealDisk::at(dir)));
        let options = Options::default();
        // In this order: what is sealed meanwhile is then met twice, which is once, and not never.
        let mut recovery = Recovery::default();
        let mut state = State::default();
        match Journal::view(dir) {
            Ok(journal) => {
                let mut reader = journal.reader(SUBSCRIBER)?;
                store::recover(&mut reader, &mut state, &mut recovery)?;
            }
            Err(journal::Error::Missing) => {}
            Err(error) => return Err(error.into()),
        }
        let (dictionary, damages) = Dictionary::view(Arc::clone(&disk), &mut state.names)?;
        recovery.damages.extend(damages);
        let (files, damages) = FileBlocks::view(Arc::clone(&disk), options.bucket_us)?;
        recovery.damages.extend(damages);
        let sizes = (options, files.bucket_us());
        let mut store = Store::of((disk, None, Arc::new(files)), sizes, state, dictionary);
        store.recovery = recovery;
        Ok(store)
    }
}

/// A folder that is only read.
struct Untouched(RealDisk);

struct UntouchedFile(Arc<dyn DiskFile>);

fn refused() -> io::Error {
    let why = "it was opened for a look only";
    io::Error::new(io::ErrorKind::ReadOnlyFilesystem, why)
}

impl Disk for Untouched {
    fn open(&self, name: &str, create: bool) -> io::Result<Arc<dyn DiskFile>> {
        if create {
            return Err(refused());
        }
        let file = self.0.open(name, false)?;
        Ok(Arc::new(UntouchedFile(file)))
    }

    fn list(&self) -> io::Result<Vec<String>> {
        self.0.list()
    }

    fn rename(&self, _: &str, _: &str) -> io::Result<()> {
        Err(refused())
    }

    fn remove(&self, _: &str) -> io::Result<()> {
        Err(refused())
    }

    fn sync_names(&self) -> io::Result<()> {
        Err(refused())
    }

    fn map(&self, _: &str, _: usize) -> io::Result<Region> {
        Err(refused())
    }
}

impl DiskFile for UntouchedFile {
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        self.0.read_at(into, offset)
    }

    fn write_at(&self, _: &[u8], _: u64) -> io::Result<()> {
        Err(refused())
    }

    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }

    fn set_len(&self, _: u64) -> io::Result<()> {
        Err(refused())
    }

    fn sync(&self) -> io::Result<()> {
        Err(refused())
    }

    fn lock(&self, _: bool) -> io::Result<()> {
        Err(refused())
    }

    fn try_lock(&self) -> io::Result<bool> {
        Err(refused())
    }

    fn unlock(&self) -> io::Result<()> {
        Err(refused())
    }
}
