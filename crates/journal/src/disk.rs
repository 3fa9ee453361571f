//! The one door to the disk: a folder of files. [`real`] is the machine's, [`pretend`] one that
//! keeps only what was synced and fails when told.

pub mod pretend;
pub mod real;

use std::io;
use std::sync::Arc;

use crate::region::Region;

/// A folder.
pub trait Disk: Send + Sync {
    /// Opens a file for reading and writing; makes it if `create` and it is not there.
    ///
    /// # Errors
    /// `NotFound` if it is not there, and what the system says.
    fn open(&self, name: &str, create: bool) -> io::Result<Arc<dyn DiskFile>>;

    /// The names of the files.
    ///
    /// # Errors
    /// What the system says.
    fn list(&self) -> io::Result<Vec<String>>;

    /// Gives a file another name, in place of whatever had it.
    ///
    /// # Errors
    /// What the system says.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Deletes a file.
    ///
    /// # Errors
    /// What the system says.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Makes names durable: files made, renamed and removed.
    ///
    /// # Errors
    /// What the system says.
    fn sync_names(&self) -> io::Result<()>;

    /// Maps the first `len` bytes of a file, which has at least as many.
    ///
    /// # Errors
    /// What the system says.
    fn map(&self, name: &str, len: usize) -> io::Result<Region>;
}

/// An open file.
pub trait DiskFile: Send + Sync {
    /// Reads from a place on; fewer bytes than asked for only at the end of the file.
    ///
    /// # Errors
    /// What the system says.
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Writes all bytes at a place.
    ///
    /// # Errors
    /// What the system says; some of the bytes may have been written.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;

    /// The file's length.
    ///
    /// # Errors
    /// What the system says.
    fn len(&self) -> io::Result<u64>;

    /// Whether the file is empty.
    ///
    /// # Errors
    /// What the system says.
    fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }

    /// Makes the file this long.
    ///
    /// # Errors
    /// What the system says.
    fn set_len(&self, len: u64) -> io::Result<()>;

    /// Makes what was written durable.
    ///
    /// # Errors
    /// What the system says. What was written since the last success is then in doubt.
    fn sync(&self) -> io::Result<()>;

    /// Waits for the file's lock, alone or with others.
    ///
    /// # Errors
    /// What the system says.
    fn lock(&self, alone: bool) -> io::Result<()>;

    /// Takes the file's lock alone, or says that another has it.
    ///
    /// # Errors
    /// What the system says.
    fn try_lock(&self) -> io::Result<bool>;

    /// Gives the lock back.
    ///
    /// # Errors
    /// What the system says.
    fn unlock(&self) -> io::Result<()>;
}
