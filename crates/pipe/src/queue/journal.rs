//! A queue in a journal: what it holds outlives the program.

use std::fs;
use std::path::Path;
use std::time::Duration;

use journal::{Durability, Id, Journal, Options, Reader, Start};
use parking_lot::Mutex;

use super::{Held, Queue};
use crate::limits::BATCH_BYTES;
use crate::{Batch, PipeError};

/// The subscriber that a pipeline reads as.
const SUBSCRIBER: &str = "pipe";

/// The file beside the journal's own that keeps the queue's origin.
const ORIGIN_FILE: &str = "pipe-origin";

/// Keeps messages in a journal, a record each.
pub struct JournalQueue {
    journal: Journal,
    durability: Durability,
    taking: Mutex<Taking>,
    acknowledged: Mutex<Id>,
    origin: String,
}

struct Taking {
    reader: Reader,
    /// The last record that was taken.
    last: Id,
}

impl JournalQueue {
    /// Opens or makes the journal. A new one gets `origin`; an old one keeps its own.
    ///
    /// # Errors
    /// The journal does not open, or its folder cannot be written.
    pub fn open(dir: &Path, options: Options, origin: &str) -> Result<JournalQueue, PipeError> {
        let durability = options.durability;
        let journal = Journal::open(dir, options)?;
        let recovery = journal.recovery();
        if !recovery.is_clean() {
            tracing::warn!(target: "pipe", "{}: {recovery:?}", dir.display());
        }
        let origin = keep_origin(dir, origin)?;
        let reader = journal.subscribe(SUBSCRIBER, Start::Begin)?;
        let last = journal.checkpoint_of(SUBSCRIBER)?;
        Ok(JournalQueue {
            journal,
            durability,
            taking: Mutex::new(Taking { reader, last }),
            acknowledged: Mutex::new(last),
            origin,
        })
    }

    /// Fills from the journal; the id after which there is nothing yet that can be read.
    fn fill(&self, into: &mut Batch) -> Result<Id, PipeError> {
        let mut taking = self.taking.lock();
        let end = self.journal.last()?;
        fill(&mut taking, into)?;
        if into.is_empty() {
            taking.last = taking.last.max(end);
        }
        Ok(taking.last)
    }

    /// The journal, for its ticks and its figures.
    #[must_use]
    pub fn journal(&self) -> &Journal {
        &self.journal
    }
}

fn keep_origin(dir: &Path, origin: &str) -> Result<String, PipeError> {
    let path = dir.join(ORIGIN_FILE);
    match fs::read_to_string(&path) {
        Ok(kept) if !kept.is_empty() => return Ok(kept),
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(PipeError::io(&path.display().to_string())(error)),
    }
    let place = path.display().to_string();
    let whole = dir.join(format!("{ORIGIN_FILE}.new"));
    fs::write(&whole, origin).map_err(PipeError::io(&place))?;
    fs::rename(&whole, &path).map_err(PipeError::io(&place))?;
    Ok(origin.to_owned())
}

/// Appends all messages, as durable as `durability` says; on an error the batch holds those that
/// were not taken, or may be lost.
pub(crate) fn append(
    journal: &Journal,
    durability: Durability,
    batch: &mut Batch,
) -> Result<(), PipeError> {
    let mut given = 0;
    let taken = journal.submit(batch.iter().inspect(|_| given += 1));
    // The last one that the journal asked for is the one that it refused.
    let count = taken.as_ref().map_or(usize::max(given, 1) - 1, |_| given);
    if durability == Durability::Always && count > 0 {
        journal.sync()?;
    }
    batch.remove_first(count);
    taken?;
    batch.clear();
    Ok(())
}

impl Queue for JournalQueue {
    fn put(&self, batch: &mut Batch) -> Result<(), PipeError> {
        append(&self.journal, self.durability, batch)
    }

    fn take(&self, into: &mut Batch, at_most: Duration) -> Result<bool, PipeError> {
        into.clear();
        let reached = self.fill(into)?;
        if into.is_empty() && self.journal.wait_for(reached, at_most)? {
            self.fill(into)?;
        }
        Ok(!into.is_empty())
    }

    fn acknowledge(&self, batch: &mut Batch) -> Result<(), PipeError> {
        let last = Id(batch.first() + batch.len() as u64 - 1);
        batch.clear();
        let mut acknowledged = self.acknowledged.lock();
        // What was taken to be dropped may be acknowledged before what was taken to be stored.
        if last > *acknowledged {
            *acknowledged = self.journal.checkpoint(SUBSCRIBER, last)?;
        }
        Ok(())
    }

    fn held(&self) -> Result<Held, PipeError> {
        let stats = self.journal.stats()?;
        let own = stats.subscribers.iter().find(|one| one.name == SUBSCRIBER);
        Ok(own.map_or_else(Held::default, |own| Held {
            messages: own.records,
            bytes: own.bytes,
        }))
    }

    fn origin(&self) -> &str {
        &self.origin
    }

    fn is_durable(&self) -> bool {
        true
    }
}

/// Copies records until the buffer is full, the reader has caught up, or ids are missing: a batch
/// is numbered from its first.
fn fill(taking: &mut Taking, into: &mut Batch) -> Result<(), PipeError> {
    /// Records asked for at a time: what is left after a full buffer is read again.
    const ASKED: usize = 256;
    while into.bytes().len() < BATCH_BYTES {
        let batch = taking.reader.next_batch(ASKED)?;
        if batch.is_empty() {
            break;
        }
        let mut gap = None;
        for (id, record) in batch.iter() {
            if into.is_empty() {
                into.number(id.0);
            } else if id.0 != into.first() + into.len() as u64 {
                gap = Some(id);
                break;
            }
            into.push(record);
            taking.last = id;
        }
        if let Some(id) = gap {
            taking.reader.seek(id.previous());
            break;
        }
    }
    for damage in taking.reader.take_damages() {
        tracing::error!(target: "pipe", "messages are damaged and passed over: {damage}");
    }
    Ok(())
}
