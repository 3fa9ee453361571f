//! A part of the index, under one lock: an open-addressing table.
//!
//! ```text
//! slot = event: pointer | tag: u32 | deadline: u32      16 bytes, four to a cache line
//! home = tag, modulo the number of slots; a slot lies at its home or behind it with no gap between
//! ```

use event::{Event, Time, View};

use crate::deadline::{self, Verdict};
use crate::key::Key;
use crate::table::Expired;

/// At most this share of the slots is used: three of four. Beyond, the way from home gets long.
const USED_MAX: (usize, usize) = (3, 4);
/// Slots of the smallest table: one cache line.
const SLOTS_MIN: usize = 4;
/// Memory is given back when less than one slot in this many is in use.
const SHRINK_BELOW: usize = 8;
/// Slots that are always kept.
const SLOTS_KEPT: usize = 1024;
/// Slots that a sweep looks at before it lets others have the shard: at some 300 ns for one whose
/// event must be fetched and removed, a third of a millisecond.
const SWEEP_SLOTS: usize = 1024;

#[derive(Default)]
pub(crate) struct Shard {
    /// None, or a power of two of them.
    slots: Vec<Slot>,
    used: usize,
    /// The thread that stored here last, by [`Shard::enter`].
    writer: usize,
}

#[derive(Default)]
struct Slot {
    event: Option<Event>,
    /// The low half of the key's hash.
    tag: u32,
    /// [`deadline::of_event`].
    deadline_s: u32,
}

const _: () = assert!(size_of::<Slot>() == 16 && SLOTS_MIN.is_power_of_two());

impl Shard {
    /// Notes that a thread is about to store; gives whether another did so before it.
    #[inline]
    pub fn enter(&mut self, thread: usize) -> bool {
        std::mem::replace(&mut self.writer, thread) != thread
    }

    /// Keeps a received event, in the memory of the one before it where that is possible.
    #[inline]
    pub fn insert_view(&mut self, tag: u32, view: &View<'_>) {
        let deadline_s = deadline::of_view(view);
        match self.seek(tag, &Key::from(view)) {
            Some(at) => {
                let slot = &mut self.slots[at];
                slot.deadline_s = deadline_s;
                if let Some(event) = &mut slot.event {
                    event.overwrite_same_key(view);
                }
            }
            None => self.add(tag, deadline_s, Event::from_view(view)),
        }
    }

    /// Keeps an event; gives the one before it.
    pub fn insert(&mut self, tag: u32, event: &Event) -> Option<Event> {
        let deadline_s = deadline::of_event(event);
        match self.seek(tag, &Key::from(event)) {
            Some(at) => {
                let slot = &mut self.slots[at];
                slot.deadline_s = deadline_s;
                slot.event.replace(event.clone())
            }
            None => {
                self.add(tag, deadline_s, event.clone());
                None
            }
        }
    }

    pub fn find(&self, tag: u32, key: &Key<'_>) -> Option<&Event> {
        self.slots[self.seek(tag, key)?].event.as_ref()
    }

    /// The event that is probably the one under a key of that tag.
    pub fn likely(&self, tag: u32) -> Option<&Event> {
        self.probe(tag, |_| true)
            .and_then(|at| self.slots[at].event.as_ref())
    }

    /// Removes the event under `key`, if `doomed` says so.
    pub fn remove(
        &mut self,
        tag: u32,
        key: &Key<'_>,
        doomed: impl FnOnce(&Event) -> bool,
    ) -> Option<Event> {
        let at = self.seek(tag, key)?;
        if self.slots[at].event.as_ref().is_some_and(doomed) {
            self.vacate(at)
        } else {
            None
        }
    }

    /// Removes what has outlived its ttl from some slots, from `from` on; gives where to go on, if
    /// that was not all. What others move meanwhile may stay until the next sweep.
    pub fn expire(&mut self, now: Time, from: usize, expired: &mut Expired) -> Option<usize> {
        let now_s = deadline::second(now);
        let end = self.slots.len().min(from + SWEEP_SLOTS);
        let mut at = from;
        while at < end {
            let slot = &self.slots[at];
            let verdict = match &slot.event {
                Some(event) if slot.deadline_s <= now_s => deadline::verdict(event, now),
                _ => Verdict::Live,
            };
            let gone = match verdict {
                Verdict::Live => {
                    at += 1;
                    continue;
                }
                Verdict::Expired => &mut expired.events,
                Verdict::Broken => &mut expired.broken,
            };
            // Another may have come into its place, so that the place is looked at again.
            gone.extend(self.vacate(at));
        }
        if end < self.slots.len() {
            return Some(end);
        }
        if self.slots.len() > SLOTS_KEPT.max(self.used * SHRINK_BELOW) {
            self.resize((self.used * 2).next_power_of_two().max(SLOTS_KEPT));
        }
        None
    }

    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.slots.iter().filter_map(|slot| slot.event.as_ref())
    }

    pub fn len(&self) -> usize {
        self.used
    }

    /// Where the slots lie and how many there are.
    pub fn place(&self) -> (usize, usize) {
        (self.slots.as_ptr().addr(), self.slots.len())
    }

    /// Bytes of a slot.
    pub const SLOT_BYTES: usize = size_of::<Slot>();

    #[inline(always)]
    fn seek(&self, tag: u32, key: &Key<'_>) -> Option<usize> {
        self.probe(tag, |event| key.is_of(event))
    }

    /// The first slot of that tag, from its home to the next gap, whose event is wanted.
    #[inline(always)]
    fn probe(&self, tag: u32, wanted: impl Fn(&Event) -> bool) -> Option<usize> {
        let mut at = tag as usize;
        loop {
            // With no slots at all there is no mask either, and `get` gives none.
            at &= self.slots.len().wrapping_sub(1);
            let slot = self.slots.get(at)?;
            let event = slot.event.as_ref()?;
            if slot.tag == tag && wanted(event) {
                return Some(at);
            }
            at += 1;
        }
    }

    /// Takes in an event whose key is not there yet.
    fn add(&mut self, tag: u32, deadline_s: u32, event: Event) {
        let (share, whole) = USED_MAX;
        if (self.used + 1) * whole > self.slots.len() * share {
            self.resize((self.slots.len() * 2).max(SLOTS_MIN));
        }
        self.used += 1;
        self.put(Slot {
            event: Some(event),
            tag,
            deadline_s,
        });
    }

    fn put(&mut self, slot: Slot) {
        let mask = self.slots.len() - 1;
        let mut at = slot.tag as usize & mask;
        while self.slots[at].event.is_some() {
            at = (at + 1) & mask;
        }
        self.slots[at] = slot;
    }

    /// Empties a slot and moves up those behind it that would be cut off from their home.
    fn vacate(&mut self, at: usize) -> Option<Event> {
        let event = self.slots[at].event.take()?;
        let mask = self.slots.len() - 1;
        let (mut hole, mut next) = (at, at);
        loop {
            next = (next + 1) & mask;
            let slot = &self.slots[next];
            if slot.event.is_none() {
                break;
            }
            let from_home = next.wrapping_sub(slot.tag as usize) & mask;
            let from_hole = next.wrapping_sub(hole) & mask;
            if from_home >= from_hole {
                self.slots.swap(hole, next);
                hole = next;
            }
        }
        self.used -= 1;
        Some(event)
    }

    fn resize(&mut self, slots: usize) {
        let mut empty = Vec::new();
        empty.resize_with(slots, Slot::default);
        let old = std::mem::replace(&mut self.slots, empty);
        for slot in old {
            if slot.event.is_some() {
                self.put(slot);
            }
        }
    }
}

#[cfg(test)]
mod tests;
