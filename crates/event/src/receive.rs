//! From a receive buffer to an owned event, with as little memory traffic as it takes.

use triomphe::{Arc, ThinArc};

use crate::event::{Header, Odd, end};
use crate::{Event, Field, Fields, Number, View};

/// Text up to this many bytes is put together on the stack.
const STACK_BYTES: usize = 256;

/// Host and service come first.
const KEY_SLOTS: usize = 2;

/// A block that is overwritten keeps at most this many times its text, and [`SPARE_BYTES`].
const SPARE_FACTOR: usize = 4;
const SPARE_BYTES: usize = 256;

impl Event {
    /// Packs a received event.
    pub fn from_view(view: &View<'_>) -> Event {
        Event::with_room(view, ends(view)[5] as usize)
    }

    /// Turns this event into another, received one. Reuses the memory when nobody else holds the event
    /// and the text fits, as it does in an index that sees the same keys again and again.
    ///
    /// ```
    /// use event::{Event, Fields, View};
    /// let mut latest = Event::from_view(&View { service: Some("www"), state: Some("ok"), ..View::default() });
    /// let before = latest.clone();
    /// latest.overwrite(&View { service: Some("www"), state: Some("bad"), ..View::default() });
    /// assert_eq!(latest.state(), Some("bad"));
    /// assert_eq!(before.state(), Some("ok"));
    /// ```
    pub fn overwrite(&mut self, view: &View<'_>) {
        self.overwrite_from(view, 0);
    }

    /// As [`Event::overwrite`], by an event of the same host and service: they are not written anew.
    #[inline]
    pub fn overwrite_same_key(&mut self, view: &View<'_>) {
        debug_assert!(self.host() == view.host && self.service() == view.service);
        self.overwrite_from(view, KEY_SLOTS);
    }

    /// Where the event lies in memory: to have it fetched before it is needed.
    #[inline]
    pub fn address(&self) -> usize {
        self.0.heap_ptr().addr()
    }

    /// The first `kept` strings of the text may stay as they are.
    #[inline]
    fn overwrite_from(&mut self, view: &View<'_>, kept: usize) {
        let ends = ends(view);
        let length = ends[5] as usize;
        let done = self.0.with_arc_mut(|block| {
            let Some(block) = Arc::get_mut(block) else {
                return false;
            };
            let room = block.length();
            if length > room || room > length * SPARE_FACTOR + SPARE_BYTES {
                return false;
            }
            let old = block.header_mut();
            // Whoever is wrong about what is kept gets other text, but text.
            let kept = if old.ends[..kept] == ends[..kept] {
                kept
            } else {
                0
            };
            // Should packing panic, what is left is an event with no text.
            (old.ends, old.valued) = ([0; 6], 0);
            pack_view(view, block.slice_mut(), kept);
            *block.header_mut() = header(view, ends);
            true
        });
        if !done {
            *self = Event::with_room(view, (length + length / 8).next_multiple_of(16));
        }
    }

    fn with_room(view: &View<'_>, room: usize) -> Event {
        let mut stack = [0; STACK_BYTES];
        let mut heap = Vec::new();
        let text = if room <= STACK_BYTES {
            &mut stack[..room]
        } else {
            heap.resize(room, 0);
            &mut heap[..]
        };
        pack_view(view, text, 0);
        let header = header(view, ends(view));
        Event(ThinArc::from_header_and_slice(header, text))
    }
}

#[inline]
fn header(view: &View<'_>, ends: [u32; 6]) -> Header {
    let strings = [view.host, view.service, view.state, view.description];
    let mut valued = 0;
    for (field, string) in Field::ALL.into_iter().zip(strings) {
        valued |= if string.is_some() { field.bit() } else { 0 };
    }
    if !view.tags.is_empty() {
        valued |= Field::Tags.bit();
    }
    Header {
        time: view.time,
        metric: view.metric.map(Number::from),
        ttl: view.ttl.map(Number::from),
        odd: view
            .histogram()
            .map(|histogram| Box::new(Odd::of_histogram(histogram.to_owned()))),
        ends,
        valued,
        ..Header::empty_record()
    }
}

/// Where each part of a view's text ends. Reckoned apart from the packing: what is written in halves
/// and read at once makes the processor wait.
#[inline]
fn ends(view: &View<'_>) -> [u32; 6] {
    let len = |text: Option<&str>| text.map_or(0, str::len);
    let host = len(view.host);
    let service = host + len(view.service);
    let state = service + len(view.state);
    let description = state + len(view.description);
    let tags = view.tags.iter().map(|tag| tag.len() + 4);
    let tags = description + tags.sum::<usize>();
    let attrs = view.attrs.iter().map(|(k, v)| k.len() + v.len() + 8);
    let attrs = tags + attrs.sum::<usize>();
    [host, service, state, description, tags, attrs].map(end)
}

/// Writes a view's text to the front of `text`, which holds the first `kept` strings already.
fn pack_view(view: &View<'_>, text: &mut [u8], kept: usize) {
    let mut cursor = Cursor { text, at: 0 };
    let strings = [view.host, view.service, view.state, view.description];
    for (slot, string) in strings.into_iter().enumerate() {
        let string = string.unwrap_or_default();
        if slot < kept {
            cursor.at += string.len();
        } else {
            cursor.put(string.as_bytes());
        }
    }
    view.tags.iter().for_each(|tag| cursor.pack(tag));
    for (name, value) in view.attrs {
        cursor.pack(name);
        cursor.pack(value);
    }
}

