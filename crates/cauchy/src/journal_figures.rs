//! What journals tell of themselves, as events and for `/metrics`.

use clock::{Clock, SystemClock};
use event::Number;
use journal::{Stats, SubscriberStats};
use web::{Metric, MetricKind};

use crate::handler::Live;

/// A journal by name, and what it tells.
type Told = (String, Stats);

/// What is told of a journal: what follows `cauchy_journal_`, what follows the journal's name in an
/// event, what it is, its kind, and where it is.
type Figure = (
    &'static str,
    &'static str,
    &'static str,
    MetricKind,
    fn(&Stats) -> u64,
);

const FIGURES: [Figure; 7] = [
    (
        "appended_total",
        "appended",
        "Records appended since the start.",
        MetricKind::Counter,
        |stats| stats.appended,
    ),
    (
        "failed_total",
        "failed",
        "Appends that failed.",
        MetricKind::Counter,
        |stats| stats.failed,
    ),
    (
        "damaged_records_total",
        "damaged",
        "Records that readers found damaged.",
        MetricKind::Counter,
        |stats| stats.records_damaged,
    ),
    (
        "dropped_records_total",
        "dropped",
        "Records deleted that a subscriber had not read.",
        MetricKind::Counter,
        |stats| stats.dropped,
    ),
    (
        "sync_failures_total",
        "sync failures",
        "Syncs that failed.",
        MetricKind::Counter,
        |stats| stats.sync_failures,
    ),
    (
        "disk_full",
        "disk full",
        "1 if the disk had no room for the last write.",
        MetricKind::Gauge,
        |stats| u64::from(stats.disk_full),
    ),
    (
        "disk_bytes",
        "bytes",
        "Bytes of its files.",
        MetricKind::Gauge,
        |stats| stats.disk_bytes,
    ),
];

/// Every journal of the server.
fn told(live: &Live) -> Vec<Told> {
    let mut journals = Vec::new();
    if let Some(ingest) = &*live.ingest.load() {
        journals.push((ingest.spec.name.clone(), ingest.journal().clone()));
    }
    if let Some(keeping) = live.index_keeping.get() {
        journals.push(("index".to_owned(), keeping.journal().clone()));
    }
    journals.extend(live.web.pipelines().journals());
    let stats = journals
        .into_iter()
        .filter_map(|(name, journal)| match journal.stats() {
            Ok(stats) => Some((name, stats)),
            Err(error) => {
                tracing::warn!("journal {name}: no figures: {error}");
                None
            }
        });
    stats.collect()
}

/// What the events are called, and their metrics.
pub fn rows(live: &Live) -> Vec<(String, Number)> {
    let now_us = SystemClock::new().now().us;
    let integer = |count: u64| Number::Int(i64::try_from(count).unwrap_or(i64::MAX));
    let mut rows = Vec::new();
    for (name, stats) in told(live) {
        let name = format!("cauchy journal {name}");
        for (_, what, _, _, read) in FIGURES {
            rows.push((format!("{name} {what}"), integer(read(&stats))));
        }
        for one in &stats.subscribers {
            let of = format!("{name} subscriber {}", one.name);
            rows.push((format!("{of} depth"), integer(one.records)));
            rows.push((format!("{of} oldest"), Number::F64(oldest_s(one, now_us))));
        }
    }
    rows
}

/// Seconds that the oldest record which a subscriber has not read waits.
fn oldest_s(subscriber: &SubscriberStats, now_us: i64) -> f64 {
    let since = subscriber.oldest_us.filter(|_| subscriber.records > 0);
    since.map_or(0.0, |since| {
        now_us.saturating_sub(since).max(0) as f64 / 1e6
    })
}

/// For `/metrics`.
pub fn metrics(live: &Live) -> Vec<Metric> {
    let told = told(live);
    if told.is_empty() {
        return Vec::new();
    }
    let label = |name: &String| ("journal".to_owned(), name.clone());
    let mut metrics = Vec::new();
    for (metric, _, help, kind, read) in FIGURES {
        let samples = told
            .iter()
            .map(|(name, stats)| (vec![label(name)], read(stats) as f64));
        metrics.push(Metric {
            name: format!("cauchy_journal_{metric}"),
            help: help.to_owned(),
            kind,
            samples: samples.collect(),
        });
    }
    let now_us = SystemClock::new().now().us;
    let mut of_subscribers = |metric: &str, help: &str, read: &dyn Fn(&SubscriberStats) -> f64| {
        let samples = told.iter().flat_map(|(name, stats)| {
            stats.subscribers.iter().map(move |one| {
                let subscriber = ("subscriber".to_owned(), one.name.clone());
                (vec![label(name), subscriber], read(one))
            })
        });
        metrics.push(Metric {
            name: format!("cauchy_journal_subscriber_{metric}"),
            help: help.to_owned(),
            kind: MetricKind::Gauge,
            samples: samples.collect(),
        });
    };
    of_subscribers("depth_records", "Records not read.", &|one| {
        one.records as f64
    });
    of_subscribers("depth_bytes", "Bytes not read.", &|one| one.bytes as f64);
    of_subscribers(
        "oldest_seconds",
        "How long the oldest record that was not read waits.",
        &|one| oldest_s(one, now_us),
    );
    metrics
}
