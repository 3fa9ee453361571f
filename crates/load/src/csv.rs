//! Seconds as comma-separated values.

use crate::report::{QUANTILES, Report, quantile_list};

/// A head and a line a second. Round trips are in seconds; nothing where there were none.
pub fn csv(report: &Report) -> String {
    let mut out = "at_s,span_s,sent_per_s,acked_per_s,unacked_messages".to_owned();
    for (_, name) in QUANTILES {
        out += &format!(",rtt_{name}_s");
    }
    out += ",rtt_max_s,bytes_per_s,errors\n";
    let events = report.events_per_message;
    for sample in &report.samples {
        out += &format!(
            "{:.3},{:.6},{:.1},{:.1},{}",
            sample.at_s,
            sample.span_s,
            sample.send_rate(events),
            sample.ack_rate(events),
            sample.unacked
        );
        let mut trips = sample.round_trips(&quantile_list());
        trips.push(sample.round_trip_max());
        for trip in trips {
            out.push(',');
            if !trip.is_nan() {
                out += &format!("{trip:.9}");
            }
        }
        let errors = sample.tally.failed + sample.tally.broken;
        out += &format!(",{:.0},{errors}\n", sample.bytes_rate());
    }
    out
}
