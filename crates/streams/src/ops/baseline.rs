//! `baseline`: the distribution of now against that of the past.

use std::sync::Arc;

use clj::{Cx, Native, Result, Thrown, Value, histogram_value};
use event::{Event, Number, Time};
use histogram::Histogram;

use crate::distribution::{self, Window};
use crate::folds::{self, Point};
use crate::ops::quantiles;
use crate::stream::operator;
use crate::{Children, World, arithmetic, fields};

pub const OPERATOR: Native = operator(
    "baseline",
    "([options & children])",
    1,
    |cx: &Cx<'_>, args: &[Value]| {
        let baseline = Baseline::of(&args[0])?;
        let every = option(&args[0], "every", EVERY_S);
        distribution::stream(
            cx,
            "baseline",
            &every,
            &args[1..],
            move |cx, children, window| baseline.compare(cx, children, &window),
        )
    },
    "Compares the distribution of the metric with that of the same hour last week. Counts the metrics \
     of each {:every 60} seconds as histogram does, and asks history for the distribution of the \
     series of the most recent of these events, {:ago 604800} seconds before, in the {:span 3600} \
     seconds around that moment. Passes on that event several times, with what its metric is added \
     to its service: \" distance\", by how much a number would have to be moved on average to make \
     one distribution of the other (earth mover's distance). \" shift\", how much of that is upwards. \
     For each of {:quantiles [0.5 0.99]}, \" shift 0.5\", by how much that quantile has grown, and \
     \" share 0.5\", the share of the numbers now at or above that quantile then. Each has a field \
     :chance, that of such a difference if nothing changed: where it is small, the distribution is \
     another. Nothing where the past is not known. A function {:past (fn [event from to] …)} of an \
     event and two times is asked in place of history; it gives a histogram or nil. Put by around \
     it, so that each series is compared with itself.\n\n    (by [:host :service]\n      (baseline \
     {:quantiles [0.99]}\n        (where (and (service #\" shift 0.99$\") (> metric 0.1) (< (:chance \
     event) 0.001))\n          (email \"ops@example.com\"))))",
);

/// A minute of now against the hour around the same moment last week.
const EVERY_S: i64 = 60;
const AGO_S: i64 = 7 * 24 * 60 * 60;
const SPAN_S: i64 = 60 * 60;
const QUANTILES: [f64; 2] = [0.5, 0.99];

const OPTIONS: [&str; 5] = ["every", "ago", "span", "quantiles", "past"];

struct Baseline {
    ago: Number,
    span: Number,
    points: Vec<Point>,
    /// A function to ask in place of history, or nil.
    past: Value,
}

fn option(options: &Value, name: &str, usual: i64) -> Value {
    match fields::get(options, name) {
        Value::Nil => Value::Int(usual),
        given => given,
    }
}

fn unfit(message: String, hint: &str) -> Thrown {
    Thrown::illegal_argument(format!("baseline: {message}")).with_hint(hint)
}

impl Baseline {
    fn of(options: &Value) -> Result<Baseline> {
        let Value::Map(entries) = options else {
            return Err(unfit(
                format!("options in a map come first, not {}", options.to_readable()),
                "as in (baseline {} index), or (baseline {:every 300} index)",
            ));
        };
        for (key, _) in entries.iter() {
            let known = |name: &&str| *key == Value::keyword(name);
            if !OPTIONS.iter().any(known) {
                return Err(unfit(
                    format!("there is no option {}", key.to_readable()),
                    "the options are :every, :ago, :span, :quantiles and :past",
                ));
            }
        }
        let baseline = Baseline {
            ago: seconds(options, "ago", AGO_S)?,
            span: seconds(options, "span", SPAN_S)?,
            points: points(options)?,
            past: function(options)?,
        };
        baseline.check_order(&seconds(options, "every", EVERY_S)?)?;
        Ok(baseline)
    }

    /// The past must be over before now begins.
    fn check_order(&self, every: &Number) -> Result<()> {
        let after = arithmetic::quotient(&self.span, &Number::Int(2))?;
        let between = arithmetic::sum(&after, every)?;
        if arithmetic::less(&self.ago, &between) {
            return Err(unfit(
                format!(
                    "{} s ago and {} s around that overlaps with now",
                    self.ago, self.span
                ),
                "make :ago at least half of :span and :every together",
            ));
        }
        Ok(())
    }

