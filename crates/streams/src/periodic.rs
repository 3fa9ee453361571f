//! Something done at intervals for as long as events that have not expired come in.

use std::sync::Arc;

use clj::{Cx, Result, Value};
use clock::{Interval, Task};
use event::{Number, Time, View};
use parking_lot::Mutex;

use crate::{World, arithmetic, fields, timer};

/// Runs its body every interval, from the first event until one is expired, or until the life of
/// the most recent one is over. As Riemann's `periodically-until-expired`.
pub struct Periodic {
    interval: Interval,
    delay: Time,
    shared: Arc<Shared>,
}

type Body = Box<dyn Fn(&Cx<'_>) -> Result<()> + Send + Sync>;

struct Shared {
    body: Body,
    run: Mutex<Run>,
}

#[derive(Default)]
struct Run {
    task: Option<Task>,
    life: Life,
}

/// When the life of the most recent event ends.
#[derive(Default)]
enum Life {
    #[default]
    Never,
    At(Number),
    /// So long after that. Few are asked for, so that they are added up when they are.
    After(Number, Time),
}

impl Life {
    fn is_over(&self, now: &Number) -> Result<bool> {
        match self {
            Life::Never => Ok(false),
            Life::At(end) => Ok(arithmetic::less(end, now)),
            Life::After(ttl, time) => {
                let end = arithmetic::sum(&time.to_number(), ttl)?;
                Ok(arithmetic::less(&end, now))
            }
        }
    }
}

impl Periodic {
    /// The first run is `delay` after the first event.
    pub fn new(
        interval: Interval,
        delay: Time,
        body: impl Fn(&Cx<'_>) -> Result<()> + Send + Sync + 'static,
    ) -> Periodic {
        let shared = Shared {
            body: Box::new(body),
            run: Mutex::default(),
        };
        Periodic {
            interval,
            delay,
            shared: Arc::new(shared),
        }
    }

    /// Takes note of an event: starts, goes on, or stops. False if the event is expired.
    ///
    /// # Errors
    /// When time or ttl of the event are not numbers.
    pub fn see(&self, cx: &Cx<'_>, event: &Value) -> Result<bool> {
        if fields::is_expired(cx, event)? {
            self.shared.stop();
            return Ok(false);
        }
        let life = (
            fields::number(event, "time")?,
            fields::number(event, "ttl")?,
        );
        self.go_on(
            cx,
            match life {
                (Some(time), Some(ttl)) => Life::At(arithmetic::sum(&time, &ttl)?),
                _ => Life::Never,
            },
        )?;
        Ok(true)
    }

    /// As [`Periodic::see`], of a received event that is not expired.
    ///
    /// # Errors
    /// When the runtime has no [`World`].
    pub fn see_live(&self, cx: &Cx<'_>, event: &View<'_>) -> Result<()> {
        self.go_on(
            cx,
            match (event.time, event.ttl) {
                (Some(time), Some(ttl)) => Life::After(ttl.into(), time),
                _ => Life::Never,
            },
        )
    }

    fn go_on(&self, cx: &Cx<'_>, life: Life) -> Result<()> {
        let mut run = self.shared.run.lock();
        run.life = life;
        if run.task.is_none() {
            let shared = self.shared.clone();
            let tick = move |cx: &Cx<'_>| shared.tick(cx);
            run.task = Some(timer::every(cx, self.interval, self.delay, tick)?);
        }
        Ok(())
    }
}

/// Whether a periodic runs, when next, and until when: what outlives a reload.
pub struct Phase {
    next_us: Option<i64>,
    life: Life,
}

impl Periodic {
    /// Stops, and tells where it stood.
    pub fn keep(&self) -> Phase {
        let mut run = self.shared.run.lock();
        let task = run.task.take();
        if let Some(task) = &task {
            task.cancel();
        }
        Phase {
            next_us: task.map(|task| task.next_us()),
            life: std::mem::take(&mut run.life),
        }
    }

    /// Goes on where another stood.
    ///
    /// # Errors
    /// When the runtime has no [`World`].
    pub fn adopt(&self, cx: &Cx<'_>, phase: Phase) -> Result<()> {
        let Some(next_us) = phase.next_us else {
            return Ok(());
        };
        let now_us = cx.get::<World>()?.clock_now().us;
        let delay = Time::exact(next_us.saturating_sub(now_us).max(0));
        let mut run = self.shared.run.lock();
        run.life = phase.life;
        if run.task.is_none() {
            let shared = self.shared.clone();
            let tick = move |cx: &Cx<'_>| shared.tick(cx);
            run.task = Some(timer::every(cx, self.interval, delay, tick)?);
        }
        Ok(())
    }

    pub fn interval(&self) -> Interval {
        self.interval
    }
}

impl Shared {
    fn tick(&self, cx: &Cx<'_>) -> Result<()> {
        let now = cx.get::<World>()?.now_number();
        let over = self.run.lock().life.is_over(&now)?;
        if over {
            self.stop();
            return Ok(());
        }
        (self.body)(cx)
    }

    fn stop(&self) {
        let task = self.run.lock().task.take();
        if let Some(task) = task {
            task.cancel();
        }
    }
}
