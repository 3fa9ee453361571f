//! The server tells of itself: as events, as Riemann does, and as Prometheus metrics.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use config::Telemetry;
use event::{Draft, Event, Number, Time};
use parking_lot::Mutex;
use sinks::stats::Stats;
use transport::{Latencies, LatencyCounter, Server, ServerStats};
use web::{Metric, MetricKind};

use crate::handler::Live;
use crate::pipelines::figures;
use crate::{history, host, journal_figures};

/// Quantiles that are told, with the text that ends the service.
const QUANTILES: [(f64, &str); 5] = [
    (0.0, "0.0"),
    (0.5, "0.5"),
    (0.95, "0.95"),
    (0.99, "0.99"),
    (0.999, "0.999"),
];

/// A rate is reckoned over at least this long.
const RATE_WINDOW: Duration = Duration::from_secs(1);

/// What passed through the streams.
#[derive(Default)]
pub struct Counters {
    /// Events streamed since the start.
    pub events: AtomicU64,
    /// Threads of servers that are in the streams now.
    active: AtomicU64,
    /// Nanoseconds an event took, since it was last told.
    latency: LatencyCounter,
    window: Mutex<Option<Window>>,
}

#[derive(Clone, Copy)]
struct Window {
    since: Instant,
    events: u64,
    rate: f64,
}

/// A thread in the streams, until dropped; also when a stream panics.
pub struct Active<'a>(&'a AtomicU64);

impl Drop for Active<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Counters {
    /// Counts this thread as one that is in the streams.
    pub fn enter(&self) -> Active<'_> {
        self.active.fetch_add(1, Ordering::Relaxed);
        Active(&self.active)
    }

    pub fn streamed(&self, count: usize, took: Duration) {
        if count == 0 {
            return;
        }
        let count = count as u64;
        self.events.fetch_add(count, Ordering::Relaxed);
        let ns = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.latency.record(ns / count, count);
    }

    /// Events per second since the last look that was at least a second ago.
    pub fn rate_now(&self) -> f64 {
        let events = self.events.load(Ordering::Relaxed);
        let mut window = self.window.lock();
        let Some(last) = *window else {
            *window = Some(Window {
                since: Instant::now(),
                events,
                rate: 0.0,
            });
            return 0.0;
        };
        let age = last.since.elapsed();
        if age < RATE_WINDOW {
            return last.rate;
        }
        let rate = (events - last.events) as f64 / age.as_secs_f64();
        *window = Some(Window {
            since: Instant::now(),
            events,
            rate,
        });
        rate
    }
}

/// Makes the instrumentation service's events.
pub struct Teller {
    live: Weak<Live>,
    /// Totals when it last told, by what they count.
    before: Mutex<Vec<(String, u64)>>,
}

impl Teller {
    pub fn new(live: &Arc<Live>) -> Teller {
        Teller {
            live: Arc::downgrade(live),
            before: Mutex::default(),
        }
    }

    fn rate(&self, what: &str, total: u64, interval_s: f64) -> f64 {
        let mut before = self.before.lock();
        let last = match before.iter_mut().find(|(name, _)| name == what) {
            Some((_, last)) => std::mem::replace(last, total),
            None => {
                before.push((what.to_owned(), total));
                0
            }
        };
        total.saturating_sub(last) as f64 / interval_s
    }
}

impl Telemetry for Teller {
    fn events(&self, interval_s: f64) -> Vec<Event> {
        let Some(live) = self.live.upgrade() else {
            return Vec::new();
        };
        let mut told = Told {
            now: transport::Handler::now(&*live),
            ttl_s: 2.0 * interval_s,
            events: Vec::new(),
        };
        let counters = &live.counters;
        let total = counters.events.load(Ordering::Relaxed);
        told.add(
            "riemann streams rate",
            self.rate("streams", total, interval_s),
        );
        told.add_latency("riemann streams", &counters.latency.take());
        // No queue stands between a socket and the streams: what waits, waits in the socket.
        let active = counters.active.load(Ordering::Relaxed);
        told.add("riemann netty event-executor threads active", active as i64);
        told.add("riemann netty event-executor queue size", 0);
        if live
            .configuration
            .load()
            .as_ref()
            .is_some_and(|config| config.index().is_some())
        {
            told.add("riemann index size", live.kept.index.len() as i64);
        }
        let rows = journal_figures::rows(&live).into_iter();
        for (service, figure) in rows.chain(figures::named(&live.web.pipelines())) {
            told.add(&service, figure);
        }
        if let Some(history) = &*live.history.load() {
            history::tell(history, &mut told);
        }
        let servers = live.web.servers();
        for server in &servers {
            self.tell_server(&mut told, server, interval_s);
        }
        if let Some(configuration) = live.configuration.load().as_ref() {
            for (stream, count) in configuration.dropped() {
                told.add(&format!("riemann streams dropped {stream}"), count as i64);
            }
            for outlet in configuration.outlet_stats() {
                tell_outlet(&mut told, &outlet);
            }
        }
        told.events
    }
}

