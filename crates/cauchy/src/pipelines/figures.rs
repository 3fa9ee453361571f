//! What pipelines count, as events and for `/metrics`.

use ::pipe::{Figures, METRICS};
use event::Number;
use web::{Metric, MetricKind};

use super::Pipelines;

/// What the events of a pipeline are called, and their metrics.
pub fn rows(figures: &Figures) -> [(&'static str, Number); 9] {
    let integer = |count: u64| Number::Int(i64::try_from(count).unwrap_or(i64::MAX));
    [
        ("messages", integer(figures.came)),
        ("stored", integer(figures.stored)),
        ("lost", integer(figures.lost)),
        ("overrun", integer(figures.overrun)),
        ("refused", integer(figures.refused)),
        ("depth", integer(figures.depth)),
        ("depth bytes", integer(figures.depth_bytes)),
        ("oldest", Number::F64(figures.oldest.as_secs_f64())),
        ("failures", integer(figures.failures)),
    ]
}

/// The figures of all pipelines, as services and metrics of events.
pub fn named(pipelines: &Pipelines) -> impl Iterator<Item = (String, Number)> {
    pipelines.figures().into_iter().flat_map(|(name, figures)| {
        let service = move |what| format!("cauchy pipeline {name} {what}");
        rows(&figures).map(|(what, metric)| (service(what), metric))
    })
}

/// A metric for each figure, with a sample for each pipeline.
pub fn metrics(pipelines: &[(String, Figures)]) -> Vec<Metric> {
    if pipelines.is_empty() {
        return Vec::new();
    }
    let metrics = METRICS.iter().map(|metric| Metric {
        name: format!("cauchy_pipe_{}", metric.name),
        help: metric.help.to_owned(),
        kind: match metric.is_counter {
            true => MetricKind::Counter,
            false => MetricKind::Gauge,
        },
        samples: pipelines
            .iter()
            .map(|(name, figures)| {
                let label = ("pipeline".to_owned(), name.clone());
                (vec![label], (metric.read)(figures))
            })
            .collect(),
    });
    metrics.collect()
}
