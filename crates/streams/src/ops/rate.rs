//! `rate`: the sum of the metric per second.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use clj::{Cx, Native, Result, Thrown, Value};
use event::{Event, Number, Time, Views};
use parking_lot::Mutex;

use crate::keep::{self, Kept};
use crate::periodic::{Periodic, Phase};
use crate::stream::operator;
use crate::striped::Striped;
use crate::{Batch, Children, Selection, Stream, StreamFn, World, arithmetic, fields, timer};

pub const OPERATOR: Native = operator(
    "rate",
    "([interval & children])",
    1,
    new,
    "Every interval seconds, sums the metrics of the events that came in and divides by interval. \
     Passes that on as the metric of the most recent event, with the time now. Starts with the first \
     event that has a metric and goes on, with zeros if need be, until the most recent event expires; \
     the ttl of what is passed on falls from the event's own by interval each time.\n\n    (where \
     (service \"http requests\") (rate 5 index))",
);

struct Rate {
    shared: Arc<Shared>,
    periodic: Periodic,
}

struct Shared {
    interval: Number,
    sums: Striped<Sums>,
    /// Counts what was added, so that the most recent of several sums is known.
    added: AtomicU64,
    latest: Mutex<Latest>,
    children: Children,
}

#[derive(Default)]
struct Sums {
    /// `None` if nothing was added in this interval.
    total: Option<Number>,
    /// The most recent event with a metric, and its number among all.
    template: Value,
    number: u64,
}

/// What the last interval left.
#[derive(Default)]
struct Latest {
    template: Value,
    number: u64,
    /// Intervals passed since it came.
    age: i64,
}

fn new(_: &Cx<'_>, args: &[Value]) -> Result {
    let interval = arithmetic::number(&args[0])?;
    if !arithmetic::less(&Number::Int(0), &interval) {
        return Err(Thrown::new(
            "java.lang.AssertionError",
            "Assert failed: (< 0 interval)",
        ));
    }
    let length = timer::interval(&args[0])?;
    let shared = Arc::new(Shared {
        interval,
        sums: Striped::default(),
        added: AtomicU64::new(0),
        latest: Mutex::default(),
        children: Children::of(&args[1..]),
    });
    let ticked = shared.clone();
    let delay = length.after(Time::from_s(0), 1);
    let periodic = Periodic::new(length, delay, move |cx| ticked.tick(cx));
    Ok(StreamFn::value("rate", Rate { shared, periodic }))
}

impl Sums {
    fn add(&mut self, metric: &Number) -> Result<()> {
        self.total = Some(match &self.total {
            Some(total) => arithmetic::sum(total, metric)?,
            None => arithmetic::sum(&Number::Int(0), metric)?,
        });
        Ok(())
    }
}

impl Shared {
    fn add(&self, metric: &Number, event: &Value) -> Result<()> {
        self.sums.with(|sums| {
            sums.add(metric)?;
            sums.template = event.clone();
            sums.number = self.next_number();
            Ok(())
        })
    }

    /// Adds metrics of received events; the last event that could be added is the template, and is
    /// given.
    fn add_all(
        &self,
        cx: &Cx<'_>,
        batch: &Batch<'_>,
        views: &Views<'_>,
        chosen: &Selection,
    ) -> Option<usize> {
        let (mut last, mut failed) = (None, Vec::new());
        self.sums.with(|sums| {
            for index in chosen.iter() {
                let Some(metric) = views.head(index).metric else {
                    continue;
                };
                match sums.add(&metric.into()) {
                    Ok(()) => last = Some(index),
                    Err(thrown) => failed.push((index, thrown)),
                }
            }
            if let Some(last) = last {
                match &mut sums.template {
                    Value::Event(event) => event.overwrite(&views.get(last)),
                    other => *other = Value::Event(Event::from_view(&views.get(last))),
                }
                sums.number = self.next_number();
            }
        });
        for (index, thrown) in failed {
            batch.fail(cx, index, "rate", thrown);
        }
        last
    }

