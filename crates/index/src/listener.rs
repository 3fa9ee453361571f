//! Subscribers that read at their own pace.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::channel::Payload;
use crate::pubsub::{PubSub, SubscriptionId};

/// Called when there is something to read where there was nothing, or when the listener is closed; in the thread that
/// publishes, so it must be quick.
pub type Notify = Arc<dyn Fn() + Send + Sync>;

/// A subscription with a bounded buffer. A reader that is too slow loses the oldest values, and is
/// told how many. Dropping it unsubscribes.
pub struct Listener {
    pub(crate) ring: Arc<Ring>,
    pub(crate) id: SubscriptionId,
    pub(crate) pubsub: PubSub,
}

/// What a [`Listener`] read.
#[derive(Debug, Default)]
pub struct Batch {
    /// Values lost since the last read, all of them before the first of `values`.
    pub lost: u64,
    pub values: Vec<Payload>,
}

impl Listener {
    /// Takes up to `max` values, the oldest first; none if there are none.
    pub fn read(&self, max: usize) -> Batch {
        let mut inside = self.ring.inside.lock();
        let count = inside.values.len().min(max);
        let values = inside.values.drain(..count).collect();
        let lost = inside.lost - inside.lost_told;
        inside.lost_told = inside.lost;
        Batch { lost, values }
    }

    /// True once the subscription has ended from the other side: what is left may still be read.
    pub fn is_closed(&self) -> bool {
        self.ring.inside.lock().closed
    }

    pub fn id(&self) -> SubscriptionId {
        self.id
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.pubsub.unsubscribe(self.id);
    }
}

pub(crate) struct Ring {
    capacity: usize,
    notify: Notify,
    inside: Mutex<Inside>,
}

#[derive(Default)]
struct Inside {
    /// At most `capacity`.
    values: VecDeque<Payload>,
    /// Since the start; at least `lost_told`.
    lost: u64,
    lost_told: u64,
    closed: bool,
}

impl Ring {
    /// # Panics
    /// If `capacity` is zero.
    pub fn new(capacity: usize, notify: Notify) -> Ring {
        assert!(capacity > 0, "a buffer holds at least one value");
        Ring {
            capacity,
            notify,
            inside: Mutex::default(),
        }
    }

    pub fn push(&self, payload: &Payload) {
        let mut inside = self.inside.lock();
        if inside.closed {
            return;
        }
        let was_empty = inside.values.is_empty();
        let mut oldest = None;
        if inside.values.len() == self.capacity {
            oldest = inside.values.pop_front();
            inside.lost += 1;
        }
        inside.values.push_back(payload.clone());
        drop(inside);
        drop(oldest);
        if was_empty {
            (self.notify)();
        }
    }

    pub fn lost(&self) -> u64 {
        self.inside.lock().lost
    }

    pub fn close(&self) {
        self.inside.lock().closed = true;
        (self.notify)();
    }
}
