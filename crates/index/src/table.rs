//! The index.

use std::num::NonZero;
use std::thread;

use event::{Event, Fields, Time, View, Views};
use foldhash::quality::RandomState;
use parking_lot::Mutex;

use crate::key::Key;
use crate::shard::Shard;

/// Enough that threads seldom meet, few enough that the locks stay in the cache.
const SHARDS_PER_CORE: usize = 32;
const SHARDS_MIN: usize = 64;
const SHARDS_MAX: usize = 1024;

/// Events of a batch whose hashes are known before the first is stored.
const STAGE_EVENTS: usize = 128;

const EXPIRED: &str = "expired";

/// The latest event of each host and service. All methods take `&self` and may be called from any
/// thread; none holds more than one part of the index at a time.
///
/// ```
/// use event::{Event, Fields, Time, View};
/// use index::Index;
/// let index = Index::new();
/// let view = View { host: Some("a"), service: Some("www"), time: Some(Time::from_s(0)), ..View::default() };
/// index.insert_view(&view);
/// assert!(index.lookup((Some("a"), Some("www"))).is_some());
/// assert_eq!(index.expire(Time::from_s(60)).events.len(), 0);
/// assert_eq!(index.expire(Time::from_s(61)).events.len(), 1);
/// assert!(index.is_empty());
/// ```
pub struct Index {
    shards: Box<[Padded]>,
    /// How far a hash is shifted to give its shard: the table uses the lowest and the highest bits.
    shift: u32,
    random: RandomState,
}

/// Two cache lines: the processor fetches them in pairs.
#[repr(align(128))]
#[derive(Default)]
struct Padded(Mutex<Shard>);

/// What [`Index::expire`] removed.
#[derive(Debug, Default)]
pub struct Expired {
    /// Events older than their ttl.
    pub events: Vec<Event>,
    /// Events of which nobody can tell: they have no time, or a ttl or time that is no number.
    pub broken: Vec<Event>,
}

impl Index {
    pub fn new() -> Index {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let shards = (cores * SHARDS_PER_CORE)
            .clamp(SHARDS_MIN, SHARDS_MAX)
            .next_power_of_two();
        let shards: Box<[Padded]> = (0..shards).map(|_| Padded::default()).collect();
        Index {
            shift: 32 - shards.len().ilog2() / 2,
            shards,
            random: RandomState::default(),
        }
    }

    /// Keeps an event as the latest of its host and service; one whose state is `expired` removes it.
    pub fn insert(&self, event: &Event) {
        let key = Key::from(event);
        if event.state() == Some(EXPIRED) {
            self.delete(key);
            return;
        }
        let hash = key.hash(&self.random);
        let before = self.shard(hash).lock().insert(hash, event);
        drop(before);
    }

    /// As [`Index::insert`], of an event that is still in its receive buffer. Allocates nothing when
    /// the key is known and its text has room where the last one was.
    pub fn insert_view(&self, view: &View<'_>) {
        self.insert_hashed(Key::from(view).hash(&self.random), view);
    }

    /// As [`Index::insert_view`] of each chosen event, in order.
    ///
    /// # Panics
    /// If a chosen number is not below the length of `views`.
    pub fn insert_views(&self, views: &Views<'_>, chosen: impl IntoIterator<Item = usize>) {
        let mut chosen = chosen.into_iter();
        let mut staged = [(0u64, 0usize); STAGE_EVENTS];
        loop {
            let mut count = 0;
            for (place, number) in staged.iter_mut().zip(&mut chosen) {
                *place = (Key::from(&views.get(number)).hash(&self.random), number);
                count += 1;
            }
            for (hash, number) in &staged[..count] {
                self.insert_hashed(*hash, &views.get(*number));
            }
            if count < STAGE_EVENTS {
                return;
            }
        }
    }

    /// The latest event of a host and service.
    pub fn lookup<'a>(&self, key: impl Into<Key<'a>>) -> Option<Event> {
        let key = key.into();
        let hash = key.hash(&self.random);
        self.shard(hash).lock().find(hash, &key).cloned()
    }

    /// Removes and gives the latest event of a host and service.
    pub fn delete<'a>(&self, key: impl Into<Key<'a>>) -> Option<Event> {
        let key = key.into();
        let hash = key.hash(&self.random);
        self.shard(hash).lock().remove(hash, &key, |_| true)
    }

    /// Removes the latest event of `event`'s host and service if it equals `event`.
    pub fn delete_exactly(&self, event: &Event) -> Option<Event> {
        let key = Key::from(event);
        let hash = key.hash(&self.random);
        self.shard(hash)
            .lock()
            .remove(hash, &key, |own| own == event)
    }

    /// Removes and gives all events whose age at `now` is more than their ttl ([`TTL_S_DEFAULT`] for
    /// one that has none), and those where that cannot be told.
    ///
    /// [`TTL_S_DEFAULT`]: crate::TTL_S_DEFAULT
    pub fn expire(&self, now: Time) -> Expired {
        let mut expired = Expired::default();
        for shard in &self.shards {
            shard.0.lock().expire(now, &mut expired);
        }
        expired
    }

    /// All events that `matches` holds for, in no order. Events that come or go meanwhile may or
    /// may not be among them.
    pub fn search(&self, matches: &dyn Fn(&dyn Fields) -> bool) -> Vec<Event> {
        self.iter().filter(|event| matches(event)).collect()
    }

    /// All events, in no order, copied (by reference) one part of the index at a time.
    pub fn iter(&self) -> impl Iterator<Item = Event> {
        self.shards.iter().flat_map(|shard| {
            let events: Vec<Event> = shard.0.lock().events().cloned().collect();
            events
        })
    }

    pub fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.0.lock().len()).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.shards.iter().all(|shard| shard.0.lock().len() == 0)
    }

    /// Removes everything.
    pub fn clear(&self) {
        for shard in &self.shards {
            let all = std::mem::take(&mut *shard.0.lock());
            drop(all);
        }
    }

    fn insert_hashed(&self, hash: u64, view: &View<'_>) {
        let mut shard = self.shard(hash).lock();
        let removed = if view.state == Some(EXPIRED) {
            shard.remove(hash, &Key::from(view), |_| true)
        } else {
            shard.insert_view(hash, view);
            None
        };
        drop(shard);
        drop(removed);
    }

    fn shard(&self, hash: u64) -> &Mutex<Shard> {
        &self.shards[(hash >> self.shift) as usize & (self.shards.len() - 1)].0
    }
}

impl Default for Index {
    fn default() -> Index {
        Index::new()
    }
}
