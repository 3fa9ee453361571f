//! `counter`: a running total.

use clj::{Cx, Native, Result, Value};
use event::Number;
use parking_lot::Mutex;

use crate::keep::Kept;
use crate::stream::operator;
use crate::{Children, Stream, StreamFn, arithmetic, fields};

pub const OPERATOR: Native = operator(
    "counter",
    "([& children] [init & children])",
    0,
    |_: &Cx<'_>, args: &[Value]| match args {
        [init, children @ ..] if init.as_number().is_some() => {
            new("counter", arithmetic::number(init)?, children)
        }
        children => new("counter", Number::Int(0), children),
    },
    "Passes on each event with the sum of all metrics so far as its metric. Starts from init, 0 if it \
     is left out. An event tagged \"reset\" sets the sum to its own metric. Events without a metric \
     pass unchanged.",
);

pub const SUM_OVER_TIME: Native = operator(
    "sum-over-time",
    "([& children])",
    0,
    |_: &Cx<'_>, args: &[Value]| new("sum-over-time", Number::Int(0), args),
    "The old name of counter.",
);

pub const MEAN_OVER_TIME: Native = operator(
    "mean-over-time",
    "([& children])",
    0,
    |_: &Cx<'_>, args: &[Value]| {
        let children = match args {
            [many @ (Value::Vector(_) | Value::List(_) | Value::Lazy(_))] => {
                Children::of_sequence(many)?
            }
            _ => Children::of(args),
        };
        let state = Mutex::new((Number::Int(0), 0));
        Ok(StreamFn::value(
            "mean-over-time",
            MeanOverTime { state, children },
        ))
    },
    "Passes on each event with the mean of all metrics so far as its metric. Old; a window with \
     folds/mean forgets what is long past.",
);

struct Counter {
    total: Mutex<Number>,
    children: Children,
}

fn new(name: &'static str, init: Number, children: &[Value]) -> Result {
    let children = Children::of(children);
    Ok(StreamFn::value(
        name,
        Counter {
            total: Mutex::new(init),
            children,
        },
    ))
}

impl Stream for Counter {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let Some(metric) = fields::metric(value)? else {
            self.children.call(cx, value);
            return Ok(Value::Bool(true));
        };
        let reset = fields::tags(value)?.is_some_and(|tags| tags.contains(&Value::str("reset")));
        let total = {
            let mut total = self.total.lock();
            *total = if reset {
                metric
            } else {
                arithmetic::sum(&total, &metric)?
            };
            total.clone()
        };
        self.children.call(cx, &fields::with_metric(value, total)?);
        Ok(Value::Bool(true))
    }

    fn is_contained(&self) -> bool {
        self.children.is_contained()
    }

    fn keep(&self, _: &Cx<'_>) -> Option<Kept> {
        Some(Kept::new("", self.total.lock().clone()))
    }

    fn adopt(&self, _: &Cx<'_>, kept: Kept) -> std::result::Result<(), String> {
        *self.total.lock() = kept.state("")?;
        Ok(())
    }
}

struct MeanOverTime {
    /// The sum, and of how many.
    state: Mutex<(Number, i64)>,
    children: Children,
}

impl Stream for MeanOverTime {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let Some(metric) = fields::metric(value)? else {
            self.children.call(cx, value);
            return Ok(Value::Bool(true));
        };
        let mean = {
            let mut state = self.state.lock();
            state.0 = arithmetic::sum(&state.0, &metric)?;
            state.1 += 1;
            arithmetic::quotient(&state.0, &Number::Int(state.1))?
        };
        self.children.call(cx, &fields::with_metric(value, mean)?);
        Ok(Value::Bool(true))
    }

    fn is_contained(&self) -> bool {
        self.children.is_contained()
    }

    fn keep(&self, _: &Cx<'_>) -> Option<Kept> {
        Some(Kept::new("", self.state.lock().clone()))
    }

    fn adopt(&self, _: &Cx<'_>, kept: Kept) -> std::result::Result<(), String> {
        *self.state.lock() = kept.state("")?;
        Ok(())
    }
}
