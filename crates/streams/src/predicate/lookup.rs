//! Many predicates asked about one event at once.
//!
//! Predicates that begin with a test of one text field are not asked one by one: those that a text
//! passes are found by it, in a memo, or else in a table of the texts and prefixes that they want.

use std::hash::BuildHasher;

use clj::Cx;
use event::Field;
use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashTable};

use super::text::Way;
use super::{Key, Pred, Reading, Subject, TextOf, text_of};

/// Tests of one field that are worth a look into a table; fewer are asked one by one.
const TESTS_MIN: usize = 6;

/// Texts of one field that a thread remembers the answers for; then it begins anew.
const MEMO_TEXTS_MAX: usize = 8192;

/// The longest text that is remembered, in bytes.
const MEMO_TEXT_BYTES_MAX: usize = 256;

/// Bytes that a thread spends on the texts and the answers of one field.
const MEMO_BYTES_MAX: usize = 1 << 20;

/// Fields by which predicates are found, the most telling first.
const FIELDS: [Field; 4] = [
    Field::Service,
    Field::Host,
    Field::Description,
    Field::State,
];

/// A table of predicates, which are known by their place among their siblings.
pub(crate) struct Lookup {
    fields: Vec<FieldLookup>,
    /// Of each predicate, how it is found.
    guards: Box<[Option<Guard>]>,
    hasher: RandomState,
}

/// The part of a predicate by which it is found.
#[derive(Clone, Copy)]
enum Guard {
    /// All of it.
    Whole,
    /// One of those that it joins by `and`.
    Part(usize),
}

struct FieldLookup {
    key: Key,
    /// How received events tell.
    text: Option<TextOf>,
    whole: HashMap<Box<str>, Vec<u32>, RandomState>,
    prefixes: HashMap<Box<str>, Vec<u32>, RandomState>,
    /// The lengths that prefixes have.
    prefix_lengths: Vec<usize>,
    /// Predicates that have to be asked.
    others: Vec<u32>,
    all: Vec<u32>,
}

/// What a thread remembers of each field.
#[derive(Default)]
pub(crate) struct Memos(Vec<Memo>);

#[derive(Default)]
struct Memo {
    known: HashTable<Known>,
    texts: String,
    passing: Vec<u32>,
    /// What was found last; the next event is often like it.
    last: Option<Known>,
    absent: Option<(u32, u32)>,
}

#[derive(Clone, Copy)]
struct Known {
    hash: u64,
    text: (u32, u32),
    passing: (u32, u32),
}

impl Lookup {
    /// The table of those predicates that are found by a text. `None` if it would not be worth it.
    pub fn of(preds: &[Option<&Pred>]) -> Option<Lookup> {
        let mut guards = vec![None; preds.len()].into_boxed_slice();
        let mut fields = Vec::new();
        for field in FIELDS {
            let guarded = |pred: &Pred| pred.is_pure().then(|| guard(pred, field)).flatten();
            let found: Vec<(usize, Guard)> = preds
                .iter()
                .enumerate()
                .filter(|(place, _)| guards[*place].is_none())
                .filter_map(|(place, pred)| Some((place, guarded((*pred)?)?)))
                .collect();
            if found.len() < TESTS_MIN {
                continue;
            }
            let mut lookup = FieldLookup::new(field);
            for (place, guard) in found {
                guards[place] = Some(guard);
                if let Some(pred) = preds[place] {
                    lookup.add(place as u32, test(pred, guard));
                }
            }
            fields.push(lookup);
        }
        (!fields.is_empty()).then(|| Lookup {
            fields,
            guards,
            hasher: RandomState::default(),
        })
    }

    /// True of a predicate that is found; the others have to be asked.
    pub fn finds(&self, place: usize) -> bool {
        self.guards[place].is_some()
    }

