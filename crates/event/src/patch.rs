//! Copies of an event with a few of its usual fields changed, made in one block.

use triomphe::ThinArc;

use crate::event::{Header, end};
use crate::{Event, Field, Number, Time};

/// Text up to this many bytes is put together on the stack.
const STACK_BYTES: usize = 256;

/// An event about to be copied: what is not changed is copied as bytes, not taken apart.
///
/// ```
/// use event::{Draft, Field, Fields, Number};
/// let up = Draft { service: Some("www".into()), metric: Some(Number::Int(1)), ..Draft::record() }.build();
/// let mut patch = up.patch().expect("no unusual field");
/// patch.set_text(Field::State, Some("ok"));
/// patch.set_metric(Some(Number::Int(0)));
/// let down = patch.build();
/// assert_eq!((down.service(), down.state()), (Some("www"), Some("ok")));
/// ```
pub struct Patch<'a> {
    /// The block copied from.
    text: &'a [u8],
    /// What the copy will have, but for the ends of its text.
    header: Header,
    /// The four texts that change, to a text or to none.
    texts: [Option<Option<&'a str>>; 4],
}

impl Event {
    /// Begins a copy; `None` if the event has a field or an attribute of an unusual kind, which
    /// [`Event::draft`] takes care of.
    pub fn patch(&self) -> Option<Patch<'_>> {
        let block = &*self.0;
        let header = &block.header.header;
        if header.odd.is_some() {
            return None;
        }
        Some(Patch {
            text: &block.slice[..header.ends[5] as usize],
            header: Header {
                time: header.time,
                metric: header.metric.clone(),
                ttl: header.ttl.clone(),
                odd: None,
                ..*header
            },
            texts: [None; 4],
        })
    }
}

impl<'a> Patch<'a> {
    /// Sets host, service, state or description. `None` is nil; the key is there all the same.
    ///
    /// # Panics
    /// For a field that is no text.
    #[inline]
    pub fn set_text(&mut self, field: Field, text: Option<&'a str>) {
        self.header.present |= field.bit();
        self.header.valued &= !field.bit();
        if text.is_some() {
            self.header.valued |= field.bit();
        }
        self.texts[field as usize] = Some(text);
    }

    #[inline]
    pub fn set_metric(&mut self, metric: Option<Number>) {
        self.header.present |= Field::Metric.bit();
        self.header.metric = metric;
    }

    #[inline]
    pub fn set_ttl(&mut self, ttl: Option<Number>) {
        self.header.present |= Field::Ttl.bit();
        self.header.ttl = ttl;
    }

    #[inline]
    pub fn set_time(&mut self, time: Option<Time>) {
        self.header.present |= Field::Time.bit();
        self.header.time = time;
    }

    /// Packs the copy.
    pub fn build(self) -> Event {
        if self.texts.iter().all(Option::is_none) {
            return Event(ThinArc::from_header_and_slice(self.header, self.text));
        }
        let changed = self.texts.iter().flatten().flatten();
        let room = self.text.len() + changed.map(|text| text.len()).sum::<usize>();
        if room <= STACK_BYTES {
            self.packed(&mut [0; STACK_BYTES])
        } else {
            self.packed(&mut vec![0; room])
        }
    }

    /// `room` holds the old text and all new ones.
    fn packed(mut self, room: &mut [u8]) -> Event {
        let old_ends = self.header.ends;
        let (mut at, mut copied) = (0, 0);
        let mut put = |bytes: &[u8]| {
            room[at..at + bytes.len()].copy_from_slice(bytes);
            at += bytes.len();
            at
        };
        // What stands between the old text and its place in the new one.
        let mut moved = 0_i64;
        for (slot, change) in self.texts.iter().enumerate() {
            let old_end = old_ends[slot] as usize;
            if let Some(text) = change {
                let old_start = if slot == 0 {
                    0
                } else {
                    old_ends[slot - 1] as usize
                };
                put(&self.text[copied..old_start]);
                let new_end = put(text.unwrap_or_default().as_bytes());
                copied = old_end;
                moved = new_end as i64 - old_end as i64;
            }
            self.header.ends[slot] = shifted(old_ends[slot], moved);
        }
        let length = put(&self.text[copied..]);
        self.header.ends[4] = shifted(old_ends[4], moved);
        self.header.ends[5] = end(length);
        Event(ThinArc::from_header_and_slice(self.header, &room[..length]))
    }
}

