//! `histogram` and `merge-histograms`: the distribution of the metric.

use clj::{Cx, Native, Result, Value};

use crate::distribution::{self, Window};
use crate::fields;
use crate::stream::operator;

pub const OPERATOR: Native = operator(
    "histogram",
    "([dt & children])",
    1,
    |cx: &Cx<'_>, args: &[Value]| {
        distribution::stream(
            cx,
            "histogram",
            &args[0],
            &args[1..],
            |cx, children, window| {
                children.call(cx, &whole(&window)?);
                Ok(())
            },
        )
    },
    "Counts the metrics of the events of each dt seconds in a histogram, and passes on the most \
     recent of these events with that as its metric and the time of the window's end. A metric that \
     is a histogram is merged in. Nothing for a window without metrics; expired events are left \
     out. Takes some KB, however many events come.\n\n    (by [:host :service] (histogram 60 index))",
);

pub const MERGE: Native = operator(
    "merge-histograms",
    "([dt & children])",
    1,
    |cx: &Cx<'_>, args: &[Value]| {
        let name = "merge-histograms";
        distribution::stream(cx, name, &args[0], &args[1..], |cx, children, window| {
            let of_all = fields::assoc(&whole(&window)?, "host", Value::Nil)?;
            children.call(cx, &of_all);
            Ok(())
        })
    },
    "As histogram, of events from many hosts: what is passed on has no host. Merging histograms \
     loses nothing, so that quantiles of all hosts can be asked for, which cannot be made of \
     quantiles of each.\n\n    (where (service \"api latency\") (by :service (merge-histograms 10 index)))",
);

/// The event of a window, with its histogram and the time of its end.
fn whole(window: &Window) -> Result {
    let event = fields::with_histogram(&window.last, &window.histogram)?;
    fields::with_time(&event, window.end)
}
