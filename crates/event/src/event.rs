//! The owned event: one immutable block.
//!
//! ```text
//! count | header: time, metric, ttl, odd values, ends, bits | text
//! text  = host service state description tags attributes
//! tags  = (length:u32le bytes)*        attributes = (length:u32le name, length:u32le value)*
//! ```

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use triomphe::ThinArc;

use crate::fields::TagsIn;
use crate::{Attr, Field, FieldRef, Fields, HistogramRef, Number, PackedHistogram, Tags, Time};

/// An event: host, service, state, description, metric, tags, time and ttl, and any attributes.
/// Immutable and cheap to clone (a reference count).
///
/// A *record* has all eight fields, some of them nil; a plain one (as `expire` makes) has only the
/// keys it was given. The difference shows in JSON and in `=`.
#[derive(Clone)]
pub struct Event(pub(crate) ThinArc<Header, u8>);

pub(crate) struct Header {
    pub time: Option<Time>,
    pub metric: Option<Number>,
    pub ttl: Option<Number>,
    pub odd: Option<Box<Odd>>,
    /// Where host, service, state, description, tags and attributes end in the text, which may be
    /// shorter than the block.
    pub ends: [u32; 6],
    /// Keys that are present, by [`Field::bit`].
    pub present: u8,
    /// Text and tag fields that have a usual value, by [`Field::bit`].
    pub valued: u8,
    pub record: bool,
    /// The tags were a list, not a vector, in the language.
    pub tags_list: bool,
}

impl Header {
    /// All eight fields, nil.
    pub fn empty_record() -> Header {
        Header {
            time: None,
            metric: None,
            ttl: None,
            odd: None,
            ends: [0; 6],
            present: u8::MAX,
            valued: 0,
            record: true,
            tags_list: false,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Odd {
    fields: Vec<(Field, Attr)>,
    attrs: Vec<(Arc<str>, Attr)>,
}

impl Odd {
    /// The metric is a histogram, and all else as usual.
    pub fn of_histogram(histogram: PackedHistogram) -> Odd {
        Odd {
            fields: vec![(Field::Metric, Attr::Histogram(histogram))],
            attrs: Vec::new(),
        }
    }
}

/// An event being made or changed: fields borrowed until [`Draft::build`] packs them.
///
/// ```
/// use event::{Draft, Fields, Number};
/// let up = Draft { service: Some("www".into()), metric: Some(Number::Int(1)), ..Draft::record() }.build();
/// let down = up.edit(|draft| draft.metric = Some(Number::Int(0)));
/// assert_eq!(down.service(), Some("www"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Draft<'a> {
    pub host: Option<Cow<'a, str>>,
    pub service: Option<Cow<'a, str>>,
    pub state: Option<Cow<'a, str>>,
    pub description: Option<Cow<'a, str>>,
    pub metric: Option<Number>,
    pub tags: Option<Vec<Cow<'a, str>>>,
    pub time: Option<Time>,
    pub ttl: Option<Number>,
    /// Attributes that are strings, by name, no name twice or in `odd_attrs` too.
    pub attrs: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// Attributes of other kinds.
    pub odd_attrs: Vec<(Arc<str>, Attr)>,
    /// Fields whose value is not of the usual kind; the field's own member is `None` then.
    pub odd_fields: Vec<(Field, Attr)>,
    /// A plain event's keys whose value is nil; a record's nil fields need not be here.
    pub nil_fields: Vec<Field>,
    pub record: bool,
    pub tags_list: bool,
}

impl<'a> Draft<'a> {
    /// An empty record: all eight fields, nil.
    pub fn record() -> Draft<'a> {
        Draft {
            record: true,
            ..Draft::default()
        }
    }

    /// An empty plain event: no keys.
    pub fn plain() -> Draft<'a> {
        Draft::default()
    }

