//! The index.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use event::{Event, Fields, Time, View, Views};
use foldhash::quality::RandomState;
use parking_lot::{Mutex, MutexGuard};

use crate::key::Key;
use crate::recent::{self, RECENT_EVENTS_MIN};
use crate::shard::Shard;
use crate::stage::{SLOTS_FAR, Stage};

/// Enough that threads seldom meet, few enough that the locks stay in the cache.
const SHARDS_PER_CORE: usize = 32;
const SHARDS_MIN: usize = 64;
const SHARDS_MAX: usize = 1024;

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
    shards: Shards,
    random: RandomState,
}

/// The parts of the index, each under its lock.
pub(crate) struct Shards {
    parts: Box<[Padded]>,
    /// Several threads store: what one needs lies in the cache of another's core.
    shared: AtomicBool,
}

/// Two cache lines: the processor fetches them in pairs.
#[repr(align(128))]
#[derive(Default)]
struct Padded {
    shard: Mutex<Shard>,
    place: Place,
}

/// Where the slots of a shard lie and how many there are, or were a moment ago: good for a prefetch. In a
/// line of its own, that no lock makes leave the caches.
#[repr(align(64))]
#[derive(Default)]
struct Place {
    slots_at: AtomicUsize,
    slots: AtomicUsize,
}

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
        Index {
            shards: Shards {
                parts: (0..shards).map(|_| Padded::default()).collect(),
                shared: AtomicBool::new(false),
            },
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
        let before = self
            .shards
            .with(hash, |shard, tag| shard.insert(tag, event));
        drop(before);
    }

    /// As [`Index::insert`], of an event that is still in its receive buffer. Allocates nothing when
    /// the key is known and its text has room where the last one was.
    pub fn insert_view(&self, view: &View<'_>) {
        let hash = Key::from(view).hash(&self.random);
        let removed = self
            .shards
            .with(hash, |shard, tag| put_view(shard, tag, view));
        drop(removed);
    }

    /// As [`Index::insert_view`] of each chosen event, in order. Of events of one key that come
    /// together the last may be the only one that is stored.
    ///
    /// # Panics
    /// If a chosen number is not below the length of `views`.
    pub fn insert_views(&self, views: &Views<'_>, chosen: impl IntoIterator<Item = usize>) {
        let hash = |number| Key::from(views.head(number)).hash(&self.random);
        let mut chosen = chosen.into_iter().map(|number| (hash(number), number));
        let few_keys = self.shards.parts[0].place.slots.load(Ordering::Relaxed) < SLOTS_FAR;
        if few_keys && views.len() >= RECENT_EVENTS_MIN {
            recent::latest(views, chosen, |mut latest| {
                self.store_views(views, &mut latest);
            });
        } else {
            self.store_views(views, &mut chosen);
        }
    }

    fn store_views(&self, views: &Views<'_>, chosen: &mut impl Iterator<Item = (u64, usize)>) {
        let mut stage = Stage::new(&self.shards, views);
        while stage.fill(chosen) {
            stage.store();
        }
    }

    /// The latest event of a host and service.
    pub fn lookup<'a>(&self, key: impl Into<Key<'a>>) -> Option<Event> {
        let key = key.into();
        let hash = key.hash(&self.random);
        self.shards
            .with(hash, |shard, tag| shard.find(tag, &key).cloned())
    }

    /// Removes and gives the latest event of a host and service.
    pub fn delete<'a>(&self, key: impl Into<Key<'a>>) -> Option<Event> {
        let key = key.into();
        let hash = key.hash(&self.random);
        self.shards
            .with(hash, |shard, tag| shard.remove(tag, &key, |_| true))
    }

    /// Removes the latest event of `event`'s host and service if it equals `event`.
    pub fn delete_exactly(&self, event: &Event) -> Option<Event> {
        let key = Key::from(event);
        let hash = key.hash(&self.random);
        self.shards.with(hash, |shard, tag| {
            shard.remove(tag, &key, |own| own == event)
        })
    }

    /// Removes and gives all events whose age at `now` is more than their ttl ([`TTL_S_DEFAULT`] for
    /// one that has none), and those where that cannot be told.
    ///
    /// [`TTL_S_DEFAULT`]: crate::TTL_S_DEFAULT
    pub fn expire(&self, now: Time) -> Expired {
        let mut expired = Expired::default();
        for padded in &self.shards.parts {
            let mut from = Some(0);
            while let Some(at) = from {
                let mut shard = padded.shard.lock();
                from = shard.expire(now, at, &mut expired);
                padded.note(&shard);
                // Whoever waits has its turn before the next slice.
                MutexGuard::unlock_fair(shard);
            }
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
        self.shards.parts.iter().flat_map(|padded| {
            let events: Vec<Event> = padded.shard.lock().events().cloned().collect();
            events
        })
    }

    pub fn len(&self) -> usize {
        self.shards.parts.iter().map(Padded::len).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.shards.parts.iter().all(|padded| padded.len() == 0)
    }

    /// Removes everything.
    pub fn clear(&self) {
        for padded in &self.shards.parts {
            let all = padded.with(std::mem::take);
            drop(all);
        }
    }
}

