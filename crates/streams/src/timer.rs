//! Tasks of streams: scheduled with the bindings of whoever schedules them, and never killed by
//! what they throw.

use clj::{Cx, Result, Thrown, Value, dynamic};
use clock::{Callback, Interval, Task};
use event::{Time, TimeKind};

use crate::{World, arithmetic, rescue};

/// Runs `body` once, at `time` or as soon as that has passed.
///
/// # Errors
/// When the runtime has no [`World`].
pub fn once_at(
    cx: &Cx<'_>,
    time: Time,
    body: impl Fn(&Cx<'_>) -> Result<()> + Send + Sync + 'static,
) -> Result<Task> {
    let world = cx.get::<World>()?;
    Ok(world.scheduler().once_at(time, callback(cx, body)))
}

/// Runs `body` `delay` from now and every `interval` after that.
///
/// # Errors
/// When the runtime has no [`World`].
pub fn every(
    cx: &Cx<'_>,
    interval: Interval,
    delay: Time,
    body: impl Fn(&Cx<'_>) -> Result<()> + Send + Sync + 'static,
) -> Result<Task> {
    let world = cx.get::<World>()?;
    Ok(world.scheduler().every(interval, delay, callback(cx, body)))
}

fn callback(cx: &Cx<'_>, body: impl Fn(&Cx<'_>) -> Result<()> + Send + Sync + 'static) -> Callback {
    let bindings = dynamic::capture();
    let rt = cx.rt.clone();
    std::sync::Arc::new(move || {
        let cx = Cx::new(&rt);
        if let Err(thrown) = dynamic::within(bindings.clone(), || body(&cx)) {
            rescue::report(&cx, "a scheduled task", &thrown);
        }
    })
}

/// An argument that says how long, as a number of seconds.
///
/// # Errors
/// When it is not a number, or not above zero.
pub fn interval(value: &Value) -> Result<Interval> {
    let number = arithmetic::number(value)?;
    Interval::from_number(&number).ok_or_else(|| {
        Thrown::illegal_argument(format!("an interval must be above 0 s, not {number}"))
    })
}

/// A length of time in seconds, to the nearest microsecond.
///
/// # Errors
/// When it is not a number that a length of time can have.
pub fn length(value: &Value) -> Result<Time> {
    let number = arithmetic::number(value)?;
    Time::nearest(&number)
        .ok_or_else(|| Thrown::illegal_argument(format!("{number} is no length of time")))
}

/// Windows of equal length that follow each other from an anchor on.
#[derive(Clone)]
pub struct Grid {
    anchor: Time,
    dt: Interval,
}

impl Grid {
    /// Windows of `dt`, the first of which starts now.
    ///
    /// # Errors
    /// When the runtime has no [`World`].
    pub fn from_now(cx: &Cx<'_>, dt: Interval) -> Result<Grid> {
        Ok(Grid {
            anchor: cx.get::<World>()?.now(),
            dt,
        })
    }

    /// The start and the end of the window that `now` is in; a time at an edge is in the later one.
    pub fn window(&self, now: Time) -> (Time, Time) {
        let past = now.us.saturating_sub(self.anchor.us);
        let dt_us = self.dt.after(Time::from_s(0), 1).us.max(1);
        let mut count = u64::try_from(past / dt_us).unwrap_or(0);
        while count > 0 && self.at(count, now.kind).us > now.us {
            count -= 1;
        }
        while self.at(count + 1, now.kind).us <= now.us {
            count += 1;
        }
        (self.at(count, now.kind), self.at(count + 1, now.kind))
    }

    fn at(&self, count: u64, kind: TimeKind) -> Time {
        let at = self.dt.after(self.anchor, count);
        Time {
            kind: at.kind.max(kind),
            ..at
        }
    }
}