    /// Removes a field, whatever it holds. On a record its key stays, with nil.
    pub fn clear(&mut self, field: Field) {
        match field {
            Field::Host => self.host = None,
            Field::Service => self.service = None,
            Field::State => self.state = None,
            Field::Description => self.description = None,
            Field::Metric => self.metric = None,
            Field::Tags => self.tags = None,
            Field::Time => self.time = None,
            Field::Ttl => self.ttl = None,
        }
        self.odd_fields.retain(|(odd, _)| *odd != field);
        self.nil_fields.retain(|nil| *nil != field);
    }

    /// Makes a histogram the metric, whatever it was.
    pub fn set_histogram(&mut self, histogram: PackedHistogram) {
        self.clear(Field::Metric);
        let metric = (Field::Metric, Attr::Histogram(histogram));
        self.odd_fields.push(metric);
    }

    /// Removes an attribute.
    pub fn clear_attr(&mut self, name: &str) {
        self.attrs.retain(|(key, _)| key != name);
        self.odd_attrs.retain(|(key, _)| **key != *name);
    }

    /// Sets an attribute, replacing one of the same name where it stands.
    pub fn set_attr(&mut self, name: &str, value: Attr) {
        match value {
            Attr::Str(text) => {
                self.odd_attrs.retain(|(key, _)| **key != *name);
                let text = Cow::Owned(text.to_string());
                match self.attrs.iter_mut().find(|(key, _)| key == name) {
                    Some(entry) => entry.1 = text,
                    None => self.attrs.push((Cow::Owned(name.into()), text)),
                }
            }
            odd => {
                self.attrs.retain(|(key, _)| key != name);
                match self.odd_attrs.iter_mut().find(|(key, _)| **key == *name) {
                    Some(entry) => entry.1 = odd,
                    None => self.odd_attrs.push((name.into(), odd)),
                }
            }
        }
    }

    /// Packs the event.
    pub fn build(self) -> Event {
        let mut text = Vec::with_capacity(self.text_len());
        let mut ends = [0; 6];
        let (mut present, mut valued) = (0, 0);
        let strings = [
            (Field::Host, &self.host),
            (Field::Service, &self.service),
            (Field::State, &self.state),
            (Field::Description, &self.description),
        ];
        for (slot, (field, string)) in strings.into_iter().enumerate() {
            if let Some(string) = string {
                text.extend_from_slice(string.as_bytes());
                valued |= field.bit();
            }
            ends[slot] = end(text.len());
        }
        if let Some(tags) = &self.tags {
            tags.iter().for_each(|tag| pack(&mut text, tag));
            valued |= Field::Tags.bit();
        }
        ends[4] = end(text.len());
        for (name, value) in &self.attrs {
            pack(&mut text, name);
            pack(&mut text, value);
        }
        ends[5] = end(text.len());
        present |= valued;
        let numbers = [
            (Field::Metric, self.metric.is_some()),
            (Field::Time, self.time.is_some()),
            (Field::Ttl, self.ttl.is_some()),
        ];
        for (field, there) in numbers {
            present |= if there { field.bit() } else { 0 };
        }
        for field in self
            .nil_fields
            .iter()
            .chain(self.odd_fields.iter().map(|(field, _)| field))
        {
            present |= field.bit();
        }
        let odd = (!self.odd_fields.is_empty() || !self.odd_attrs.is_empty()).then(|| {
            Box::new(Odd {
                fields: self.odd_fields,
                attrs: self.odd_attrs,
            })
        });
        let header = Header {
            time: self.time,
            metric: self.metric,
            ttl: self.ttl,
            odd,
            ends,
            present: if self.record { u8::MAX } else { present },
            valued,
            record: self.record,
            tags_list: self.tags_list,
        };
        Event(ThinArc::from_header_and_slice(header, &text))
    }

