//! `history`: the stream that keeps what it is given, and what a configuration says of it. The
//! program opens it.

use std::path::PathBuf;
use std::sync::Arc;

use arc_swap::ArcSwapOption;
use clj::{Cx, Map, Native, Value, seq};
use event::{Event, Field, Time, Views};
use histogram::Histogram;
use streams::{Batch, Past, Selection, Stream, StreamFn, World};

use crate::given::{self, Durability, dir, known, seconds, unfit, value, wrong};
use crate::index_object::to_event;
use crate::state::{Mode, State};

/// Milliseconds between syncs, if the configuration does not say: what a crash of the machine may
/// cost.
const INTERVAL_MS: u64 = 1000;

const DAY_US: i64 = 86_400 * 1_000_000;

/// How far in the future an event may lie, if the configuration does not say: clocks that are set
/// to another zone's time are still seen.
const AHEAD_US: i64 = 3600 * 1_000_000;

/// How often every byte is looked at, if the configuration does not say.
const SCRUB_US: i64 = DAY_US;

const OPTIONS: [&str; 9] = [
    "dir",
    "by",
    "retention",
    "durability",
    "ms",
    "ahead",
    "full",
    "scrub",
    "optional",
];

/// A history of the configuration, its options checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistorySpec {
    pub dir: PathBuf,
    pub durability: Durability,
    pub retained: Retained,
    pub full: Full,
    /// How far in the future an event may lie, in microseconds.
    pub ahead_us: i64,
    /// How often every byte is looked at, in microseconds. `None` is never.
    pub scrub_us: Option<i64>,
    /// The server goes on without it if it cannot be opened.
    pub is_optional: bool,
}

/// How long what is kept, in microseconds; `None` is for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retained {
    pub raw_us: Option<i64>,
    pub minutes_us: Option<i64>,
    pub half_hours_us: Option<i64>,
    /// All together, in bytes. `None` is no limit.
    pub bytes_max: Option<u64>,
}

/// What to do when the disk is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// Take no more.
    Refuse,
    /// Delete the oldest samples that have been rolled up.
    RollUp,
}

/// What tells series apart beside host and service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filing {
    /// The value of an attribute.
    Attribute(String),
    /// Whether an event has a tag.
    Tag(String),
    /// All its tags.
    Tags,
}

/// Keeps events, on the thread that streams them.
pub trait HistoryLog: Send + Sync {
    /// The chosen events were given to a history stream.
    fn keep_views(
        &self,
        by: &[Filing],
        views: &Views<'_>,
        chosen: &mut dyn ExactSizeIterator<Item = usize>,
        now_us: i64,
    );

    /// Events were given to a history stream.
    fn keep(&self, by: &[Filing], events: &[Event], now_us: i64);

    /// The distribution of an event's series from one time up to, not with, another.
    ///
    /// # Errors
    /// Why history cannot be read.
    fn past(
        &self,
        by: &[Filing],
        event: &Event,
        from: Time,
        to: Time,
    ) -> Result<Option<Histogram>, String>;
}

/// Where the open history is, while there is one.
pub type HistorySlot = Arc<ArcSwapOption<Arc<dyn HistoryLog>>>;

pub const NATIVES: &[Native] = &[Native {
    name: "-history!",
    arglists: "([options])",
    doc: "Notes what history is to be open, and gives a stream into it.",
    arity: (1, Some(1)),
    code: history,
}];

/// Gives events to the history that is open.
struct HistoryStream {
    by: Vec<Filing>,
    /// `None` where time is not the machine's.
    slot: Option<HistorySlot>,
}

impl Stream for HistoryStream {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> clj::Result {
        if let Some(log) = self.slot.as_ref().and_then(|slot| slot.load_full()) {
            let now_us = cx.get::<World>()?.now().us;
            log.keep(&self.by, &[to_event(value)?], now_us);
        }
        Ok(Value::Bool(true))
    }

    fn push(&self, cx: &Cx<'_>, batch: &Batch<'_>, chosen: &Selection) {
        let Some(slot) = &self.slot else {
            return;
        };
        let log = slot.load();
        let (Some(log), Ok(now)) = (&*log, batch.now(cx)) else {
            return;
        };
        if let Some(views) = batch.views() {
            log.keep_views(&self.by, views, &mut chosen.iter(), now.us);
            return;
        }
        let mut events = Vec::with_capacity(chosen.len());
        for at in chosen.iter() {
            match to_event(batch.value(at)) {
                Ok(event) => events.push(event),
                Err(thrown) => batch.fail(cx, at, "history", thrown),
            }
        }
        log.keep(&self.by, &events, now.us);
    }

    /// No stream can look into history while events are on their way.
    fn is_contained(&self) -> bool {
        true
    }
}

/// The history that is open, for `baseline`.
struct OpenPast {
    by: Vec<Filing>,
    slot: HistorySlot,
}

