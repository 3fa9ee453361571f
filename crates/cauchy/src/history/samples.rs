//! From events to samples.

use std::cell::RefCell;
use std::ops::Range;

use config::Filing;
use event::{Event, FieldRef, Fields, HistogramRef, Number, Tags, Views};
use histogram::Histogram;
use store::{Sample, Value};

use super::states::{Known, States};

/// Events whose samples are appended at once: beyond, other threads would wait long for their turn.
const AT_ONCE: usize = 512;

/// The state of an event whose ttl is over: its metric, if it still has one, was measured before.
const EXPIRED: &str = "expired";

/// What a tag is filed under.
const TAGS: &str = "tags";

thread_local! {
    /// Memory of events on their way into the store.
    static SPARE: RefCell<Spare> = RefCell::default();
}

#[derive(Default)]
struct Spare {
    told: Vec<Told<'static>>,
    names: Vec<(&'static str, &'static str)>,
    samples: Vec<Sample<'static>>,
}

/// What times are taken, in microseconds since 1970.
#[derive(Clone, Copy)]
pub struct Span {
    pub oldest_us: i64,
    pub newest_us: i64,
    /// Of events without a time.
    pub now_us: i64,
}

/// Events that were not taken, by why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refused {
    pub late: u64,
    pub ahead: u64,
}

/// What was measured.
enum Metric<'a> {
    Number(f64),
    Histogram(HistogramRef<'a>),
}

/// What of an event is kept.
struct Told<'a> {
    host: Option<&'a str>,
    service: Option<&'a str>,
    time_us: i64,
    metric: Option<Metric<'a>>,
    /// The state, if it is new.
    state: Option<&'a str>,
    /// Where the names are that it is filed under.
    names: Range<usize>,
}

/// Gives the samples of received events, some at once.
pub fn of_views(
    by: &[Filing],
    views: &Views<'_>,
    chosen: &mut dyn ExactSizeIterator<Item = usize>,
    span: Span,
    states: &States,
    mut append: impl FnMut(&[Sample<'_>]),
) -> Refused {
    let mut refused = Refused::default();
    while chosen.len() > 0 {
        let mut spare = SPARE.take();
        let mut told: Vec<Told<'_>> = recycled(&mut spare.told);
        let mut names: Vec<(&str, &str)> = recycled(&mut spare.names);
        let mut known = states.lock();
        for at in chosen.take(AT_ONCE) {
            let view = views.head(at);
            let from = names.len();
            if !by.is_empty() {
                let whole = views.get(at);
                let tags = Tags::of(whole.tags);
                file(by, |name| attribute(whole.attrs, name), tags, &mut names);
            }
            let event = Told {
                host: view.host,
                service: view.service,
                time_us: view.time.map_or(span.now_us, |time| time.us),
                metric: metric(view.metric.map(Number::from), view.histogram),
                state: view.state,
                names: from..names.len(),
            };
            told.extend(event.kept(span, &names, &mut known, &mut refused));
        }
        drop(known);
        give(&told, &names, &mut spare.samples, &mut append);
        (spare.told, spare.names) = (recycled(&mut told), recycled(&mut names));
        SPARE.set(spare);
    }
    refused
}

/// Gives the samples of events, some at once.
pub fn of_events(
    by: &[Filing],
    events: &[Event],
    span: Span,
    states: &States,
    mut append: impl FnMut(&[Sample<'_>]),
) -> Refused {
    let mut refused = Refused::default();
    for some in events.chunks(AT_ONCE) {
        let mut names = Vec::new();
        let mut told = Vec::with_capacity(some.len());
        let mut known = states.lock();
        for event in some {
            let from = names.len();
            names.extend(names_of(by, event));
            let event = Told {
                host: event.host(),
                service: event.service(),
                time_us: event.time().map_or(span.now_us, |time| time.us),
                metric: metric(event.metric(), event.histogram()),
                state: event.state(),
                names: from..names.len(),
            };
            told.extend(event.kept(span, &names, &mut known, &mut refused));
        }
        drop(known);
        give(&told, &names, &mut Vec::new(), &mut append);
    }
    refused
}

/// What an event's series is called by beside host and service.
pub fn names_of<'a>(by: &'a [Filing], event: &'a Event) -> Vec<(&'a str, &'a str)> {
    let mut names = Vec::new();
    let attribute = |name: &str| match event.get(name) {
        FieldRef::Str(value) => Some(value),
        _ => None,
    };
    let tags = event.tags().unwrap_or(Tags::of(&[]));
    file(by, attribute, tags, &mut names);
    names
}

/// Adds what an event is filed under.
fn file<'a>(
    by: &'a [Filing],
    attribute: impl Fn(&str) -> Option<&'a str>,
    tags: Tags<'a>,
    names: &mut Vec<(&'a str, &'a str)>,
) {
    for filing in by {
        match filing {
            Filing::Attribute(name) => {
                names.extend(attribute(name).map(|value| (&**name, value)));
            }
            Filing::Tag(tag) => names.extend(tags.contains(tag).then_some((TAGS, &**tag))),
            Filing::Tags => {
                let from = names.len();
                names.extend(tags.clone().map(|tag| (TAGS, tag)));
                names[from..].sort_unstable();
            }
        }
    }
}

fn metric(number: Option<Number>, histogram: Option<HistogramRef<'_>>) -> Option<Metric<'_>> {
    match number {
        Some(number) => Some(Metric::Number(number.to_f64())),
        None => histogram.map(Metric::Histogram),
    }
}

fn attribute<'a>(attributes: &[(&str, &'a str)], name: &str) -> Option<&'a str> {
    let found = attributes.iter().rev().find(|(own, _)| *own == name);
    found.map(|(_, value)| *value)
}

