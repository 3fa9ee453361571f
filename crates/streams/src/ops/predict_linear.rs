//! `predict-linear`: where a straight line would lead.

use std::collections::VecDeque;

use clj::{Cx, Native, Result, Value};
use event::Number;
use parking_lot::Mutex;

use crate::ops::count_argument;
use crate::stream::operator;
use crate::{Children, Stream, StreamFn, arithmetic, fields};

pub const OPERATOR: Native = operator(
    "predict-linear",
    "([n s & children] [n s r & children])",
    2,
    new,
    "Fits a straight line to time and metric of the last n events, by least squares, and passes on each \
     event with the metric that the line has s seconds after it. Nothing until there are two events of \
     different times. With a number r, the line is fitted anew at most every r seconds of real \
     time.\n\n    (predict-linear 60 3600 (where (> metric 0.95) (email \"you@example.com\")))",
);

struct PredictLinear {
    size: usize,
    ahead_s: f64,
    refit_ms: Option<f64>,
    state: Mutex<State>,
    children: Children,
}

#[derive(Default)]
struct State {
    /// Time and metric.
    points: VecDeque<(f64, f64)>,
    line: Option<Line>,
    fitted_at_ms: f64,
}

#[derive(Clone, Copy)]
struct Line {
    slope: f64,
    /// A point on the line.
    time: f64,
    metric: f64,
}

fn new(_: &Cx<'_>, args: &[Value]) -> Result {
    let (refit_ms, children) = match &args[2..] {
        [r, children @ ..] if r.as_number().is_some() => {
            (Some(arithmetic::number(r)?.to_f64() * 1000.0), children)
        }
        children => (None, children),
    };
    Ok(StreamFn::value(
        "predict-linear",
        PredictLinear {
            size: count_argument(&args[0])?,
            ahead_s: arithmetic::number(&args[1])?.to_f64(),
            refit_ms,
            state: Mutex::default(),
            children: Children::of(children),
        },
    ))
}

impl PredictLinear {
    fn predict(&self, cx: &Cx<'_>, time: f64, metric: f64) -> Option<f64> {
        let mut state = self.state.lock();
        state.points.push_back((time, metric));
        while state.points.len() > self.size {
            state.points.pop_front();
        }
        let now_ms = cx.rt.host.now_ms() as f64;
        let due = self
            .refit_ms
            .is_none_or(|every| now_ms - state.fitted_at_ms >= every);
        if due || state.line.is_none() {
            state.line = fit(&state.points);
            state.fitted_at_ms = now_ms;
        }
        let line = state.line?;
        Some(line.metric + line.slope * (time + self.ahead_s - line.time))
    }
}

/// The line of least squares; `None` when the points do not lie at different times.
fn fit(points: &VecDeque<(f64, f64)>) -> Option<Line> {
    let count = points.len() as f64;
    let time = points.iter().map(|(time, _)| time).sum::<f64>() / count;
    let metric = points.iter().map(|(_, metric)| metric).sum::<f64>() / count;
    let spread: f64 = points.iter().map(|(t, _)| (t - time) * (t - time)).sum();
    let along: f64 = points.iter().map(|(t, m)| (t - time) * (m - metric)).sum();
    (spread > 0.0).then(|| Line {
        slope: along / spread,
        time,
        metric,
    })
}

impl Stream for PredictLinear {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let (time, metric) = (fields::number(value, "time")?, fields::metric(value)?);
        let (Some(time), Some(metric)) = (time, metric) else {
            return Ok(Value::Nil);
        };
        let Some(predicted) = self.predict(cx, time.to_f64(), metric.to_f64()) else {
            return Ok(Value::Nil);
        };
        self.children
            .call(cx, &fields::with_metric(value, Number::F64(predicted))?);
        Ok(Value::Bool(true))
    }

    fn is_contained(&self) -> bool {
        self.children.is_contained()
    }
}
