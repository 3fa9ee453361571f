//! `periodically-until-expired`: calls a function at intervals while events come in.

use clj::{Cx, Native, Result, Value};

use crate::periodic::Periodic;
use crate::stream::function;
use crate::{Stream, StreamFn, timer};

pub const OPERATOR: Native = function(
    "periodically-until-expired",
    "([f] [interval f] [interval delay f])",
    (1, 3),
    new,
    "A stream that, from its first event on, calls (f) every interval seconds (1), the first time \
     after delay seconds (0). It stops when an expired event comes in, or when the life of the most \
     recent event, its time and ttl together, is over; the next event starts it again.",
);

struct PeriodicallyUntilExpired {
    periodic: Periodic,
}

fn new(_: &Cx<'_>, args: &[Value]) -> Result {
    let (interval, delay, function) = match args {
        [function] => (Value::Int(1), Value::Int(0), function),
        [interval, function] => (interval.clone(), Value::Int(0), function),
        [interval, delay, function, ..] => (interval.clone(), delay.clone(), function),
        [] => (Value::Int(1), Value::Int(0), &Value::Nil),
    };
    let function = function.clone();
    let body = move |cx: &Cx<'_>| cx.call(&function, &[]).map(|_| ());
    let periodic = Periodic::new(timer::interval(&interval)?, timer::length(&delay)?, body);
    Ok(StreamFn::value(
        "periodically-until-expired",
        PeriodicallyUntilExpired { periodic },
    ))
}

impl Stream for PeriodicallyUntilExpired {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        self.periodic.see(cx, value).map(Value::Bool)
    }
}
