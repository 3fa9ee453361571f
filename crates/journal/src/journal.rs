//! A journal: what a program holds.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::disk::real::RealDisk;
use crate::disk::{Disk, DiskFile};
use crate::error::{Error, Result};
use crate::limits::FLUSH_AFTER_US;
use crate::options::{Durability, Mode, Options, Start};
use crate::reader::Reader;
use crate::recovery::{self, Recovery};
use crate::settings::Settings;
use crate::shared::{LOCK, Shared};
use crate::writer::Writer;
use crate::{Id, subscriber};

/// The file whose lock is held for as long as a process has the journal open.
const ALIVE: &str = "alive";

/// A journal, open for appending and reading. Clones are the same journal.
///
/// ```
/// use journal::{Journal, Options, Start};
/// let dir = tempfile::tempdir()?;
/// let journal = Journal::open(dir.path(), Options::default())?;
/// let mut reader = journal.subscribe("mail", Start::Begin)?;
/// journal.append(b"one")?;
/// journal.append(b"two")?;
///
/// let batch = reader.next_batch(100)?;
/// let last = batch.last().expect("two records").0;
/// assert_eq!(batch.iter().map(|(_, bytes)| bytes).collect::<Vec<_>>(), [b"one", b"two"]);
/// reader.checkpoint(last)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Journal(Arc<Shared>);

impl Journal {
    /// Opens the journal in a folder; makes both if they are not there.
    ///
    /// # Errors
    /// [`Error::Locked`] if another process has it and it is for one process; what the disk says.
    pub fn open(dir: &Path, options: Options) -> Result<Journal> {
        let disk = RealDisk::create(dir)
            .map_err(|error| Error::io("make", &dir.display().to_string(), error))?;
        Journal::open_on(Arc::new(disk), options)
    }

    /// Opens the journal on a disk; makes it if it is not there.
    ///
    /// # Errors
    /// As [`Journal::open`].
    pub fn open_on(disk: Arc<dyn Disk>, options: Options) -> Result<Journal> {
        let lock = lock_file(&*disk, LOCK)?;
        let alive = lock_file(&*disk, ALIVE)?;
        let failed = |error| Error::io("lock", LOCK, error);
        lock.lock(true).map_err(failed)?;
        let opened = Journal::open_locked(disk, options, &lock, alive);
        lock.unlock().map_err(failed)?;
        opened
    }

    fn open_locked(
        disk: Arc<dyn Disk>,
        options: Options,
        lock: &Arc<dyn DiskFile>,
        alive: Arc<dyn DiskFile>,
    ) -> Result<Journal> {
        let failed = |error| Error::io("lock", ALIVE, error);
        let is_alone = alive.try_lock().map_err(failed)?;
        let settings = match Settings::read(&*disk)? {
            Some(settings) => settings,
            None if is_alone => {
                let settings = Settings::of(&options);
                settings.write(&*disk)?;
                settings
            }
            None => return Err(Error::Missing),
        };
        let shares = settings.mode == Mode::MultiProcess;
        let (writer, recovery) = if is_alone {
            recovery::recover(&disk, settings, &options)?
        } else if shares {
            (
                Writer::attach(disk, settings, &options)?,
                Recovery::default(),
            )
        } else {
            return Err(Error::Locked);
        };
        if shares {
            alive.lock(false).map_err(failed)?;
        }
        let lock = shares.then(|| Arc::clone(lock));
        let shared = Shared::new(writer, lock, alive, recovery);
        Ok(Journal(Arc::new(shared)))
    }

    /// Looks at the journal in a folder, whoever else has it open. Nothing is written: what would
    /// write is refused with [`Error::ReadOnly`], and a crash is not recovered from.
    ///
    /// # Errors
    /// [`Error::Missing`]; what the disk says.
    pub fn view(dir: &Path) -> Result<Journal> {
        let disk: Arc<dyn Disk> = Arc::new(RealDisk::at(dir));
        let settings = Settings::read(&*disk)?.ok_or(Error::Missing)?;
        // Not locked; it is held only because there is always one.
        let alive = disk
            .open(ALIVE, false)
            .map_err(|error| Error::io("open", ALIVE, error))?;
        let writer = Writer::attach(disk, settings, &Options::default())?;
        Ok(Journal(Arc::new(Shared::view(writer, alive))))
    }

    /// What opening found and mended.
    #[must_use]
    pub fn recovery(&self) -> &Recovery {
        self.0.recovery()
    }

