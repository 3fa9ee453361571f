//! `clock-skew`: whose clock is wrong.

use std::cmp::Ordering;

use clj::{Cx, Native, Result, Value};
use event::Number;
use parking_lot::Mutex;

use crate::ops::latest::Latest;
use crate::recent::Bound;
use crate::stream::operator;
use crate::{Children, Stream, StreamFn, arithmetic, fields};

pub const OPERATOR: Native = operator(
    "clock-skew",
    "([& children])",
    0,
    |_: &Cx<'_>, args: &[Value]| {
        let children = Children::of(args);
        Ok(StreamFn::value(
            "clock-skew",
            ClockSkew {
                clocks: Mutex::default(),
                children,
            },
        ))
    },
    "Takes the time of the latest event of each host for its clock, and passes on each event with the \
     difference between its time and the median of all clocks as its metric: positive on hosts that are \
     ahead. Hosts whose latest event is expired do not count.",
);

/// Hosts whose clocks are known.
const BOUND: Bound = Bound::usual("clock-skew");

struct ClockSkew {
    clocks: Mutex<Latest>,
    children: Children,
}

impl Stream for ClockSkew {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let Some(time) = fields::number(value, "time")? else {
            return Ok(Value::Nil);
        };
        let latest = {
            let mut clocks = self.clocks.lock();
            clocks.put(cx, &BOUND, fields::get(value, "host"), value);
            clocks.take_all(cx)?
        };
        let mut times = Vec::with_capacity(latest.len());
        for event in &latest {
            times.extend(fields::number(event, "time")?);
        }
        let skew = arithmetic::difference(&time, &median(times))?;
        self.children.call(cx, &fields::with_metric(value, skew)?);
        Ok(Value::Bool(true))
    }

    fn is_contained(&self) -> bool {
        self.children.is_contained()
    }
}

/// The middle one; of an even number, the later of the two.
fn median(mut times: Vec<Number>) -> Number {
    times.sort_by(|a, b| a.compare(b).unwrap_or(Ordering::Equal));
    let middle = times.len() / 2;
    times.into_iter().nth(middle).unwrap_or(Number::Int(0))
}
