//! The events of a window, in a few bytes each, to be read by rank of their metric.
//!
//! Events that differ only in metric and time share a *likeness*, an event of their kind. The rest
//! is a row in a log:
//!
//! ```text
//! row    = head | likeness: varint, if it is 15 or more | time | metric
//! head   = u8: low half, bytes of the metric; high half, the likeness, 15 for those above
//! time   = zigzag varint of the microseconds since the row before; nothing where there is no time
//! metric = an integer: zigzag, low bytes first; a float: its bits, high bytes first; zeros at the
//!          end are left out
//! ```
//!
//! An event of another make is a likeness of its own, and its row a head.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::hash::BuildHasher;

use clj::Value;
use event::{Draft, Event, Fields, Number, Scalar, Time, TimeKind, View};
use foldhash::fast::RandomState;
use hashbrown::HashTable;

/// The longest row: head, likeness, time and metric.
const ROW_BYTES_MAX: usize = 1 + 10 + 10 + 8;

/// The first and the greatest piece of a log, in bytes: little for a window of few events, and little
/// left over in one of many.
const PIECE_BYTES_MIN: usize = 64;
const PIECE_BYTES_MAX: usize = 4096;

/// A likeness that stands in the head of a row is below this.
const SHORT_LIKENESS: usize = 15;

/// Events, in the order they came.
#[derive(Default)]
pub struct Samples {
    likenesses: Vec<Likeness>,
    /// How many rows each has, and those that have none any more.
    counts: Vec<u32>,
    free: Vec<u32>,
    /// The numbers of those made of received events, by their hash.
    by_hash: HashTable<(u64, u32)>,
    /// The one used last.
    last: usize,
    /// The time of the last row that has one.
    last_us: i64,
    hasher: RandomState,
    pieces: VecDeque<Vec<u8>>,
    /// Where the first row is in the first piece, and the time of the row before it.
    start: (usize, i64),
    rows: usize,
}

enum Likeness {
    /// Of received events; their kinds of time and metric are those of this one; and their hash.
    Received(Event, Option<TimeKind>, MetricKind, u64),
    /// Of itself, with its metric.
    Exactly(Value, Number),
    Free,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MetricKind {
    Int,
    F64,
    F32,
}

/// A row, as it is read.
struct Row {
    likeness: usize,
    time_us: i64,
    metric: Number,
}

impl Samples {
    pub fn len(&self) -> usize {
        self.rows
    }

    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Adds any value that has a metric.
    pub fn push(&mut self, value: Value, metric: Number) {
        let likeness = self.learn(Likeness::Exactly(value, metric));
        self.put(likeness, None, &[]);
    }

    /// Adds a received event; one without a metric is left out.
    pub fn push_view(&mut self, view: &View<'_>) {
        let Some(metric) = view.metric else { return };
        let likeness = self.likeness_of(view, metric);
        self.last = likeness;
        let past = view.time.map(|time| {
            let past = time.us.wrapping_sub(self.last_us);
            self.last_us = time.us;
            past
        });
        let bytes = match metric {
            Scalar::Int(int) => zigzag(int).to_le_bytes(),
            Scalar::F64(float) => float.to_bits().to_be_bytes(),
            Scalar::F32(float) => {
                let mut bytes = [0; 8];
                bytes[..4].copy_from_slice(&float.to_bits().to_be_bytes());
                bytes
            }
        };
        let zeros = u64::from_le_bytes(bytes).leading_zeros() as usize / 8;
        self.put(likeness, past, &bytes[..bytes.len() - zeros]);
    }