impl Teller {
    fn tell_server(&self, told: &mut Told, server: &Server, interval_s: f64) {
        let stats = server.stats();
        let kind = if server.kind() == "tls" {
            "tcp"
        } else {
            server.kind()
        };
        let name = format!("riemann server {kind} {}", server.addr());
        let total = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        if kind != "udp" {
            told.add(&format!("{name} conns"), total(&stats.connections) as i64);
        }
        if total(&stats.overrun) > 0 {
            told.add(&format!("{name} lost"), total(&stats.overrun) as i64);
        }
        if matches!(kind, "ws" | "sse") {
            let out = format!("{name} out");
            told.add(
                &format!("{out} rate"),
                self.rate(&out, total(&stats.messages_out), interval_s),
            );
        }
        if kind != "sse" {
            let into = format!("{name} in");
            told.add(
                &format!("{into} rate"),
                self.rate(&into, total(&stats.messages_in), interval_s),
            );
            told.add_latency(&into, &stats.latency.take());
        }
    }
}

/// What waits to leave, and what will not.
fn tell_outlet(told: &mut Told, outlet: &Stats) {
    let name = format!("riemann outlet {}", outlet.name);
    told.add(&format!("{name} queue size"), outlet.depth as i64);
    told.add(&format!("{name} lost"), outlet.lost as i64);
    if outlet.dead > 0 {
        told.add(&format!("{name} dead"), outlet.dead as i64);
    }
    let oldest = outlet.oldest.unwrap_or_default().as_secs_f64();
    told.add(&format!("{name} oldest"), oldest);
}

/// Events that tell of the server.
pub struct Told {
    now: Time,
    ttl_s: f64,
    events: Vec<Event>,
}

impl Told {
    pub fn add(&mut self, service: &str, metric: impl Into<Number>) {
        let event = Draft {
            host: Some(host::hostname().into()),
            service: Some(service.to_owned().into()),
            state: Some("ok".into()),
            metric: Some(metric.into()),
            tags: Some(vec!["riemann".into()]),
            time: Some(self.now),
            ttl: Some(Number::F64(self.ttl_s)),
            ..Draft::record()
        };
        self.events.push(event.build());
    }

    /// In milliseconds; nothing while nothing was measured.
    fn add_latency(&mut self, name: &str, latencies: &Latencies) {
        for (quantile, text) in QUANTILES {
            if let Some(ns) = latencies.quantile(quantile) {
                self.add(&format!("{name} latency {text}"), ns as f64 / 1e6);
            }
        }
    }
}

/// Everything that `/metrics` shows.
pub fn metrics(live: &Live, servers: &[Arc<Server>], uptime: Duration) -> Vec<Metric> {
    let metric = |name: &str, help: &str, kind: MetricKind, value: f64| Metric {
        name: format!("cauchy_{name}"),
        help: help.to_owned(),
        kind,
        samples: vec![(Vec::new(), value)],
    };
    let pubsub = live.kept.pubsub.counts();
    let events = live.counters.events.load(Ordering::Relaxed);
    let forks = live
        .configuration
        .load()
        .as_ref()
        .map_or(0, |config| config.forks());
    let mut metrics = vec![
        metric(
            "uptime_seconds",
            "Seconds since the start.",
            MetricKind::Gauge,
            uptime.as_secs_f64(),
        ),
        metric(
            "events_total",
            "Events streamed.",
            MetricKind::Counter,
            events as f64,
        ),
        metric(
            "index_size",
            "Events in the index.",
            MetricKind::Gauge,
            live.kept.index.len() as f64,
        ),
        metric(
            "forks",
            "Forks of `by` alive.",
            MetricKind::Gauge,
            forks as f64,
        ),
        metric(
            "subscribers",
            "Subscriptions of connections.",
            MetricKind::Gauge,
            pubsub.subscribers as f64,
        ),
        metric(
            "subscribers_lost_total",
            "Events that slow subscribers lost.",
            MetricKind::Counter,
            pubsub.lost as f64,
        ),
        metric(
            "cpu_seconds_total",
            "Processor time used.",
            MetricKind::Counter,
            cpu_s(),
        ),
        metric(
            "resident_bytes",
            "Memory resident.",
            MetricKind::Gauge,
            resident_bytes(),
        ),
    ];
    metrics.extend(journal_figures::metrics(live));
    metrics.extend(figures::metrics(&live.web.pipelines().figures()));
    if let Some(history) = &*live.history.load() {
        metrics.extend(history::metrics(history));
    }
    metrics.extend(server_metrics(servers));
    if let Some(configuration) = live.configuration.load().as_ref() {
        metrics.extend(outlet_metrics(&configuration.outlet_stats()));
    }
    metrics
}