/// Keeps a received event, or takes the one of its key out if it says `expired`; gives that.
#[inline]
pub(crate) fn put_view(shard: &mut Shard, tag: u32, view: &View<'_>) -> Option<Event> {
    if view.state == Some(EXPIRED) {
        return shard.remove(tag, &Key::from(view), |_| true);
    }
    shard.insert_view(tag, view);
    None
}

impl Shards {
    /// The number of the shard of a hash: its high half tells; the low half is the tag.
    #[inline]
    pub fn number(&self, hash: u64) -> usize {
        (hash >> 32) as usize & (self.parts.len() - 1)
    }

    /// Calls `act` with a shard, locked.
    #[inline]
    pub fn with_number<R>(&self, number: usize, act: impl FnOnce(&mut Shard) -> R) -> R {
        self.parts[number].with(act)
    }

    pub fn are_shared(&self) -> bool {
        self.shared.load(Ordering::Relaxed)
    }

    /// Written only when it changes, so that its line stays with all who read it.
    #[inline]
    pub fn note_shared(&self, shared: bool) {
        if self.are_shared() != shared {
            self.shared.store(shared, Ordering::Relaxed);
        }
    }

    fn with<R>(&self, hash: u64, act: impl FnOnce(&mut Shard, u32) -> R) -> R {
        self.with_number(self.number(hash), |shard| act(shard, hash as u32))
    }

    /// How many slots the shard of a hash has, or had a moment ago.
    #[inline]
    pub fn slots(&self, hash: u64) -> usize {
        self.parts[self.number(hash)]
            .place
            .slots
            .load(Ordering::Relaxed)
    }

    /// Where the lock of the shard of a hash is.
    #[inline]
    pub fn lock(&self, hash: u64) -> usize {
        (&raw const self.parts[self.number(hash)].shard).addr()
    }

    /// Where the slot of a hash probably is.
    #[inline]
    pub fn probable_slot(&self, hash: u64) -> usize {
        let place = &self.parts[self.number(hash)].place;
        let slots = place.slots.load(Ordering::Relaxed);
        let at = hash as u32 as usize & slots.wrapping_sub(1);
        let base = place.slots_at.load(Ordering::Relaxed);
        base.wrapping_add(at.wrapping_mul(Shard::SLOT_BYTES))
    }
}

impl Padded {
    #[inline]
    fn with<R>(&self, act: impl FnOnce(&mut Shard) -> R) -> R {
        let mut shard = self.shard.lock();
        let result = act(&mut shard);
        self.note(&shard);
        result
    }

    #[inline]
    fn note(&self, shard: &Shard) {
        let (at, slots) = shard.place();
        let place = &self.place;
        // Written only when they change, so that their line stays with all who read it.
        if place.slots_at.load(Ordering::Relaxed) != at {
            place.slots_at.store(at, Ordering::Relaxed);
        }
        if place.slots.load(Ordering::Relaxed) != slots {
            place.slots.store(slots, Ordering::Relaxed);
        }
    }

    fn len(&self) -> usize {
        self.shard.lock().len()
    }
}

impl Default for Index {
    fn default() -> Index {
        Index::new()
    }
}
