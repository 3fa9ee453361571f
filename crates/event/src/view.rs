//! Events that are still in the buffer they were received in.

use std::collections::HashSet;

use crate::fields::TagsIn;
use crate::{FieldRef, Fields, HistogramRef, Number, Tags, Time};

/// One received event: borrows its strings from the receive buffer. Always a record (all eight
/// fields present); attribute names never clash with fields. `Copy`, a few words.
#[derive(Clone, Copy, Debug, Default)]
pub struct View<'a> {
    pub host: Option<&'a str>,
    pub service: Option<&'a str>,
    pub state: Option<&'a str>,
    pub description: Option<&'a str>,
    pub metric: Option<Scalar>,
    /// Where there is no other metric.
    pub histogram: Option<HistogramRef<'a>>,
    /// A float of single precision from the wire; whatever a stream has put in its place.
    pub ttl: Option<Scalar>,
    pub time: Option<Time>,
    /// Empty means none: the wire cannot tell no tags from an empty list.
    pub tags: &'a [&'a str],
    /// Name and value, in the order received.
    pub attrs: &'a [(&'a str, &'a str)],
}

/// A number as it comes on the wire.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    Int(i64),
    F64(f64),
    F32(f32),
}

impl From<Scalar> for Number {
    fn from(scalar: Scalar) -> Number {
        match scalar {
            Scalar::Int(int) => Number::Int(int),
            Scalar::F64(float) => Number::F64(float),
            Scalar::F32(float) => Number::F32(float),
        }
    }
}

impl Fields for View<'_> {
    fn host(&self) -> Option<&str> {
        self.host
    }
    fn service(&self) -> Option<&str> {
        self.service
    }
    fn state(&self) -> Option<&str> {
        self.state
    }
    fn description(&self) -> Option<&str> {
        self.description
    }
    fn metric(&self) -> Option<Number> {
        self.metric.map(Number::from)
    }
    fn histogram(&self) -> Option<HistogramRef<'_>> {
        match self.metric {
            None => self.histogram,
            Some(_) => None,
        }
    }
    fn ttl(&self) -> Option<Number> {
        self.ttl.map(Number::from)
    }
    fn time(&self) -> Option<Time> {
        self.time
    }
    fn tags(&self) -> Option<Tags<'_>> {
        (!self.tags.is_empty()).then_some(Tags(TagsIn::Slice(self.tags)))
    }
    fn get(&self, key: &str) -> FieldRef<'_> {
        fn text(text: Option<&str>) -> FieldRef<'_> {
            text.map_or(FieldRef::Nil, FieldRef::Str)
        }
        match key {
            "host" => text(self.host),
            "service" => text(self.service),
            "state" => text(self.state),
            "description" => text(self.description),
            "metric" => match self.metric() {
                Some(number) => FieldRef::Num(number),
                None => self.histogram.map_or(FieldRef::Nil, FieldRef::Histogram),
            },
            "ttl" => self.ttl().map_or(FieldRef::Nil, FieldRef::Num),
            "time" => self.time.map_or(FieldRef::Nil, FieldRef::Time),
            "tags" => self.tags().map_or(FieldRef::Nil, FieldRef::Tags),
            _ => match self.attrs.iter().rev().find(|(name, _)| *name == key) {
                Some((_, value)) => FieldRef::Str(value),
                None => FieldRef::Absent,
            },
        }
    }
}

/// The events of one or more received messages, with their tags and attributes in shared arenas, so
/// that decoding allocates nothing once the vectors have grown.
#[derive(Debug, Default)]
pub struct Views<'a> {
    rows: Vec<Row<'a>>,
    tags: Vec<&'a str>,
    attrs: Vec<(&'a str, &'a str)>,
}

/// Up to this many, names are compared each with each; beyond, an event could cost the square.
const ATTRS_FEW: usize = 16;

/// Where a row's tags or attributes begin that lie in its view, not in the arena.
const ELSEWHERE: u32 = u32::MAX;

#[derive(Debug)]
struct Row<'a> {
    view: View<'a>,
    /// Where they begin and end; what comes next begins at the end.
    tags: (u32, u32),
    attrs: (u32, u32),
}

