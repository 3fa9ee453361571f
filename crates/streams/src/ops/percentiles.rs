//! `percentiles`: samples of the distribution of the metric.

use clj::{Cx, Native, Result, Value};
use event::Time;

use crate::bins::{Binned, Bins};
use crate::keep::{self, Kept};
use crate::recent::{self, Bound};
use crate::samples::Samples;
use crate::stream::operator;
use crate::{Batch, Children, Selection, Stream, StreamFn, fields, folds, timer};

pub const OPERATOR: Native = operator(
    "percentiles",
    "([interval points & children] [interval points options & children])",
    2,
    |_: &Cx<'_>, args: &[Value]| {
        let (options, children) = recent::options(&args[2..]);
        let sampled = Sampled {
            points: args[1].clone(),
            bound: Bound::of("percentiles", &options)?,
            children: Children::of(children),
        };
        let bins = Bins::new(timer::interval(&args[0])?, sampled);
        Ok(StreamFn::value("percentiles", Percentiles { bins }))
    },
    "Every interval seconds, sorts the events that came in by metric, and passes on the one at each of \
     the points between 0 and 1, with the point added to its service: with 0.5 the median, with 1 the \
     greatest. Nothing for an interval without events. Points in a map name their services \
     themselves. Of an interval the latest {:max 1000000} events are kept.\n\n    (percentiles 5 [0.5 0.95 0.99 1] index)\n    (percentiles 5 {0.5 \".median\", \
     1 \".max\"} index)",
);

struct Sampled {
    points: Value,
    bound: Bound,
    children: Children,
}

struct Percentiles {
    bins: Bins<Sampled>,
}

impl Binned for Sampled {
    type Bin = Samples;

    fn create(&self, _: &Cx<'_>) -> Result<Samples> {
        Ok(Samples::default())
    }

    fn finish(&self, cx: &Cx<'_>, bin: Samples, _: Time, _: Time) -> Result<()> {
        for sample in folds::named_samples(&bin, &self.points)? {
            self.children.call(cx, &sample);
        }
        Ok(())
    }
}

impl Sampled {
    /// Drops the oldest of too many.
    fn bound(&self, cx: &Cx<'_>, bin: &mut Samples) {
        let excess = bin.len().saturating_sub(self.bound.max());
        if excess > 0 {
            (0..excess).for_each(|_| bin.drop_first());
            self.bound.dropped(cx, excess);
        }
    }
}

impl Stream for Percentiles {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        self.bins.add(cx, value, |bin| {
            if let Some(metric) = fields::metric(value)? {
                bin.push(value.clone(), metric);
                self.bins.inner().bound(cx, bin);
            }
            Ok(())
        })?;
        Ok(Value::Nil)
    }

    /// Takes down the events where they lie. A batch with expired ones goes event by event.
    fn push(&self, cx: &Cx<'_>, batch: &Batch<'_>, chosen: &Selection) {
        let last = chosen.iter().next_back();
        if let (Some(views), Ok(now), Some(last)) = (batch.views(), batch.now(cx), last)
            && chosen
                .iter()
                .all(|index| !fields::is_view_expired_at(now, views.head(index)))
        {
            let added = self.bins.add_live(cx, views.head(last), |bin| {
                for index in chosen.iter() {
                    bin.push_view(&views.get(index));
                }
                self.bins.inner().bound(cx, bin);
                Ok(())
            });
            if let Err(thrown) = added {
                batch.fail(cx, last, "percentiles", thrown);
            }
            return;
        }
        for index in chosen.iter() {
            if let Err(thrown) = self.call(cx, batch.value(index)) {
                batch.fail(cx, index, "percentiles", thrown);
            }
        }
    }

    fn is_contained(&self) -> bool {
        self.bins.inner().children.is_contained()
    }

    fn keep(&self, _: &Cx<'_>) -> Option<Kept> {
        self.bins.keep(&self.parameters())
    }

    fn adopt(&self, cx: &Cx<'_>, kept: Kept) -> std::result::Result<(), String> {
        self.bins.adopt(cx, kept, &self.parameters())
    }
}

impl Percentiles {
    /// What must be the same for the state to go on.
    fn parameters(&self) -> String {
        keep::seconds(self.bins.interval())
    }
}
