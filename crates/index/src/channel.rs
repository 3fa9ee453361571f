//! A channel: who hears what is published on it.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use event::Event;
use parking_lot::Mutex;

use crate::listener::Ring;
use crate::pubsub::SubscriptionId;

/// What is published: an event, or any other value of the language.
#[derive(Clone)]
pub enum Payload {
    Event(Event),
    Other(Arc<dyn Any + Send + Sync>),
}

/// An exception of a subscriber, as its callback gave it.
pub type Thrown = Box<dyn Any + Send>;

/// Called with each value, in the thread that publishes it.
pub type Callback = Arc<dyn Fn(&Payload) -> Result<(), Thrown> + Send + Sync>;

/// Chooses the values a subscriber wants; called by the publisher.
pub type Filter = Arc<dyn Fn(&Payload) -> bool + Send + Sync>;

/// A handle to publish on one channel, without looking it up by name. Cheap to clone.
#[derive(Clone)]
pub struct Channel(pub(crate) Arc<State>);

pub(crate) struct State {
    pub name: Arc<str>,
    /// The length of `subscribers`, to be read without the lock.
    count: AtomicUsize,
    /// In the order they came. Replaced, never changed, so that publishing holds no lock.
    subscribers: Mutex<Arc<[Arc<Subscriber>]>>,
    published: AtomicU64,
    /// Lost by readers that are gone.
    lost_before: AtomicU64,
}

pub(crate) struct Subscriber {
    pub id: SubscriptionId,
    pub persistent: bool,
    pub filter: Option<Filter>,
    pub outlet: Outlet,
}

pub(crate) enum Outlet {
    Callback(Callback),
    Ring(Arc<Ring>),
}

impl Channel {
    /// True if anyone is subscribed. Costs one read of memory: a publisher may ask before it makes an event.
    pub fn is_watched(&self) -> bool {
        self.0.count.load(Ordering::Acquire) != 0
    }

    /// Hands an event to each subscriber; does nothing if there is none.
    ///
    /// # Errors
    /// The first that a callback gave; the other subscribers have had the event.
    pub fn publish(&self, event: &Event) -> Result<(), Thrown> {
        if !self.is_watched() {
            return Ok(());
        }
        self.0.hand_out(&Payload::Event(event.clone()))
    }

    /// As [`Channel::publish`], of a value that may not be an event.
    ///
    /// # Errors
    /// As [`Channel::publish`].
    pub fn publish_payload(&self, payload: &Payload) -> Result<(), Thrown> {
        if !self.is_watched() {
            return Ok(());
        }
        self.0.hand_out(payload)
    }

    pub fn name(&self) -> &str {
        &self.0.name
    }
}

impl State {
    pub fn new(name: &str) -> State {
        State {
            name: name.into(),
            count: AtomicUsize::new(0),
            subscribers: Mutex::new(Arc::new([])),
            published: AtomicU64::new(0),
            lost_before: AtomicU64::new(0),
        }
    }

    pub fn add(&self, subscriber: Subscriber) {
        let subscriber = Arc::new(subscriber);
        let before = self.change(|all| all.iter().cloned().chain([subscriber]).collect());
        drop(before);
    }

    /// Removes the subscribers that `doomed` says; gives their number.
    pub fn remove(&self, doomed: impl Fn(&Subscriber) -> bool) -> usize {
        let before = self.change(|all| {
            if !all.iter().any(|subscriber| doomed(subscriber)) {
                return all.clone();
            }
            all.iter()
                .filter(|subscriber| !doomed(subscriber))
                .cloned()
                .collect()
        });
        let mut removed = 0;
        for subscriber in before.iter().filter(|subscriber| doomed(subscriber)) {
            removed += 1;
            if let Outlet::Ring(ring) = &subscriber.outlet {
                ring.close();
                self.lost_before.fetch_add(ring.lost(), Ordering::Relaxed);
            }
        }
        removed
    }

    pub fn count(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    pub fn published(&self) -> u64 {
        self.published.load(Ordering::Relaxed)
    }

    pub fn lost(&self) -> u64 {
        let lost = |subscriber: &Arc<Subscriber>| match &subscriber.outlet {
            Outlet::Ring(ring) => ring.lost(),
            Outlet::Callback(_) => 0,
        };
        let subscribers = self.subscribers.lock().clone();
        self.lost_before.load(Ordering::Relaxed) + subscribers.iter().map(lost).sum::<u64>()
    }

    fn hand_out(&self, payload: &Payload) -> Result<(), Thrown> {
        self.published.fetch_add(1, Ordering::Relaxed);
        let subscribers = self.subscribers.lock().clone();
        let mut result = Ok(());
        for subscriber in subscribers.iter() {
            if subscriber
                .filter
                .as_ref()
                .is_some_and(|wants| !wants(payload))
            {
                continue;
            }
            match &subscriber.outlet {
                Outlet::Ring(ring) => ring.push(payload),
                Outlet::Callback(callback) => result = result.and(callback(payload)),
            }
        }
        result
    }

    /// Replaces the list; gives the old one, to be dropped without the lock.
    fn change(
        &self,
        new: impl FnOnce(&Arc<[Arc<Subscriber>]>) -> Arc<[Arc<Subscriber>]>,
    ) -> Arc<[Arc<Subscriber>]> {
        let mut subscribers = self.subscribers.lock();
        let new = new(&subscribers);
        self.count.store(new.len(), Ordering::Release);
        std::mem::replace(&mut *subscribers, new)
    }
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Payload::Event(event) => event.fmt(f),
            Payload::Other(_) => f.write_str("Other"),
        }
    }
}