impl<'a> Views<'a> {
    pub fn new() -> Views<'a> {
        Views::default()
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds a tag to the event that the next [`Views::push`] will add.
    #[inline]
    pub fn push_tag(&mut self, tag: &'a str) {
        self.tags.push(tag);
    }

    /// Adds an attribute to the event that the next [`Views::push`] will add.
    #[inline]
    pub fn push_attr(&mut self, name: &'a str, value: &'a str) {
        self.attrs.push((name, value));
    }

    /// Adds an event, with the tags and attributes pushed since the last one. The `tags` and
    /// `attrs` of `view` itself are ignored.
    #[inline]
    pub fn push(&mut self, view: View<'a>) {
        let (tags_from, attrs_from) = self
            .rows
            .last()
            .map_or((0, 0), |row| (row.tags.1, row.attrs.1));
        self.rows.push(Row {
            view,
            tags: (tags_from, self.tags.len() as u32),
            attrs: (attrs_from, self.attrs.len() as u32),
        });
    }

    /// Adds an event whose tags and attributes lie elsewhere: those of `view` count.
    pub fn push_whole(&mut self, view: View<'a>) {
        self.rows.push(Row {
            view,
            tags: (ELSEWHERE, self.tags.len() as u32),
            attrs: (ELSEWHERE, self.attrs.len() as u32),
        });
    }

    /// Of the attributes of one name pushed since the last event, keeps the last.
    pub fn keep_last_attrs(&mut self) {
        let from = self.rows.last().map_or(0, |row| row.attrs.1) as usize;
        let pending = &self.attrs[from..];
        if pending.len() <= ATTRS_FEW {
            let repeated = |(index, (name, _)): (usize, &(&str, &str))| {
                pending[index + 1..].iter().any(|(later, _)| later == name)
            };
            if !pending.iter().enumerate().any(repeated) {
                return;
            }
        }
        let mut seen = HashSet::new();
        let mut last: Vec<_> = pending
            .iter()
            .rev()
            .filter(|(n, _)| seen.insert(*n))
            .collect();
        last.reverse();
        let last: Vec<_> = last.into_iter().copied().collect();
        self.attrs.truncate(from);
        self.attrs.extend(last);
    }

    /// Forgets tags and attributes pushed since the last event (a malformed event is dropped).
    pub fn abandon(&mut self) {
        let (tags, attrs) = self
            .rows
            .last()
            .map_or((0, 0), |row| (row.tags.1, row.attrs.1));
        self.tags.truncate(tags as usize);
        self.attrs.truncate(attrs as usize);
    }

    /// Keeps the first `len` events.
    pub fn truncate(&mut self, len: usize) {
        self.rows.truncate(len);
        self.abandon();
    }

    /// The event at `index`.
    ///
    /// # Panics
    /// If `index` is not below [`Views::len`].
    #[inline]
    pub fn get(&self, index: usize) -> View<'_> {
        let row = &self.rows[index];
        if row.tags.0 == ELSEWHERE {
            return row.view;
        }
        View {
            tags: &self.tags[row.tags.0 as usize..row.tags.1 as usize],
            attrs: &self.attrs[row.attrs.0 as usize..row.attrs.1 as usize],
            ..row.view
        }
    }

    /// The event at `index` where it lies, without its tags and attributes.
    ///
    /// # Panics
    /// If `index` is not below [`Views::len`].
    #[inline]
    pub fn head(&self, index: usize) -> &View<'a> {
        &self.rows[index].view
    }

    pub fn iter(&self) -> impl Iterator<Item = View<'_>> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// Empties the list and keeps its memory, for the next buffer.
    pub fn recycle<'b>(mut self) -> Views<'b> {
        self.rows.clear();
        self.tags.clear();
        self.attrs.clear();
        // Collecting an emptied vector into one of the same layout reuses its allocation.
        Views {
            rows: self
                .rows
                .into_iter()
                .map(|_| -> Row<'b> { unreachable!("emptied") })
                .collect(),
            tags: self
                .tags
                .into_iter()
                .map(|_| -> &'b str { unreachable!("emptied") })
                .collect(),
            attrs: self
                .attrs
                .into_iter()
                .map(|_| -> (&'b str, &'b str) { unreachable!("emptied") })
                .collect(),
        }
    }
}
