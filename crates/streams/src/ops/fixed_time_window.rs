//! `fixed-time-window` and `fixed-offset-time-window`: events in windows by their own time.

use clj::{Cx, Native, Result, Thrown, Value};
use event::Number;
use num_traits::ToPrimitive;
use parking_lot::Mutex;

use crate::stream::operator;
use crate::{Children, Stream, StreamFn, arithmetic, fields};

pub const OPERATOR: Native = operator(
    "fixed-time-window",
    "([n & children])",
    1,
    |_: &Cx<'_>, args: &[Value]| new("fixed-time-window", args, Start::AtFirst),
    "Collects the events of each n seconds and passes them on as a vector. The first window starts \
     with the time of the first event. Time is that of the events: a window is passed on when an \
     event comes that is later than its end, never by the clock. Windows in which nothing happened \
     are passed on empty; events that are too late are dropped; those without a time count as of the \
     window that is open.\n\n    (fixed-time-window 60 (smap folds/sum index))",
);

pub const OFFSET: Native = operator(
    "fixed-offset-time-window",
    "([n & children])",
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

struct FixedTimeWindow {
    length: Number,
    start: Start,
    window: Mutex<Window>,
    children: Children,
}

#[derive(Default)]
struct Window {
    /// `None` before the first event that has a time.
    start: Option<Number>,
    events: Vec<Value>,
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
    let children = Children::of(&args[1..]);
    Ok(StreamFn::value(
        name,
        FixedTimeWindow {
            length,
            start,
            window: Mutex::default(),
            children,
        },
    ))
}

impl FixedTimeWindow {
    fn add(&self, value: &Value) -> Result<Option<Ended>> {
        let time = fields::number(value, "time")?;
        let mut window = self.window.lock();
        let Some(time) = time else {
            window.events.push(value.clone());
            return Ok(None);
        };
        let Some(start) = &window.start else {
            window.start = Some(match self.start {
                Start::AtFirst => time,
                Start::AtMultiple => arithmetic::difference(&time, &self.past_multiple(&time)?)?,
            });
            window.events = vec![value.clone()];
            return Ok(None);
        };
        let past = arithmetic::difference(&time, start)?;
        if arithmetic::less(&past, &Number::Int(0)) {
            return Ok(None);
        }
        if arithmetic::less(&past, &self.length) {
            window.events.push(value.clone());
            return Ok(None);
        }
        let whole = arithmetic::difference(&past, &self.past_multiple(&past)?)?;
        let windows = arithmetic::quotient(&whole, &self.length)?;
        window.start = Some(arithmetic::sum(start, &whole)?);
        let events = std::mem::replace(&mut window.events, vec![value.clone()]);
        let empty = windows
            .to_f64()
            .round()
            .to_u64()
            .unwrap_or(1)
            .saturating_sub(1);
        Ok(Some(Ended { events, empty }))
    }

    /// `time mod length`.
    fn past_multiple(&self, time: &Number) -> Result<Number> {
        if let (Number::Int(time), Number::Int(length)) = (time, &self.length) {
            return Ok(Number::Int(time.rem_euclid(*length)));
        }
        if time.is_float() || self.length.is_float() {
            return Ok(Number::F64(time.to_f64().rem_euclid(self.length.to_f64())));
        }
        let quotient = arithmetic::quotient(time, &self.length)?;
        let floor = quotient.to_ratio().map_or(Number::Int(0), |ratio| {
            Number::from_big(ratio.floor().to_integer())
        });
        arithmetic::difference(time, &arithmetic::product(&floor, &self.length)?)
    }
}

impl Stream for FixedTimeWindow {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let Some(ended) = self.add(value)? else {
            return Ok(Value::Nil);
        };
        self.children.call(cx, &Value::vector(ended.events));
        for _ in 0..ended.empty {
            self.children.call(cx, &Value::vector(Vec::new()));
        }
        Ok(Value::Nil)
    }

    fn is_contained(&self) -> bool {
        self.children.is_contained()
    }
}
