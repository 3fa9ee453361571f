//! The bins of one sign: a bitmap of the bins that are there, and their counts side by side.

use crate::bin::Bin;

/// Sixty-four neighbouring bins.
#[derive(Clone, Copy)]
struct Word {
    /// Which of the bins are there.
    bits: u64,
    /// Where the first of them has its count: the number of bins in all words before.
    start: u32,
    /// For each bin that is there, how many are before it in the word, else `ABSENT`: what could be
    /// counted from `bits`, for insertion to look up.
    ranks: [u8; 64],
}

const ABSENT: u8 = u8::MAX;

impl Word {
    fn new(bits: u64, start: u32) -> Word {
        let mut ranks = [ABSENT; 64];
        for (rank, bit) in Bits(bits).enumerate() {
            ranks[bit as usize] = rank as u8;
        }
        Word { bits, start, ranks }
    }
}

/// Counts of the bins of one sign. A bin's count is at its word's start plus the number of bins
/// there before it in its word.
#[derive(Clone, Default)]
pub(crate) struct Side {
    /// The place of a word's first bin is 64 × (this + the word's index).
    first: usize,
    words: Vec<Word>,
    counts: Vec<u64>,
}

impl Side {
    /// The count of the bin at a place, if it is there.
    #[inline]
    pub(crate) fn get(&mut self, place: u16) -> Option<&mut u64> {
        let word = self
            .words
            .get(usize::from(place / 64).wrapping_sub(self.first))?;
        let rank = word.ranks[usize::from(place % 64)];
        if rank == ABSENT {
            return None;
        }
        self.counts.get_mut(word.start as usize + usize::from(rank))
    }

    /// Adds to the bin at a place, saturating.
    #[inline]
    pub(crate) fn add(&mut self, place: u16, count: u64) {
        let slot = match self.get(place) {
            Some(slot) => slot,
            None => self.grow(place),
        };
        *slot = slot.saturating_add(count);
    }

    /// Makes room for a bin that is not there.
    #[cold]
    fn grow(&mut self, place: u16) -> &mut u64 {
        let index = usize::from(place / 64);
        self.reach(index, index);
        let (before, after) = self.words.split_at_mut(index - self.first + 1);
        let word = &mut before[index - self.first];
        let bit = 1u64 << (place % 64);
        let at = (word.start + (word.bits & (bit - 1)).count_ones()) as usize;
        *word = Word::new(word.bits | bit, word.start);
        for word in after {
            word.start += 1;
        }
        self.counts.insert(at, 0);
        &mut self.counts[at]
    }

    /// Makes the words reach from `low` to `high`.
    fn reach(&mut self, low: usize, high: usize) {
        if self.words.is_empty() {
            self.first = low;
        }
        if low < self.first {
            let missing = self.first - low;
            self.words
                .splice(0..0, std::iter::repeat_n(Word::new(0, 0), missing));
            self.first = low;
        }
        let start = self.counts.len() as u32;
        let needed = (high + 1 - self.first).max(self.words.len());
        self.words.resize(needed, Word::new(0, start));
    }

    /// Adds to neighbouring bins from a place on, all of which there are; saturating.
    pub(crate) fn add_run(&mut self, first: u16, counts: &[u64]) {
        if self.counts.iter().any(|count| *count != 0) {
            let places = first..=u16::MAX;
            for (place, count) in places.zip(counts).filter(|(_, count)| **count != 0) {
                self.add(place, *count);
            }
            return;
        }
        self.words.clear();
        self.counts.clear();
        let Some(skip) = counts.iter().position(|count| *count != 0) else {
            return;
        };
        let start = usize::from(first) + skip;
        self.first = start / 64;
        let mut rest = &counts[skip..];
        let mut bit = start % 64;
        while !rest.is_empty() {
            let (run, after) = rest.split_at(rest.len().min(64 - bit));
            let from = self.counts.len() as u32;
            let mut bits = 0;
            for (at, count) in run.iter().enumerate().filter(|(_, count)| **count != 0) {
                bits |= 1 << (bit + at);
                self.counts.push(*count);
            }
            self.words.push(Word::new(bits, from));
            (rest, bit) = (after, 0);
        }
    }

