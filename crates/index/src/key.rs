//! What an event is found by.

use std::hash::{BuildHasher, Hash, Hasher};

use event::{Attr, Event, Field, FieldRef, Fields, View};
use foldhash::quality::RandomState;

/// A host and a service. Either may be nil, or a value that is not a string.
#[derive(Clone, Copy, Debug)]
pub struct Key<'a> {
    pub host: Part<'a>,
    pub service: Part<'a>,
}

/// Half of a key. Nil, `"1"` and `1` are three different ones.
#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    Nil,
    Str(&'a str),
    Odd(&'a Attr),
}

impl<'a> From<(Option<&'a str>, Option<&'a str>)> for Key<'a> {
    #[inline]
    fn from((host, service): (Option<&'a str>, Option<&'a str>)) -> Key<'a> {
        Key {
            host: host.into(),
            service: service.into(),
        }
    }
}

impl<'a> From<&View<'a>> for Key<'a> {
    #[inline]
    fn from(view: &View<'a>) -> Key<'a> {
        Key::from((view.host, view.service))
    }
}

impl<'a> From<&'a Event> for Key<'a> {
    fn from(event: &'a Event) -> Key<'a> {
        let part = |text: Option<&'a str>, field| match text {
            Some(text) => Part::Str(text),
            None => match event.field(field) {
                FieldRef::Odd(attr) => Part::from(attr),
                _ => Part::Nil,
            },
        };
        Key {
            host: part(event.host(), Field::Host),
            service: part(event.service(), Field::Service),
        }
    }
}

impl<'a> From<Option<&'a str>> for Part<'a> {
    #[inline]
    fn from(text: Option<&'a str>) -> Part<'a> {
        text.map_or(Part::Nil, Part::Str)
    }
}

impl<'a> From<&'a Attr> for Part<'a> {
    fn from(attr: &'a Attr) -> Part<'a> {
        match attr {
            Attr::Nil => Part::Nil,
            Attr::Str(text) => Part::Str(text),
            _ => Part::Odd(attr),
        }
    }
}

impl Key<'_> {
    #[inline]
    pub(crate) fn hash(&self, random: &RandomState) -> u64 {
        let mut hasher = random.build_hasher();
        self.host.feed(&mut hasher);
        self.service.feed(&mut hasher);
        hasher.finish()
    }

    /// True of the keys of two received events if they are the same.
    pub(crate) fn is_same(&self, other: &Key<'_>) -> bool {
        let same = |a, b| match (a, b) {
            (Part::Str(a), Part::Str(b)) => same_text(a, b),
            (Part::Nil, Part::Nil) => true,
            _ => false,
        };
        same(self.host, other.host) && same(self.service, other.service)
    }

    #[inline(always)]
    pub(crate) fn is_of(&self, event: &Event) -> bool {
        let same = |part: Part<'_>, text: Option<&str>, field| match (part, text) {
            (Part::Str(a), Some(b)) => same_text(a, b),
            (Part::Str(_), None) | (_, Some(_)) => false,
            (Part::Nil, None) => !matches!(event.field(field), FieldRef::Odd(_)),
            (Part::Odd(a), None) => matches!(event.field(field), FieldRef::Odd(b) if a == b),
        };
        same(self.host, event.host(), Field::Host)
            && same(self.service, event.service(), Field::Service)
    }
}

/// Most are short, and a call of `memcmp` costs more than comparing two ends that overlap; of two
/// empty strings it can cost a hundred times that, where one of them points nowhere.
#[inline]
fn same_text(a: &str, b: &str) -> bool {
    fn ends<const N: usize>(bytes: &[u8]) -> ([u8; N], [u8; N]) {
        let first = bytes.first_chunk().copied();
        let last = bytes.last_chunk().copied();
        (first.unwrap_or([0; N]), last.unwrap_or([0; N]))
    }
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    match a.len() {
        0 => true,
        1..4 => a.iter().eq(b),
        4..8 => ends::<4>(a) == ends::<4>(b),
        8..16 => ends::<8>(a) == ends::<8>(b),
        16..=32 => ends::<16>(a) == ends::<16>(b),
        _ => a == b,
    }
}

impl Part<'_> {
    #[inline(always)]
    fn feed(&self, hasher: &mut impl Hasher) {
        match self {
            Part::Nil => hasher.write_u8(0),
            Part::Str(text) => {
                hasher.write(text.as_bytes());
                hasher.write_u8(1);
            }
            Part::Odd(Attr::Num(number)) => number.hash(hasher),
            // Rare enough that they may all share a hash; equality tells them apart.
            Part::Odd(_) => hasher.write_u8(2),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use event::{Draft, Number};

    use super::*;

    fn check(host: Attr, other: Attr, same: bool) {
        let event = |host: &Attr| {
            let mut draft = Draft::record();
            match host {
                Attr::Nil => {}
                Attr::Str(text) => draft.host = Some(text.to_string().into()),
                odd => draft.odd_fields.push((Field::Host, odd.clone())),
            }
            draft.build()
        };
        let random = RandomState::default();
        let (a, b) = (event(&host), event(&other));
        assert_eq!(Key::from(&a).is_of(&b), same, "{host:?} {other:?}");
        if same {
            assert_eq!(Key::from(&a).hash(&random), Key::from(&b).hash(&random));
        }
        let direct = Key {
            host: (&host).into(),
            service: Part::Nil,
        };
        assert_eq!(direct.is_of(&b), same);
    }

    #[test]
    fn nil_text_and_numbers_are_different_keys() {
        let text = |text: &str| Attr::Str(text.into());
        let number = |int| Attr::Num(Number::Int(int));
        check(Attr::Nil, Attr::Nil, true);
        check(Attr::Nil, text(""), false);
        check(text(""), text(""), true);
        check(text("1"), number(1), false);
        check(number(1), text("1"), false);
        check(number(1), number(1), true);
        check(number(1), Attr::Num(Number::F64(1.0)), false);
        check(Attr::Nil, number(1), false);
        check(number(1), Attr::Nil, false);
        check(Attr::Bool(true), Attr::List(Arc::new([Attr::Nil])), false);
        check(
            Attr::List(Arc::new([text("a")])),
            Attr::List(Arc::new([text("a")])),
            true,
        );
    }
    #[test]
    fn texts_are_the_same_in_every_byte() {
        for length in 0..70 {
            let text: String = ('a'..='z').cycle().take(length).collect();
            assert!(same_text(&text, &text.clone()), "{length}");
            assert!(!same_text(&text, &format!("{text}x")), "{length}");
            for at in 0..length {
                let mut other = text.clone();
                other.replace_range(at..=at, "X");
                assert!(!same_text(&text, &other), "{length} {at}");
            }
        }
    }
}
