//! Two servers in turn, compared pair by pair.

use serde_json::{Value, json};

use crate::json::json;
use crate::report::Report;
use crate::text::{duration, si};

/// A run of each.
pub struct Pair {
    pub a: Report,
    pub b: Report,
}

/// What is compared: a name, and how much of it a report has.
type Measure = (&'static str, fn(&Report) -> f64);

const MEASURES: [Measure; 4] = [
    ("events/s", rate),
    ("p50", |report| report.whole().round_trip(0.5)),
    ("p99", |report| report.whole().round_trip(0.99)),
    ("server cpu/event", |report| {
        report.server_cpu_s_per_event().unwrap_or(f64::NAN)
    }),
];

/// Acknowledged events, or sent ones where nothing is acknowledged.
fn rate(report: &Report) -> f64 {
    let whole = report.whole();
    if report.answered {
        whole.ack_rate(report.events_per_message)
    } else {
        whole.send_rate(report.events_per_message)
    }
}

/// A line a pair and measure, and the median of the ratios B : A.
pub fn versus_text(pairs: &[Pair]) -> String {
    let mut out = format!(
        "{:<5} {:<16} {:>10} {:>10} {:>8}\n",
        "pair", "", "A", "B", "B : A"
    );
    let mut medians = String::new();
    for (name, measure) in MEASURES {
        let values = values(pairs, measure);
        if values.iter().all(|(a, b)| a.is_nan() || b.is_nan()) {
            continue;
        }
        let text = if name == "events/s" { si } else { duration };
        for (number, (a, b)) in values.iter().enumerate() {
            let (number, a_text, b_text) = (number + 1, text(*a), text(*b));
            let ratio = b / a;
            out += &format!("{number:<5} {name:<16} {a_text:>10} {b_text:>10} {ratio:>8.3}\n");
        }
        let median = median(values.iter().map(|(a, b)| b / a));
        medians += &format!("{:<5} {name:<16} {:>21} {median:>8.3}\n", "all", "median");
    }
    out + &medians
}

/// The pairs with both reports, and the medians.
pub fn versus_json(pairs: &[Pair]) -> Value {
    let medians = MEASURES.iter().map(|(name, measure)| {
        let ratios = values(pairs, *measure).into_iter().map(|(a, b)| b / a);
        let median = median(ratios);
        let value = if median.is_finite() {
            Value::from(median)
        } else {
            Value::Null
        };
        ((*name).to_owned(), value)
    });
    json!({
        "median_ratios": Value::Object(medians.collect()),
        "pairs": pairs
            .iter()
            .map(|pair| json!({ "a": json(&pair.a), "b": json(&pair.b) }))
            .collect::<Vec<_>>(),
    })
}

fn values(pairs: &[Pair], measure: fn(&Report) -> f64) -> Vec<(f64, f64)> {
    pairs
        .iter()
        .map(|pair| (measure(&pair.a), measure(&pair.b)))
        .collect()
}

/// The middle one, or the mean of the middle two; NaN of none.
fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => values[odd / 2],
        even => (values[even / 2 - 1] + values[even / 2]) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median([3.0, 1.0, f64::NAN, 2.0].into_iter()), 2.0);
        assert_eq!(median([3.0, 1.0].into_iter()), 2.0);
        assert!(median(std::iter::empty()).is_nan());
    }
}
