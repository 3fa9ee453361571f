//! Many events into the index at once: what one will need is fetched while others are stored.
//!
//! Hash all, prefetching their slots; find all, prefetching their events; then store. Each shard is
//! locked once for all of its events. The order of the events of a key stays.

use event::Views;
use foldhash::quality::RandomState;

use crate::key::Key;
use crate::shard::Shard;
use crate::table::{Shards, put_view};

/// Events on their way together: enough that a shard is often met twice and that the memory has
/// time to answer, few enough that what was fetched is still in the cache.
const STAGE_EVENTS: usize = 256;
/// Lists of events whose shard numbers agree in the low bits; as many as the fewest shards.
const LISTS: usize = 64;
/// A shard of at least so many slots is in an index that no cache near the core holds: 64 shards
/// of 64 slots and some 200 bytes of event make a megabyte.
const SLOTS_FAR: usize = 64;
/// What is fetched of an event: the header, and the text of most.
const EVENT_BYTES: usize = 256;
const LINE_BYTES: usize = 64;

pub(crate) struct Stage<'s, 'v> {
    shards: &'s Shards,
    views: &'v Views<'v>,
    count: usize,
    entries: [Entry; STAGE_EVENTS],
    /// The first entry of each list.
    first: [u16; LISTS],
    last: [u16; LISTS],
    far: bool,
}

#[derive(Clone, Copy)]
struct Entry {
    hash: u64,
    /// In the views.
    number: u32,
    /// The next entry of the list.
    next: u16,
}

const NONE: u16 = u16::MAX;
const _: () = assert!(STAGE_EVENTS < NONE as usize && LISTS.is_power_of_two());

impl<'s, 'v> Stage<'s, 'v> {
    pub fn new(shards: &'s Shards, views: &'v Views<'v>) -> Stage<'s, 'v> {
        let empty = Entry {
            hash: 0,
            number: 0,
            next: NONE,
        };
        Stage {
            shards,
            views,
            count: 0,
            entries: [empty; STAGE_EVENTS],
            first: [NONE; LISTS],
            last: [NONE; LISTS],
            far: false,
        }
    }

    /// Takes in the next events; false if there are none.
    pub fn fill(&mut self, chosen: &mut impl Iterator<Item = usize>, random: &RandomState) -> bool {
        self.count = 0;
        self.first = [NONE; LISTS];
        for number in chosen.take(STAGE_EVENTS) {
            let hash = Key::from(self.views.head(number)).hash(random);
            if self.count == 0 {
                self.far = self.shards.slots(hash) >= SLOTS_FAR;
            }
            if self.far {
                prefetch(self.shards.probable_slot(hash));
            }
            self.append(hash, number as u32);
        }
        self.count > 0
    }

    #[inline]
    fn append(&mut self, hash: u64, number: u32) {
        let own = self.count as u16;
        let list = self.shards.number(hash) % LISTS;
        self.entries[self.count] = Entry {
            hash,
            number,
            next: NONE,
        };
        if self.first[list] == NONE {
            self.first[list] = own;
        } else {
            self.entries[self.last[list] as usize].next = own;
        }
        self.last[list] = own;
        self.count += 1;
    }

    /// Stores what was taken in.
    pub fn store(&self) {
        if self.far {
            self.each_run(|shard, run| run.for_each(|entry| fetch(shard, entry.hash as u32)));
        }
        let mut removed = Vec::new();
        self.each_run(|shard, run| {
            let mut run = run.peekable();
            while let Some(entry) = run.next() {
                let outdated = run.peek().is_some_and(|next| self.same_key(entry, next));
                if !outdated {
                    let view = self.views.get(entry.number as usize);
                    removed.extend(put_view(shard, entry.hash as u32, &view));
                }
            }
        });
    }

    /// Calls `act` with a shard, locked, and entries of it that follow each other in a list.
    fn each_run(&self, mut act: impl FnMut(&mut Shard, &mut dyn Iterator<Item = &Entry>)) {
        for first in self.first {
            let mut at = first;
            while let Some(entry) = self.entries.get(at as usize) {
                let number = self.shards.number(entry.hash);
                self.shards.with_number(number, |shard| {
                    let mut run = std::iter::from_fn(|| {
                        let entry = self.entries.get(at as usize)?;
                        if self.shards.number(entry.hash) != number {
                            return None;
                        }
                        at = entry.next;
                        Some(entry)
                    });
                    act(shard, &mut run);
                });
            }
        }
    }

    fn same_key(&self, entry: &Entry, other: &Entry) -> bool {
        let key = |entry: &Entry| Key::from(self.views.head(entry.number as usize));
        entry.hash == other.hash && key(entry).is_same(&key(other))
    }
}

/// Fetches the event that is probably the one of a tag.
fn fetch(shard: &Shard, tag: u32) {
    if let Some(event) = shard.likely(tag) {
        let lines = (0..EVENT_BYTES).step_by(LINE_BYTES);
        lines.for_each(|offset| prefetch(event.address() + offset));
    }
}

/// Asks for a line of memory; does nothing where the address is no longer good.
#[inline]
fn prefetch(address: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch is a hint; it neither reads nor faults, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::without_provenance(address)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