    fn text_len(&self) -> usize {
        let len = |text: &Option<Cow<'_, str>>| text.as_ref().map_or(0, |text| text.len());
        let tags: usize = self.tags.iter().flatten().map(|tag| tag.len() + 4).sum();
        let attrs: usize = self.attrs.iter().map(|(k, v)| k.len() + v.len() + 8).sum();
        len(&self.host)
            + len(&self.service)
            + len(&self.state)
            + len(&self.description)
            + tags
            + attrs
    }
}

/// A place in an event's text, or the length of a string.
#[inline]
pub(crate) fn end(length: usize) -> u32 {
    u32::try_from(length).expect("an event's text is below 4 GiB: frames are")
}

fn pack(text: &mut Vec<u8>, string: &str) {
    text.extend_from_slice(&end(string.len()).to_le_bytes());
    text.extend_from_slice(string.as_bytes());
}

/// Splits the first packed string off `bytes`, which `pack` wrote.
#[inline]
pub(crate) fn unpack(bytes: &[u8]) -> (&str, &[u8]) {
    let (length, rest) = bytes.split_at(4);
    let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]) as usize;
    let (string, rest) = rest.split_at(length);
    (utf8(string), rest)
}

#[inline]
fn utf8(bytes: &[u8]) -> &str {
    // SAFETY: every range that is read as text was copied whole from a `str` by `build` or
    // `pack_view`; `overwrite` changes text and ranges together, while nobody else has the block.
    unsafe { std::str::from_utf8_unchecked(bytes) }
}

impl Event {
    /// A copy with some fields changed.
    pub fn edit(&self, change: impl FnOnce(&mut Draft<'_>)) -> Event {
        let mut draft = self.draft();
        change(&mut draft);
        draft.build()
    }

    /// This event's fields, borrowed, to make another from.
    pub fn draft(&self) -> Draft<'_> {
        let header = self.header();
        let odd = header.odd.as_deref();
        let nil_fields = if header.record {
            Vec::new()
        } else {
            let nil = |field: &Field| matches!(self.field(*field), FieldRef::Nil);
            Field::ALL.into_iter().filter(nil).collect()
        };
        Draft {
            host: self.host().map(Cow::Borrowed),
            service: self.service().map(Cow::Borrowed),
            state: self.state().map(Cow::Borrowed),
            description: self.description().map(Cow::Borrowed),
            metric: header.metric.clone(),
            tags: self.tags().map(|tags| tags.map(Cow::Borrowed).collect()),
            time: header.time,
            ttl: header.ttl.clone(),
            attrs: self
                .attrs()
                .map(|(k, v)| (Cow::Borrowed(k), Cow::Borrowed(v)))
                .collect(),
            odd_attrs: odd.map_or(Vec::new(), |odd| odd.attrs.clone()),
            odd_fields: odd.map_or(Vec::new(), |odd| odd.fields.clone()),
            nil_fields,
            record: header.record,
            tags_list: header.tags_list,
        }
    }

    /// True if all eight fields are present as keys, whatever they hold.
    pub fn is_record(&self) -> bool {
        self.header().record
    }

    /// True if the tags were a list, not a vector, in the language.
    pub fn tags_are_list(&self) -> bool {
        self.header().tags_list
    }

    /// String attributes, in order.
    pub fn attrs(&self) -> impl Iterator<Item = (&str, &str)> {
        let ends = &self.header().ends;
        let mut bytes = &self.0.slice[ends[4] as usize..ends[5] as usize];
        std::iter::from_fn(move || {
            if bytes.is_empty() {
                return None;
            }
            let (name, rest) = unpack(bytes);
            let (value, rest) = unpack(rest);
            bytes = rest;
            Some((name, value))
        })
    }

    /// Attributes that are not strings, in order, after [`Event::attrs`].
    pub fn odd_attrs(&self) -> impl Iterator<Item = (&str, &Attr)> {
        let odd = self.header().odd.as_deref();
        odd.into_iter()
            .flat_map(|odd| odd.attrs.iter().map(|(name, attr)| (&**name, attr)))
    }