impl Told<'_> {
    /// What is kept of it, if anything.
    fn kept(
        mut self,
        span: Span,
        names: &[(&str, &str)],
        known: &mut Known<'_>,
        refused: &mut Refused,
    ) -> Option<Self> {
        if self.time_us > span.newest_us {
            refused.ahead += 1;
            return None;
        }
        if self.time_us < span.oldest_us {
            refused.late += 1;
            return None;
        }
        if let Some(state) = self.state {
            if state == EXPIRED {
                self.metric = None;
            }
            let names = &names[self.names.clone()];
            if !known.changes(self.host, self.service, names, state) {
                self.state = None;
            }
        }
        (self.metric.is_some() || self.state.is_some()).then_some(self)
    }
}

/// Gives the samples of events.
fn give<'a>(
    told: &'a [Told<'a>],
    names: &'a [(&'a str, &'a str)],
    spare: &mut Vec<Sample<'static>>,
    append: &mut impl FnMut(&[Sample<'_>]),
) {
    let unpacked = told.iter().filter_map(|event| match event.metric {
        Some(Metric::Histogram(packed)) => Some(packed.unpack()),
        _ => None,
    });
    let unpacked: Vec<Histogram> = unpacked.collect();
    let mut histograms = unpacked.iter();
    let mut samples: Vec<Sample<'_>> = recycled(spare);
    for event in told {
        let sample = |value| Sample {
            host: event.host,
            service: event.service,
            by: &names[event.names.clone()],
            time_us: event.time_us,
            value,
        };
        let value = match event.metric {
            Some(Metric::Number(number)) => Some(Value::Number(number)),
            Some(Metric::Histogram(_)) => histograms.next().map(Value::Histogram),
            None => None,
        };
        samples.extend(value.map(sample));
        samples.extend(event.state.map(|state| sample(Value::Text(state))));
    }
    if !samples.is_empty() {
        append(&samples);
    }
    *spare = recycled(&mut samples);
}

/// Empties a vector, for what lives for another time. Collecting an emptied vector into one of the
/// same layout reuses its memory.
fn recycled<A, B>(spare: &mut Vec<A>) -> Vec<B> {
    let mut spare = std::mem::take(spare);
    spare.clear();
    let none = spare.into_iter().map(|_| unreachable!("emptied"));
    none.collect()
}
