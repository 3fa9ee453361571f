//! `moving-time-window`: the events of the last seconds.

use std::collections::VecDeque;

use clj::{Cx, Native, Result, Value};
use event::Number;
use parking_lot::Mutex;

use crate::keep::Kept;
use crate::recent::{self, Bound};
use crate::stream::operator;
use crate::{Children, Stream, StreamFn, arithmetic, fields};

pub const OPERATOR: Native = operator(
    "moving-time-window",
    "([n & children] [n options & children])",
    1,
    new,
    "Keeps the events of the last n seconds, and passes them on as a vector each time one comes in. \
     Time is that of the events: the latest time seen is now, and events n seconds older or more \
     are dropped. Events without a time stay in the window for good. At most \
     {:max 1000000} events are kept: the oldest go first.\n\n    (moving-time-window 60 \
     (smap folds/maximum index))",
);

struct MovingTimeWindow {
    length: Number,
    bound: Bound,
    window: Mutex<Window>,
    children: Children,
}

struct Window {
    /// Events must be later than this.
    cutoff: Number,
    events: VecDeque<(Option<Number>, Value)>,
}

fn new(_: &Cx<'_>, args: &[Value]) -> Result {
    let (options, children) = recent::options(&args[1..]);
    let window = Window {
        cutoff: Number::Int(0),
        events: VecDeque::new(),
    };
    Ok(StreamFn::value(
        "moving-time-window",
        MovingTimeWindow {
            length: arithmetic::number(&args[0])?,
            bound: Bound::of("moving-time-window", &options)?,
            window: Mutex::new(window),
            children: Children::of(children),
        },
    ))
}

impl Stream for MovingTimeWindow {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let time = fields::number(value, "time")?;
        let events = {
            let mut window = self.window.lock();
            if let Some(time) = &time {
                let cutoff = arithmetic::difference(time, &self.length)?;
                if arithmetic::less(&window.cutoff, &cutoff) {
                    window.cutoff = cutoff;
                }
                if !arithmetic::less(&window.cutoff, time) {
                    return Ok(Value::Nil);
                }
            }
            let Window { cutoff, events } = &mut *window;
            events.push_back((time, value.clone()));
            let late = |time: &Number| !arithmetic::less(cutoff, time);
            events.retain(|(time, _)| !time.as_ref().is_some_and(late));
            if events.len() > self.bound.max() {
                events.pop_front();
                self.bound.dropped(cx, 1);
            }
            Value::vector(events.iter().map(|(_, event)| event.clone()).collect())
        };
        self.children.call(cx, &events);
        Ok(Value::Bool(true))
    }

    fn is_contained(&self) -> bool {
        self.children.is_contained()
    }

    fn keep(&self, _: &Cx<'_>) -> Option<Kept> {
        let fresh = Window {
            cutoff: Number::Int(0),
            events: VecDeque::new(),
        };
        let window = std::mem::replace(&mut *self.window.lock(), fresh);
        Some(Kept::new(self.length.to_string(), window))
    }

    fn adopt(&self, _: &Cx<'_>, kept: Kept) -> std::result::Result<(), String> {
        *self.window.lock() = kept.state(&self.length.to_string())?;
        Ok(())
    }
}
