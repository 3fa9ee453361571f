//! What a load found.

use histogram::Histogram;

use crate::tally::Tally;

/// A stretch of the measured time, usually a second.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// Seconds since the measured time began, at the end of the stretch.
    pub at_s: f64,
    /// How long it was, in seconds.
    pub span_s: f64,
    /// Messages unanswered at its end.
    pub unacked: u64,
    pub tally: Tally,
}

/// Since the first connection was opened, with the warm-up and the wait for the last answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Totals {
    pub sent: u64,
    pub acked: u64,
    pub failed: u64,
    pub broken: u64,
    pub error: Option<String>,
}

/// What the server says of itself, from before the first message to after the last.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verified {
    /// Events that it streamed.
    pub events: u64,
    /// Datagrams that were dropped before it could read them.
    pub overrun: u64,
    /// Processor time that it took, in seconds, if it tells.
    pub cpu_s: Option<f64>,
}

/// All that a load found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What was asked, for people: a name and a value.
    pub setup: Vec<(String, String)>,
    pub events_per_message: u64,
    /// Whether the protocol has answers.
    pub answered: bool,
    pub samples: Vec<Sample>,
    pub totals: Totals,
    /// Processor time of the load itself, in seconds.
    pub cpu_s: f64,
    pub verified: Option<Verified>,
}

impl Report {
    /// All samples as one.
    pub fn whole(&self) -> Sample {
        let mut whole = Sample::default();
        for sample in &self.samples {
            sample.tally.clone().drain_into(&mut whole.tally);
            whole.span_s += sample.span_s;
            whole.at_s = sample.at_s;
            whole.unacked = whole.unacked.max(sample.unacked);
        }
        whole
    }

    /// Processor time of the load for an event, in seconds.
    pub fn cpu_s_per_event(&self) -> f64 {
        self.cpu_s / (self.totals.sent * self.events_per_message) as f64
    }

    /// Processor time of the server for an event, in seconds.
    pub fn server_cpu_s_per_event(&self) -> Option<f64> {
        let verified = self.verified.as_ref()?;
        Some(verified.cpu_s? / verified.events as f64)
    }

    /// What does not add up; empty if all does.
    pub fn problems(&self) -> Vec<String> {
        let totals = &self.totals;
        let mut problems = Vec::new();
        if totals.broken > 0 {
            problems.push(format!("connections broken: {}", totals.broken));
        }
        if totals.failed > 0 {
            problems.push(format!(
                "messages answered with an error: {}",
                totals.failed
            ));
        }
        let lost = totals.sent - totals.acked - totals.failed;
        if self.answered && lost > 0 {
            problems.push(format!("messages never answered: {lost}"));
        }
        if let Some(verified) = &self.verified {
            let sent = totals.sent * self.events_per_message;
            if verified.events != sent {
                problems.push(format!(
                    "{sent} events sent, {} counted by the server",
                    verified.events
                ));
            }
        }
        if let Some(error) = &totals.error {
            problems.push(format!("the first error: {error}"));
        }
        problems
    }
}

impl Sample {
    /// Events sent a second.
    pub fn send_rate(&self, events_per_message: u64) -> f64 {
        (self.tally.sent * events_per_message) as f64 / self.span_s
    }

    /// Events acknowledged a second.
    pub fn ack_rate(&self, events_per_message: u64) -> f64 {
        (self.tally.acked * events_per_message) as f64 / self.span_s
    }

    /// Bytes sent a second.
    pub fn bytes_rate(&self) -> f64 {
        self.tally.bytes_out as f64 / self.span_s
    }

    /// A quantile of the round trips, in seconds; at most the longest. NaN without any.
    pub fn round_trip(&self, q: f64) -> f64 {
        self.round_trips(&[q])[0]
    }

    /// Quantiles of an ascending list.
    pub fn round_trips(&self, list: &[f64]) -> Vec<f64> {
        let longest = self.tally.round_trip_max_ns as f64 / 1e9;
        let trips: &Histogram = &self.tally.round_trips;
        let quantiles = trips.quantiles(list);
        let mut quantiles = quantiles.unwrap_or_else(|_| vec![f64::NAN; list.len()]);
        for quantile in &mut quantiles {
            if *quantile > longest {
                *quantile = longest;
            }
        }
        quantiles
    }

    /// The longest round trip, in seconds, exactly; NaN without any.
    pub fn round_trip_max(&self) -> f64 {
        match self.tally.round_trip_max_ns {
            0 => f64::NAN,
            ns => ns as f64 / 1e9,
        }
    }
}

/// The quantiles that reports show, with their names.
pub(crate) const QUANTILES: [(f64, &str); 4] =
    [(0.5, "p50"), (0.9, "p90"), (0.99, "p99"), (0.999, "p99.9")];

/// The quantiles alone.
pub(crate) fn quantile_list() -> Vec<f64> {
    QUANTILES.iter().map(|(q, _)| *q).collect()
}