fn shifted(old_end: u32, by: i64) -> u32 {
    end(usize::try_from(i64::from(old_end) + by).expect("texts end after they begin"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Draft, Fields};

    /// A change of a text field, or of the metric.
    #[derive(Clone, Debug)]
    enum Change {
        Text(Field, Option<String>),
        Metric(Option<i64>),
        Ttl(Option<i64>),
        Time(Option<i64>),
    }

    fn text() -> impl Strategy<Value = Option<String>> {
        prop::option::of("[a-zé]{0,40}|[a-z]{300}")
    }

    fn change() -> impl Strategy<Value = Change> {
        let number = || prop::option::of(0..9_i64);
        let field = prop::sample::select(&Field::ALL[..4]);
        prop_oneof![
            (field, text()).prop_map(|(field, text)| Change::Text(field, text)),
            number().prop_map(Change::Metric),
            number().prop_map(Change::Ttl),
            number().prop_map(Change::Time),
        ]
    }

    fn event() -> impl Strategy<Value = Event> {
        let tags = prop::option::of(prop::collection::vec("[a-z]{0,5}", 0..3));
        let attrs = prop::collection::vec("[a-z]{1,5}", 0..2);
        let texts = [text(), text(), text(), text()];
        (texts, tags, attrs, any::<bool>()).prop_map(|(texts, tags, attrs, record)| {
            let [host, service, state, description] = texts.map(|text| text.map(Into::into));
            Draft {
                host,
                service,
                state,
                description,
                tags: tags.map(|tags| tags.into_iter().map(Into::into).collect()),
                attrs: attrs
                    .into_iter()
                    .enumerate()
                    .map(|(index, value)| (format!("attr{index}").into(), value.into()))
                    .collect(),
                record,
                ..Draft::default()
            }
            .build()
        })
    }

    fn drafted<'a>(draft: &mut Draft<'a>, change: &'a Change) {
        let field = match change {
            Change::Text(field, _) => *field,
            Change::Metric(_) => Field::Metric,
            Change::Ttl(_) => Field::Ttl,
            Change::Time(_) => Field::Time,
        };
        draft.clear(field);
        let filled = match change {
            Change::Text(field, text) => {
                let text = text.as_deref().map(Into::into);
                let is_some = text.is_some();
                match field {
                    Field::Host => draft.host = text,
                    Field::Service => draft.service = text,
                    Field::State => draft.state = text,
                    _ => draft.description = text,
                }
                is_some
            }
            Change::Metric(number) => {
                draft.metric = number.map(Number::Int);
                number.is_some()
            }
            Change::Ttl(number) => {
                draft.ttl = number.map(Number::Int);
                number.is_some()
            }
            Change::Time(seconds) => {
                draft.time = seconds.map(Time::from_s);
                seconds.is_some()
            }
        };
        if !filled && !draft.record {
            draft.nil_fields.push(field);
        }
    }

    proptest! {
        #[test]
        fn a_patch_is_what_a_draft_makes(
            event in event(),
            changes in prop::collection::vec(change(), 0..4),
        ) {
            let mut patch = event.patch().expect("nothing unusual");
            let mut draft = event.draft();
            for change in &changes {
                drafted(&mut draft, change);
                match change {
                    Change::Text(field, text) => patch.set_text(*field, text.as_deref()),
                    Change::Metric(number) => patch.set_metric(number.map(Number::Int)),
                    Change::Ttl(number) => patch.set_ttl(number.map(Number::Int)),
                    Change::Time(seconds) => patch.set_time(seconds.map(Time::from_s)),
                }
            }
            let (patched, drafted) = (patch.build(), draft.build());
            prop_assert_eq!(&patched, &drafted);
            prop_assert_eq!(patched.size_bytes(), drafted.size_bytes());
            prop_assert!(patched.tags().map(Iterator::collect::<Vec<_>>)
                == event.tags().map(Iterator::collect::<Vec<_>>));
            prop_assert!(patched.attrs().eq(event.attrs()));
        }
    }
}
