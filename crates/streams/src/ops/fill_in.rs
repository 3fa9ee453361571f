//! `fill-in` and its kin: events where none came.

use std::sync::Arc;

use clj::{Cx, Native, Result, Value};
use clock::{Interval, Task};
use event::Time;
use parking_lot::Mutex;

use crate::stream::operator;
use crate::{Children, Stream, StreamFn, World, fields, timer};

pub const OPERATOR: Native = operator(
    "fill-in",
    "([interval default-event & children])",
    2,
    |cx: &Cx<'_>, args: &[Value]| {
        let filler = Filler::Same(args[1].clone());
        let stream = FillIn::new(&args[0], filler, &args[2..])?;
        let task = stream.start(cx)?;
        stream.task.lock().replace(task);
        Ok(StreamFn::value("fill-in", stream))
    },
    "Passes on all events. Whenever none came for interval seconds, passes on default-event with the \
     time now; the first time interval seconds after it was built. An expired event stops that until \
     the next event that is not.",
);

pub const LAST_STAR: Native = operator(
    "fill-in-last*",
    "([interval updater & children])",
    2,
    |_: &Cx<'_>, args: &[Value]| {
        let filler = Filler::Updated(args[1].clone());
        Ok(StreamFn::value(
            "fill-in-last*",
            FillIn::new(&args[0], filler, &args[2..])?,
        ))
    },
    "Passes on all events. Whenever none came for interval seconds since the first, passes on \
     (updater event) of the last event, with the time now. An expired event stops that until the next \
     event that is not.",
);

pub const LAST: Native = operator(
    "fill-in-last",
    "([interval update & children])",
    2,
    |_: &Cx<'_>, args: &[Value]| {
        let filler = Filler::Merged(args[1].clone());
        Ok(StreamFn::value(
            "fill-in-last",
            FillIn::new(&args[0], filler, &args[2..])?,
        ))
    },
    "As fill-in-last*, with the entries of the map update merged into the last event.\n\n    \
     (fill-in-last 5 {:state \"stale\"} index)",
);

enum Filler {
    Same(Value),
    Updated(Value),
    Merged(Value),
}

struct FillIn {
    interval: Interval,
    shared: Arc<Shared>,
    task: Mutex<Option<Task>>,
}

struct Shared {
    filler: Filler,
    last: Mutex<Value>,
    children: Children,
}

impl FillIn {
    fn new(interval: &Value, filler: Filler, children: &[Value]) -> Result<FillIn> {
        let children = Children::of(children);
        let shared = Arc::new(Shared {
            filler,
            last: Mutex::default(),
            children,
        });
        Ok(FillIn {
            interval: timer::interval(interval)?,
            shared,
            task: Mutex::default(),
        })
    }

    fn start(&self, cx: &Cx<'_>) -> Result<Task> {
        let shared = self.shared.clone();
        timer::every(cx, self.interval, self.pause(), move |cx| shared.fill(cx))
    }

    fn pause(&self) -> Time {
        self.interval.after(Time::from_s(0), 1)
    }
}

impl Shared {
    fn fill(&self, cx: &Cx<'_>) -> Result<()> {
        let last = self.last.lock().clone();
        let event = match &self.filler {
            Filler::Same(event) => event.clone(),
            Filler::Updated(function) => cx.call(function, &[last])?,
            Filler::Merged(update) => {
                let mut event = last;
                for (key, value) in fields::entries(update) {
                    event = fields::assoc_key(&event, &key, value)?;
                }
                event
            }
        };
        let event = fields::with_time(&event, cx.get::<World>()?.now())?;
        self.children.call(cx, &event);
        Ok(())
    }
}

impl Stream for FillIn {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let expired = fields::is_expired(cx, value)?;
        *self.shared.last.lock() = value.clone();
        {
            let mut task = self.task.lock();
            match &*task {
                Some(running) if expired => {
                    running.cancel();
                    *task = None;
                }
                Some(running) => running.defer(self.pause()),
                None if expired => {}
                None => *task = Some(self.start(cx)?),
            }
        }
        self.shared.children.call(cx, value);
        Ok(Value::Bool(true))
    }
}