    /// Adds the places of those found predicates that hold of an event, in order. False if asking
    /// any of them could throw; then it adds none.
    pub fn matching<'p>(
        &self,
        cx: &Cx<'_>,
        memos: &mut Memos,
        subject: &Subject<'_>,
        pred: impl Fn(usize) -> Option<&'p Pred>,
        places: &mut Vec<u32>,
    ) -> bool {
        memos.0.resize_with(self.fields.len(), Memo::default);
        let from = places.len();
        let mut sure = true;
        for (field, memo) in self.fields.iter().zip(&mut memos.0) {
            let own = match field.read(subject) {
                Some(None) => {
                    memo.absent(|into| self.ask(cx, &field.all, &Reading::Nil, &pred, into))
                }
                Some(Some(text)) => memo.find(text, &self.hasher, |into| {
                    field.find(text, into);
                    self.ask(cx, &field.others, &Reading::Str(text), &pred, into)
                }),
                None => None,
            };
            match own {
                Some(own) => places.extend_from_slice(own),
                None => sure = false,
            }
        }
        let mut kept = from;
        for at in from..places.len() {
            let place = places[at];
            match self.rest_holds(cx, place as usize, subject, &pred) {
                Some(true) => {
                    places[kept] = place;
                    kept += 1;
                }
                Some(false) => {}
                None => sure = false,
            }
        }
        places.truncate(if sure { kept } else { from });
        if self.fields.len() > 1 {
            places[from..].sort_unstable();
        }
        sure
    }

    /// Whether the rest of a predicate holds, whose guard does; `None` if it throws.
    fn rest_holds<'p>(
        &self,
        cx: &Cx<'_>,
        place: usize,
        subject: &Subject<'_>,
        pred: &impl Fn(usize) -> Option<&'p Pred>,
    ) -> Option<bool> {
        let (Some(Guard::Part(guard)), Some(Pred::And(all))) = (self.guards[place], pred(place))
        else {
            return Some(true);
        };
        for (number, pred) in all.iter().enumerate() {
            if number == guard {
                continue;
            }
            let holds = match pred.is_text(subject) {
                Some(holds) => holds,
                None => pred.test(cx, subject).ok()?,
            };
            if !holds {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Adds those of the guards that hold; false if one throws.
    fn ask<'p>(
        &self,
        cx: &Cx<'_>,
        places: &[u32],
        reading: &Reading<'_>,
        pred: &impl Fn(usize) -> Option<&'p Pred>,
        into: &mut Vec<u32>,
    ) -> bool {
        for place in places {
            let (Some(guard), Some(pred)) = (self.guards[*place as usize], pred(*place as usize))
            else {
                continue;
            };
            match test(pred, guard).holds_of(cx, reading) {
                Ok(true) => into.push(*place),
                Ok(false) => {}
                Err(_) => return false,
            }
        }
        true
    }
}

/// The first test of a predicate that a text field decides. What comes before it must not throw: it
/// is not asked where the test fails.
fn guard(pred: &Pred, field: Field) -> Option<Guard> {
    if pred.text_field() == Some(field) {
        return Some(Guard::Whole);
    }
    let Pred::And(all) = pred else { return None };
    for (number, pred) in all.iter().enumerate() {
        if pred.text_field()? == field {
            return Some(Guard::Part(number));
        }
        if !pred.never_throws() {
            return None;
        }
    }
    None
}

fn test(pred: &Pred, guard: Guard) -> &Pred {
    match (pred, guard) {
        (Pred::And(all), Guard::Part(number)) => &all[number],
        _ => pred,
    }
}

impl FieldLookup {
    fn new(field: Field) -> FieldLookup {
        FieldLookup {
            key: Key::Field(field),
            text: text_of(field),
            whole: HashMap::default(),
            prefixes: HashMap::default(),
            prefix_lengths: Vec::new(),
            others: Vec::new(),
            all: Vec::new(),
        }
    }

    /// What the field holds; `None` if that is neither a text nor nil.
    fn read<'a>(&self, subject: &'a Subject<'a>) -> Option<Option<&'a str>> {
        if let (Some(view), Some(text)) = (subject.head(), self.text) {
            return Some(text(view));
        }
        match subject.read(&self.key) {
            Reading::Nil => Some(None),
            Reading::Str(text) => Some(Some(text)),
            _ => None,
        }
    }

    fn add(&mut self, place: u32, test: &Pred) {
        self.all.push(place);
        let Some(ways) = test.ways() else {
            self.others.push(place);
            return;
        };
        for way in ways {
            let (table, text) = match way {
                Way::Whole(text) => (&mut self.whole, text),
                Way::Prefix(text) => {
                    if !self.prefix_lengths.contains(&text.len()) {
                        self.prefix_lengths.push(text.len());
                    }
                    (&mut self.prefixes, text)
                }
            };
            table.entry(text.into()).or_default().push(place);
        }
    }

    /// Adds the tests that a text passes by what it is or begins with.
    fn find(&self, text: &str, into: &mut Vec<u32>) {
        into.extend(self.whole.get(text).into_iter().flatten());
        for length in &self.prefix_lengths {
            if let Some(prefix) = text.get(..*length) {
                into.extend(self.prefixes.get(prefix).into_iter().flatten());
            }
        }
    }
}

impl Memo {
    /// The places that pass where the field is empty; `ask` gives them the first time, or false if
    /// that cannot be told.
    fn absent(&mut self, ask: impl FnOnce(&mut Vec<u32>) -> bool) -> Option<&[u32]> {
        let (from, to) = match self.absent {
            Some(known) => known,
            None => {
                let known = self.note(ask)?;
                *self.absent.insert(known)
            }
        };
        Some(&self.passing[from as usize..to as usize])
    }

    /// As [`Memo::absent`], where there is a text.
    fn find(
        &mut self,
        text: &str,
        hasher: &RandomState,
        ask: impl FnOnce(&mut Vec<u32>) -> bool,
    ) -> Option<&[u32]> {
        let hash = hasher.hash_one(text);
        if let Some(last) = self.last
            && last.hash == hash
            && self.text(last) == text
        {
            return Some(self.passing(last));
        }
        let same = |known: &Known| known.hash == hash && self.text(*known) == text;
        let found = match self.known.find(hash, same) {
            Some(known) => *known,
            None => self.learn(hash, text, ask)?,
        };
        // One that is too long to be remembered has lost its text.
        self.last = (text.len() <= MEMO_TEXT_BYTES_MAX).then_some(found);
        Some(self.passing(found))
    }

    fn learn(
        &mut self,
        hash: u64,
        text: &str,
        ask: impl FnOnce(&mut Vec<u32>) -> bool,
    ) -> Option<Known> {
        let bytes = self.texts.len() + size_of_val(&self.passing[..]);
        if self.known.len() >= MEMO_TEXTS_MAX || bytes >= MEMO_BYTES_MAX {
            self.forget();
        }
        let text_from = self.texts.len() as u32;
        let passing = self.note(ask)?;
        if text.len() > MEMO_TEXT_BYTES_MAX {
            return Some(Known {
                hash,
                text: (text_from, text_from),
                passing,
            });
        }
        self.texts.push_str(text);
        let known = Known {
            hash,
            text: (text_from, self.texts.len() as u32),
            passing,
        };
        self.known.insert_unique(hash, known, |known| known.hash);
        Some(known)
    }

    fn note(&mut self, ask: impl FnOnce(&mut Vec<u32>) -> bool) -> Option<(u32, u32)> {
        let from = self.passing.len();
        if !ask(&mut self.passing) {
            self.passing.truncate(from);
            return None;
        }
        let own = &mut self.passing[from..];
        own.sort_unstable();
        let mut kept = from;
        for at in from..self.passing.len() {
            if at == from || self.passing[at] != self.passing[kept - 1] {
                self.passing[kept] = self.passing[at];
                kept += 1;
            }
        }
        self.passing.truncate(kept);
        Some((from as u32, kept as u32))
    }

    fn forget(&mut self) {
        self.known.clear();
        self.texts.clear();
        self.passing.clear();
        self.last = None;
        self.absent = None;
    }

    fn text(&self, known: Known) -> &str {
        &self.texts[known.text.0 as usize..known.text.1 as usize]
    }

    fn passing(&self, known: Known) -> &[u32] {
        &self.passing[known.passing.0 as usize..known.passing.1 as usize]
    }
}
