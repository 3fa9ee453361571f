//! `coalesce`: the latest event of each host and service, together.

use std::sync::Arc;

use clj::{Cx, Native, Result, Value};
use event::Time;
use parking_lot::Mutex;

use crate::keep::{self, Kept};
use crate::ops::latest::Latest;
use crate::periodic::{Periodic, Phase};
use crate::recent::{self, Bound};
use crate::stream::{function, operator};
use crate::{Children, Stream, StreamFn, fields, timer};

pub const OPERATOR: Native = operator(
    "coalesce",
    "([& children] [dt & children] [dt options & children])",
    0,
    new,
    "Keeps the latest event of each host and service, and every dt seconds (1) passes all of them on as \
     a vector; the first time right after the first event. Expired ones are in the next vector and then \
     forgotten. Goes on until an event comes in expired, or the life of the most recent one is over. \
     At most {:max 1000000} are kept; beyond that those of the keys first seen go.\n\n \
     \u{20}  (coalesce (smap folds/sum index))",
);

pub const WITH_EVENT: Native = function(
    "coalesce-with-event",
    "([keyfn child])",
    (1, 2),
    |_: &Cx<'_>, args: &[Value]| {
        let stream = CoalesceWithEvent {
            keyfn: args[0].clone(),
            child: args.get(1).cloned(),
            latest: Mutex::default(),
        };
        Ok(StreamFn::value("coalesce-with-event", stream))
    },
    "Keeps the latest event for each value of (keyfn event), and calls (child event events) for each \
     event: with it, and all that are kept. Expired ones are among them once and then forgotten.",
);

struct Coalesce {
    latest: Arc<Mutex<Latest>>,
    bound: Bound,
    periodic: Periodic,
    children: Arc<Children>,
}

fn new(_: &Cx<'_>, args: &[Value]) -> Result {
    let (dt, children) = match args {
        [dt, children @ ..] if dt.as_number().is_some() => (dt.clone(), children),
        children => (Value::Int(1), children),
    };
    let (options, children) = recent::options(children);
    let bound = Bound::of("coalesce", &options)?;
    let children = Arc::new(Children::of(children));
    let latest = Arc::new(Mutex::new(Latest::default()));
    let (shared, to) = (latest.clone(), children.clone());
    let periodic = Periodic::new(timer::interval(&dt)?, Time::from_s(0), move |cx| {
        let events = shared.lock().take_all(cx)?;
        to.call(cx, &Value::vector(events));
        Ok(())
    });
    Ok(StreamFn::value(
        "coalesce",
        Coalesce {
            latest,
            bound,
            periodic,
            children,
        },
    ))
}

impl Stream for Coalesce {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let key = Value::vector(vec![
            fields::get(value, "service"),
            fields::get(value, "host"),
        ]);
        self.latest.lock().put(cx, &self.bound, key, value);
        self.periodic.see(cx, value).map(Value::Bool)
    }

    fn is_contained(&self) -> bool {
        self.children.is_contained()
    }

    fn keep(&self, _: &Cx<'_>) -> Option<Kept> {
        let phase = self.periodic.keep();
        let latest = std::mem::take(&mut *self.latest.lock());
        Some(Kept::new(self.parameters(), (latest, phase)))
    }

    fn adopt(&self, cx: &Cx<'_>, kept: Kept) -> std::result::Result<(), String> {
        let (latest, phase): (Latest, Phase) = kept.state(&self.parameters())?;
        *self.latest.lock() = latest;
        self.periodic
            .adopt(cx, phase)
            .map_err(|thrown| thrown.to_string())
    }
}

/// Events that coalesce-with-event keeps.
const WITH_EVENT_BOUND: Bound = Bound::usual("coalesce-with-event");

struct CoalesceWithEvent {
    keyfn: Value,
    child: Option<Value>,
    latest: Mutex<Latest>,
}

impl Stream for CoalesceWithEvent {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let key = cx.call(&self.keyfn, std::slice::from_ref(value))?;
        let events = {
            let mut latest = self.latest.lock();
            latest.put(cx, &WITH_EVENT_BOUND, key, value);
            latest.take_all(cx)?
        };
        match &self.child {
            Some(child) => cx.call(child, &[value.clone(), Value::vector(events)]),
            None => Ok(Value::Nil),
        }
    }
}

impl Coalesce {
    /// What must be the same for the state to go on.
    fn parameters(&self) -> String {
        keep::seconds(self.periodic.interval())
    }
}
