//! `ewma`: a moving average that forgets exponentially.

use clj::{Cx, Native, Result, Value};
use event::Number;
use parking_lot::Mutex;

use crate::keep::Kept;
use crate::stream::operator;
use crate::{Children, Stream, StreamFn, arithmetic, fields};

pub const OPERATOR: Native = operator(
    "ewma",
    "([halflife & children])",
    1,
    |_: &Cx<'_>, args: &[Value]| {
        let halflife = arithmetic::number(&args[0])?.to_f64();
        let ratio = std::f64::consts::E.powf(0.5_f64.ln() / halflife);
        let average = Average {
            metric: Number::Int(0),
            time: None,
        };
        let children = Children::of(&args[1..]);
        Ok(StreamFn::value(
            "ewma",
            Ewma {
                ratio,
                average: Mutex::new(average),
                children,
            },
        ))
    },
    "Passes on each event with an exponentially weighted moving average as its metric, in which an \
     event counts half as much halflife seconds later. Time is that of the events, and one that comes \
     late counts as little as its age says.",
);

pub const TIMELESS: Native = operator(
    "ewma-timeless",
    "([r & children])",
    1,
    |_: &Cx<'_>, args: &[Value]| {
        let ratio = arithmetic::number(&args[0])?;
        let children = Children::of(&args[1..]);
        let average = Mutex::new(Number::Int(0));
        Ok(StreamFn::value(
            "ewma-timeless",
            EwmaTimeless {
                ratio,
                average,
                children,
            },
        ))
    },
    "Passes on each event with r times its metric plus (1 - r) times the average before as its metric: \
     an exponentially weighted moving average that takes no account of time. It starts from 0; an \
     event without a metric passes without one.",
);

struct Ewma {
    /// What is left of a weight after a second.
    ratio: f64,
    average: Mutex<Average>,
    children: Children,
}

struct Average {
    metric: Number,
    /// The latest time of an event, once there was one.
    time: Option<Number>,
}

impl Ewma {
    fn add(&self, metric: &Number, time: Option<Number>) -> Result<Number> {
        let mut average = self.average.lock();
        let dt = match (&time, &average.time) {
            (Some(time), Some(before)) => arithmetic::difference(time, before)?.to_f64(),
            _ => 0.0,
        };
        let share = (1.0 - self.ratio) * metric.to_f64();
        let before = average.metric.to_f64();
        let new = if dt < 0.0 {
            before + share * self.ratio.powf(-dt)
        } else {
            before * self.ratio.powf(dt) + share
        };
        average.metric = Number::F64(new);
        if dt > 0.0 || average.time.is_none() {
            average.time = time;
        }
        Ok(average.metric.clone())
    }
}

impl Stream for Ewma {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let average = match fields::metric(value)? {
            Some(metric) => self.add(&metric, fields::number(value, "time")?)?.into(),
            None => Value::Nil,
        };
        self.children
            .call(cx, &fields::assoc(value, "metric", average)?);
        Ok(Value::Bool(true))
    }

    fn is_contained(&self) -> bool {
        self.children.is_contained()
    }

    fn keep(&self, _: &Cx<'_>) -> Option<Kept> {
        let average = self.average.lock();
        let state = (average.metric.clone(), average.time.clone());
        Some(Kept::new(self.ratio.to_string(), state))
    }

    fn adopt(&self, _: &Cx<'_>, kept: Kept) -> std::result::Result<(), String> {
        let (metric, time) = kept.state(&self.ratio.to_string())?;
        *self.average.lock() = Average { metric, time };
        Ok(())
    }
}

struct EwmaTimeless {
    ratio: Number,
    average: Mutex<Number>,
    children: Children,
}

impl Stream for EwmaTimeless {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let average = match fields::metric(value)? {
            Some(metric) => {
                let mut average = self.average.lock();
                let left = arithmetic::difference(&Number::Int(1), &self.ratio)?;
                *average = arithmetic::sum(
                    &arithmetic::product(&self.ratio, &metric)?,
                    &arithmetic::product(&left, &average)?,
                )?;
                average.clone().into()
            }
            None => Value::Nil,
        };
        self.children
            .call(cx, &fields::assoc(value, "metric", average)?);
        Ok(Value::Bool(true))
    }

    fn is_contained(&self) -> bool {
        self.children.is_contained()
    }
}