    fn compare(&self, cx: &Cx<'_>, children: &Children, window: &Window) -> Result<()> {
        let from = arithmetic::difference(&window.end.to_number(), &self.ago)?;
        let half = arithmetic::quotient(&self.span, &Number::Int(2))?;
        let from = arithmetic::difference(&from, &half)?;
        let to = arithmetic::sum(&from, &self.span)?;
        let Some(then) = self.then(cx, &window.last, from, to)? else {
            return Ok(());
        };
        let found = window.histogram.compare(&then);
        if found.distance.is_nan() {
            return Ok(());
        }
        let event = fields::with_time(&window.last, window.end)?;
        let event = fields::assoc(&event, "chance", found.chance.into())?;
        let told = |metric: f64, suffix: &str| {
            let value = fields::with_metric(&event, Number::F64(metric))?;
            children.call(cx, &folds::with_suffix(&value, suffix)?);
            Ok::<(), Thrown>(())
        };
        told(found.distance, " distance")?;
        told(found.shift, " shift")?;
        for point in &self.points {
            let q = arithmetic::number(&point.at)?.to_f64();
            let before = then.quantile(q);
            let grown = window.histogram.quantile(q) - before;
            told(grown, &format!(" shift{}", point.suffix))?;
            let above = window.histogram.share_above(before);
            told(above, &format!(" share{}", point.suffix))?;
        }
        Ok(())
    }

    fn then(
        &self,
        cx: &Cx<'_>,
        event: &Value,
        from: Number,
        to: Number,
    ) -> Result<Option<Arc<Histogram>>> {
        if !self.past.is_nil() {
            let args = [event.clone(), from.into(), to.into()];
            return match cx.call(&self.past, &args)? {
                Value::Nil => Ok(None),
                given => match histogram_value::of(&given) {
                    Some(histogram) => Ok(Some(histogram.clone())),
                    None => Err(unfit(
                        format!("the past is a histogram, not {}", given.to_readable()),
                        "the function of :past gives a histogram or nil",
                    )),
                },
            };
        }
        let Some(past) = cx.get::<World>()?.past() else {
            return Err(
                Thrown::illegal_state("baseline: there is no history to compare with").with_hint(
                    "put (history {}) in the streams, or give baseline a function {:past f}",
                ),
            );
        };
        let (Some(from), Some(to)) = (Time::nearest(&from), Time::nearest(&to)) else {
            return Ok(None);
        };
        let Some(event) = as_event(event)? else {
            return Ok(None);
        };
        past.past(&event, from, to)
            .map(|found| found.map(Arc::new))
            .map_err(|why| Thrown::illegal_state(format!("baseline: history: {why}")))
    }
}

/// The event that a value is, or that a map stands for.
fn as_event(value: &Value) -> Result<Option<Event>> {
    match value {
        Value::Event(event) => Ok(Some(event.clone())),
        Value::Map(map) => clj::event_value::from_map(map, false),
        _ => Ok(None),
    }
}

fn seconds(options: &Value, name: &str, usual: i64) -> Result<Number> {
    let given = option(options, name, usual);
    let number = given.as_number();
    number
        .filter(|number| arithmetic::less(&Number::Int(0), number))
        .ok_or_else(|| {
            unfit(
                format!(
                    ":{name} is a number of seconds above 0, not {}",
                    given.to_readable()
                ),
                "a week is 604800 s, a day 86400 s, an hour 3600 s",
            )
        })
}

fn points(options: &Value) -> Result<Vec<Point>> {
    let points = match fields::get(options, "quantiles") {
        Value::Nil => folds::points(&Value::vector(QUANTILES.map(Value::from).to_vec()))?,
        given => folds::points(&given)?,
    };
    for point in &points {
        quantiles::share("baseline", &point.at)?;
    }
    Ok(points)
}

fn function(options: &Value) -> Result {
    match fields::get(options, "past") {
        past @ (Value::Nil | Value::Fn(_) | Value::Var(_)) => Ok(past),
        other => Err(unfit(
            format!(":past is a function, not {}", other.to_readable()),
            "as in {:past (fn [event from to] (h/histogram [1 2 3]))}",
        )),
    }
}
