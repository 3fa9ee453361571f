//! `rate`: the sum of the metric per second.

use std::sync::Arc;

use clj::{Cx, Native, Result, Thrown, Value};
use event::{Number, Scalar, Time};
use parking_lot::Mutex;

use crate::periodic::Periodic;
use crate::stream::operator;
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
    sums: Mutex<Sums>,
    children: Children,
}

struct Sums {
    total: Number,
    /// The most recent event with a metric.
    template: Value,
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
    let sums = Sums {
        total: Number::Int(0),
        template: Value::Nil,
        age: 0,
    };
    let children = Children::of(&args[1..]);
    let shared = Arc::new(Shared {
        interval,
        sums: Mutex::new(sums),
        children,
    });
    let ticked = shared.clone();
    let delay = length.after(Time::from_s(0), 1);
    let periodic = Periodic::new(length, delay, move |cx| ticked.tick(cx));
    Ok(StreamFn::value("rate", Rate { shared, periodic }))
}

impl Shared {
    fn add(&self, metric: &Number, event: &Value) -> Result<()> {
        let mut sums = self.sums.lock();
        sums.total = arithmetic::sum(&sums.total, metric)?;
        sums.template = event.clone();
        sums.age = 0;
        Ok(())
    }

    /// Adds metrics of a batch; the last event that could be added is the template, and is given.
    fn add_all(
        &self,
        cx: &Cx<'_>,
        batch: &Batch<'_>,
        metrics: impl Iterator<Item = (usize, Scalar)>,
    ) -> Option<usize> {
        let (mut last, mut failed) = (None, Vec::new());
        {
            let mut sums = self.sums.lock();
            for (index, metric) in metrics {
                match arithmetic::sum(&sums.total, &metric.into()) {
                    Ok(total) => {
                        sums.total = total;
                        last = Some(index);
                    }
                    Err(thrown) => failed.push((index, thrown)),
                }
            }
            if let Some(last) = last {
                sums.template = batch.value(last).clone();
                sums.age = 0;
            }
        }
        for (index, thrown) in failed {
            batch.fail(cx, index, "rate", thrown);
        }
        last
    }

    fn tick(&self, cx: &Cx<'_>) -> Result<()> {
        let (total, template, age) = {
            let mut sums = self.sums.lock();
            let total = std::mem::replace(&mut sums.total, Number::Int(0));
            let age = sums.age;
            sums.age += 1;
            (total, sums.template.clone(), age)
        };
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

    /// Adds the metrics where they lie, and makes an owned event of the last one only. A batch with
    /// events that are expired or have no metric takes the long way.
    fn push(&self, cx: &Cx<'_>, batch: &Batch<'_>, chosen: &Selection) {
        let (Some(views), Ok(now)) = (batch.views(), batch.now(cx)) else {
            return push_each(self, cx, batch, chosen);
        };
        let counts = |index| {
            let event = views.head(index);
            event.metric.is_some() && !fields::is_expired_at(now, event)
        };
        if !chosen.iter().all(counts) {
            return push_each(self, cx, batch, chosen);
        }
        let metrics = chosen
            .iter()
            .filter_map(|index| Some((index, views.head(index).metric?)));
        let Some(last) = self.shared.add_all(cx, batch, metrics) else {
            return;
        };
        if let Err(thrown) = self.periodic.see(cx, batch.value(last)) {
            batch.fail(cx, last, "rate", thrown);
        }
    }

    fn is_contained(&self) -> bool {
        self.shared.children.is_contained()
    }
}

fn push_each(rate: &Rate, cx: &Cx<'_>, batch: &Batch<'_>, chosen: &Selection) {
    for index in chosen.iter() {
        if let Err(thrown) = rate.call(cx, batch.value(index)) {
            batch.fail(cx, index, "rate", thrown);
        }
    }
}
