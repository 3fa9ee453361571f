//! The buffer in front of the segments: a mapped file. Its bytes are drawn in `FORMAT.md`.
//!
//! A record counts from the moment the word that says how full the buffer is has been stored,
//! which is after its bytes. Where the next block goes stands in two slots; a single word says
//! which of them holds, so that a process killed at any moment leaves one state or the other.

use crate::block;
use crate::disk::Disk;
use crate::error::{Error, Result};
use crate::record;
use crate::region::Region;

/// The file's name.
pub(crate) const FILE: &str = "buffer";

/// Where records begin.
const RECORDS_AT: usize = 4096;

/// Where the header of their block is put, so that both are one write.
const BLOCK_AT: usize = RECORDS_AT - block::HEADER_BYTES;

const MAGIC: u64 = u64::from_le_bytes(*b"CJbuffr1");

const MAGIC_AT: usize = 0;
const CAPACITY_AT: usize = 8;
const SELECTOR_AT: usize = 16;
const SEGMENTS_AT: usize = 64;
const TABLE_AT: usize = 72;
const SLOTS_AT: usize = 128;
const SLOT_BYTES: usize = 64;

/// In a slot: how full the buffer is, and when its first record came.
const FILLED: usize = 40;
const TIME: usize = 48;

/// Where the next block goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tail {
    /// The segment, by the id of its first record.
    pub segment: u64,
    /// Where in its file.
    pub offset: u64,
    /// The id of the next record that goes into the buffer when it is empty.
    pub first: u64,
    /// The bytes of all records before that one.
    pub bytes_before: u64,
}

impl Tail {
    fn words(&self) -> [u64; 4] {
        [self.segment, self.offset, self.first, self.bytes_before]
    }

    fn checksum(&self) -> u64 {
        let mut bytes = [0; 32];
        for (into, word) in bytes.chunks_mut(8).zip(self.words()) {
            into.copy_from_slice(&word.to_le_bytes());
        }
        // Never 0, so that an empty slot is not a good one.
        u64::from(crc32c::crc32c(&bytes)) | 1 << 32
    }
}

/// The buffer.
pub(crate) struct Buffer {
    region: Region,
    capacity: usize,
    generation: u64,
    tail: Tail,
    /// Invariant: `count` records stand in the first `bytes` bytes, `bytes` <= `capacity`.
    bytes: usize,
    count: u32,
}

/// What a start found in the buffer that the last process left.
pub(crate) struct Left {
    /// Ids and bytes, in order.
    pub records: Vec<(u64, Vec<u8>)>,
    /// How many records were published but are not good.
    pub lost: u64,
}

impl Buffer {
    /// Makes an empty buffer in place of what there is. It must not be in use.
    pub fn create(disk: &dyn Disk, capacity: usize, tail: Tail) -> Result<Buffer> {
        let len = RECORDS_AT + capacity + block::ALIGN_BYTES;
        let file = disk
            .open(FILE, true)
            .map_err(|error| Error::io("open", FILE, error))?;
        let old_len = file
            .len()
            .map_err(|error| Error::io("measure", FILE, error))?;
        if old_len < len as u64 {
            // Zeros are written, not only promised: a mapped page without room would kill us.
            let zeros = vec![0; len - old_len as usize];
            file.write_at(&zeros, old_len)
                .map_err(|error| Error::io("fill", FILE, error))?;
        }
        let region = disk
            .map(FILE, len)
            .map_err(|error| Error::io("map", FILE, error))?;
        let generation = region.load(SELECTOR_AT).wrapping_add(1);
        let mut buffer = Buffer {
            region,
            capacity,
            generation,
            tail,
            bytes: 0,
            count: 0,
        };
        // After a crash of the machine ids may be given again: what is here of their first owners
        // must not be found behind the last record after the next crash.
        let old = (old_len as usize).min(len).saturating_sub(RECORDS_AT);
        buffer.region.write(RECORDS_AT, &vec![0; old]);
        buffer.region.store(CAPACITY_AT, capacity as u64);
        buffer.flip(tail);
        buffer.region.store(MAGIC_AT, MAGIC);
        Ok(buffer)
    }

