//! The floor: one thread that decodes, hashes and stores in place. No lock, no expiry, no answer, no
//! subscriber; an entry is the bytes of the event, as they came.

use std::hash::{BuildHasher, Hasher};

use codec::riemann::{Frames, decode_msg};
use event::{Time, View, Views};
use foldhash::quality::RandomState;
use index::Index;

use crate::messages::{EVENTS_PER_MESSAGE, Messages};
use crate::thread_time;

/// Longest message that is read.
const MESSAGE_BYTES_MAX: usize = 1 << 20;
/// Bytes of an entry: room for the events of this bench.
const ENTRY_BYTES: usize = 256;
const LINE_BYTES: usize = 64;

/// Decodes into the bare table.
pub struct Floor<'m> {
    messages: &'m Messages,
    table: Table,
}

/// Decodes into the server's own index.
pub struct Own<'m> {
    messages: &'m Messages,
    index: Index,
}

impl<'m> Floor<'m> {
    pub fn new(messages: &'m Messages) -> Floor<'m> {
        let table = Table::new(messages.keys);
        let mut floor = Floor { messages, table };
        floor.run(messages.events);
        assert_eq!(floor.table.entries.len(), messages.keys);
        floor
    }

    /// Nanoseconds an event.
    pub fn run(&mut self, events: usize) -> f64 {
        let table = &mut self.table;
        run(self.messages, events, |message, views| {
            table.store(message, views);
        })
    }
}

impl<'m> Own<'m> {
    pub fn new(messages: &'m Messages) -> Own<'m> {
        let index = Index::new();
        let mut own = Own { messages, index };
        own.run(messages.events);
        assert_eq!(own.index.len(), messages.keys);
        own
    }

    /// Nanoseconds an event.
    pub fn run(&mut self, events: usize) -> f64 {
        run(self.messages, events, |_, views| {
            self.index.insert_views(views, 0..views.len());
        })
    }
}

fn run(messages: &Messages, events: usize, mut store: impl FnMut(&[u8], &Views<'_>)) -> f64 {
    let mut left = events.div_ceil(EVENTS_PER_MESSAGE);
    let mut views = Views::new();
    let start = thread_time();
    while left > 0 {
        for message in Frames::new(&messages.bytes, MESSAGE_BYTES_MAX).take(left) {
            let mut decoded = std::mem::take(&mut views).recycle();
            let message = message.expect("a whole message");
            decode_msg(message, Time::from_s(0), &mut decoded).expect("a good message");
            store(message, &decoded);
            views = decoded.recycle();
            left -= 1;
        }
    }
    let spent = thread_time() - start;
    spent.as_nanos() as f64 / events as f64
}

struct Table {
    /// A tag and the number of an entry plus one; 0 is a gap. Twice as many as there are keys.
    slots: Vec<u64>,
    entries: Vec<Entry>,
    random: RandomState,
}

#[repr(C, align(64))]
struct Entry {
    length: u32,
    host: Span,
    service: Span,
    bytes: [u8; ENTRY_BYTES - 12],
}

/// Where a string lies in an entry.
#[derive(Clone, Copy)]
struct Span(u16, u16);

impl Table {
    fn new(keys: usize) -> Table {
        Table {
            slots: vec![0; (2 * keys).next_power_of_two()],
            entries: Vec::with_capacity(keys),
            random: RandomState::default(),
        }
    }

    /// Hash all, prefetching slots; look at all slots, prefetching entries; store all.
    fn store(&mut self, message: &[u8], views: &Views<'_>) {
        let mut hashes = [0; EVENTS_PER_MESSAGE];
        for (number, hash) in hashes.iter_mut().enumerate() {
            *hash = self.hash(views.head(number));
            prefetch(&raw const self.slots[*hash as usize & (self.slots.len() - 1)]);
        }
        for hash in hashes {
            let slot = self.slots[hash as usize & (self.slots.len() - 1)];
            if let Some(entry) = self.entries.get((slot as u32).wrapping_sub(1) as usize) {
                let start = (&raw const *entry).cast::<u8>();
                (0..ENTRY_BYTES / LINE_BYTES)
                    .for_each(|line| prefetch(start.wrapping_add(line * LINE_BYTES)));
            }
        }
        let mut rest = message;
        for (number, hash) in hashes.into_iter().enumerate() {
            let (event, after) = next_event(rest);
            rest = after;
            self.store_one(hash, event, views.head(number));
        }
    }

    fn hash(&self, view: &View<'_>) -> u64 {
        let mut hasher = self.random.build_hasher();
        hasher.write(view.host.unwrap_or_default().as_bytes());
        hasher.write_u8(1);
        hasher.write(view.service.unwrap_or_default().as_bytes());
        hasher.finish()
    }

    fn store_one(&mut self, hash: u64, event: &[u8], view: &View<'_>) {
        let tag = hash >> 32;
        let mut at = hash as usize;
        loop {
            at &= self.slots.len() - 1;
            let slot = self.slots[at];
            if slot == 0 {
                self.entries.push(Entry::new());
                self.slots[at] = tag << 32 | self.entries.len() as u64;
            } else if slot >> 32 != tag || !self.entries[slot as u32 as usize - 1].is_of(view) {
                at += 1;
                continue;
            }
            let number = self.slots[at] as u32 as usize - 1;
            return self.entries[number].fill(event, view);
        }
    }
}

impl Entry {
    fn new() -> Entry {
        Entry {
            length: 0,
            host: Span(0, 0),
            service: Span(0, 0),
            bytes: [0; _],
        }
    }

    fn is_of(&self, view: &View<'_>) -> bool {
        self.bytes(self.host) == view.host.unwrap_or_default().as_bytes()
            && self.bytes(self.service) == view.service.unwrap_or_default().as_bytes()
    }

    fn bytes(&self, Span(from, to): Span) -> &[u8] {
        &self.bytes[from as usize..to as usize]
    }

    fn fill(&mut self, event: &[u8], view: &View<'_>) {
        let span = |text: Option<&str>| {
            let text = text.unwrap_or_default();
            let from = text.as_ptr().addr() - event.as_ptr().addr();
            Span(from as u16, (from + text.len()) as u16)
        };
        self.bytes[..event.len()].copy_from_slice(event);
        self.length = event.len() as u32;
        (self.host, self.service) = (span(view.host), span(view.service));
    }
}

/// The bytes of a message's first event, and what comes after it.
fn next_event(message: &[u8]) -> (&[u8], &[u8]) {
    // A field's tag, and a length below 2^14.
    let (length, from) = match message[1] {
        short @ 0..0x80 => (usize::from(short), 2),
        low => (usize::from(low & 0x7f) | usize::from(message[2]) << 7, 3),
    };
    message[from..].split_at(length)
}

fn prefetch<T>(place: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch is a hint; it neither reads nor faults, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
