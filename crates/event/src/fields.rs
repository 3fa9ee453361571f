//! How an event is read, wherever it lies.

use crate::{Attr, HistogramRef, Number, Time};

/// The eight fields that every event record has, in the order Riemann prints them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    Host,
    Service,
    State,
    Description,
    Metric,
    Tags,
    Time,
    Ttl,
}

impl Field {
    pub const ALL: [Field; 8] = [
        Field::Host,
        Field::Service,
        Field::State,
        Field::Description,
        Field::Metric,
        Field::Tags,
        Field::Time,
        Field::Ttl,
    ];

    /// The field of that name, without the colon.
    pub fn named(name: &str) -> Option<Field> {
        Field::ALL.into_iter().find(|field| field.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            Field::Host => "host",
            Field::Service => "service",
            Field::State => "state",
            Field::Description => "description",
            Field::Metric => "metric",
            Field::Tags => "tags",
            Field::Time => "time",
            Field::Ttl => "ttl",
        }
    }

    pub(crate) fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// The value under a key. `Nil` is a key that is there with no value; `Absent`, no key at all.
#[derive(Clone, Debug)]
pub enum FieldRef<'a> {
    Absent,
    Nil,
    Str(&'a str),
    Num(Number),
    Time(Time),
    Tags(Tags<'a>),
    /// The metric is a histogram, and no number.
    Histogram(HistogramRef<'a>),
    /// A value that is not of the field's usual kind, or an attribute that is not a string.
    Odd(&'a Attr),
}

/// The tags of an event, in order.
#[derive(Clone, Debug)]
pub struct Tags<'a>(pub(crate) TagsIn<'a>);

#[derive(Clone, Debug)]
pub(crate) enum TagsIn<'a> {
    Slice(&'a [&'a str]),
    /// Each tag is a little-endian u32 length and that many bytes of UTF-8.
    Packed(&'a [u8]),
}

impl<'a> Tags<'a> {
    pub fn of(tags: &'a [&'a str]) -> Tags<'a> {
        Tags(TagsIn::Slice(tags))
    }

    pub fn contains(&self, tag: &str) -> bool {
        self.clone().any(|own| own == tag)
    }
}

impl<'a> Iterator for Tags<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        match &mut self.0 {
            TagsIn::Slice(tags) => {
                let (first, rest) = tags.split_first()?;
                *tags = rest;
                Some(first)
            }
            TagsIn::Packed(bytes) => {
                if bytes.is_empty() {
                    return None;
                }
                let (tag, rest) = crate::event::unpack(bytes);
                *bytes = rest;
                Some(tag)
            }
        }
    }
}

/// Read access to an event's fields, owned or still in its receive buffer. A field that holds a
/// value of an unusual kind reads as `None` here and as [`FieldRef::Odd`] through [`Fields::get`].
pub trait Fields {
    fn host(&self) -> Option<&str>;
    fn service(&self) -> Option<&str>;
    fn state(&self) -> Option<&str>;
    fn description(&self) -> Option<&str>;
    fn metric(&self) -> Option<Number>;
    /// The metric that is a histogram; [`Fields::metric`] is `None` then, and the other way round.
    fn histogram(&self) -> Option<HistogramRef<'_>>;
    /// Seconds to live, as written: `60`, or an `F32` from the wire.
    fn ttl(&self) -> Option<Number>;
    fn time(&self) -> Option<Time>;
    /// `None` when the event has no tags at all.
    fn tags(&self) -> Option<Tags<'_>>;
    /// The value of a field or attribute, by its name without the colon.
    fn get(&self, key: &str) -> FieldRef<'_>;

    /// True if the event carries `tag`.
    fn tagged(&self, tag: &str) -> bool {
        self.tags().is_some_and(|tags| tags.contains(tag))
    }
}
