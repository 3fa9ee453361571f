//! `fold-interval`: a function over the values of each interval.

use clj::{Cx, Native, Result, Value};
use event::Time;

use crate::bins::{Binned, Bins};
use crate::keep::{self, Kept};
use crate::recent::{self, Bound, Recent};
use crate::stream::operator;
use crate::{Children, Stream, StreamFn, fields, timer};

pub const OPERATOR: Native = operator(
    "fold-interval",
    "([interval event-key folder & children] [interval event-key folder options & children])",
    3,
    |_: &Cx<'_>, args: &[Value]| value("fold-interval", &args[0], &args[1], &args[2], &args[3..]),
    "Collects (event-key event) of all events that have it, and every interval seconds passes on the \
     last event with that key set to (folder values). An interval without events gives an event of \
     that key alone, with what folder makes of an empty sequence, until an expired event ends it. Of an \
     interval the latest {:max 1000000} values are kept.\n\n \
     \u{20}  (fold-interval 10 :metric #(reduce + %) index)",
);

pub const METRIC: Native = operator(
    "fold-interval-metric",
    "([interval folder & children] [interval folder options & children])",
    2,
    |_: &Cx<'_>, args: &[Value]| {
        let key = Value::keyword("metric");
        value("fold-interval-metric", &args[0], &key, &args[1], &args[2..])
    },
    "As fold-interval, on :metric.",
);

struct Fold {
    key: Value,
    folder: Value,
    bound: Bound,
    children: Children,
}

struct FoldInterval {
    bins: Bins<Fold>,
}

fn value(
    name: &'static str,
    interval: &Value,
    key: &Value,
    folder: &Value,
    children: &[Value],
) -> Result {
    let (options, children) = recent::options(children);
    let fold = Fold {
        key: key.clone(),
        folder: folder.clone(),
        bound: Bound::of(name, &options)?,
        children: Children::of(children),
    };
    Ok(StreamFn::value(
        name,
        FoldInterval {
            bins: Bins::new(timer::interval(interval)?, fold),
        },
    ))
}

impl Binned for Fold {
    /// Events, each with its value.
    type Bin = Recent<(Value, Value)>;

    fn create(&self, _: &Cx<'_>) -> Result<Self::Bin> {
        Ok(Recent::default())
    }

    fn finish(&self, cx: &Cx<'_>, bin: Self::Bin, _: Time, _: Time) -> Result<()> {
        let bin = bin.into_vec();
        let last = bin
            .last()
            .map(|(event, _)| event.clone())
            .unwrap_or_default();
        let values = Value::list(bin.into_iter().map(|(_, value)| value).collect());
        let folded = cx.call(&self.folder, &[values])?;
        let event = fields::assoc_key(&last, &self.key, folded)?;
        self.children.call(cx, &event);
        Ok(())
    }
}

impl Stream for FoldInterval {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let of_event = cx.call(&self.bins.inner().key, std::slice::from_ref(value))?;
        self.bins.add(cx, value, |bin| {
            if of_event.truthy() {
                bin.push(cx, &self.bins.inner().bound, (value.clone(), of_event));
            }
            Ok(())
        })?;
        Ok(Value::Nil)
    }

    fn keep(&self, _: &Cx<'_>) -> Option<Kept> {
        self.bins.keep(&self.parameters())
    }

    fn adopt(&self, cx: &Cx<'_>, kept: Kept) -> std::result::Result<(), String> {
        self.bins.adopt(cx, kept, &self.parameters())
    }
}

impl FoldInterval {
    /// What must be the same for the state to go on.
    fn parameters(&self) -> String {
        let key = keep::parameter(&self.bins.inner().key);
        format!("{} {key}", keep::seconds(self.bins.interval()))
    }
}
