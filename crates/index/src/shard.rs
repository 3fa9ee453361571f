//! A part of the index, under one lock.

use event::{Event, Time, View};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use crate::deadline::{self, Verdict};
use crate::key::Key;
use crate::table::Expired;

/// Memory is given back when less than one part in this many is in use.
const SHRINK_BELOW: usize = 8;
/// What is always kept.
const ROOM_MIN: usize = 1024;

#[derive(Default)]
pub(crate) struct Shard {
    slots: HashTable<Slot>,
}

struct Slot {
    hash: u64,
    /// [`deadline::of_event`] of the event.
    deadline_us: i64,
    event: Event,
}

impl Shard {
    /// Keeps a received event, in the memory of the one before it where that is possible.
    pub fn insert_view(&mut self, hash: u64, view: &View<'_>) {
        let key = Key::from(view);
        let deadline_us = deadline::of_view(view);
        match self.entry(hash, &key) {
            Entry::Occupied(mut slot) => {
                let slot = slot.get_mut();
                slot.deadline_us = deadline_us;
                slot.event.overwrite(view);
            }
            Entry::Vacant(place) => {
                place.insert(Slot {
                    hash,
                    deadline_us,
                    event: Event::from_view(view),
                });
            }
        }
    }

    /// Keeps an event; gives the one before it.
    pub fn insert(&mut self, hash: u64, event: &Event) -> Option<Event> {
        let deadline_us = deadline::of_event(event);
        match self.entry(hash, &Key::from(event)) {
            Entry::Occupied(mut slot) => {
                let slot = slot.get_mut();
                slot.deadline_us = deadline_us;
                Some(std::mem::replace(&mut slot.event, event.clone()))
            }
            Entry::Vacant(place) => {
                place.insert(Slot {
                    hash,
                    deadline_us,
                    event: event.clone(),
                });
                None
            }
        }
    }

    pub fn find(&self, hash: u64, key: &Key<'_>) -> Option<&Event> {
        let slot = self
            .slots
            .find(hash, |slot| slot.hash == hash && key.is_of(&slot.event))?;
        Some(&slot.event)
    }

    /// Removes the event under `key`, if `doomed` says so.
    pub fn remove(
        &mut self,
        hash: u64,
        key: &Key<'_>,
        doomed: impl FnOnce(&Event) -> bool,
    ) -> Option<Event> {
        let slot = self
            .slots
            .find_entry(hash, |slot| slot.hash == hash && key.is_of(&slot.event))
            .ok()?;
        doomed(&slot.get().event).then(|| slot.remove().0.event)
    }

    /// Removes what has outlived its ttl.
    pub fn expire(&mut self, now: Time, expired: &mut Expired) {
        let beyond = self.slots.extract_if(|slot| {
            slot.deadline_us < now.us && deadline::verdict(&slot.event, now) != Verdict::Live
        });
        for slot in beyond {
            match deadline::verdict(&slot.event, now) {
                Verdict::Broken => expired.broken.push(slot.event),
                Verdict::Expired | Verdict::Live => expired.events.push(slot.event),
            }
        }
        let used = self.slots.len();
        if self.slots.capacity() > ROOM_MIN.max(used * SHRINK_BELOW) {
            self.slots
                .shrink_to((used * 2).max(ROOM_MIN), |slot| slot.hash);
        }
    }

    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.slots.iter().map(|slot| &slot.event)
    }

    pub fn len(&self) -> usize {
        self.slots.len()
    }

    fn entry(&mut self, hash: u64, key: &Key<'_>) -> Entry<'_, Slot> {
        self.slots.entry(
            hash,
            |slot| slot.hash == hash && key.is_of(&slot.event),
            |slot| slot.hash,
        )
    }
}