    /// The value of one of the eight fields.
    pub fn field(&self, field: Field) -> FieldRef<'_> {
        fn text(text: Option<&str>) -> Option<FieldRef<'_>> {
            text.map(FieldRef::Str)
        }
        let usual = match field {
            Field::Host => text(self.host()),
            Field::Service => text(self.service()),
            Field::State => text(self.state()),
            Field::Description => text(self.description()),
            Field::Metric => self.metric().map(FieldRef::Num),
            Field::Ttl => self.ttl().map(FieldRef::Num),
            Field::Time => self.time().map(FieldRef::Time),
            Field::Tags => self.tags().map(FieldRef::Tags),
        };
        if let Some(usual) = usual {
            return usual;
        }
        let odd = self.header().odd.as_deref();
        match odd.and_then(|odd| odd.fields.iter().find(|(key, _)| *key == field)) {
            Some((Field::Metric, Attr::Histogram(packed))) => FieldRef::Histogram(packed.as_ref()),
            Some((_, value)) => FieldRef::Odd(value),
            None if self.header().present & field.bit() != 0 => FieldRef::Nil,
            None => FieldRef::Absent,
        }
    }

    /// Bytes held, with the block's own overhead.
    pub fn size_bytes(&self) -> usize {
        size_of::<Header>() + 2 * size_of::<usize>() + self.0.slice.len()
    }

    #[inline]
    fn header(&self) -> &Header {
        &self.0.header.header
    }

    #[inline]
    fn text(&self, slot: usize, field: Field) -> Option<&str> {
        let header = self.header();
        if header.valued & field.bit() == 0 {
            return None;
        }
        let from = if slot == 0 { 0 } else { header.ends[slot - 1] };
        Some(utf8(
            &self.0.slice[from as usize..header.ends[slot] as usize],
        ))
    }
}

impl Fields for Event {
    #[inline]
    fn host(&self) -> Option<&str> {
        self.text(0, Field::Host)
    }
    #[inline]
    fn service(&self) -> Option<&str> {
        self.text(1, Field::Service)
    }
    #[inline]
    fn state(&self) -> Option<&str> {
        self.text(2, Field::State)
    }
    #[inline]
    fn description(&self) -> Option<&str> {
        self.text(3, Field::Description)
    }
    #[inline]
    fn metric(&self) -> Option<Number> {
        self.header().metric.clone()
    }
    fn histogram(&self) -> Option<HistogramRef<'_>> {
        self.header().odd.as_ref()?;
        match self.field(Field::Metric) {
            FieldRef::Histogram(histogram) => Some(histogram),
            _ => None,
        }
    }
    #[inline]
    fn ttl(&self) -> Option<Number> {
        self.header().ttl.clone()
    }
    #[inline]
    fn time(&self) -> Option<Time> {
        self.header().time
    }
    fn tags(&self) -> Option<Tags<'_>> {
        let header = self.header();
        (header.valued & Field::Tags.bit() != 0).then(|| {
            let range = header.ends[3] as usize..header.ends[4] as usize;
            Tags(TagsIn::Packed(&self.0.slice[range]))
        })
    }
    fn get(&self, key: &str) -> FieldRef<'_> {
        if let Some(field) = Field::named(key) {
            return self.field(field);
        }
        if let Some((_, value)) = self.attrs().find(|(name, _)| *name == key) {
            return FieldRef::Str(value);
        }
        match self.odd_attrs().find(|(name, _)| *name == key) {
            Some((_, value)) => FieldRef::Odd(value),
            None => FieldRef::Absent,
        }
    }
}

