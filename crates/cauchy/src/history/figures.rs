//! What history tells of itself.

use std::sync::atomic::Ordering;

use store::Stats;
use web::{Metric, MetricKind};

use super::History;
use crate::telemetry::Told;

/// Numbers of a history at a moment.
struct Figures {
    stats: Stats,
    late: u64,
    ahead: u64,
    refused: u64,
    tick_s: f64,
    scrubs: u64,
    left: u64,
}

/// The name after `cauchy_history_`, what it is, its kind, the service after `riemann history` if
/// it is told as an event, too, and its value.
type Figure = (
    &'static str,
    &'static str,
    MetricKind,
    Option<&'static str>,
    fn(&Figures) -> f64,
);

const FIGURES: [Figure; 11] = [
    (
        "series",
        "Series that have a name.",
        MetricKind::Gauge,
        Some("series"),
        |it| it.stats.series as f64,
    ),
    (
        "samples_total",
        "Samples taken.",
        MetricKind::Counter,
        Some("samples"),
        |it| it.stats.samples as f64,
    ),
    (
        "head_bytes",
        "Memory of samples not sealed yet.",
        MetricKind::Gauge,
        Some("head bytes"),
        |it| it.stats.head_bytes as f64,
    ),
    (
        "disk_bytes",
        "Bytes of sealed files.",
        MetricKind::Gauge,
        Some("disk bytes"),
        |it| it.stats.bytes.iter().sum::<u64>() as f64,
    ),
    (
        "late_total",
        "Events too old, and samples of a day that is rolled up.",
        MetricKind::Counter,
        Some("late"),
        |it| (it.late + it.stats.late) as f64,
    ),
    (
        "ahead_total",
        "Events too far in the future.",
        MetricKind::Counter,
        Some("ahead"),
        |it| it.ahead as f64,
    ),
    (
        "refused_total",
        "Samples that the disk did not take.",
        MetricKind::Counter,
        Some("refused"),
        |it| it.refused as f64,
    ),
    (
        "damages_total",
        "Damages that upkeep met.",
        MetricKind::Counter,
        None,
        |it| it.stats.damages as f64,
    ),
    (
        "scrubs_total",
        "How often every byte was looked at.",
        MetricKind::Counter,
        None,
        |it| it.scrubs as f64,
    ),
    (
        "damages_left",
        "Damages that the last look at every byte left.",
        MetricKind::Gauge,
        Some("damages"),
        |it| it.left as f64,
    ),
    (
        "tick_seconds",
        "How long the last upkeep took.",
        MetricKind::Gauge,
        Some("tick"),
        |it| it.tick_s,
    ),
];

impl History {
    fn figures(&self) -> Figures {
        let shared = &self.shared;
        Figures {
            stats: shared.store.stats(),
            late: shared.late.load(Ordering::Relaxed),
            ahead: shared.ahead.load(Ordering::Relaxed),
            refused: shared.refused.load(Ordering::Relaxed),
            tick_s: shared.tick_ns.load(Ordering::Relaxed) as f64 / 1e9,
            scrubs: shared.scrubs.done.load(Ordering::Relaxed),
            left: shared.scrubs.left.load(Ordering::Relaxed),
        }
    }
}

/// As events.
pub fn tell(history: &History, told: &mut Told) {
    let figures = history.figures();
    for (_, _, _, service, value) in FIGURES {
        if let Some(service) = service {
            told.add(&format!("riemann history {service}"), value(&figures));
        }
    }
}

/// As `/metrics` shows it.
pub fn metrics(history: &History) -> impl Iterator<Item = Metric> + use<> {
    let figures = history.figures();
    FIGURES
        .into_iter()
        .map(move |(name, help, kind, _, value)| Metric {
            name: format!("cauchy_history_{name}"),
            help: help.to_owned(),
            kind,
            samples: vec![(Vec::new(), value(&figures))],
        })
}