    fn next_number(&self) -> u64 {
        self.added.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The sum of the interval that ends, the most recent event, and its age in intervals.
    fn take(&self) -> Result<(Number, Value, i64)> {
        let mut latest = self.latest.lock();
        let mut totals = Vec::new();
        self.sums.each(|sums| {
            totals.extend(sums.total.take());
            if sums.number > latest.number {
                latest.number = sums.number;
                latest.template = sums.template.clone();
                latest.age = 0;
            }
        });
        let age = latest.age;
        latest.age += 1;
        Ok((arithmetic::total(&totals)?, latest.template.clone(), age))
    }

    fn tick(&self, cx: &Cx<'_>) -> Result<()> {
        let (total, template, age) = self.take()?;
        if template.is_nil() {
            return Ok(());
        }
        let rate = arithmetic::quotient(&total, &self.interval)?;
        let mut event = fields::with_metric(&template, rate)?;
        event = fields::with_time(&event, cx.get::<World>()?.now())?;
        if age > 0
            && let Some(ttl) = fields::number(&template, "ttl")?
        {
            let past = arithmetic::product(&self.interval, &Number::Int(age))?;
            let left = arithmetic::difference(&ttl, &past)?;
            event = fields::assoc(&event, "ttl", left.into())?;
        }
        self.children.call(cx, &event);
        Ok(())
    }
}

impl Stream for Rate {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        match fields::metric(value)? {
            Some(metric) => {
                self.shared.add(&metric, value)?;
                self.periodic.see(cx, value)?;
            }
            None if fields::is_expired(cx, value)? => {
                self.periodic.see(cx, value)?;
            }
            None => {}
        }
        Ok(Value::Bool(true))
    }

    /// Adds the metrics where they lie, and keeps the last event only. A batch with
    /// events that are expired or have no metric takes the long way.
    fn push(&self, cx: &Cx<'_>, batch: &Batch<'_>, chosen: &Selection) {
        let (Some(views), Ok(now)) = (batch.views(), batch.now(cx)) else {
            return push_each(self, cx, batch, chosen);
        };
        let counts = |index| {
            let event = views.head(index);
            event.metric.is_some() && !fields::is_view_expired_at(now, event)
        };
        if !chosen.iter().all(counts) {
            return push_each(self, cx, batch, chosen);
        }
        let Some(last) = self.shared.add_all(cx, batch, views, chosen) else {
            return;
        };
        if let Err(thrown) = self.periodic.see_live(cx, views.head(last)) {
            batch.fail(cx, last, "rate", thrown);
        }
    }

    fn is_contained(&self) -> bool {
        self.shared.children.is_contained()
    }

    fn keep(&self, _: &Cx<'_>) -> Option<Kept> {
        let phase = self.periodic.keep();
        let (total, template, age) = self.shared.take().ok()?;
        Some(Kept::new(self.parameters(), (total, template, age, phase)))
    }

    fn adopt(&self, cx: &Cx<'_>, kept: Kept) -> std::result::Result<(), String> {
        let (total, template, age, phase): (Number, Value, i64, Phase) =
            kept.state(&self.parameters())?;
        self.shared.sums.with(|sums| sums.total = Some(total));
        *self.shared.latest.lock() = Latest {
            template,
            number: 0,
            age,
        };
        self.periodic
            .adopt(cx, phase)
            .map_err(|thrown| thrown.to_string())
    }
}

fn push_each(rate: &Rate, cx: &Cx<'_>, batch: &Batch<'_>, chosen: &Selection) {
    for index in chosen.iter() {
        if let Err(thrown) = rate.call(cx, batch.value(index)) {
            batch.fail(cx, index, "rate", thrown);
        }
    }
}

impl Rate {
    /// What must be the same for the state to go on.
    fn parameters(&self) -> String {
        keep::seconds(self.periodic.interval())
    }
}
