//! A queue in memory: buffers that go round.

use std::collections::VecDeque;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use super::{Held, Queue};
use crate::limits::BATCH_BYTES;
use crate::{Batch, PipeError};

/// Empty buffers kept for reuse; more than that are in use only while the queue is long.
const SPARE_MAX: usize = 64;

/// How often one who takes lets others run before it sleeps: being woken costs as much as hundreds
/// of messages.
const YIELDS: usize = 16;

/// Keeps messages in memory; they end with the program.
pub struct MemoryQueue {
    ring: Mutex<Ring>,
    came: Condvar,
    origin: String,
}

#[derive(Default)]
struct Ring {
    ready: VecDeque<Batch>,
    /// Invariant: all empty.
    spare: Vec<Batch>,
    /// The number of the next message.
    next: u64,
}

impl MemoryQueue {
    /// An empty queue. `origin` names this run of the program.
    #[must_use]
    pub fn new(origin: String) -> MemoryQueue {
        MemoryQueue {
            ring: Mutex::default(),
            came: Condvar::new(),
            origin,
        }
    }
}

impl Ring {
    fn put(&mut self, batch: &mut Batch) {
        batch.number(self.next);
        self.next += batch.len() as u64;
        // Small batches share a buffer: a message of 10 bytes must not hold 64 KiB.
        if let Some(last) = self.ready.back_mut()
            && last.bytes().len() + batch.bytes().len() <= BATCH_BYTES
        {
            last.append(batch);
            batch.clear();
            return;
        }
        let empty = self.spare.pop().unwrap_or_default();
        self.ready.push_back(std::mem::replace(batch, empty));
    }

    fn take(&mut self, into: &mut Batch) -> bool {
        let Some(oldest) = self.ready.pop_front() else {
            return false;
        };
        let empty = std::mem::replace(into, oldest);
        if self.spare.len() < SPARE_MAX {
            self.spare.push(empty);
        }
        true
    }
}

impl Queue for MemoryQueue {
    fn put(&self, batch: &mut Batch) -> Result<(), PipeError> {
        if !batch.is_empty() {
            self.ring.lock().put(batch);
            self.came.notify_one();
        }
        Ok(())
    }

    fn take(&self, into: &mut Batch, at_most: Duration) -> Result<bool, PipeError> {
        into.clear();
        let mut ring = self.ring.lock();
        for _ in 0..YIELDS {
            if !ring.ready.is_empty() {
                break;
            }
            drop(ring);
            std::thread::yield_now();
            ring = self.ring.lock();
        }
        if ring.ready.is_empty() {
            self.came.wait_for(&mut ring, at_most);
        }
        Ok(ring.take(into))
    }

    fn acknowledge(&self, batch: &mut Batch) -> Result<(), PipeError> {
        batch.clear();
        Ok(())
    }

    fn held(&self) -> Result<Held, PipeError> {
        Ok(Held::default())
    }

    fn origin(&self) -> &str {
        &self.origin
    }

    fn is_durable(&self) -> bool {
        false
    }
}
