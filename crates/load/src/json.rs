//! The whole report as JSON.

use serde_json::{Value, json};

use crate::report::{QUANTILES, Report, Sample, quantile_list};

/// An object: what was asked, the whole, each second, the totals, and what does not add up.
/// Histograms are base64 of OpenHistogram's form, in seconds.
pub fn json(report: &Report) -> Value {
    let setup = report.setup.iter();
    let setup = setup.map(|(name, value)| (name.clone(), Value::from(value.clone())));
    let totals = &report.totals;
    json!({
        "setup": Value::Object(setup.collect()),
        "events_per_message": report.events_per_message,
        "whole": sample(&report.whole(), report),
        "seconds": report.samples.iter().map(|one| sample(one, report)).collect::<Vec<_>>(),
        "totals": {
            "messages_sent": totals.sent,
            "messages_acked": totals.acked,
            "messages_failed": totals.failed,
            "connections_broken": totals.broken,
        },
        "cpu_ns_per_event": finite(report.cpu_s_per_event() * 1e9),
        "server_cpu_ns_per_event":
            report.server_cpu_s_per_event().map(|seconds| finite(seconds * 1e9)),
        "verified": report.verified.as_ref().map(|verified| json!({
            "events": verified.events,
            "overrun": verified.overrun,
        })),
        "problems": report.problems(),
    })
}

fn sample(sample: &Sample, report: &Report) -> Value {
    let names = QUANTILES.iter().map(|(_, name)| *name);
    let trips = sample.round_trips(&quantile_list());
    let mut round_trip: serde_json::Map<String, Value> = names
        .zip(trips)
        .map(|(name, trip)| (format!("{name}_s"), finite(trip)))
        .collect();
    round_trip.insert("max_s".to_owned(), finite(sample.round_trip_max()));
    let histogram = sample.tally.round_trips.to_base64();
    round_trip.insert("histogram".to_owned(), histogram.into());
    json!({
        "at_s": sample.at_s,
        "span_s": sample.span_s,
        "sent_per_s": finite(sample.send_rate(report.events_per_message)),
        "acked_per_s": finite(sample.ack_rate(report.events_per_message)),
        "unacked_messages": sample.unacked,
        "bytes_per_s": finite(sample.bytes_rate()),
        "errors": sample.tally.failed + sample.tally.broken,
        "round_trip": round_trip,
    })
}

/// JSON has no infinities and no NaN.
fn finite(number: f64) -> Value {
    if number.is_finite() {
        Value::from(number)
    } else {
        Value::Null
    }
}
