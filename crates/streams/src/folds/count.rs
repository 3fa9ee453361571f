//! `count`: how many events.

use clj::{Native, Value};
use event::{Draft, Number, Time};

use crate::stream::function;
use crate::{World, fields, folds};

pub const COUNT: Native = function(
    "count",
    "([events])",
    (1, 1),
    |cx, args| {
        let events = folds::events(&args[0])?;
        let count = Number::Int(i64::try_from(events.len()).unwrap_or(i64::MAX));
        match events.first() {
            Some(first) => fields::with_metric(first, count),
            None => {
                let now = cx.get::<World>()?.now();
                let time = Time::from_s(now.plus(Time::exact(500_000)).floor_s());
                let event = Draft {
                    metric: Some(count),
                    time: Some(time),
                    ..Draft::record()
                }
                .build();
                Ok(Value::Event(event))
            }
        }
    },
    "The first event with the number of events as its metric, leaving out nil ones; of none at all, an \
     event with the metric 0.",
);
