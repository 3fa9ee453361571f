//! `share-above` and `count-above`: how many had it worse than a threshold.

use clj::{Cx, Native, Result, Thrown, Value};
use event::Number;
use histogram::Histogram;

use crate::distribution;
use crate::fields;
use crate::stream::operator;

pub const SHARE: Native = operator(
    "share-above",
    "([dt threshold & children])",
    2,
    |cx: &Cx<'_>, args: &[Value]| {
        new(cx, "share-above", args, |histogram, threshold| {
            let share = histogram.share_above(threshold);
            (!share.is_nan()).then_some(Number::F64(share))
        })
    },
    "Counts the metrics of the events of each dt seconds as histogram does, and passes on the most \
     recent of these events with the share of the numbers at or above the threshold, from 0 to 1, as \
     its metric, and the time of the window's end. Histograms are merged in.\n\n    (where (service \
     \"api latency\") (share-above 60 1.5 (with :service \"api slow share\" index)))",
);

pub const COUNT: Native = operator(
    "count-above",
    "([dt threshold & children])",
    2,
    |cx: &Cx<'_>, args: &[Value]| {
        new(cx, "count-above", args, |histogram, threshold| {
            let count = histogram.count_above(threshold);
            Some(Number::from_big(count.into()))
        })
    },
    "As share-above, with how many numbers were at or above the threshold: exact if that is positive \
     and has two digits. Where one event is one person, so many people had a bad time.\n\n    (where \
     (service \"api latency\") (count-above 60 1.5 (with :service \"people waiting\" index)))",
);

fn new(
    cx: &Cx<'_>,
    name: &'static str,
    args: &[Value],
    ask: impl Fn(&Histogram, f64) -> Option<Number> + Send + Sync + 'static,
) -> Result {
    let threshold = threshold(name, &args[1])?;
    distribution::stream(
        cx,
        name,
        &args[0],
        &args[2..],
        move |cx, children, window| {
            if let Some(metric) = ask(&window.histogram, threshold) {
                let event = fields::with_metric(&window.last, metric)?;
                children.call(cx, &fields::with_time(&event, window.end)?);
            }
            Ok(())
        },
    )
}

fn threshold(name: &str, value: &Value) -> Result<f64> {
    let number = value.as_number().map(|number| number.to_f64());
    number.filter(|number| !number.is_nan()).ok_or_else(|| {
        Thrown::illegal_argument(format!(
            "{name}: the threshold is a number, not {}",
            value.to_readable()
        ))
        .with_hint(format!(
            "as in ({name} 60 1.5 index): every 60 s, the numbers at or above 1.5"
        ))
    })
}
