//! Memory that is a file: what is written to it survives the process.

use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};

/// A stretch of mapped memory, shared with whoever maps the same file.
///
/// Bytes are written and borrowed only by who holds the journal's lock; words may be read at any
/// time.
pub struct Region {
    start: *mut u8,
    len: usize,
    _owner: Box<dyn Any + Send + Sync>,
}

// SAFETY: the region is plain memory that lives as long as its owner. Access to bytes is ordered
// by the journal's lock, access to words is atomic.
unsafe impl Send for Region {}
// SAFETY: as above.
unsafe impl Sync for Region {}

impl Region {
    /// A region of `len` bytes from `start`.
    ///
    /// # Safety
    /// The bytes are readable and writable for as long as `owner` lives, and `start` is a
    /// multiple of eight.
    pub unsafe fn new(start: *mut u8, len: usize, owner: Box<dyn Any + Send + Sync>) -> Region {
        assert!(start.addr().is_multiple_of(8), "a region begins at a word");
        Region {
            start,
            len,
            _owner: owner,
        }
    }

    /// How many bytes it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Reads a word, after which all that was written before the word was stored can be seen.
    #[must_use]
    pub fn load(&self, at: usize) -> u64 {
        u64::from_le(self.word(at).load(Ordering::Acquire))
    }

    /// Stores a word, after all that was written before.
    pub fn store(&self, at: usize, value: u64) {
        self.word(at).store(value.to_le(), Ordering::Release);
    }

    fn word(&self, at: usize) -> &AtomicU64 {
        assert!(at.is_multiple_of(8) && at + 8 <= self.len, "a word inside");
        // SAFETY: in bounds and aligned, by the assertion and by `new`; all access to words is
        // atomic.
        unsafe { AtomicU64::from_ptr(self.start.add(at).cast()) }
    }

    /// Copies bytes in. The caller holds the journal's lock.
    #[inline]
    pub fn write(&self, at: usize, bytes: &[u8]) {
        assert!(
            at <= self.len && bytes.len() <= self.len - at,
            "bytes inside"
        );
        // SAFETY: in bounds; `bytes` is borrowed from elsewhere; the lock keeps others out.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.start.add(at), bytes.len()) }
    }

    /// Bytes as they are. The caller holds the journal's lock for as long as it looks.
    #[inline]
    #[must_use]
    pub fn bytes(&self, at: usize, len: usize) -> &[u8] {
        assert!(at <= self.len && len <= self.len - at, "bytes inside");
        // SAFETY: in bounds; the lock keeps writers out.
        unsafe { std::slice::from_raw_parts(self.start.add(at), len) }
    }
}
