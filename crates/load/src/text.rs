//! Reports for people.

use crate::report::{QUANTILES, Report, Sample, quantile_list};

/// Width of the histogram's picture.
const SPARKLINE_CELLS: usize = 48;

/// The names above the lines of seconds.
pub fn line_head(answered: bool) -> String {
    let mut head = format!("{:>6} {:>10} ", "s", "sent/s");
    if answered {
        head += &format!("{:>10} {:>8} ", "acked/s", "unacked");
        for (_, name) in QUANTILES {
            head += &format!("{name:>8} ");
        }
        head += &format!("{:>8} ", "max");
    }
    head + &format!("{:>8} {:>6}", "MB/s", "errors")
}

/// A second as a line.
pub fn line(sample: &Sample, events_per_message: u64, answered: bool) -> String {
    let sent = si(sample.send_rate(events_per_message));
    let mut line = format!("{:>6.1} {sent:>10} ", sample.at_s);
    if answered {
        let acked = si(sample.ack_rate(events_per_message));
        line += &format!("{acked:>10} {:>8} ", sample.unacked);
        for trip in sample.round_trips(&quantile_list()) {
            line += &format!("{:>8} ", duration(trip));
        }
        line += &format!("{:>8} ", duration(sample.round_trip_max()));
    }
    let errors = sample.tally.failed + sample.tally.broken;
    line + &format!("{:>8.2} {errors:>6}", sample.bytes_rate() / 1e6)
}

/// The end: a few lines, each with its end.
pub fn summary(report: &Report) -> String {
    let whole = report.whole();
    let events = report.events_per_message;
    let mut out = String::new();
    let mut row = |name: &str, value: String| out += &format!("{name:<12} {value}\n");
    let sent = si(whole.send_rate(events));
    row(
        "sent",
        format!(
            "{} events in {:.1} s, {sent}/s, {:.2} MB/s",
            whole.tally.sent * events,
            whole.span_s,
            whole.bytes_rate() / 1e6
        ),
    );
    if report.answered {
        let acked = si(whole.ack_rate(events));
        let count = whole.tally.acked * events;
        row(
            "acked",
            format!(
                "{count} events, {acked}/s; at most {} messages unacked",
                whole.unacked
            ),
        );
        let trips = whole.round_trips(&quantile_list());
        let names = QUANTILES.iter().map(|(_, name)| name);
        let trips: Vec<String> = names
            .zip(trips)
            .map(|(name, trip)| format!("{name} {}", duration(trip)))
            .collect();
        let longest = duration(whole.round_trip_max());
        row("round trip", format!("{}  max {longest}", trips.join("  ")));
        row(
            "",
            format!("▕{}▏", whole.tally.round_trips.sparkline(SPARKLINE_CELLS)),
        );
    }
    let own = format!("load {}", per_event(report.cpu_s_per_event()));
    let server = report.server_cpu_s_per_event().map(per_event);
    let server = server.map_or(String::new(), |server| format!(", server {server}"));
    row("cpu", own + &server);
    if let Some(verified) = &report.verified {
        row(
            "verified",
            format!(
                "{} events sent in all, {} counted by the server, {} lost before it",
                report.totals.sent * events,
                verified.events,
                verified.overrun
            ),
        );
    }
    match report.problems() {
        none if none.is_empty() && report.answered => {
            row("result", "every message acknowledged".to_owned());
        }
        none if none.is_empty() => row("result", "ok".to_owned()),
        problems => problems
            .into_iter()
            .for_each(|problem| row("PROBLEM", problem)),
    }
    out
}

fn per_event(seconds: f64) -> String {
    format!("{:.0} ns an event", seconds * 1e9)
}

/// Three digits and a unit: `1.23 ms`.
pub(crate) fn duration(seconds: f64) -> String {
    if seconds.is_nan() {
        return "-".to_owned();
    }
    if seconds == 0.0 {
        return "0".to_owned();
    }
    let (value, unit) = match seconds {
        s if s < 1e-6 => (s * 1e9, "ns"),
        s if s < 1e-3 => (s * 1e6, "µs"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    let digits = if value < 9.995 {
        2
    } else {
        usize::from(value < 99.95)
    };
    format!("{value:.digits$}{unit}")
}

/// Four digits and a letter for thousands: `1.234M`.
pub(crate) fn si(value: f64) -> String {
    match value {
        v if v >= 1e9 => format!("{:.3}G", v / 1e9),
        v if v >= 1e6 => format!("{:.3}M", v / 1e6),
        v if v >= 1e4 => format!("{:.1}k", v / 1e3),
        v => format!("{v:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        for (seconds, text) in [
            (0.0, "0"),
            (0.000_000_066_7, "66.7ns"),
            (0.000_001_234, "1.23µs"),
            (0.000_999, "999µs"),
            (0.012_34, "12.3ms"),
            (1.5, "1.50s"),
            (f64::NAN, "-"),
        ] {
            assert_eq!(duration(seconds), text);
        }
        for (value, text) in [
            (12.0, "12"),
            (9_999.0, "9999"),
            (12_345.0, "12.3k"),
            (1.5e6, "1.500M"),
        ] {
            assert_eq!(si(value), text);
        }
    }
}
