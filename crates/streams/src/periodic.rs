//! Something done at intervals for as long as events that have not expired come in.

use std::sync::Arc;

use clj::{Cx, Result, Value};
use clock::{Interval, Task};
use event::{Number, Time};
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
    /// When the life of the most recent event ends; `None` is never.
    ends_at: Option<Number>,
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
        let ends_at = match life {
            (Some(time), Some(ttl)) => Some(arithmetic::sum(&time, &ttl)?),
            _ => None,
        };
        let mut run = self.shared.run.lock();
        run.ends_at = ends_at;
        if run.task.is_none() {
            let shared = self.shared.clone();
            let tick = move |cx: &Cx<'_>| shared.tick(cx);
            run.task = Some(timer::every(cx, self.interval, self.delay, tick)?);
        }
        Ok(true)
    }
}

impl Shared {
    fn tick(&self, cx: &Cx<'_>) -> Result<()> {
        let now = cx.get::<World>()?.now_number();
        let over = self
            .run
            .lock()
            .ends_at
            .as_ref()
            .is_some_and(|end| arithmetic::less(end, &now));
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