/// Copies between slices of one length. Most are short, and a call of `memcpy` costs as much as such
/// a copy: two moves that overlap do any length from half of theirs on.
#[inline(always)]
fn copy(to: &mut [u8], from: &[u8]) {
    fn ends<const N: usize>(to: &mut [u8], from: &[u8]) -> Option<()> {
        let (first, last) = (*from.first_chunk::<N>()?, *from.last_chunk::<N>()?);
        *to.first_chunk_mut::<N>()? = first;
        *to.last_chunk_mut::<N>()? = last;
        Some(())
    }
    match from.len() {
        0 => {}
        1..=3 => to.iter_mut().zip(from).for_each(|(to, from)| *to = *from),
        4..=7 => drop(ends::<4>(to, from)),
        8..=15 => drop(ends::<8>(to, from)),
        16..=32 => drop(ends::<16>(to, from)),
        _ => to.copy_from_slice(from),
    }
}

struct Cursor<'a> {
    text: &'a mut [u8],
    at: usize,
}

impl Cursor<'_> {
    fn put(&mut self, bytes: &[u8]) {
        copy(&mut self.text[self.at..self.at + bytes.len()], bytes);
        self.at += bytes.len();
    }

    fn pack(&mut self, string: &str) {
        self.put(&end(string.len()).to_le_bytes());
        self.put(string.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Draft, Scalar, Time};

    #[derive(Debug)]
    struct Parts {
        texts: [Option<String>; 4],
        tags: Vec<String>,
        attrs: Vec<(String, String)>,
        metric: Option<i64>,
    }

    fn parts() -> impl Strategy<Value = Parts> {
        let text = || prop::option::of("[a-zé]{0,12}");
        let tags = prop::collection::vec("[a-z]{0,5}", 0..4);
        let attrs = prop::collection::btree_map("[a-z]{4,5}x", "[a-z]{0,300}", 0..3);
        (
            (text(), text(), text(), text()),
            tags,
            attrs,
            prop::option::of(any::<i64>()),
        )
            .prop_map(|((a, b, c, d), tags, attrs, metric)| Parts {
                texts: [a, b, c, d],
                tags,
                attrs: attrs.into_iter().collect(),
                metric,
            })
    }

    fn with_view<T>(parts: &Parts, act: impl FnOnce(&View<'_>) -> T) -> T {
        let tags: Vec<&str> = parts.tags.iter().map(String::as_str).collect();
        let attrs: Vec<(&str, &str)> = parts.attrs.iter().map(|(k, v)| (&**k, &**v)).collect();
        act(&View {
            host: parts.texts[0].as_deref(),
            service: parts.texts[1].as_deref(),
            state: parts.texts[2].as_deref(),
            description: parts.texts[3].as_deref(),
            metric: parts.metric.map(Scalar::Int),
            ttl: Some(Scalar::F32(1.5)),
            time: Some(Time::from_s(7)),
            tags: &tags,
            attrs: &attrs,
            ..View::default()
        })
    }

    fn built(parts: &Parts) -> Event {
        let [host, service, state, description] = parts
            .texts
            .each_ref()
            .map(|text| text.as_deref().map(Into::into));
        let tags: Vec<_> = parts.tags.iter().map(|tag| tag.as_str().into()).collect();
        Draft {
            host,
            service,
            state,
            description,
            metric: parts.metric.map(Number::Int),
            ttl: Some(Number::F32(1.5)),
            time: Some(Time::from_s(7)),
            tags: (!tags.is_empty()).then_some(tags),
            attrs: parts
                .attrs
                .iter()
                .map(|(k, v)| (k.into(), v.into()))
                .collect(),
            ..Draft::record()
        }
        .build()
    }

    proptest! {
        #[test]
        fn an_overwritten_event_is_as_one_made_anew(all in prop::collection::vec(parts(), 1..12)) {
            let mut event = Draft::plain().build();
            let mut held: Option<(Event, String)> = None;
            for (number, parts) in all.iter().enumerate() {
                with_view(parts, |view| event.overwrite(view));
                prop_assert_eq!(&event, &built(parts));
                prop_assert_eq!(&with_view(parts, Event::from_view), &event);
                let mut updated = with_view(parts, Event::from_view);
                let next = Parts { metric: None, tags: parts.tags.clone(), attrs: Vec::new(), texts: {
                    let [host, service, state, description] = parts.texts.clone();
                    [host, service, description, state]
                } };
                with_view(&next, |view| updated.overwrite_same_key(view));
                prop_assert_eq!(&updated, &built(&next));
                if let Some((copy, text)) = held.take() {
                    prop_assert_eq!(format!("{copy:?}"), text);
                }
                held = (number % 2 == 0).then(|| (event.clone(), format!("{event:?}")));
            }
        }
    }

    #[test]
    fn memory_is_reused_only_by_a_sole_owner() {
        let place = |event: &Event| event.service().map(str::as_ptr);
        let view = View {
            service: Some("www"),
            ..View::default()
        };
        let mut event = Event::from_view(&view);
        let first = place(&event);
        event.overwrite(&view);
        assert_eq!(place(&event), first);
        let copy = event.clone();
        event.overwrite(&view);
        assert_ne!(place(&event), first);
        assert_eq!(place(&copy), first);
    }
}
