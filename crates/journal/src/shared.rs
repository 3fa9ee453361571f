//! What the clones of a journal share: the writer behind its locks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::commit::Gate;
use crate::disk::DiskFile;
use crate::error::{Damage, Error, Result};
use crate::recovery::Recovery;
use crate::writer::Writer;

/// The file whose lock is held for one operation, where several processes share a journal.
pub(crate) const LOCK: &str = "lock";

/// What the clones of a journal share.
pub(crate) struct Shared {
    writer: Mutex<Writer>,
    /// Told when a record comes, if somebody is `waiting`.
    changed: Condvar,
    pub gate: Gate,
    /// Held for each operation, where several processes share the journal.
    lock: Option<Arc<dyn DiskFile>>,
    /// Held as long as the journal is open.
    alive: Arc<dyn DiskFile>,
    recovery: Recovery,
    /// Whether the journal is only looked at: nothing is written, no lock is taken.
    is_view: bool,
    /// How many threads wait for records.
    waiting: AtomicUsize,
    /// How often readers met damage, and how many records that cost.
    damages: AtomicU64,
    records_damaged: AtomicU64,
}

/// The writer, alone.
pub(crate) struct Held<'a> {
    writer: MutexGuard<'a, Writer>,
    lock: Option<&'a dyn DiskFile>,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if let Some(lock) = self.lock {
            // Nothing to be done if that fails: the lock goes with the process.
            let _ = lock.unlock();
        }
    }
}

impl std::ops::Deref for Held<'_> {
    type Target = Writer;
    fn deref(&self) -> &Writer {
        &self.writer
    }
}

impl std::ops::DerefMut for Held<'_> {
    fn deref_mut(&mut self) -> &mut Writer {
        &mut self.writer
    }
}

impl Shared {
    /// What a journal that may be written shares; `lock` if several processes have it open.
    pub fn new(
        writer: Writer,
        lock: Option<Arc<dyn DiskFile>>,
        alive: Arc<dyn DiskFile>,
        recovery: Recovery,
    ) -> Shared {
        Shared {
            writer: Mutex::new(writer),
            changed: Condvar::new(),
            gate: Gate::default(),
            lock,
            alive,
            recovery,
            is_view: false,
            waiting: 0.into(),
            damages: 0.into(),
            records_damaged: 0.into(),
        }
    }

    /// What a journal that is only looked at shares.
    pub fn view(writer: Writer, alive: Arc<dyn DiskFile>) -> Shared {
        let mut shared = Shared::new(writer, None, alive, Recovery::default());
        shared.is_view = true;
        shared
    }

    pub fn recovery(&self) -> &Recovery {
        &self.recovery
    }

    /// Counts damage that a reader met.
    pub fn count_damage(&self, damage: &Damage) {
        self.damages.fetch_add(1, Ordering::Relaxed);
        self.records_damaged
            .fetch_add(damage.records, Ordering::Relaxed);
    }

    /// How often readers met damage, and how many records that cost.
    pub fn damages(&self) -> (u64, u64) {
        let damages = self.damages.load(Ordering::Relaxed);
        (damages, self.records_damaged.load(Ordering::Relaxed))
    }

    /// Takes the lock, and sees what other processes have done.
    #[inline]
    pub fn hold(&self) -> Result<Held<'_>> {
        let writer = self.writer.lock();
        let mut held = Held { writer, lock: None };
        self.take_lock(&mut held)?;
        Ok(held)
    }

    /// As [`Shared::hold`], for what a view must not do.
    #[inline]
    pub fn hold_to_write(&self) -> Result<Held<'_>> {
        if self.is_view {
            return Err(Error::ReadOnly);
        }
        self.hold()
    }

    #[inline]
    fn take_lock<'a>(&'a self, held: &mut Held<'a>) -> Result<()> {
        if let Some(lock) = &self.lock {
            lock.lock(true)
                .map_err(|error| Error::io("lock", LOCK, error))?;
            held.lock = Some(&**lock);
            held.refresh()?;
        } else if self.is_view {
            held.refresh()?;
        }
        Ok(())
    }

    /// Takes the lock among this process's threads only.
    pub fn hold_here(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock()
    }

    /// Wakes who waits for records.
    pub fn tell_waiting(&self) {
        if self.waiting.load(Ordering::Relaxed) > 0 {
            self.changed.notify_all();
        }
    }

    /// Waits until there is a record after `id`, or until the time is over.
    pub fn wait_for(&self, id: u64, at_most: Duration) -> Result<bool> {
        if self.hold()?.last() > id {
            return Ok(true);
        }
        let mut writer = self.writer.lock();
        self.waiting.fetch_add(1, Ordering::Relaxed);
        if writer.last() <= id {
            self.changed.wait_for(&mut writer, at_most);
        }
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        drop(writer);
        Ok(self.hold()?.last() > id)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let shares = self.lock.is_some();
        if let Ok(mut writer) = self.hold_to_write() {
            // Closing cannot fail: what is not written now is in the buffer, and found there.
            let _ = writer.flush();
            if !shares {
                let _ = writer.trim();
            }
            if writer.is_durable() {
                let _ = writer.segment.sync();
            }
        }
        if !self.is_view {
            let _ = self.alive.unlock();
        }
    }
}
