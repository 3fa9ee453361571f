//! Many events into the index at once: what one will need is fetched while others are stored.
//!
//! Hash all, prefetching their slots; find all, prefetching their events; then store. Each shard is
//! locked once for all of its events. The order of the events of a key stays.

use std::sync::atomic::{AtomicUsize, Ordering};

use event::Views;

use crate::key::Key;
use crate::shard::Shard;
use crate::table::{Shards, put_view};

/// Events on their way together: enough that a shard is often met twice and that the memory has
/// time to answer, few enough that what was fetched is still in the cache.
const STAGE_EVENTS: usize = 256;
/// Lists of events whose shard numbers agree in the low bits; as many as the fewest shards.
const LISTS: usize = 64;
/// Lists between the beginnings of threads that came one after the other: the golden section of all,
/// which keeps any few threads far apart.
const LISTS_APART: usize = 39;
/// A shard of at least so many slots is in an index that no cache near the core holds: 64 shards
/// of 64 slots and some 200 bytes of event make a megabyte.
pub(crate) const SLOTS_FAR: usize = 64;
/// What is fetched of an event: the header, and the text of most.
const EVENT_BYTES: usize = 256;
const LINE_BYTES: usize = 64;

pub(crate) struct Stage<'s, 'v> {
    shards: &'s Shards,
    views: &'v Views<'v>,
    thread: usize,
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
            thread: this_thread(),
            count: 0,
            entries: [empty; STAGE_EVENTS],
            first: [NONE; LISTS],
            last: [NONE; LISTS],
            far: false,
        }
    }

    /// Takes in the next events, each with the hash of its key; false if there are none.
    pub fn fill(&mut self, chosen: &mut impl Iterator<Item = (u64, usize)>) -> bool {
        self.count = 0;
        self.first = [NONE; LISTS];
        let shared = self.shards.are_shared();
        for (hash, number) in chosen.take(STAGE_EVENTS) {
            if self.count == 0 {
                self.far = shared || self.shards.slots(hash) >= SLOTS_FAR;
            }
            if shared {
                prefetch(self.shards.lock(hash));
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
        let mut shared = false;
        self.each_run(|shard, run| {
            shared |= shard.enter(self.thread);
            let mut run = run.peekable();
            while let Some(entry) = run.next() {
                let outdated = run.peek().is_some_and(|next| self.same_key(entry, next));
                if !outdated {
                    let view = self.views.get(entry.number as usize);
                    removed.extend(put_view(shard, entry.hash as u32, &view));
                }
            }
        });
        self.shards.note_shared(shared);
    }

    /// Calls `act` with a shard, locked, and entries of it that follow each other in a list.
    ///
    /// Each thread begins elsewhere: two that went the same way would meet at one shard and then at
    /// each that follows.
    fn each_run(&self, mut act: impl FnMut(&mut Shard, &mut dyn Iterator<Item = &Entry>)) {
        let start = self.thread.wrapping_mul(LISTS_APART);
        for step in 0..LISTS {
            let mut at = self.first[(start.wrapping_add(step)) % LISTS];
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

/// A number that no other thread has; not 0.
fn this_thread() -> usize {
    static LAST: AtomicUsize = AtomicUsize::new(0);
    thread_local!(static NUMBER: usize = 1 + LAST.fetch_add(1, Ordering::Relaxed));
    NUMBER.with(|number| *number)
}

/// Asks for a line of memory that will be written: one that another core has is taken from it at once,
/// not first to read and then to write. Does nothing where the address is no longer good.
#[inline]
fn prefetch(address: usize) {
    // SAFETY: a prefetch is a hint; it neither reads nor faults, whatever the address.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!(
            "prefetchw [{}]",
            in(reg) address,
            options(nostack, preserves_flags, nomem)
        );
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
