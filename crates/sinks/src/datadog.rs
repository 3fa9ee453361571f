//! Datadog's series.

use event::{Event, Fields};
use serde_json::{Value, json};

use crate::event_json::{self, size_bytes};
use crate::http::{Api, Request};
use crate::target::Item;

pub const URL: &str = "https://app.datadoghq.com/api/v1/series";
/// Series in one request.
const BATCH_SERIES: usize = 500;

#[derive(Clone, PartialEq, Eq)]
pub struct Datadog {
    pub url: String,
    pub api_key: String,
}

impl Datadog {
    pub fn new(api_key: impl Into<String>) -> Datadog {
        Datadog {
            url: URL.into(),
            api_key: api_key.into(),
        }
    }
}

/// One value of a series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series(Value);

impl Item for Series {
    fn size_bytes(&self) -> usize {
        size_bytes(&self.0)
    }
}

impl Series {
    /// A gauge under the service's name, with dots for spaces; `None` without service, metric or
    /// time.
    pub fn new(event: &Event) -> Option<Series> {
        let tags: Value = event.tags().into_iter().flatten().collect();
        Some(Series(json!({
            "metric": event.service()?.split_whitespace().collect::<Vec<_>>().join("."),
            "type": "gauge",
            "host": event.host(),
            "tags": tags,
            "points": [[event.time()?.floor_s(), event_json::number(&event.metric()?)]],
        })))
    }
}

impl Api for Datadog {
    type Item = Series;

    fn batch_max(&self) -> usize {
        BATCH_SERIES
    }

    fn requests(&self, batch: &[Series]) -> Vec<Request> {
        let series: Value = batch.iter().map(|series| series.0.clone()).collect();
        let request = Request::post(&self.url).header("DD-API-KEY", &self.api_key);
        vec![request.json(&json!({"series": series}))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{check, event};

    #[test]
    fn posts_series() {
        check(
            &Datadog::new("KEY").requests(&[Series::new(&event()).unwrap()]),
            &format!(
                "POST {URL}\nDD-API-KEY: KEY\nContent-Type: application/json\n\n\
                 {{\"series\":[{{\"metric\":\"api.rate\",\"type\":\"gauge\",\"host\":\"www1\",\
                 \"tags\":[\"a\",\"b c\"],\"points\":[[1500000000,2.5]]}}]}}"
            ),
        );
    }
}
