//! Metrics as Prometheus reads them: the text exposition format, version 0.0.4.
//!
//! ```text
//! # HELP cauchy_events_total Events taken in.
//! # TYPE cauchy_events_total counter
//! cauchy_events_total{port="tcp 127.0.0.1:5555"} 1027
//! ```

use std::collections::BTreeMap;

/// A named measurement with one value for each set of labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    /// What Prometheus does not allow in a name (`riemann streams rate`) is written as `_`.
    pub name: String,
    pub help: String,
    pub kind: MetricKind,
    /// Labels, as name and value, and the value they have.
    pub samples: Vec<(Vec<(String, String)>, f64)>,
}

/// How a metric's values are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricKind {
    /// Only grows, but for a restart.
    Counter,
    Gauge,
    /// Quantiles, named by the label `quantile`.
    Summary,
}

impl MetricKind {
    fn name(self) -> &'static str {
        match self {
            MetricKind::Counter => "counter",
            MetricKind::Gauge => "gauge",
            MetricKind::Summary => "summary",
        }
    }
}

pub(crate) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Renders metrics sorted by name, then by labels, whatever order they come in. Metrics of the
/// same name share the help and type of the first; of samples with the same labels the last stays,
/// because Prometheus refuses a whole page for one duplicate.
pub(crate) fn render(metrics: &[Metric]) -> String {
    let mut families: BTreeMap<String, (&Metric, BTreeMap<String, f64>)> = BTreeMap::new();
    for metric in metrics {
        let name = legal_name(&metric.name, true);
        let (_, samples) = families
            .entry(name)
            .or_insert_with(|| (metric, BTreeMap::new()));
        samples.extend(
            metric
                .samples
                .iter()
                .map(|(labels, value)| (render_labels(labels), *value)),
        );
    }
    let mut text = String::new();
    for (name, (metric, samples)) in &families {
        let help = metric.help.replace('\\', "\\\\").replace('\n', "\\n");
        let kind = metric.kind.name();
        text.push_str(&format!("# HELP {name} {help}\n# TYPE {name} {kind}\n"));
        for (labels, value) in samples {
            text.push_str(&format!("{name}{labels} {}\n", render_value(*value)));
        }
    }
    text
}

/// `{a="1",b="2"}`, sorted by name; empty for no labels.
fn render_labels(labels: &[(String, String)]) -> String {
    let labels: BTreeMap<String, &str> = labels
        .iter()
        .map(|(name, value)| (legal_name(name, false), value.as_str()))
        .collect();
    if labels.is_empty() {
        return String::new();
    }
    let pairs: Vec<String> = labels
        .iter()
        .map(|(name, value)| format!("{name}=\"{}\"", escape_label(value)))
        .collect();
    format!("{{{}}}", pairs.join(","))
}

fn escape_label(value: &str) -> String {
    value
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

fn legal_name(name: &str, colons: bool) -> String {
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || (colons && c == ':');
    let mut legal: String = name
        .chars()
        .map(|c| if legal(c) { c } else { '_' })
        .collect();
    if legal.is_empty() || legal.starts_with(|c: char| c.is_ascii_digit()) {
        legal.insert(0, '_');
    }
    legal
}

fn render_value(value: f64) -> String {
    if value.is_nan() {
        "NaN".into()
    } else if value.is_infinite() {
        if value > 0.0 {
            "+Inf".into()
        } else {
            "-Inf".into()
        }
    } else if value != 0.0 && !(1e-6..1e17).contains(&value.abs()) {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metric(name: &str, kind: MetricKind, samples: &[(&[(&str, &str)], f64)]) -> Metric {
        let own = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
        let samples = samples
            .iter()
            .map(|(labels, value)| (labels.iter().map(own).collect(), *value));
        Metric {
            name: name.into(),
            help: "Helps.".into(),
            kind,
            samples: samples.collect(),
        }
    }

    fn check(metrics: &[Metric], lines: &[&str]) {
        assert_eq!(render(metrics).lines().collect::<Vec<_>>(), lines);
    }

    #[test]
    fn order_does_not_depend_on_the_caller() {
        let a = metric(
            "a",
            MetricKind::Gauge,
            &[(&[("y", "2"), ("x", "1")], 1.0), (&[], 2.0)],
        );
        let b = metric(
            "b_total",
            MetricKind::Counter,
            &[(&[("p", "z")], 3.0), (&[("p", "y")], 4.0)],
        );
        let lines = [
            "# HELP a Helps.",
            "# TYPE a gauge",
            "a 2",
            "a{x=\"1\",y=\"2\"} 1",
            "# HELP b_total Helps.",
            "# TYPE b_total counter",
            "b_total{p=\"y\"} 4",
            "b_total{p=\"z\"} 3",
        ];
        check(&[a.clone(), b.clone()], &lines);
        check(&[b, a], &lines);
    }

    #[test]
    fn a_name_is_described_once() {
        let one = metric(
            "a",
            MetricKind::Gauge,
            &[(&[("p", "1")], 1.0), (&[("p", "2")], 2.0)],
        );
        let other = metric("a", MetricKind::Counter, &[(&[("p", "2")], 3.0)]);
        check(
            &[one, other],
            &[
                "# HELP a Helps.",
                "# TYPE a gauge",
                "a{p=\"1\"} 1",
                "a{p=\"2\"} 3",
            ],
        );
    }

    #[test]
    fn text_is_escaped() {
        let mut odd = metric(
            "1 bad:name-é",
            MetricKind::Summary,
            &[(&[("l:1", "a\\b\"c\nd")], 0.5)],
        );
        odd.help = "back\\slash\nline \"quoted\"".into();
        check(
            &[odd],
            &[
                "# HELP _1_bad:name__ back\\\\slash\\nline \"quoted\"",
                "# TYPE _1_bad:name__ summary",
                "_1_bad:name__{l_1=\"a\\\\b\\\"c\\nd\"} 0.5",
            ],
        );
    }

    #[test]
    fn values_read_back() {
        for (value, text) in [
            (0.0, "0"),
            (-1.5, "-1.5"),
            (1e15, "1000000000000000"),
            (1e300, "1e300"),
            (1.5e-9, "1.5e-9"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "+Inf"),
            (f64::NEG_INFINITY, "-Inf"),
        ] {
            assert_eq!(render_value(value), text);
        }
    }

    #[test]
    fn nothing_is_an_empty_page() {
        check(&[], &[]);
    }
}
