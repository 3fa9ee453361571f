//! Prometheus, by its Pushgateway.

use event::{Event, Fields, HistogramRef};

use crate::http::{Api, Request};
use crate::target::Item;
use crate::url::component;
use crate::{figures, words};

pub const PORT: u16 = 9091;
pub const JOB: &str = "riemann";
/// Events in one delivery.
const BATCH_SAMPLES: usize = 1000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushGateway {
    /// Scheme, host and port.
    pub url: String,
    pub job: String,
}

impl PushGateway {
    pub fn new(url: impl Into<String>) -> PushGateway {
        PushGateway {
            url: url.into(),
            job: JOB.into(),
        }
    }
}

/// How events become labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    /// Between the tags, which are one label.
    pub separator: String,
    /// Fields and attributes that are no labels. The host is in the path anyway.
    pub exclude: Vec<String>,
}

impl Default for Labels {
    fn default() -> Labels {
        let exclude = ["service", "metric", "tags", "time", "ttl"]
            .map(String::from)
            .into();
        Labels {
            separator: "_".into(),
            exclude,
        }
    }
}

/// The value of one metric of one host. The gateway keeps the latest of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    host: String,
    name: String,
    line: String,
}

impl Item for Sample {
    fn size_bytes(&self) -> usize {
        size_of::<Sample>() + self.host.len() + self.name.len() + self.line.len()
    }
}

impl Sample {
    /// `None` if the event has no service or no metric. A histogram is as a summary of Prometheus:
    /// lines with a label `quantile`, and one that counts.
    pub fn new(event: &Event, labels: &Labels) -> Option<Sample> {
        let name = metric_name(event.service()?);
        let excluded = |name: &String| labels.exclude.contains(name);
        let own = ["state", "description", "time", "ttl"].map(String::from);
        let attributes = words::attributes(event).into_iter().map(|(name, _)| name);
        let mut pairs: Vec<String> = own
            .into_iter()
            .chain(attributes)
            .filter(|name| !excluded(name))
            .map(|name| (label_name(&name), words::field(event, &name)))
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| format!("{name}=\"{}\"", escape(&value)))
            .collect();
        if let Some(tags) = event.tags().filter(|_| !excluded(&"tags".to_string())) {
            let tags = tags.collect::<Vec<_>>().join(&labels.separator);
            pairs.push(format!("tags=\"{}\"", escape(&tags)));
        }
        let line = match event.histogram() {
            Some(histogram) => summary(&name, &pairs, histogram),
            None => line(&name, &pairs, event.metric()?.to_f64()),
        };
        Some(Sample {
            host: event.host().unwrap_or_default().into(),
            name,
            line,
        })
    }
}

fn line(name: &str, pairs: &[String], metric: f64) -> String {
    let labels = if pairs.is_empty() {
        String::new()
    } else {
        format!("{{{}}}", pairs.join(","))
    };
    format!("{name}{labels} {}\n", value(metric))
}

fn summary(name: &str, pairs: &[String], histogram: HistogramRef<'_>) -> String {
    let mut lines = String::new();
    for figure in figures::of(histogram) {
        let number = figure.number.to_f64();
        lines += &match figure.quantile {
            Some(q) => line(
                name,
                &[pairs, &[format!("quantile=\"{q}\"")]].concat(),
                number,
            ),
            None => line(&format!("{name}_{}", figure.name), pairs, number),
        };
    }
    lines
}

/// Letters, digits, `_` and `:`, not a digit first; all else becomes `_`.
fn metric_name(service: &str) -> String {
    let mut name: String = service
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == ':' {
                c
            } else {
                '_'
            }
        })
        .collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    name
}

fn label_name(name: &str) -> String {
    metric_name(name).replace(':', "_")
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

fn value(metric: f64) -> String {
    if metric.is_infinite() {
        return if metric > 0.0 {
            "+Inf".into()
        } else {
            "-Inf".into()
        };
    }
    metric.to_string()
}

impl Api for PushGateway {
    type Item = Sample;

    fn batch_max(&self) -> usize {
        BATCH_SAMPLES
    }

    /// A request a host, as the gateway groups them.
    fn requests(&self, batch: &[Sample]) -> Vec<Request> {
        let mut hosts: Vec<(&str, Vec<&Sample>)> = Vec::new();
        for sample in batch {
            match hosts.iter_mut().find(|(host, _)| *host == sample.host) {
                Some((_, samples)) => {
                    samples.retain(|earlier| earlier.name != sample.name);
                    samples.push(sample);
                }
                None => hosts.push((&sample.host, vec![sample])),
            }
        }
        hosts
            .into_iter()
            .map(|(host, samples)| self.request(host, &samples))
            .collect()
    }
}

impl PushGateway {
    fn request(&self, host: &str, samples: &[&Sample]) -> Request {
        let mut url = format!("{}/metrics/job/{}", self.url, component(&self.job));
        if !host.is_empty() {
            url += &format!("/host/{}", component(host));
        }
        let body: String = samples.iter().map(|sample| sample.line.as_str()).collect();
        Request::post(url).body("text/plain; version=0.0.4", body)
    }
}

#[cfg(test)]
mod tests {
    use event::Number;

    use super::*;
    use crate::sample::{check, event, text};

    #[test]
    fn posts_a_line() {
        let sample = Sample::new(&event(), &Labels::default()).unwrap();
        check(
            &PushGateway::new("http://h:9091").requests(&[sample]),
            "POST http://h:9091/metrics/job/riemann/host/www1\n\
             Content-Type: text/plain; version=0.0.4\n\n\
             api_rate{state=\"critical\",description=\"too slow\",zone=\"b\"} 2.5\n",
        );
    }

    #[test]
    fn groups_by_host_and_keeps_the_latest() {
        let labels = Labels {
            exclude: ["state", "description", "zone", "time", "ttl"]
                .map(String::from)
                .into(),
            ..Labels::default()
        };
        let sample = |host: &'static str, service: &'static str, metric: f64| {
            let event = event().edit(|draft| {
                draft.host = Some(host.into());
                draft.service = Some(service.into());
                draft.metric = Some(Number::F64(metric));
            });
            Sample::new(&event, &labels).unwrap()
        };
        let samples = [
            sample("a", "1 x", 1.0),
            sample("b", "y", f64::INFINITY),
            sample("a", "z", 2.0),
            sample("a", "1 x", 3.0),
        ];
        let requests = PushGateway::new("http://h").requests(&samples);
        let bodies: Vec<String> = requests
            .iter()
            .map(|request| {
                let text = text(request);
                let (head, body) = text.split_once("\n\n").unwrap();
                format!("{} {body}", head.lines().next().unwrap())
            })
            .collect();
        assert_eq!(
            bodies,
            [
                "POST http://h/metrics/job/riemann/host/a z{tags=\"a_b c\"} 2\n\
                 _1_x{tags=\"a_b c\"} 3\n",
                "POST http://h/metrics/job/riemann/host/b y{tags=\"a_b c\"} +Inf\n",
            ]
        );
    }
}
