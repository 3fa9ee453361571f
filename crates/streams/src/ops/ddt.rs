//! `ddt`: how fast the metric changes.

use std::sync::Arc;

use clj::{Cx, Native, Result, Value};
use event::{Number, Time};
use parking_lot::Mutex;

use crate::periodic::Periodic;
use crate::stream::operator;
use crate::{Children, Stream, StreamFn, World, arithmetic, fields, timer};

pub const OPERATOR: Native = operator(
    "ddt",
    "([& children] [n & children])",
    0,
    |cx: &Cx<'_>, args: &[Value]| match args.first() {
        Some(first) if first.as_number().is_some() => new_real(cx, args),
        _ => new_events(cx, args),
    },
    "The metric's rate of change per second: between each event and the one before (ddt-events), or, \
     with a number n first, every n seconds (ddt-real).\n\n    (where (service \"requests total\") (by \
     :host (ddt 5 index)))",
);

pub const EVENTS: Native = operator(
    "ddt-events",
    "([& children])",
    0,
    new_events,
    "Passes on each event with the slope of the metric since the event before: the difference of the \
     metrics over that of the times. Events without a metric do not count; of two at the same time, \
     the second only takes the place of the first.",
);

pub const REAL: Native = operator(
    "ddt-real",
    "([n & children])",
    1,
    new_real,
    "Every n seconds, passes on the latest event with the time now and the slope of the metric since \
     the event that was the latest n seconds before; zero if it is the same event. Goes on until an \
     event expires.",
);

struct DdtEvents {
    previous: Mutex<Option<Sample>>,
    children: Children,
}

/// An event with its metric.
#[derive(Clone)]
struct Sample {
    event: Value,
    metric: Number,
}

impl Sample {
    fn of(event: &Value) -> Result<Option<Sample>> {
        let metric = fields::metric(event)?;
        Ok(metric.map(|metric| Sample {
            event: event.clone(),
            metric,
        }))
    }

    /// The slope from an earlier sample to this one; `None` when no time has passed.
    fn slope_since(&self, earlier: &Sample) -> Result<Option<Number>> {
        let time = |sample: &Sample| arithmetic::number(&fields::get(&sample.event, "time"));
        let dt = arithmetic::difference(&time(self)?, &time(earlier)?)?;
        if dt.is_zero() {
            return Ok(None);
        }
        let change = arithmetic::difference(&self.metric, &earlier.metric)?;
        arithmetic::quotient(&change, &dt).map(Some)
    }
}

fn new_events(_: &Cx<'_>, args: &[Value]) -> Result {
    let children = Children::of(args);
    Ok(StreamFn::value(
        "ddt-events",
        DdtEvents {
            previous: Mutex::default(),
            children,
        },
    ))
}

impl Stream for DdtEvents {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let Some(sample) = Sample::of(value)? else {
            return Ok(Value::Nil);
        };
        let Some(previous) = self.previous.lock().replace(sample.clone()) else {
            return Ok(Value::Nil);
        };
        let Some(slope) = sample.slope_since(&previous)? else {
            return Ok(Value::Nil);
        };
        self.children.call(cx, &fields::with_metric(value, slope)?);
        Ok(Value::Bool(true))
    }

    fn is_contained(&self) -> bool {
        self.children.is_contained()
    }
}

struct DdtReal {
    shared: Arc<Shared>,
    periodic: Periodic,
}

struct Shared {
    samples: Mutex<Samples>,
    children: Children,
}

#[derive(Default)]
struct Samples {
    latest: Option<Sample>,
    /// What was the latest at the last tick.
    ticked: Option<Sample>,
}

fn new_real(_: &Cx<'_>, args: &[Value]) -> Result {
    let children = Children::of(&args[1..]);
    let shared = Arc::new(Shared {
        samples: Mutex::default(),
        children,
    });
    let ticked = shared.clone();
    let tick = move |cx: &Cx<'_>| ticked.tick(cx);
    let periodic = Periodic::new(timer::interval(&args[0])?, Time::from_s(0), tick);
    Ok(StreamFn::value("ddt-real", DdtReal { shared, periodic }))
}

impl Shared {
    fn tick(&self, cx: &Cx<'_>) -> Result<()> {
        let (latest, before) = {
            let mut samples = self.samples.lock();
            let latest = samples.latest.clone();
            (
                latest.clone(),
                std::mem::replace(&mut samples.ticked, latest),
            )
        };
        let (Some(latest), Some(before)) = (latest, before) else {
            return Ok(());
        };
        let slope = latest.slope_since(&before)?.unwrap_or(Number::Int(0));
        let event = fields::with_metric(&latest.event, slope)?;
        let event = fields::with_time(&event, cx.get::<World>()?.now())?;
        self.children.call(cx, &event);
        Ok(())
    }
}

impl Stream for DdtReal {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        if let Some(sample) = Sample::of(value)? {
            self.shared.samples.lock().latest = Some(sample);
        }
        self.periodic.see(cx, value).map(Value::Bool)
    }
}