    /// Maps the buffer that another process made.
    pub fn attach(disk: &dyn Disk) -> Result<Buffer> {
        let file = disk
            .open(FILE, false)
            .map_err(|error| Error::io("open", FILE, error))?;
        let mut start = [0; 16];
        file.read_at(&mut start, 0)
            .map_err(|error| Error::io("read", FILE, error))?;
        let capacity = block::long(&start, CAPACITY_AT);
        let broken = |why: &str| Error::Broken {
            file: FILE,
            why: why.to_owned(),
        };
        if block::long(&start, MAGIC_AT) != MAGIC
            || capacity > crate::limits::BUFFER_BYTES_MAX as u64
        {
            return Err(broken("has no good header"));
        }
        let capacity = capacity as usize;
        let region = disk
            .map(FILE, RECORDS_AT + capacity + block::ALIGN_BYTES)
            .map_err(|error| Error::io("map", FILE, error))?;
        let mut buffer = Buffer {
            generation: region.load(SELECTOR_AT).wrapping_sub(1),
            region,
            capacity,
            tail: Tail::default(),
            bytes: 0,
            count: 0,
        };
        buffer.refresh();
        if buffer.tail.first == 0 {
            return Err(broken("names no segment"));
        }
        Ok(buffer)
    }

    /// Sees what other processes have done. Returns whether a block was written since.
    pub fn refresh(&mut self) -> bool {
        let before = self.generation;
        loop {
            let generation = self.region.load(SELECTOR_AT);
            let slot = slot_at(generation);
            let word = |index: usize| self.region.load(slot + index * 8);
            if generation != self.generation {
                self.tail = Tail {
                    segment: word(0),
                    offset: word(1),
                    first: word(2),
                    bytes_before: word(3),
                };
                self.generation = generation;
            }
            let filled = word(FILLED / 8);
            self.bytes = ((filled as u32) as usize).min(self.capacity);
            self.count = (filled >> 32) as u32;
            // Who holds the lock passes at once; a view may have read while a block was written.
            if self.is_current() {
                return generation != before;
            }
            self.generation = generation.wrapping_sub(1);
        }
    }

    /// Whether no block was written since the last refresh.
    pub fn is_current(&self) -> bool {
        self.region.load(SELECTOR_AT) == self.generation
    }

    /// Where the next block goes.
    pub fn tail(&self) -> Tail {
        self.tail
    }

    /// The id of the next record.
    pub fn next(&self) -> u64 {
        self.tail.first + u64::from(self.count)
    }

    /// The bytes of all records, those in the buffer with them.
    pub fn payload_bytes(&self) -> u64 {
        let around = self.count as usize * record::HEADER_BYTES;
        self.tail.bytes_before + (self.bytes - around) as u64
    }

    pub fn count(&self) -> u32 {
        self.count
    }

    /// When its first record came, in microseconds since 1970.
    pub fn time_us(&self) -> i64 {
        self.region.load(self.slot() + TIME).cast_signed()
    }

    /// Whether a record of this length still fits.
    #[inline]
    pub fn fits(&self, len: usize) -> bool {
        len + record::HEADER_BYTES <= self.capacity - self.bytes
    }

    /// Stamps the block that begins with the next record.
    pub fn stamp(&mut self, time_us: i64) {
        self.region
            .store(self.slot() + TIME, time_us.cast_unsigned());
    }

    /// Puts a record in, which fits.
    #[inline]
    pub fn push(&mut self, bytes: &[u8]) -> u64 {
        let id = self.next();
        let at = RECORDS_AT + self.bytes;
        self.region.write(at, &record::header(id, bytes));
        self.region.write(at + record::HEADER_BYTES, bytes);
        self.bytes += record::HEADER_BYTES + bytes.len();
        self.count += 1;
        let filled = u64::from(self.count) << 32 | self.bytes as u64;
        self.region.store(self.slot() + FILLED, filled);
        id
    }

    /// The records, as they stand.
    pub fn records(&self) -> &[u8] {
        self.region.bytes(RECORDS_AT, self.bytes)
    }

    /// The records behind the header of their block, with the bytes that align the next one.
    pub fn block(&self, header: &[u8; block::HEADER_BYTES]) -> &[u8] {
        self.region.write(BLOCK_AT, header);
        let len = block::HEADER_BYTES + self.bytes;
        let whole = len.next_multiple_of(block::ALIGN_BYTES);
        self.region
            .write(BLOCK_AT + len, &[0; block::ALIGN_BYTES][..whole - len]);
        self.region.bytes(BLOCK_AT, whole)
    }