    fn put(&mut self, likeness: usize, past_us: Option<i64>, metric: &[u8]) {
        let room = |piece: &Vec<u8>| piece.capacity() - piece.len() >= ROW_BYTES_MAX;
        if !self.pieces.back().is_some_and(room) {
            let last = self.pieces.back().map_or(0, Vec::capacity);
            let bytes = (last * 2).clamp(PIECE_BYTES_MIN, PIECE_BYTES_MAX);
            self.pieces.push_back(Vec::with_capacity(bytes));
        }
        let Some(piece) = self.pieces.back_mut() else {
            return;
        };
        let short = likeness.min(SHORT_LIKENESS);
        piece.push((short << 4 | metric.len()) as u8);
        if short == SHORT_LIKENESS {
            put_varint(piece, likeness as u64);
        }
        if let Some(past_us) = past_us {
            put_varint(piece, zigzag(past_us));
        }
        piece.extend_from_slice(metric);
        self.rows += 1;
        self.counts[likeness] += 1;
    }

    /// Forgets the event that came first.
    pub fn drop_first(&mut self) {
        let mut rows = self.rows();
        let Some(row) = rows.next() else { return };
        let (left, time_us) = (rows.left.len(), rows.time_us);
        if self
            .pieces
            .front()
            .is_some_and(|piece| piece.len() == self.start.0)
        {
            self.pieces.pop_front();
        }
        let length = self.pieces.front().map_or(0, Vec::len);
        self.start = (length - left, time_us);
        self.rows -= 1;
        let count = &mut self.counts[row.likeness];
        *count -= 1;
        if *count == 0 {
            self.unlearn(row.likeness);
        }
    }

    fn learn(&mut self, likeness: Likeness) -> usize {
        if let Some(number) = self.free.pop() {
            self.likenesses[number as usize] = likeness;
            return number as usize;
        }
        self.likenesses.push(likeness);
        self.counts.push(0);
        self.likenesses.len() - 1
    }

    fn unlearn(&mut self, number: usize) {
        let unused = std::mem::replace(&mut self.likenesses[number], Likeness::Free);
        if let Likeness::Received(_, _, _, hash) = unused {
            let own = |(_, other): &(u64, u32)| *other as usize == number;
            if let Ok(entry) = self.by_hash.find_entry(hash, own) {
                entry.remove();
            }
        }
        self.free.push(number as u32);
    }

    fn likeness_of(&mut self, view: &View<'_>, metric: Scalar) -> usize {
        let is = |known: Option<&Likeness>| known.is_some_and(|known| known.is_of(view, metric));
        if is(self.likenesses.get(self.last)) {
            return self.last;
        }
        let hash = hash_of(view, &self.hasher);
        let same = |(other, number): &(u64, u32)| {
            *other == hash && is(self.likenesses.get(*number as usize))
        };
        if let Some((_, number)) = self.by_hash.find(hash, same) {
            return *number as usize;
        }
        let kind = view.time.map(|time| time.kind);
        let event = Event::from_view(view);
        let number = self.learn(Likeness::Received(
            event,
            kind,
            MetricKind::of(metric),
            hash,
        ));
        self.by_hash
            .insert_unique(hash, (hash, number as u32), |(hash, _)| *hash);
        number
    }

    /// The events at places in the order of their metrics, those of equal metrics as they came.
    ///
    /// # Panics
    /// If a place is not below [`Samples::len`].
    pub fn at_ranks(&self, ranks: &[usize]) -> Vec<Value> {
        let rows = self.select(ranks);
        let mut wanted: Vec<(u32, usize)> = rows.into_iter().zip(0..).collect();
        wanted.sort_unstable();
        let mut found = vec![Value::Nil; ranks.len()];
        let mut wanted = wanted.into_iter().peekable();
        for (number, row) in self.rows().enumerate() {
            while let Some((_, place)) = wanted.next_if(|(row, _)| *row as usize == number) {
                found[place] = self.event(&row);
            }
        }
        found
    }

    /// The metrics, in the order the events came.
    pub fn metrics(&self) -> impl Iterator<Item = Number> {
        self.rows().map(|row| row.metric)
    }

    /// The event that came last; nil if there is none.
    pub fn last(&self) -> Value {
        let last = self.rows().last();
        last.map_or(Value::Nil, |row| self.event(&row))
    }

