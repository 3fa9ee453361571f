//! `part-time-fast`: bins of the configuration's own making.

use clj::{Cx, Native, Result, Value};
use event::Time;

use crate::bins::{Binned, Bins};
use crate::stream::function;
use crate::{Stream, StreamFn, timer};

pub const OPERATOR: Native = function(
    "part-time-fast",
    "([interval create add finish])",
    (4, 4),
    |_: &Cx<'_>, args: &[Value]| {
        let bins = Bins::new(
            timer::interval(&args[0])?,
            Custom {
                create: args[1].clone(),
                finish: args[3].clone(),
            },
        );
        Ok(StreamFn::value(
            "part-time-fast",
            PartTimeFast {
                bins,
                add: args[2].clone(),
            },
        ))
    },
    "Divides time into intervals of so many seconds, from the first event on. (create) makes a bin, \
     such as an atom; (add bin event) is called for each event; (finish bin start end) at the end of \
     each interval, empty ones too. An expired event ends it all until the next event. Events may be \
     added to a bin while another thread adds to it too.",
);

struct Custom {
    create: Value,
    finish: Value,
}

struct PartTimeFast {
    bins: Bins<Custom>,
    add: Value,
}

impl Binned for Custom {
    type Bin = Value;

    fn create(&self, cx: &Cx<'_>) -> Result {
        cx.call(&self.create, &[])
    }

    fn finish(&self, cx: &Cx<'_>, bin: Value, start: Time, end: Time) -> Result<()> {
        let times = [start, end].map(|time| Value::from(time.to_number()));
        let [start, end] = times;
        cx.call(&self.finish, &[bin, start, end]).map(|_| ())
    }
}

impl Stream for PartTimeFast {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let mut into = None;
        self.bins.add(cx, value, |bin| {
            into = Some(bin.clone());
            Ok(())
        })?;
        match into {
            Some(bin) => cx.call(&self.add, &[bin, value.clone()]),
            None => Ok(Value::Nil),
        }
    }
}
