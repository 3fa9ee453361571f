//! What pipelines do, as text.

use std::fmt::Write;
use std::time::Duration;

use crate::Figures;

/// Turns figures into text, and rates by what they were before.
#[derive(Default)]
pub struct Monitor {
    before: Vec<(String, Figures)>,
    at: Duration,
}

/// What a second saw.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rates {
    /// Messages taken from the source.
    pub came: f64,
    /// Messages stored.
    pub stored: f64,
}

impl Monitor {
    /// One whose first rates are since then.
    #[must_use]
    pub fn since(at: Duration) -> Monitor {
        Monitor {
            before: Vec::new(),
            at,
        }
    }

    /// The figures of each pipeline and of all together, as they are `now`.
    pub fn text(&mut self, now: Duration, pipelines: &[(String, Figures)]) -> String {
        let rates = self.rates(now, pipelines);
        let came: f64 = rates.iter().map(|rates| rates.came).sum();
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = writeln!(text, "\ntotal throughput (ALL pipelines): {came:.0} msg/s");
        for ((name, figures), rates) in pipelines.iter().zip(&rates) {
            let head = format!("queue [{name}]");
            let _ = writeln!(text, "{}\n{head}\n{}", "-".repeat(40), "-".repeat(40));
            for (label, value) in [
                ("message rate", format!("{:.0} msg/s", rates.came)),
                ("stored rate", format!("{:.0} msg/s", rates.stored)),
                ("current depth", figures.depth.to_string()),
                ("oldest", format!("{:.1} s", figures.oldest.as_secs_f64())),
                ("pass through total", figures.came.to_string()),
                ("stored total", figures.stored.to_string()),
                ("lost", figures.lost.to_string()),
            ] {
                let _ = writeln!(text, "{label:>19}: {value}");
            }
            if figures.overrun > 0 {
                let _ = writeln!(text, "{:>19}: {}", "dropped by kernel", figures.overrun);
            }
        }
        text
    }

    /// The rates since this was last asked.
    pub fn rates(&mut self, now: Duration, pipelines: &[(String, Figures)]) -> Vec<Rates> {
        let passed_s = now.saturating_sub(self.at).as_secs_f64().max(1e-3);
        let rates = pipelines.iter().map(|(name, figures)| {
            let before = self.before.iter().find(|(known, _)| known == name);
            let before = before.map_or_else(Figures::default, |(_, figures)| *figures);
            let rate = |now: u64, before: u64| now.saturating_sub(before) as f64 / passed_s;
            Rates {
                came: rate(figures.came, before.came),
                stored: rate(figures.stored, before.stored),
            }
        });
        let rates = rates.collect();
        self.before = pipelines.to_vec();
        self.at = now;
        rates
    }
}

/// A figure as Prometheus knows it.
pub struct FigureMetric {
    /// What follows `cauchy_pipe_`.
    pub name: &'static str,
    /// What it is.
    pub help: &'static str,
    /// Whether it only grows.
    pub is_counter: bool,
    /// Where it is.
    pub read: fn(&Figures) -> f64,
}

const fn metric(
    name: &'static str,
    help: &'static str,
    is_counter: bool,
    read: fn(&Figures) -> f64,
) -> FigureMetric {
    FigureMetric {
        name,
        help,
        is_counter,
        read,
    }
}

/// Every figure.
pub const METRICS: [FigureMetric; 10] = [
    metric(
        "messages_total",
        "Messages taken from the source.",
        true,
        |f| f.came as f64,
    ),
    metric("stored_total", "Messages that the store has.", true, |f| {
        f.stored as f64
    }),
    metric("lost_total", "Messages dropped.", true, |f| f.lost as f64),
    metric(
        "overrun_total",
        "Datagrams that the kernel dropped, read too slowly.",
        true,
        |f| f.overrun as f64,
    ),
    metric(
        "torn_total",
        "Messages of which only a part came.",
        true,
        |f| f.torn as f64,
    ),
    metric("refused_total", "What was no message.", true, |f| {
        f.refused as f64
    }),
    metric(
        "failures_total",
        "Tries that failed, of queue or store.",
        true,
        |f| f.failures as f64,
    ),
    metric("depth_messages", "Messages that wait.", false, |f| {
        f.depth as f64
    }),
    metric("depth_bytes", "Bytes that wait.", false, |f| {
        f.depth_bytes as f64
    }),
    metric("oldest_seconds", "How long the oldest waits.", false, |f| {
        f.oldest.as_secs_f64()
    }),
];

/// The figures as Prometheus reads them.
#[must_use]
pub fn prometheus(pipelines: &[(String, Figures)]) -> String {
    let mut text = String::new();
    for metric in &METRICS {
        let (name, help) = (metric.name, metric.help);
        let kind = if metric.is_counter {
            "counter"
        } else {
            "gauge"
        };
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "# HELP cauchy_pipe_{name} {help}\n# TYPE cauchy_pipe_{name} {kind}"
        );
        for (pipeline, figures) in pipelines {
            let label = pipeline
                .replace('\\', "\\\\")
                .replace('"', "\\\"")
                .replace('\n', "\\n");
            let value = (metric.read)(figures);
            let _ = writeln!(text, "cauchy_pipe_{name}{{pipeline=\"{label}\"}} {value}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_tells_rates_since_the_last_one() {
        let mut monitor = Monitor::default();
        let figures = |came, stored| Figures {
            came,
            stored,
            depth: came - stored,
            oldest: Duration::from_millis(1500),
            ..Figures::default()
        };
        let second = Duration::from_secs(1);
        let named = |name: &str, figures| vec![(name.to_owned(), figures)];
        monitor.text(second, &named("a", figures(100, 50)));
        let text = monitor.text(second * 6, &named("a", figures(600, 300)));
        let expected = "
total throughput (ALL pipelines): 100 msg/s
----------------------------------------
queue [a]
----------------------------------------
       message rate: 100 msg/s
        stored rate: 50 msg/s
      current depth: 300
             oldest: 1.5 s
 pass through total: 600
       stored total: 300
               lost: 0
";
        assert_eq!(text, expected);
    }

    #[test]
    fn metrics_are_labelled_by_pipeline() {
        let figures = Figures {
            lost: 3,
            ..Figures::default()
        };
        let text = prometheus(&[("a \"b\"".to_owned(), figures)]);
        assert!(
            text.contains("cauchy_pipe_lost_total{pipeline=\"a \\\"b\\\"\"} 3\n"),
            "{text}"
        );
    }
}