    /// The numbers of the rows at places in the order of their metrics.
    fn select(&self, ranks: &[usize]) -> Vec<u32> {
        let keys: Option<Vec<(u64, u32)>> = self
            .rows()
            .zip(0..)
            .map(|(row, number)| Some((order_of(&row.metric)?, number)))
            .collect();
        if let Some(mut keys) = keys.filter(|_| self.is_of_one_kind()) {
            return nth(&mut keys, ranks, Ord::cmp);
        }
        let mut keys: Vec<(Number, u32)> = self.rows().map(|row| row.metric).zip(0..).collect();
        nth(&mut keys, ranks, |a, b| {
            by_number(&a.0, &b.0).then(a.1.cmp(&b.1))
        })
    }

    /// True if all metrics are integers, or all are floats.
    fn is_of_one_kind(&self) -> bool {
        let is_int = |likeness: &Likeness| match likeness {
            Likeness::Received(_, _, kind, _) => Some(*kind == MetricKind::Int),
            Likeness::Exactly(_, metric) => Some(matches!(metric, Number::Int(_))),
            Likeness::Free => None,
        };
        let mut kinds = self.likenesses.iter().filter_map(is_int);
        let first = kinds.next();
        kinds.all(|kind| Some(kind) == first)
    }

    fn rows(&self) -> Rows<'_> {
        Rows {
            samples: self,
            pieces: self.pieces.iter(),
            left: &[],
            at: self.start.0,
            time_us: self.start.1,
        }
    }

    fn event(&self, row: &Row) -> Value {
        match &self.likenesses[row.likeness] {
            Likeness::Exactly(value, _) => value.clone(),
            Likeness::Free => Value::Nil,
            Likeness::Received(event, kind, ..) => {
                Value::Event(event.edit(|draft: &mut Draft<'_>| {
                    draft.metric = Some(row.metric.clone());
                    draft.time = kind.map(|kind| Time {
                        us: row.time_us,
                        kind,
                    });
                }))
            }
        }
    }
}

/// Reads a log from its start.
struct Rows<'a> {
    samples: &'a Samples,
    pieces: std::collections::vec_deque::Iter<'a, Vec<u8>>,
    left: &'a [u8],
    /// Where to begin in the next piece.
    at: usize,
    time_us: i64,
}

impl Iterator for Rows<'_> {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        while self.left.is_empty() {
            self.left = &self.pieces.next()?[std::mem::take(&mut self.at)..];
        }
        let (head, rest) = self.left.split_first()?;
        self.left = rest;
        let mut likeness = usize::from(*head >> 4);
        if likeness == SHORT_LIKENESS {
            likeness = take_varint(&mut self.left) as usize;
        }
        let metric = match &self.samples.likenesses[likeness] {
            Likeness::Exactly(_, metric) => metric.clone(),
            Likeness::Free => Number::Int(0),
            Likeness::Received(_, time, kind, _) => {
                if time.is_some() {
                    let past_us = unzigzag(take_varint(&mut self.left));
                    self.time_us = self.time_us.wrapping_add(past_us);
                }
                let mut bytes = [0; 8];
                let (metric, rest) = self.left.split_at(usize::from(*head & 0xF));
                bytes[..metric.len()].copy_from_slice(metric);
                self.left = rest;
                kind.number(bytes)
            }
        };
        Some(Row {
            likeness,
            time_us: self.time_us,
            metric,
        })
    }
}

impl Likeness {
    fn is_of(&self, view: &View<'_>, metric: Scalar) -> bool {
        let Likeness::Received(event, time, kind, _) = self else {
            return false;
        };
        *kind == MetricKind::of(metric)
            && *time == view.time.map(|time| time.kind)
            && event.host() == view.host
            && event.service() == view.service
            && event.state() == view.state
            && event.description() == view.description
            && same_ttl(event, view)
            && event
                .tags()
                .into_iter()
                .flatten()
                .eq(view.tags.iter().copied())
            && event.attrs().eq(view.attrs.iter().copied())
    }
}