    /// Adds the counts of another side, saturating.
    pub(crate) fn merge(&mut self, other: &Side) {
        let Some(last) = other.words.len().checked_sub(1) else {
            return;
        };
        if !self.covers(other) {
            self.reach(other.first, other.first + last);
            self.widen(other);
        }
        let ours = &self.words[other.first - self.first..];
        for (ours, theirs) in ours.iter().zip(&other.words) {
            let from = &other.counts[theirs.start as usize..];
            let into = &mut self.counts[ours.start as usize..];
            if ours.bits == theirs.bits {
                let count = ours.bits.count_ones() as usize;
                for (into, from) in into[..count].iter_mut().zip(&from[..count]) {
                    *into = into.saturating_add(*from);
                }
            } else {
                for (bit, from) in Bits(theirs.bits).zip(from) {
                    let into = &mut into[usize::from(ours.ranks[bit as usize])];
                    *into = into.saturating_add(*from);
                }
            }
        }
    }

    /// Whether every bin of the other is here.
    fn covers(&self, other: &Side) -> bool {
        let Some(skip) = other.first.checked_sub(self.first) else {
            return false;
        };
        let Some(ours) = self.words.get(skip..skip + other.words.len()) else {
            return false;
        };
        ours.iter()
            .zip(&other.words)
            .all(|(ours, theirs)| theirs.bits & !ours.bits == 0)
    }

    /// Makes room for the bins of the other, whose words are within ours, moving counts once, from
    /// the last.
    fn widen(&mut self, other: &Side) {
        let skip = other.first - self.first;
        let mut old_end = self.counts.len();
        let added = |ours: &Word, theirs: &Word| (theirs.bits & !ours.bits).count_ones() as usize;
        let more: usize = self.words[skip..]
            .iter()
            .zip(&other.words)
            .map(|(ours, theirs)| added(ours, theirs))
            .sum();
        let mut new_end = old_end + more;
        self.counts.resize(new_end, 0);
        for (index, word) in self.words.iter_mut().enumerate().rev() {
            let theirs = index
                .checked_sub(skip)
                .and_then(|at| other.words.get(at))
                .map_or(0, |theirs| theirs.bits);
            let union = word.bits | theirs;
            for bit in Bits(union).rev() {
                new_end -= 1;
                self.counts[new_end] = if word.bits >> bit & 1 == 1 {
                    old_end -= 1;
                    self.counts[old_end]
                } else {
                    0
                };
            }
            *word = Word::new(union, new_end as u32);
        }
    }

    /// Places and counts, from zero outwards; also those whose count is zero.
    pub(crate) fn places(&self) -> impl DoubleEndedIterator<Item = (u16, u64)> {
        self.words.iter().enumerate().flat_map(|(index, word)| {
            let first = ((self.first + index) * 64) as u16;
            let start = word.start as usize;
            let end = start + word.bits.count_ones() as usize;
            Bits(word.bits)
                .zip(self.counts[start..end].iter().copied())
                .map(move |(bit, count)| (first + bit as u16, count))
        })
    }

    /// Bins and counts that are not zero, from zero outwards.
    pub(crate) fn bins(&self, negative: bool) -> impl DoubleEndedIterator<Item = (Bin, u64)> {
        self.places()
            .filter(|(_, count)| *count != 0)
            .map(move |(place, count)| (Bin::at(place, negative), count))
    }

    /// All counts, from zero outwards.
    pub(crate) fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Sets all counts to zero, keeping the memory, and the bins if most were in use.
    pub(crate) fn clear(&mut self) {
        let used = self.counts.iter().filter(|count| **count != 0).count();
        if used * 4 >= self.counts.len() {
            self.counts.fill(0);
        } else {
            self.words.clear();
            self.counts.clear();
        }
    }

    /// Bytes of memory beside the struct itself.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.words.capacity() * size_of::<Word>() + self.counts.capacity() * size_of::<u64>()
    }
}

/// The numbers of the bits that are set, ascending.
#[derive(Clone)]
struct Bits(u64);

impl Iterator for Bits {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(bit)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let length = self.0.count_ones() as usize;
        (length, Some(length))
    }
}

impl DoubleEndedIterator for Bits {
    #[inline]
    fn next_back(&mut self) -> Option<u32> {
        if self.0 == 0 {
            return None;
        }
        let bit = 63 - self.0.leading_zeros();
        self.0 ^= 1 << bit;
        Some(bit)
    }
}

impl ExactSizeIterator for Bits {}
