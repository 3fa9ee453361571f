//! `percentiles`: samples of the distribution of the metric.

use clj::{Cx, Native, Result, Value};
use event::Time;

use crate::bins::{Binned, Bins};
use crate::recent::{self, Bound, Recent};
use crate::stream::operator;
use crate::{Children, Stream, StreamFn, fields, folds, timer};

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
    type Bin = Recent<Value>;

    fn create(&self, _: &Cx<'_>) -> Result<Recent<Value>> {
        Ok(Recent::default())
    }

    fn finish(&self, cx: &Cx<'_>, bin: Recent<Value>, _: Time, _: Time) -> Result<()> {
        for sample in folds::sorted_sample(bin.into_vec(), &self.points)? {
            self.children.call(cx, &sample);
        }
        Ok(())
    }
}

impl Stream for Percentiles {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        self.bins.add(cx, value, |bin| {
            if fields::metric(value)?.is_some() {
                bin.push(cx, &self.bins.inner().bound, value.clone());
            }
            Ok(())
        })?;
        Ok(Value::Nil)
    }

    fn is_contained(&self) -> bool {
        self.bins.inner().children.is_contained()
    }
}