/// The same to the bit: 60 is not 60.0.
fn same_ttl(event: &Event, view: &View<'_>) -> bool {
    match (event.ttl(), view.ttl) {
        (None, None) => true,
        (Some(Number::Int(a)), Some(Scalar::Int(b))) => a == b,
        (Some(Number::F64(a)), Some(Scalar::F64(b))) => a.to_bits() == b.to_bits(),
        (Some(Number::F32(a)), Some(Scalar::F32(b))) => a.to_bits() == b.to_bits(),
        _ => false,
    }
}

fn hash_of(view: &View<'_>, hasher: &RandomState) -> u64 {
    let texts = [view.host, view.service, view.state, view.description];
    hasher.hash_one((texts, view.tags, view.attrs))
}

impl MetricKind {
    fn of(metric: Scalar) -> MetricKind {
        match metric {
            Scalar::Int(_) => MetricKind::Int,
            Scalar::F64(_) => MetricKind::F64,
            Scalar::F32(_) => MetricKind::F32,
        }
    }

    fn number(self, bytes: [u8; 8]) -> Number {
        match self {
            MetricKind::Int => Number::Int(unzigzag(u64::from_le_bytes(bytes))),
            MetricKind::F64 => Number::F64(f64::from_be_bytes(bytes)),
            MetricKind::F32 => {
                let [a, b, c, d, ..] = bytes;
                Number::F32(f32::from_be_bytes([a, b, c, d]))
            }
        }
    }
}

/// The elements that would be at these ranks if all were sorted; gives their second parts.
fn nth<K>(
    keys: &mut [(K, u32)],
    ranks: &[usize],
    compare: impl Fn(&(K, u32), &(K, u32)) -> Ordering + Copy,
) -> Vec<u32> {
    let mut ascending = ranks.to_vec();
    ascending.sort_unstable();
    ascending.dedup();
    let mut from = 0;
    for rank in ascending {
        keys[from..].select_nth_unstable_by(rank - from, compare);
        from = rank + 1;
    }
    ranks.iter().map(|rank| keys[*rank].1).collect()
}

/// As numbers compare; NaN after all others.
pub fn by_number(a: &Number, b: &Number) -> Ordering {
    let is_nan = |number: &Number| number.to_f64().is_nan();
    a.compare(b).unwrap_or_else(|| is_nan(a).cmp(&is_nan(b)))
}

/// A key that orders numbers of one kind; `None` for those of exact kinds beyond integers.
fn order_of(number: &Number) -> Option<u64> {
    const SIGN: u64 = 1 << 63;
    let float = match number {
        Number::Int(int) => return Some(*int as u64 ^ SIGN),
        Number::F64(float) => *float,
        Number::F32(float) => f64::from(*float),
        _ => return None,
    };
    if float.is_nan() {
        return Some(u64::MAX);
    }
    // Zero is zero, whatever its sign.
    let bits = (float + 0.0).to_bits();
    Some(if bits & SIGN == 0 { bits | SIGN } else { !bits })
}

fn zigzag(int: i64) -> u64 {
    ((int << 1) ^ (int >> 63)) as u64
}

fn unzigzag(zigzag: u64) -> i64 {
    (zigzag >> 1) as i64 ^ -((zigzag & 1) as i64)
}

fn put_varint(into: &mut Vec<u8>, mut rest: u64) {
    while rest >= 0x80 {
        into.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    into.push(rest as u8);
}

/// Takes what `put_varint` wrote off the front.
fn take_varint(from: &mut &[u8]) -> u64 {
    let (mut value, mut shift) = (0, 0);
    while let Some((byte, rest)) = from.split_first() {
        *from = rest;
        value |= u64::from(byte & 0x7F) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            break;
        }
    }
    value
}

#[cfg(test)]
mod tests;