    /// What was chosen when the journal was made.
    #[must_use]
    pub fn settings(&self) -> Settings {
        self.0.hold_here().settings
    }

    /// Appends a record and returns its id, once the record is as durable as the journal's
    /// [`Durability`] says.
    ///
    /// # Errors
    /// [`Error::Full`] if the disk is: the record is not taken. In `Always`, a record whose sync
    /// failed may be there or not. [`Error::TooLong`].
    pub fn append(&self, record: &[u8]) -> Result<Id> {
        self.append_batch([record])
    }

    /// Appends records one after the other, with nothing between them, and returns the last id
    /// (that of the last record so far if there are none). They have the ids up to it.
    ///
    /// # Errors
    /// As [`Journal::append`]; the first records may have been taken.
    pub fn append_batch<'a>(&self, records: impl IntoIterator<Item = &'a [u8]>) -> Result<Id> {
        let (id, durability) = self.put(records)?;
        if durability == Durability::Always {
            self.wait_durable(id)?;
        }
        Ok(id)
    }

    /// Appends as [`Journal::append_batch`] but does not wait in `Always`: the records are not
    /// acknowledged until [`Journal::wait_durable`] has returned for the id.
    ///
    /// # Errors
    /// As [`Journal::append_batch`].
    pub fn submit<'a>(&self, records: impl IntoIterator<Item = &'a [u8]>) -> Result<Id> {
        Ok(self.put(records)?.0)
    }

    fn put<'a>(&self, records: impl IntoIterator<Item = &'a [u8]>) -> Result<(Id, Durability)> {
        let mut writer = self.0.hold_to_write()?;
        if writer.stuck && writer.durability == Durability::Always {
            // Nothing more is taken that could not be made durable.
            writer.flush()?;
        }
        let mut last = None;
        for record in records {
            match writer.append(record) {
                Ok(id) => last = Some(id),
                Err(error) => {
                    writer.counts.failed += 1;
                    return Err(error);
                }
            }
        }
        let last = last.unwrap_or_else(|| writer.last());
        let durability = writer.durability;
        if writer.rotated {
            writer.rotated = false;
            // The records are in; what cannot be deleted now is tried again by the next tick.
            let _ = writer.retain(None);
        }
        drop(writer);
        self.0.tell_waiting();
        Ok((Id(last), durability))
    }

    /// Writes what is in the buffer to its segment. Readers do not need that; it lets the kernel
    /// write the records to the disk in its own time.
    ///
    /// # Errors
    /// What the disk says; the records stay in the buffer.
    pub fn flush(&self) -> Result<()> {
        self.0.hold_to_write()?.flush()
    }

    /// Makes all that was appended durable, whatever the mode.
    ///
    /// # Errors
    /// As [`Journal::wait_durable`].
    pub fn sync(&self) -> Result<()> {
        let last = self.last()?;
        self.wait_durable(last)
    }

    /// The last record's id; [`Id::ZERO`] if there never was one.
    ///
    /// # Errors
    /// What the disk says, where several processes share the journal.
    pub fn last(&self) -> Result<Id> {
        Ok(Id(self.0.hold()?.last()))
    }

    /// The id of the oldest record that is kept, or of the next one if none is.
    ///
    /// # Errors
    /// As [`Journal::last`].
    pub fn first(&self) -> Result<Id> {
        Ok(Id(self.0.hold()?.segments[0]))
    }

    /// Tells the journal the time, in microseconds: what is due is done. That is the sync of
    /// [`Durability::Interval`], in [`Durability::Always`] that of records which were submitted
    /// and for which nobody waits, the flush of a buffer that fills slowly, and the deletion of
    /// what is too old. Call it a few times a second.
    ///
    /// # Errors
    /// What the disk says.
    pub fn tick(&self, now_us: i64) -> Result<()> {
        let mut writer = self.0.hold_to_write()?;
        let waits = writer.buffer.count() > 0;
        if waits && now_us.saturating_sub(writer.buffer.time_us()) >= FLUSH_AFTER_US {
            writer.flush()?;
        }
        writer.retire()?;
        writer.retain(Some(now_us))?;
        let due = match writer.durability {
            Durability::Interval { ms } => {
                let interval_us = i64::try_from(ms.saturating_mul(1000)).unwrap_or(i64::MAX);
                let since = writer.synced_us.map(|at| now_us.saturating_sub(at));
                since.is_none_or(|since| since >= interval_us)
            }
            Durability::Always => writer.durable < writer.last(),
            Durability::Os => false,
        };
        if due {
            writer.synced_us = Some(now_us);
            drop(writer);
            self.sync()?;
        }
        Ok(())
    }

    /// A reader for a subscriber, from its checkpoint on. One that is not there yet is added.
    ///
    /// # Errors
    /// [`Error::Name`], [`Error::TooManySubscribers`], what the disk says.
    pub fn subscribe(&self, name: &str, start: Start) -> Result<Reader> {
        match self.add_subscriber(name, start) {
            Ok(()) | Err(Error::SubscriberExists { .. }) => self.reader(name),
            Err(error) => Err(error),
        }
    }

    /// A reader for a subscriber that lasts as long as the reader, and is not stored.
    ///
    /// # Errors
    /// As [`Journal::subscribe`]; [`Error::SubscriberExists`].
    pub fn subscribe_passing(&self, name: &str, start: Start) -> Result<Reader> {
        let mut writer = self.0.hold()?;
        let checkpoint = writer.add_passing(name, start)?;
        drop(writer);
        Ok(Reader::new(self.clone(), name, Id(checkpoint), true))
    }

    /// A reader for a subscriber that is there, from its checkpoint on.
    ///
    /// # Errors
    /// [`Error::NoSubscriber`]; what the disk says.
    pub fn reader(&self, name: &str) -> Result<Reader> {
        let checkpoint = self.checkpoint_of(name)?;
        Ok(Reader::new(self.clone(), name, checkpoint, false))
    }

    /// Adds a subscriber.
    ///
    /// # Errors
    /// [`Error::SubscriberExists`], and as [`Journal::subscribe`].
    pub fn add_subscriber(&self, name: &str, start: Start) -> Result<()> {
        self.0.hold_to_write()?.add_subscriber(name, start)
    }

    /// Removes a subscriber, and the segments that only it had not passed.
    ///
    /// # Errors
    /// [`Error::NoSubscriber`]; what the disk says.
    pub fn remove_subscriber(&self, name: &str) -> Result<()> {
        self.0.hold_to_write()?.remove_subscriber(name)
    }

    /// Where a subscriber is.
    ///
    /// # Errors
    /// [`Error::NoSubscriber`]; what the disk says.
    pub fn checkpoint_of(&self, name: &str) -> Result<Id> {
        let writer = self.0.hold()?;
        let place = writer.place(name.as_bytes());
        let found = place.ok_or_else(|| subscriber::missing(name))?;
        Ok(Id(found.checkpoint))
    }

    /// Notes that a subscriber has read up to a record, or sets it back to read again from there.
    /// An id after the last record is taken for the last one. Returns the id that holds.
    ///
    /// # Errors
    /// [`Error::NoSubscriber`]; what the disk says.
    pub fn checkpoint(&self, name: &str, id: Id) -> Result<Id> {
        Ok(Id(self.0.hold_to_write()?.checkpoint(name, id.0)?))
    }

    /// As [`Journal::checkpoint`], and adds the subscriber if it is not there.
    ///
    /// # Errors
    /// As [`Journal::checkpoint`].
    pub fn set_subscriber(&self, name: &str, id: Id) -> Result<Id> {
        match self.add_subscriber(name, Start::After(id)) {
            Ok(()) => self.checkpoint_of(name),
            Err(Error::SubscriberExists { .. }) => self.checkpoint(name, id),
            Err(error) => Err(error),
        }
    }

    /// Deletes every segment that all subscribers have passed; all but the newest if there are no
    /// subscribers. Returns how many.
    ///
    /// # Errors
    /// What the disk says.
    pub fn compact(&self) -> Result<usize> {
        self.0.hold_to_write()?.compact()
    }

    /// Waits until there is a record after `id`, or until the time is over; says whether there is
    /// one. Appends of other processes do not end the waiting.
    ///
    /// # Errors
    /// As [`Journal::last`].
    pub fn wait_for(&self, id: Id, at_most: Duration) -> Result<bool> {
        self.0.wait_for(id.0, at_most)
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.0
    }
}

fn lock_file(disk: &dyn Disk, name: &str) -> Result<Arc<dyn DiskFile>> {
    disk.open(name, true)
        .map_err(|error| Error::io("open", name, error))
}