    /// Empties the buffer; the next block goes to `tail`.
    pub fn flip(&mut self, tail: Tail) {
        let generation = self.generation.wrapping_add(1);
        let slot = slot_at(generation);
        for (index, word) in tail.words().into_iter().enumerate() {
            self.region.store(slot + index * 8, word);
        }
        self.region.store(slot + 32, tail.checksum());
        self.region.store(slot + FILLED, 0);
        self.region.store(slot + TIME, 0);
        self.region.store(SELECTOR_AT, generation);
        (self.generation, self.tail) = (generation, tail);
        (self.bytes, self.count) = (0, 0);
    }

    /// Tells other processes that segments came or went.
    pub fn note_segments(&self) -> u64 {
        let times = self.region.load(SEGMENTS_AT).wrapping_add(1);
        self.region.store(SEGMENTS_AT, times);
        times
    }

    /// Tells other processes that the table of subscribers was written, and which of its slots
    /// is synced.
    pub fn note_table(&self, durable_slot: usize) -> u64 {
        let times = (self.region.load(TABLE_AT) >> 2).wrapping_add(1);
        let note = times << 2 | durable_slot as u64;
        self.region.store(TABLE_AT, note);
        note
    }

    /// The slot of the table that is synced.
    pub fn durable_slot(&self) -> usize {
        (self.region.load(TABLE_AT) & 3) as usize
    }

    /// How often segments came or went, and the table was written.
    pub fn noted(&self) -> (u64, u64) {
        (self.region.load(SEGMENTS_AT), self.region.load(TABLE_AT))
    }

    fn slot(&self) -> usize {
        slot_at(self.generation)
    }
}

fn slot_at(generation: u64) -> usize {
    SLOTS_AT + (generation & 1) as usize * SLOT_BYTES
}

/// Reads what a buffer holds, from its bytes. `next` is the id after the last record in the
/// segments, which is where the buffer goes on unless the machine has crashed.
pub(crate) fn left_in(file: &[u8], next: u64) -> Left {
    let nothing = Left {
        records: Vec::new(),
        lost: 0,
    };
    if file.len() < RECORDS_AT || block::long(file, MAGIC_AT) != MAGIC {
        return nothing;
    }
    let slots = [SLOTS_AT, SLOTS_AT + SLOT_BYTES];
    let selected = slot_at(block::long(file, SELECTOR_AT));
    let mut firsts = vec![next];
    let mut published = 0;
    for slot in slots {
        let words: [u64; 4] = std::array::from_fn(|index| block::long(file, slot + index * 8));
        let [segment, offset, first, bytes_before] = words;
        let tail = Tail {
            segment,
            offset,
            first,
            bytes_before,
        };
        if block::long(file, slot + 32) == tail.checksum() {
            firsts.push(first);
            if slot == selected {
                published = block::long(file, slot + FILLED) >> 32;
            }
        }
    }
    // Checksums depend on ids, so at most one guess finds records that are not of another time.
    let reads = firsts
        .into_iter()
        .map(|first| read_from(file, first, published as u32));
    let best = reads.max_by_key(|left| (left.records.len(), std::cmp::Reverse(left.lost)));
    best.unwrap_or(nothing)
}

fn read_from(file: &[u8], first: u64, published: u32) -> Left {
    let mut left = Left {
        records: Vec::new(),
        lost: 0,
    };
    let keep = |left: &mut Left, found: record::Found| {
        let bytes = file[found.at..found.at + found.len].to_vec();
        left.records.push((found.id, bytes));
    };
    let mut at = RECORDS_AT;
    let mut lost = 0;
    record::read_all(
        file,
        at,
        first,
        published,
        |found| {
            at = found.at + found.len;
            keep(&mut left, found);
        },
        |hole| lost += hole.records,
    );
    left.lost = lost;
    // Records whose publication was lost with a machine are good all the same.
    if lost > 0 {
        return left;
    }
    for id in first + u64::from(published).. {
        let Some(found) = record::read(file, at, id) else {
            break;
        };
        at = found.at + found.len;
        keep(&mut left, found);
    }
    left
}
