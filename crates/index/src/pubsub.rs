//! Publish and subscribe, on channels with names.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use event::Event;
use parking_lot::Mutex;

use crate::channel::{Callback, Channel, Filter, Outlet, Payload, State, Subscriber, Thrown};
use crate::listener::{Listener, Notify, Ring};

/// All channels. Cheap to clone; clones share the channels.
///
/// ```
/// use std::sync::Arc;
/// use event::{Event, View};
/// use index::{Options, PubSub};
/// let pubsub = PubSub::new();
/// let channel = pubsub.channel("index");
/// let listener = pubsub.listen("index", Options::default(), 2, Arc::new(|| ()));
/// for _ in 0..3 {
///     channel.publish(&Event::from_view(&View::default())).expect("a listener does not throw");
/// }
/// let batch = listener.read(10);
/// assert_eq!((batch.lost, batch.values.len()), (1, 2));
/// ```
#[derive(Clone, Default)]
pub struct PubSub(Arc<Registry>);

#[derive(Default)]
struct Registry {
    /// Channels that have a subscriber or a publisher's handle.
    channels: Mutex<HashMap<Arc<str>, Arc<State>>>,
    last_id: AtomicU64,
    /// Published and lost on channels that are gone.
    published_before: AtomicU64,
    lost_before: AtomicU64,
}

/// Names a subscription for [`PubSub::unsubscribe`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SubscriptionId(u64);

/// How to subscribe.
#[derive(Clone, Default)]
pub struct Options {
    /// Outlives [`PubSub::sweep`]: of a connection, not of the configuration.
    pub persistent: bool,
    /// Values that it does not hold for are not delivered, nor do they push others out of a buffer.
    pub filter: Option<Filter>,
}

/// Totals, for metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub channels: usize,
    pub subscribers: usize,
    /// Values published on a channel that had subscribers.
    pub published: u64,
    /// Values that slow listeners lost.
    pub lost: u64,
}

impl PubSub {
    pub fn new() -> PubSub {
        PubSub::default()
    }

    /// A handle to publish on the channel of that name.
    pub fn channel(&self, name: &str) -> Channel {
        Channel(self.state(&mut self.0.channels.lock(), name))
    }

    /// Publishes to the channel of that name; [`Channel::publish`] is faster.
    ///
    /// # Errors
    /// As [`Channel::publish`].
    pub fn publish(&self, name: &str, event: &Event) -> Result<(), Thrown> {
        self.existing(name)
            .map_or(Ok(()), |channel| channel.publish(event))
    }

    /// As [`PubSub::publish`], of a value that may not be an event.
    ///
    /// # Errors
    /// As [`Channel::publish`].
    pub fn publish_payload(&self, name: &str, payload: &Payload) -> Result<(), Thrown> {
        self.existing(name)
            .map_or(Ok(()), |channel| channel.publish_payload(payload))
    }

    /// Calls `callback` with each value published on a channel, until it is unsubscribed or swept.
    pub fn subscribe(&self, name: &str, options: Options, callback: Callback) -> SubscriptionId {
        self.add(name, options, Outlet::Callback(callback))
    }

    /// Buffers up to `capacity` values published on a channel, until the listener is dropped.
    ///
    /// # Panics
    /// If `capacity` is zero.
    pub fn listen(
        &self,
        name: &str,
        options: Options,
        capacity: usize,
        notify: Notify,
    ) -> Listener {
        let ring = Arc::new(Ring::new(capacity, notify));
        let id = self.add(name, options, Outlet::Ring(ring.clone()));
        Listener {
            ring,
            id,
            pubsub: self.clone(),
        }
    }

    /// Ends a subscription; false if it had ended. A value that another thread is publishing at this
    /// moment may still arrive.
    pub fn unsubscribe(&self, id: SubscriptionId) -> bool {
        self.remove(|subscriber| subscriber.id == id) > 0
    }

    /// Ends all subscriptions that are not persistent, as at a reload; gives their number.
    pub fn sweep(&self) -> usize {
        self.remove(|subscriber| !subscriber.persistent)
    }

    pub fn counts(&self) -> Counts {
        let channels = self.0.channels.lock();
        let mut counts = Counts {
            channels: channels.len(),
            subscribers: 0,
            published: self.0.published_before.load(Ordering::Relaxed),
            lost: self.0.lost_before.load(Ordering::Relaxed),
        };
        for channel in channels.values() {
            counts.subscribers += channel.count();
            counts.published += channel.published();
            counts.lost += channel.lost();
        }
        counts
    }

    fn add(&self, name: &str, options: Options, outlet: Outlet) -> SubscriptionId {
        let id = SubscriptionId(self.0.last_id.fetch_add(1, Ordering::Relaxed) + 1);
        let Options { persistent, filter } = options;
        let mut channels = self.0.channels.lock();
        let state = self.state(&mut channels, name);
        state.add(Subscriber {
            id,
            persistent,
            filter,
            outlet,
        });
        id
    }

    fn remove(&self, doomed: impl Fn(&Subscriber) -> bool) -> usize {
        let channels: Vec<Arc<State>> = self.0.channels.lock().values().cloned().collect();
        let removed = channels.iter().map(|channel| channel.remove(&doomed)).sum();
        drop(channels);
        self.forget_unused();
        removed
    }

    /// Names come from the network too: a channel that nobody holds is not kept.
    fn forget_unused(&self) {
        let mut channels = self.0.channels.lock();
        channels.retain(|_, channel| {
            let used = channel.count() > 0 || Arc::strong_count(channel) > 1;
            if !used {
                self.0
                    .published_before
                    .fetch_add(channel.published(), Ordering::Relaxed);
                self.0
                    .lost_before
                    .fetch_add(channel.lost(), Ordering::Relaxed);
            }
            used
        });
    }

    fn existing(&self, name: &str) -> Option<Channel> {
        self.0.channels.lock().get(name).cloned().map(Channel)
    }

    fn state(&self, channels: &mut HashMap<Arc<str>, Arc<State>>, name: &str) -> Arc<State> {
        if let Some(state) = channels.get(name) {
            return state.clone();
        }
        let state = Arc::new(State::new(name));
        channels.insert(state.name.clone(), state.clone());
        state
    }
}
