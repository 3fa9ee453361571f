//! `fixed-time-window` and `fixed-offset-time-window`: events in windows by their own time.

use std::sync::Arc;

use clj::{Cx, Native, Result, Thrown, Value};
use event::{Number, Time};
use num_traits::ToPrimitive;
use parking_lot::Mutex;

use crate::keep::Kept;
use crate::recent::{self, Bound, Recent};
use crate::stream::operator;
use crate::{Children, Stream, StreamFn, arithmetic, fields, timer};

pub const OPERATOR: Native = operator(
    "fixed-time-window",
    "([n & children] [n options & children])",
    1,
    |_: &Cx<'_>, args: &[Value]| new("fixed-time-window", args, Start::AtFirst),
    "Collects the events of each n seconds and passes them on as a vector. The first window starts \
     with the time of the first event. Time is that of the events: a window is passed on when an \
     event comes that is later than its end. With {:clock true} before the children, it is passed on at \
     its end by the clock if no event came before; what comes after that is too late. Windows in which nothing happened are passed on empty \
     when the next event comes; events that are too late are dropped; those without a time count as of \
     the window that is open. A window keeps the latest {:max 1000000} events.\n\n    (fixed-time-window 60 (smap folds/sum index))",
);

pub const OFFSET: Native = operator(
    "fixed-offset-time-window",
    "([n & children] [n options & children])",
    1,
    |_: &Cx<'_>, args: &[Value]| new("fixed-offset-time-window", args, Start::AtMultiple),
    "As fixed-time-window, but windows start at times that are multiples of n: with 60, at full \
     minutes.",
);

#[derive(Clone, Copy)]
enum Start {
    AtFirst,
    AtMultiple,
}

struct FixedTimeWindow(Arc<Shared>);

struct Shared {
    length: Number,
    start: Start,
    /// Windows close by the clock, too.
    by_clock: bool,
    bound: Bound,
    window: Mutex<Window>,
    children: Children,
}

#[derive(Default)]
struct Window {
    /// `None` before the first event that has a time.
    start: Option<Number>,
    events: Recent<Value>,
}

/// Windows that ended with one event: the events of the first, and how many empty ones follow.
struct Ended {
    events: Vec<Value>,
    empty: u64,
}

fn new(name: &'static str, args: &[Value], start: Start) -> Result {
    let length = arithmetic::number(&args[0])?;
    if length.is_zero() {
        return Err(Thrown::illegal_argument(
            "a time window must be longer than 0 s",
        ));
    }
    let (options, children) = recent::options(&args[1..]);
    let bound = Bound::of(name, &options)?;
    let by_clock = fields::get(&options, "clock").truthy();
    let children = Children::of(children);
    let shared = Shared {
        length,
        start,
        by_clock,
        bound,
        window: Mutex::default(),
        children,
    };
    Ok(StreamFn::value(name, FixedTimeWindow(Arc::new(shared))))
}

impl Window {
    /// Takes an event in, and gives the windows that it ends.
    fn add(&mut self, cx: &Cx<'_>, shared: &Shared, value: &Value) -> Result<Option<Ended>> {
        let Some(time) = fields::number(value, "time")? else {
            self.events.push(cx, &shared.bound, value.clone());
            return Ok(None);
        };
        let Some(start) = &self.start else {
            self.start = Some(match shared.start {
                Start::AtFirst => time,
                Start::AtMultiple => {
                    arithmetic::difference(&time, &past_multiple(&time, &shared.length)?)?
                }
            });
            self.events = Recent::default();
            self.events.push(cx, &shared.bound, value.clone());
            return Ok(None);
        };
        let past = arithmetic::difference(&time, start)?;
        if arithmetic::less(&past, &Number::Int(0)) {
            return Ok(None);
        }
        if arithmetic::less(&past, &shared.length) {
            self.events.push(cx, &shared.bound, value.clone());
            return Ok(None);
        }
        let whole = arithmetic::difference(&past, &past_multiple(&past, &shared.length)?)?;
        let windows = arithmetic::quotient(&whole, &shared.length)?;
        self.start = Some(arithmetic::sum(start, &whole)?);
        let events = std::mem::take(&mut self.events).into_vec();
        self.events.push(cx, &shared.bound, value.clone());
        let empty = windows
            .to_f64()
            .round()
            .to_u64()
            .unwrap_or(1)
            .saturating_sub(1);
        Ok(Some(Ended { events, empty }))
    }
}

/// `time mod length`.
fn past_multiple(time: &Number, length: &Number) -> Result<Number> {
    if let (Number::Int(time), Number::Int(length)) = (time, length) {
        return Ok(Number::Int(time.rem_euclid(*length)));
    }
    if time.is_float() || length.is_float() {
        return Ok(Number::F64(time.to_f64().rem_euclid(length.to_f64())));
    }
    let quotient = arithmetic::quotient(time, length)?;
    let floor = quotient.to_ratio().map_or(Number::Int(0), |ratio| {
        Number::from_big(ratio.floor().to_integer())
    });
    arithmetic::difference(time, &arithmetic::product(&floor, length)?)
}

impl Shared {
    /// Has the clock close the window that begins at `start`.
    fn close_at_end(self: &Arc<Shared>, cx: &Cx<'_>, start: Number) -> Result<()> {
        let end = arithmetic::sum(&start, &self.length)?;
        let Some(at) = Time::nearest(&end) else {
            return Ok(());
        };
        let shared = self.clone();
        timer::once_at(cx, at, move |cx| {
            let closed = shared.close(&start, &end);
            if let Some(events) = closed {
                shared.children.call(cx, &Value::vector(events));
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Ends the window that begins at `start`, unless an event has done so.
    fn close(&self, start: &Number, end: &Number) -> Option<Vec<Value>> {
        let mut window = self.window.lock();
        if window.start.as_ref() != Some(start) {
            return None;
        }
        window.start = Some(end.clone());
        Some(std::mem::take(&mut window.events).into_vec())
    }
}

impl Stream for FixedTimeWindow {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let shared = &self.0;
        let (ended, begun) = {
            let mut window = shared.window.lock();
            let ended = window.add(cx, shared, value)?;
            let begun = window.start.clone().filter(|_| window.events.len() == 1);
            (ended, begun)
        };
        if let Some(start) = begun.filter(|_| shared.by_clock) {
            shared.close_at_end(cx, start)?;
        }
        let Some(ended) = ended else {
            return Ok(Value::Nil);
        };
        shared.children.call(cx, &Value::vector(ended.events));
        for _ in 0..ended.empty {
            shared.children.call(cx, &Value::vector(Vec::new()));
        }
        Ok(Value::Nil)
    }

    fn is_contained(&self) -> bool {
        self.0.children.is_contained()
    }

    fn keep(&self, _: &Cx<'_>) -> Option<Kept> {
        let window = std::mem::take(&mut *self.0.window.lock());
        Some(Kept::new(self.0.length.to_string(), window))
    }

    fn adopt(&self, cx: &Cx<'_>, kept: Kept) -> std::result::Result<(), String> {
        let window: Window = kept.state(&self.0.length.to_string())?;
        let start = window.start.clone().filter(|_| self.0.by_clock);
        *self.0.window.lock() = window;
        match start {
            Some(start) => self
                .0
                .close_at_end(cx, start)
                .map_err(|thrown| thrown.to_string()),
            None => Ok(()),
        }
    }
}