/// Same keys, equal values; a record never equals a plain event. Tags compare as sequences.
impl PartialEq for Event {
    fn eq(&self, other: &Event) -> bool {
        let (a, b) = (self.header(), other.header());
        if a.record != b.record || a.present != b.present || a.valued != b.valued {
            return false;
        }
        let strings = self.host() == other.host()
            && self.service() == other.service()
            && self.state() == other.state()
            && self.description() == other.description()
            && self.tags().map(Iterator::collect::<Vec<_>>)
                == other.tags().map(Iterator::collect::<Vec<_>>);
        let time = match (a.time, b.time) {
            (Some(a), Some(b)) => a.us == b.us && a.to_number() == b.to_number(),
            (None, None) => true,
            _ => false,
        };
        strings
            && time
            && a.metric == b.metric
            && a.ttl == b.ttl
            && self.odd_fields_equal(other)
            && self.attrs_equal(other)
    }
}

impl Event {
    fn odd_fields_equal(&self, other: &Event) -> bool {
        let fields = |event: &'_ Event| -> Vec<(Field, Attr)> {
            let mut fields = event
                .header()
                .odd
                .as_deref()
                .map_or(vec![], |odd| odd.fields.clone());
            fields.sort_by_key(|(field, _)| *field as u8);
            fields
        };
        fields(self) == fields(other)
    }

    fn attrs_equal(&self, other: &Event) -> bool {
        let theirs = |key: &str| other.attrs().find(|(name, _)| *name == key).map(|(_, v)| v);
        let odd = |key: &str| {
            other
                .odd_attrs()
                .find(|(name, _)| *name == key)
                .map(|(_, v)| v)
        };
        self.attrs().count() == other.attrs().count()
            && self.odd_attrs().count() == other.odd_attrs().count()
            && self
                .attrs()
                .all(|(name, value)| theirs(name) == Some(value))
            && self
                .odd_attrs()
                .all(|(name, value)| odd(name) == Some(value))
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        for field in Field::ALL {
            match self.field(field) {
                FieldRef::Absent | FieldRef::Nil => {}
                FieldRef::Tags(tags) => {
                    map.entry(&field.name(), &tags.collect::<Vec<_>>());
                }
                FieldRef::Str(text) => {
                    map.entry(&field.name(), &text);
                }
                FieldRef::Num(number) => {
                    map.entry(&field.name(), &number);
                }
                FieldRef::Time(time) => {
                    map.entry(&field.name(), &time.to_number());
                }
                FieldRef::Histogram(histogram) => {
                    map.entry(&field.name(), &histogram);
                }
                FieldRef::Odd(attr) => {
                    map.entry(&field.name(), attr);
                }
            }
        }
        map.entries(self.attrs()).entries(self.odd_attrs()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scalar, View};

    fn sample() -> Event {
        Event::from_view(&View {
            host: Some("a"),
            service: Some("disk /"),
            metric: Some(Scalar::Int(3)),
            time: Some(Time::from_s(5)),
            tags: &["x", "y"],
            attrs: &[("k", "v")],
            ..View::default()
        })
    }

    #[test]
    fn reads_back_what_was_packed() {
        let event = sample();
        assert_eq!(event.host(), Some("a"));
        assert_eq!(event.service(), Some("disk /"));
        assert_eq!(event.state(), None);
        assert_eq!(
            event.tags().map(Iterator::collect::<Vec<_>>),
            Some(vec!["x", "y"])
        );
        assert!(matches!(event.get("k"), FieldRef::Str("v")));
        assert!(matches!(event.get("state"), FieldRef::Nil));
        assert!(matches!(event.get("nope"), FieldRef::Absent));
    }

    #[test]
    fn an_edit_changes_one_thing() {
        let event = sample().edit(|draft| draft.state = Some("ok".into()));
        assert_eq!(event.state(), Some("ok"));
        assert_eq!(event.edit(|draft| draft.state = None), sample());
        assert_ne!(event, sample());
    }

    #[test]
    fn a_plain_event_has_only_its_keys() {
        let plain = Draft {
            host: Some("a".into()),
            ..Draft::plain()
        }
        .build();
        assert!(matches!(plain.get("service"), FieldRef::Absent));
        assert_ne!(
            plain,
            Draft {
                host: Some("a".into()),
                ..Draft::record()
            }
            .build()
        );
    }
}
