//! Requests that wait for their answers, which come in the order of the requests.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use super::ClientError;

/// The bytes of an answer, or why there is none.
type Outcome = Result<Vec<u8>, ClientError>;

/// Where one answer will be. Clones are the same place.
#[derive(Clone, Default)]
pub(super) struct Slot(Arc<(Mutex<Option<Outcome>>, Condvar)>);

impl Slot {
    /// Waits for the answer; `None` if `timeout` goes by first.
    pub fn wait(&self, timeout: Duration) -> Option<Outcome> {
        let (outcome, filled) = &*self.0;
        let mut outcome = outcome.lock();
        filled.wait_while_for(&mut outcome, |outcome| outcome.is_none(), timeout);
        outcome.take()
    }

    fn fill(&self, outcome: Outcome) {
        let (place, filled) = &*self.0;
        *place.lock() = Some(outcome);
        filled.notify_all();
    }
}

#[derive(Default)]
pub(super) struct Pending(Mutex<Queue>);

#[derive(Default)]
struct Queue {
    slots: VecDeque<Slot>,
    /// Set when the connection broke: nothing can come any more.
    broken: Option<ClientError>,
}

impl Pending {
    /// Adds the next request; gives the place of its answer.
    pub fn push(&self, max: usize) -> Result<Slot, ClientError> {
        let mut queue = self.0.lock();
        if let Some(error) = &queue.broken {
            return Err(error.clone());
        }
        if queue.slots.len() >= max {
            return Err(ClientError::Overloaded);
        }
        let slot = Slot::default();
        queue.slots.push_back(slot.clone());
        Ok(slot)
    }

    /// Gives an answer to the oldest request; false if nobody asked.
    pub fn answer(&self, bytes: &[u8]) -> bool {
        let oldest = self.0.lock().slots.pop_front();
        oldest
            .inspect(|slot| slot.fill(Ok(bytes.to_vec())))
            .is_some()
    }

    /// Fails all requests, those to come included.
    pub fn fail(&self, error: &ClientError) {
        let mut queue = self.0.lock();
        queue.broken.get_or_insert_with(|| error.clone());
        for slot in queue.slots.drain(..) {
            slot.fill(Err(error.clone()));
        }
    }

    pub fn is_broken(&self) -> bool {
        self.0.lock().broken.is_some()
    }

    pub fn len(&self) -> usize {
        self.0.lock().slots.len()
    }
}
