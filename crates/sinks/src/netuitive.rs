//! Netuitive's ingest interface.

use event::{Event, Fields};
use serde_json::{Value, json};

use crate::event_json::{self, size_bytes};
use crate::http::{Api, Request};
use crate::target::Item;
use crate::url::component;
use crate::words;

pub const URL: &str = "https://api.app.netuitive.com/ingest";
/// Elements in one request.
const BATCH_ELEMENTS: usize = 500;

#[derive(Clone, PartialEq, Eq)]
pub struct Netuitive {
    pub url: String,
    pub api_key: String,
    /// The type of the elements.
    pub kind: String,
}

impl Netuitive {
    pub fn new(api_key: impl Into<String>) -> Netuitive {
        Netuitive {
            url: URL.into(),
            api_key: api_key.into(),
            kind: "Riemann".into(),
        }
    }
}

/// One sample of a host, which Netuitive calls an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    host: String,
    metric_id: String,
    sample: Value,
    tags: Value,
}

impl Item for Sample {
    fn size_bytes(&self) -> usize {
        let text = self.host.len() + self.metric_id.len();
        text + size_bytes(&self.sample) + size_bytes(&self.tags)
    }
}

impl Sample {
    /// The metric under the service's name, with dots for spaces; `None` without host, service,
    /// metric or time.
    pub fn new(event: &Event) -> Option<Sample> {
        let metric_id = event.service()?.replace(' ', ".");
        let tags = event
            .tags()
            .into_iter()
            .flatten()
            .map(|tag| json!({"name": tag, "value": ""}));
        let attributes = words::attributes(event);
        let attributes = attributes
            .iter()
            .map(|(name, value)| json!({"name": name, "value": value}));
        Some(Sample {
            host: event.host()?.into(),
            sample: json!({
                "metricId": metric_id,
                "timestamp": event.time()?.us.div_euclid(1000),
                "val": event_json::number(&event.metric()?),
            }),
            metric_id,
            tags: tags.chain(attributes).collect(),
        })
    }
}

impl Api for Netuitive {
    type Item = Sample;

    fn batch_max(&self) -> usize {
        BATCH_ELEMENTS
    }

    fn requests(&self, batch: &[Sample]) -> Vec<Request> {
        let element = |sample: &Sample| {
            json!({
                "id": format!("{}:{}", self.kind, sample.host),
                "name": sample.host,
                "type": self.kind,
                "metrics": [{"id": sample.metric_id}],
                "samples": [sample.sample],
                "tags": sample.tags,
            })
        };
        let elements: Value = batch.iter().map(element).collect();
        let url = format!("{}/{}", self.url, component(&self.api_key));
        vec![Request::post(url).json(&elements)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{check, event};

    #[test]
    fn posts_elements() {
        check(
            &Netuitive::new("KEY").requests(&[Sample::new(&event()).unwrap()]),
            &format!(
                "POST {URL}/KEY\nContent-Type: application/json\n\n\
                 [{{\"id\":\"Riemann:www1\",\"name\":\"www1\",\"type\":\"Riemann\",\
                 \"metrics\":[{{\"id\":\"api.rate\"}}],\
                 \"samples\":[{{\"metricId\":\"api.rate\",\"timestamp\":1500000000250,\
                 \"val\":2.5}}],\"tags\":[{{\"name\":\"a\",\"value\":\"\"}},\
                 {{\"name\":\"b c\",\"value\":\"\"}},{{\"name\":\"zone\",\"value\":\"b\"}}]}}]"
            ),
        );
    }
}