/// The name after `cauchy_outlet_`, what it is, its kind, and its value.
type OutletMetric = (&'static str, &'static str, MetricKind, fn(&Stats) -> f64);

const OUTLET_METRICS: [OutletMetric; 6] = [
    (
        "queue_size",
        "Items waiting to leave.",
        MetricKind::Gauge,
        |stats| stats.depth as f64,
    ),
    (
        "sent_total",
        "Items delivered.",
        MetricKind::Counter,
        |stats| stats.sent as f64,
    ),
    (
        "failed_total",
        "Deliveries that failed.",
        MetricKind::Counter,
        |stats| stats.failed as f64,
    ),
    (
        "lost_total",
        "Items given up.",
        MetricKind::Counter,
        |stats| stats.lost as f64,
    ),
    (
        "dead_total",
        "Items given up, and kept among the dead letters of their journal.",
        MetricKind::Counter,
        |stats| stats.dead as f64,
    ),
    (
        "oldest_seconds",
        "Age of the oldest item that waits.",
        MetricKind::Gauge,
        |stats| stats.oldest.unwrap_or_default().as_secs_f64(),
    ),
];

fn outlet_metrics(outlets: &[Stats]) -> impl Iterator<Item = Metric> {
    OUTLET_METRICS.into_iter().map(|(name, help, kind, value)| {
        let samples = outlets.iter().map(|stats| {
            let labels = vec![("outlet".to_owned(), stats.name.to_string())];
            (labels, value(stats))
        });
        let samples = samples.collect();
        let name = format!("cauchy_outlet_{name}");
        Metric {
            name,
            help: help.to_owned(),
            kind,
            samples,
        }
    })
}

/// The name after `cauchy_server_`, what it counts, its kind, and where it is.
type ServerMetric = (
    &'static str,
    &'static str,
    MetricKind,
    fn(&ServerStats) -> &AtomicU64,
);

const SERVER_METRICS: [ServerMetric; 9] = [
    (
        "connections",
        "Connections open.",
        MetricKind::Gauge,
        |stats| &stats.connections,
    ),
    (
        "accepted_total",
        "Connections accepted.",
        MetricKind::Counter,
        |stats| &stats.accepted,
    ),
    (
        "messages_in_total",
        "Messages received.",
        MetricKind::Counter,
        |stats| &stats.messages_in,
    ),
    (
        "messages_out_total",
        "Events sent to subscribers.",
        MetricKind::Counter,
        |stats| &stats.messages_out,
    ),
    (
        "bytes_in_total",
        "Bytes received.",
        MetricKind::Counter,
        |stats| &stats.bytes_in,
    ),
    (
        "dropped_total",
        "Datagrams too long, dropped.",
        MetricKind::Counter,
        |stats| &stats.dropped,
    ),
    (
        "overrun_total",
        "Datagrams that the kernel dropped, read too slowly.",
        MetricKind::Counter,
        |stats| &stats.overrun,
    ),
    (
        "malformed_total",
        "Messages that did not parse.",
        MetricKind::Counter,
        |stats| &stats.malformed,
    ),
    (
        "failed_total",
        "Events that a stream threw on.",
        MetricKind::Counter,
        |stats| &stats.failed,
    ),
];

fn server_metrics(servers: &[Arc<Server>]) -> impl Iterator<Item = Metric> {
    SERVER_METRICS
        .into_iter()
        .map(|(name, help, kind, counter)| {
            let samples = servers.iter().map(|server| {
                let labels = vec![
                    ("server".to_owned(), server.kind().to_owned()),
                    ("address".to_owned(), server.addr().to_string()),
                ];
                (
                    labels,
                    counter(server.stats()).load(Ordering::Relaxed) as f64,
                )
            });
            let samples = samples.collect();
            Metric {
                name: format!("cauchy_server_{name}"),
                help: help.to_owned(),
                kind,
                samples,
            }
        })
}

/// Processor time of all threads, in seconds.
pub fn cpu_s() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Resident memory by `/proc/self/statm`; 0 where there is none.
fn resident_bytes() -> f64 {
    const PAGE_BYTES: f64 = 4096.0;
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm
        .split(' ')
        .nth(1)
        .and_then(|pages| pages.parse::<f64>().ok());
    pages.unwrap_or(0.0) * PAGE_BYTES
}
