//! Durability: one sync serves all that wait for it.

use crate::Id;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

use crate::disk::Disk;
use crate::error::{Error, Result};
use crate::journal::Journal;
use crate::segment::{self, Segment};
use crate::shared::{Held, Shared};
use crate::writer::Writer;

/// How often who is to sync lets others go first while records still come in: a thread that was
/// woken by the last sync needs a moment to append again, and then one sync serves it too.
const YIELDS_MAX: usize = 16;

/// Where those wait whom the present sync may not serve. It is apart from the writer's lock, so
/// that they all wake at once, and those who are served need no lock.
#[derive(Default)]
pub(crate) struct Gate {
    /// All records up to this one are durable. It stays behind once a sync has failed.
    durable: AtomicU64,
    /// How many syncs have ended.
    ended: Mutex<u64>,
    opened: Condvar,
}

impl Gate {
    fn ended(&self) -> u64 {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self) {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.opened.notify_all();
    }

    fn wait(&self, ended: u64) {
        let guard = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let still_shut = |now: &mut u64| *now == ended;
        drop(self.opened.wait_while(guard, still_shut));
    }
}

impl Journal {
    /// Returns once a record, and all before it, are durable: they survive the machine.
    ///
    /// # Errors
    /// What the disk says; whether the record is durable is then unknown.
    pub fn wait_durable(&self, id: Id) -> Result<()> {
        let shared = self.shared();
        loop {
            if shared.gate.durable.load(Ordering::Acquire) >= id.0 {
                return Ok(());
            }
            let mut held = shared.hold_to_write()?;
            let id = id.0.min(held.last());
            held.refuse_doubtful(id)?;
            if held.durable >= id {
                return Ok(());
            }
            if held.syncing {
                let ended = shared.gate.ended();
                drop(held);
                shared.gate.wait(ended);
                continue;
            }
            held.syncing = true;
            lead(shared, held)?;
        }
    }
}

/// Syncs for all who wait. The lock is not held meanwhile, so that more records may come in.
fn lead<'a>(shared: &'a Shared, held: Held<'a>) -> Result<()> {
    let gathered = gather(shared, held);
    let synced = gathered.and_then(|mut held| {
        let flushed = held.flush();
        let work = held.work();
        drop(held);
        flushed?;
        work.and_then(Work::sync)
    });
    let mut writer = shared.hold_here();
    writer.syncing = false;
    let outcome = match synced {
        Ok(done) => {
            writer.durable = writer.durable.max(done.last);
            writer.names_synced = done.names;
            if writer.doubtful.is_none() {
                shared.gate.durable.store(writer.durable, Ordering::Release);
            }
            writer.counts.syncs += 1;
            Ok(())
        }
        Err(Failed::Unflushed(error)) => Err(error),
        Err(Failed::Unsynced(error)) => {
            writer.counts.sync_failures += 1;
            writer.doubt();
            Err(error)
        }
    };
    drop(writer);
    shared.gate.open();
    outcome
}

/// Lets others append, for as long as they do.
fn gather<'a>(shared: &'a Shared, held: Held<'a>) -> std::result::Result<Held<'a>, Failed> {
    let mut held = held;
    let mut last = held.last();
    for _ in 0..YIELDS_MAX {
        drop(held);
        std::thread::yield_now();
        held = shared.hold()?;
        if held.last() == last {
            break;
        }
        last = held.last();
    }
    Ok(held)
}

/// What is to be synced, without the lock.
struct Work {
    segments: Vec<Segment>,
    names: Option<std::sync::Arc<dyn Disk>>,
    done: Done,
}

/// What a sync has made durable: records up to one, and names up to a number of changes.
struct Done {
    last: u64,
    names: u64,
}

enum Failed {
    /// Before anything was synced: the records are in the buffer still.
    Unflushed(Error),
    /// The sync itself: nobody knows what is on the disk.
    Unsynced(Error),
}

impl From<Error> for Failed {
    fn from(error: Error) -> Failed {
        Failed::Unflushed(error)
    }
}

impl Work {
    fn sync(self) -> std::result::Result<Done, Failed> {
        for segment in &self.segments {
            segment.sync().map_err(Failed::Unsynced)?;
        }
        if let Some(disk) = self.names {
            disk.sync_names()
                .map_err(|error| Error::io("sync", "the folder", error))
                .map_err(Failed::Unsynced)?;
        }
        Ok(self.done)
    }
}

impl Writer {
    fn work(&self) -> std::result::Result<Work, Failed> {
        let mut segments = Vec::new();
        let ends = self.segments.iter().skip(1);
        for (&first, &end) in self.segments.iter().zip(ends) {
            if end > self.durable + 1 {
                match Segment::open(&*self.disk, first) {
                    Ok(segment) => segments.push(segment),
                    // Deleted by another process, so nobody needs it.
                    Err(Error::Io { source, .. })
                        if source.kind() == std::io::ErrorKind::NotFound => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
        segments.push(self.segment.clone());
        let names = self.buffer.noted().0;
        Ok(Work {
            segments,
            names: (names != self.names_synced).then(|| self.disk.clone()),
            done: Done {
                last: self.buffer.tail().first - 1,
                names,
            },
        })
    }

    /// After a failed sync: what it was to make durable stays in doubt, and nothing more goes to
    /// the same file, for the kernel may have forgotten what it could not write.
    fn doubt(&mut self) {
        let from = self.durable + 1;
        let to = self.buffer.tail().first - 1;
        let from = self.doubtful.map_or(from, |(old, _)| old.min(from));
        self.doubtful = Some((from, to));
        self.durable = to;
        self.abandoned = true;
    }

    fn refuse_doubtful(&self, id: u64) -> Result<()> {
        let Some((from, to)) = self.doubtful else {
            return Ok(());
        };
        if id < from || id > to {
            return Ok(());
        }
        Err(Error::Io {
            what: "sync",
            file: segment::name(self.segment.first),
            source: std::io::Error::other("an earlier sync failed; append the record again"),
        })
    }
}