impl Past for OpenPast {
    fn past(&self, event: &Event, from: Time, to: Time) -> Result<Option<Histogram>, String> {
        match &*self.slot.load() {
            Some(log) => log.past(&self.by, event, from, to),
            None => Ok(None),
        }
    }
}

fn history(cx: &Cx<'_>, args: &[Value]) -> clj::Result {
    let empty = Map::default();
    let options = match &args[0] {
        Value::Nil => &empty,
        Value::Map(options) => options,
        Value::Event(_) => {
            let call = "history makes a stream when it is called: write (history)";
            return Err(wrong(call.to_owned()));
        }
        other => {
            let other = other.to_readable();
            let message = format!("history: its options must be a map, not {other}");
            return Err(wrong(message));
        }
    };
    let spec = parse(options)?;
    let by = filings(&value(options, "by"))?;
    let state = cx.get::<State>()?;
    let mut noted = state.history.lock();
    if let Some(other) = noted.as_ref().filter(|other| **other != spec) {
        return Err(wrong(format!(
            "there is a history in {} with other options already; a server keeps one, and its \
             streams may differ in :by",
            other.dir.display()
        )));
    }
    let is_first = noted.replace(spec).is_none();
    drop(noted);
    let slot = match state.mode {
        Mode::Run if state.wire.is_some() => Some(state.kept.history.clone()),
        _ => None,
    };
    if let Some(slot) = slot.clone().filter(|_| is_first) {
        let by = by.clone();
        cx.get::<World>()?.set_past(Arc::new(OpenPast { by, slot }));
    }
    Ok(StreamFn::value("history", HistoryStream { by, slot }))
}

fn parse(options: &Map) -> clj::Result<HistorySpec> {
    known("history", options, &OPTIONS)?;
    let full = value(options, "full");
    let interval = Durability::Interval { ms: INTERVAL_MS };
    Ok(HistorySpec {
        dir: dir("history", options, "history")?,
        durability: given::durability("history", options, interval, INTERVAL_MS)?,
        retained: retention(options)?,
        full: match full.to_text().as_str() {
            "" | ":refuse" => Full::Refuse,
            ":roll-up" => Full::RollUp,
            _ => return Err(unfit("history", "full", ":refuse or :roll-up", &full)),
        },
        ahead_us: seconds("history", options, "ahead")?.unwrap_or(AHEAD_US),
        scrub_us: match value(options, "scrub") {
            Value::Bool(false) => None,
            _ => Some(seconds("history", options, "scrub")?.unwrap_or(SCRUB_US)),
        },
        is_optional: value(options, "optional").truthy(),
    })
}

fn retention(options: &Map) -> clj::Result<Retained> {
    let given = value(options, "retention");
    let empty = Map::default();
    let retention = match &given {
        Value::Nil => &empty,
        Value::Map(retention) => retention,
        _ => {
            let wanted = "a map of :raw, :minutes, :half-hours and :bytes";
            return Err(unfit("history", "retention", wanted, &given));
        }
    };
    let names = ["raw", "minutes", "half-hours", "bytes"];
    known("history", retention, &names)?;
    let age = |name: &str, otherwise: Option<i64>| match value(retention, name) {
        Value::Nil => Ok(otherwise),
        forever if forever.to_text() == ":forever" => Ok(None),
        other => seconds("history", retention, name)
            .map_err(|_| unfit("history", name, "a number of seconds or :forever", &other)),
    };
    Ok(Retained {
        raw_us: age("raw", Some(14 * DAY_US))?,
        minutes_us: age("minutes", Some(90 * DAY_US))?,
        half_hours_us: age("half-hours", None)?,
        bytes_max: match value(retention, "bytes") {
            Value::Nil => None,
            Value::Int(bytes) if bytes > 0 => u64::try_from(bytes).ok(),
            other => return Err(unfit("history", "bytes", "a whole number", &other)),
        },
    })
}

/// `:by`: keywords name attributes, strings tags.
fn filings(by: &Value) -> clj::Result<Vec<Filing>> {
    let wanted = "a vector of attributes (:zone), tags (\"canary\") and :tags";
    let wrong_one = |one: &Value| unfit("history", "by", wanted, one);
    if !matches!(by, Value::Nil | Value::Vector(_)) {
        return Err(wrong_one(by));
    }
    let filing = |one: &Value| match one {
        Value::Str(tag) => Ok(Filing::Tag(tag.to_string())),
        Value::Keyword(key) => match Field::named(key.name()) {
            Some(Field::Tags) => Ok(Filing::Tags),
            Some(_) => Err(wrong_one(one)),
            None => Ok(Filing::Attribute(key.name().to_owned())),
        },
        _ => Err(wrong_one(one)),
    };
    seq::to_vec(by)?.iter().map(filing).collect()
}
