//! `stable`: events of a state that lasts.

use std::sync::Arc;

use clj::{Cx, Native, Result, Value};
use clock::Task;
use event::{Number, Time};
use parking_lot::Mutex;

use crate::keep::{self, Kept};
use crate::recent::{self, Bound, Recent};
use crate::stream::operator;
use crate::{Children, Stream, StreamFn, arithmetic, fields, timer};

pub const OPERATOR: Native = operator(
    "stable",
    "([dt f & children] [dt f options & children])",
    2,
    |_: &Cx<'_>, args: &[Value]| {
        let (options, children) = recent::options(&args[2..]);
        let bound = Bound::of("stable", &options)?;
        let shared = Shared {
            bound,
            phase: Mutex::default(),
            children: Children::of(children),
        };
        Ok(StreamFn::value(
            "stable",
            Stable {
                dt: arithmetic::number(&args[0])?,
                function: args[1].clone(),
                shared: Arc::new(shared),
            },
        ))
    },
    "Passes on events only while (f event) stays the same for at least dt seconds, by the times of the \
     events. Until that is certain they are held back, and dropped if the value changes before; then all \
     are passed on, and those that follow at once, up to the next change. When no further event comes, \
     the clock lets them go. The latest {:max 1000000} are held back.\n\n    (by [:host :service] (stable 60 :state (email \
     \"you@example.com\")))",
);

struct Stable {
    dt: Number,
    function: Value,
    shared: Arc<Shared>,
}

struct Shared {
    bound: Bound,
    phase: Mutex<Phase>,
    children: Children,
}

#[derive(Default)]
struct Phase {
    /// What the function gave; `None` before the first event.
    value: Option<Value>,
    since: Option<Number>,
    /// Events held back; `None` once the value is stable.
    held: Option<Recent<Value>>,
    task: Option<Task>,
    /// Counts changes, so that an old task lets go of nothing new.
    number: u64,
}

impl Stable {
    /// Takes an event in and gives those that may go on now.
    fn take(&self, cx: &Cx<'_>, event: &Value, value: Value) -> Result<Vec<Value>> {
        let time = fields::number(event, "time")?;
        let mut phase = self.shared.phase.lock();
        if phase.value.as_ref() != Some(&value) {
            return self
                .begin(cx, &mut phase, event, value, time)
                .map(|()| Vec::new());
        }
        if phase.held.is_none() {
            return Ok(vec![event.clone()]);
        }
        let lasted = match (&time, &phase.since) {
            (Some(time), Some(since)) => {
                !arithmetic::less(&arithmetic::difference(time, since)?, &self.dt)
            }
            _ => false,
        };
        if let Some(held) = &mut phase.held {
            held.push(cx, &self.shared.bound, event.clone());
        }
        Ok(if lasted { phase.release() } else { Vec::new() })
    }

    fn begin(
        &self,
        cx: &Cx<'_>,
        phase: &mut Phase,
        event: &Value,
        value: Value,
        time: Option<Number>,
    ) -> Result<()> {
        phase.cancel();
        phase.number += 1;
        phase.value = Some(value);
        let mut held = Recent::default();
        held.push(cx, &self.shared.bound, event.clone());
        phase.held = Some(held);
        let number = phase.number;
        if let Some(since) = &time {
            phase.task = self.time_out_task(cx, number, since)?;
        }
        phase.since = time;
        Ok(())
    }

    /// Has the clock let the events go of a value that began at `since`.
    fn time_out_task(&self, cx: &Cx<'_>, number: u64, since: &Number) -> Result<Option<Task>> {
        let Some(at) = Time::nearest(&arithmetic::sum(since, &self.dt)?) else {
            return Ok(None);
        };
        let shared = self.shared.clone();
        let task = timer::once_at(cx, at, move |cx| {
            shared.time_out(cx, number);
            Ok(())
        })?;
        Ok(Some(task))
    }
}

impl Phase {
    fn cancel(&mut self) {
        if let Some(task) = self.task.take() {
            task.cancel();
        }
    }

    fn release(&mut self) -> Vec<Value> {
        self.cancel();
        self.held.take().unwrap_or_default().into_vec()
    }
}

impl Shared {
    fn time_out(&self, cx: &Cx<'_>, number: u64) {
        let held = {
            let mut phase = self.phase.lock();
            if phase.number == number {
                phase.release()
            } else {
                Vec::new()
            }
        };
        self.children.push_values(cx, &held);
    }
}

impl Stream for Stable {
    fn call(&self, cx: &Cx<'_>, event: &Value) -> Result {
        let value = cx.call(&self.function, std::slice::from_ref(event))?;
        let released = self.take(cx, event, value)?;
        self.shared.children.push_values(cx, &released);
        Ok(if released.is_empty() {
            Value::Nil
        } else {
            Value::Bool(true)
        })
    }

    fn is_contained(&self) -> bool {
        matches!(self.function, Value::Keyword(_)) && self.shared.children.is_contained()
    }

    fn keep(&self, _: &Cx<'_>) -> Option<Kept> {
        let mut phase = self.shared.phase.lock();
        phase.cancel();
        let phase = std::mem::take(&mut *phase);
        Some(Kept::new(self.parameters(), phase))
    }

    fn adopt(&self, cx: &Cx<'_>, kept: Kept) -> std::result::Result<(), String> {
        let mut phase: Phase = kept.state(&self.parameters())?;
        if phase.held.is_some()
            && let Some(since) = phase.since.clone()
        {
            phase.task = self
                .time_out_task(cx, phase.number, &since)
                .map_err(|thrown| thrown.to_string())?;
        }
        *self.shared.phase.lock() = phase;
        Ok(())
    }
}

impl Stable {
    /// What must be the same for the state to go on.
    fn parameters(&self) -> String {
        format!("{} s {}", self.dt, keep::parameter(&self.function))
    }
}
