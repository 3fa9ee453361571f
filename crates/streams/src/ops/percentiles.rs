//! `percentiles`: samples of the distribution of the metric.

use clj::{Cx, Native, Result, Value};
use event::{Fields, Number, Time, Views};
use histogram::Histogram;

use crate::bins::{Binned, Bins};
use crate::folds::{self, Point};
use crate::keep::{self, Kept};
use crate::ops::quantiles::named_quantiles;
use crate::samples::Samples;
use crate::stream::operator;
use crate::{
    Batch, Children, Selection, Stream, StreamFn, arithmetic, distribution, fields, limits, recent,
    timer,
};

pub const OPERATOR: Native = operator(
    "percentiles",
    "([interval points & children] [interval points options & children])",
    2,
    |_: &Cx<'_>, args: &[Value]| {
        let (options, children) = recent::options(&args[2..]);
        let points = folds::points(&args[1])?;
        for point in &points {
            arithmetic::number(&point.at)?;
        }
        let sampled = Sampled {
            points,
            max: recent::maximum("percentiles", &options, limits::EVENTS_MAX)?,
            children: Children::of(children),
        };
        let bins = Bins::new(timer::interval(&args[0])?, sampled);
        Ok(StreamFn::value("percentiles", Percentiles { bins }))
    },
    "Every interval seconds, sorts the events that came in by metric, and passes on the one at each of \
     the points between 0 and 1, with the point added to its service: with 0.5 the median, with 1 the \
     greatest. Nothing for an interval without events. Points in a map name their services \
     themselves. An interval of more than {:max 1000000} events, and one with a histogram as a \
     metric, is counted in a histogram instead: then the latest event is passed on with numbers that \
     are estimates, off by less than 10 %, but for the least and the greatest.\n\n    (percentiles 5 [0.5 0.95 0.99 1] index)\n    \
     (percentiles 5 {0.5 \".median\", 1 \".max\"} index)",
);

struct Sampled {
    points: Vec<Point>,
    max: usize,
    children: Children,
}

struct Percentiles {
    bins: Bins<Sampled>,
}

/// What came in an interval.
enum Collected {
    Events(Samples),
    /// More than are kept.
    Counted(Box<Counted>),
}

/// What events measured, and the latest of them.
struct Counted {
    histogram: Histogram,
    /// Of all numbers: these are known exactly.
    least: f64,
    greatest: f64,
    last: Value,
}

impl Counted {
    fn of(samples: &Samples) -> Counted {
        let mut counted = Counted {
            histogram: Histogram::new(),
            least: f64::INFINITY,
            greatest: f64::NEG_INFINITY,
            last: samples.last(),
        };
        for metric in samples.metrics() {
            clj::histogram_value::insert(&mut counted.histogram, &metric, 1);
            counted.reach(metric.to_f64());
        }
        counted
    }

    fn reach(&mut self, number: f64) {
        self.least = self.least.min(number);
        self.greatest = self.greatest.max(number);
    }

    fn add(&mut self, value: &Value) -> Result<()> {
        if !distribution::count_metric(value, &mut self.histogram)? {
            return Ok(());
        }
        match fields::metric(value)? {
            Some(metric) => self.reach(metric.to_f64()),
            None => {
                let ends = fields::histogram(value)
                    .map(|histogram| [0.0, 1.0].map(|q| histogram.quantile(q)));
                ends.into_iter().flatten().for_each(|end| self.reach(end));
            }
        }
        self.last = value.clone();
        Ok(())
    }

    fn add_views(&mut self, views: &Views<'_>, chosen: &Selection) {
        let metrics = chosen.iter().filter_map(|index| views.head(index).metric);
        metrics.for_each(|metric| self.reach(Number::from(metric).to_f64()));
        let (into, last) = (&mut self.histogram, &mut self.last);
        distribution::count_views(views, chosen.iter(), into, last);
    }

    fn quantile(&self, q: f64) -> f64 {
        match self.histogram.quantile(q) {
            number if number.is_nan() => number,
            _ if q <= 0.0 => self.least,
            _ if q >= 1.0 => self.greatest,
            number => number.max(self.least).min(self.greatest),
        }
    }
}

impl Binned for Sampled {
    type Bin = Collected;

    fn create(&self, _: &Cx<'_>) -> Result<Collected> {
        Ok(Collected::Events(Samples::default()))
    }

    fn finish(&self, cx: &Cx<'_>, bin: Collected, _: Time, _: Time) -> Result<()> {
        let sampled = match &bin {
            Collected::Events(samples) => folds::named_samples(samples, &self.points)?,
            Collected::Counted(counted) => {
                named_quantiles(|q| counted.quantile(q), &counted.last, &self.points)?
            }
        };
        for sample in sampled {
            self.children.call(cx, &sample);
        }
        Ok(())
    }
}

impl Collected {
    fn add(&mut self, value: &Value, max: usize) -> Result<()> {
        if !matches!(self, Collected::Counted(..)) && fields::histogram(value).is_some() {
            self.count();
        }
        match self {
            Collected::Events(samples) => {
                if let Some(metric) = fields::metric(value)? {
                    samples.push(value.clone(), metric);
                }
            }
            Collected::Counted(counted) => counted.add(value)?,
        }
        self.bound(max);
        Ok(())
    }

    /// Adds received events that have no histograms.
    fn add_views(&mut self, views: &Views<'_>, chosen: &Selection, max: usize) {
        match self {
            Collected::Events(samples) => {
                for index in chosen.iter() {
                    samples.push_view(&views.get(index));
                }
            }
            Collected::Counted(counted) => counted.add_views(views, chosen),
        }
        self.bound(max);
    }

    fn bound(&mut self, max: usize) {
        if matches!(self, Collected::Events(samples) if samples.len() > max) {
            self.count();
        }
    }

    /// From events to a histogram.
    fn count(&mut self) {
        if let Collected::Events(samples) = self {
            *self = Collected::Counted(Box::new(Counted::of(samples)));
        }
    }
}

impl Stream for Percentiles {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let max = self.bins.inner().max;
        self.bins.add(cx, value, |bin| bin.add(value, max))?;
        Ok(Value::Nil)
    }

    /// Takes down the events where they lie. A batch with expired ones or histograms goes event by
    /// event.
    fn push(&self, cx: &Cx<'_>, batch: &Batch<'_>, chosen: &Selection) {
        let last = chosen.iter().next_back();
        if let (Some(views), Ok(now), Some(last)) = (batch.views(), batch.now(cx), last)
            && chosen
                .iter()
                .map(|index| views.head(index))
                .all(|view| !fields::is_view_expired_at(now, view) && view.histogram().is_none())
        {
            let added = self.bins.add_live(cx, views.head(last), |bin| {
                bin.add_views(views, chosen, self.bins.inner().max);
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
