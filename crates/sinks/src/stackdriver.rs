//! Stackdriver's gateway for custom metrics.

use event::{Event, Fields};
use serde_json::{Value, json};

use crate::event_json::{self, size_bytes};
use crate::http::{Api, Request};
use crate::target::Item;

pub const URL: &str = "https://custom-gateway.stackdriver.com/v1/custom";
/// Points in one request.
const BATCH_POINTS: usize = 500;

#[derive(Clone, PartialEq, Eq)]
pub struct Stackdriver {
    pub url: String,
    pub api_key: String,
}

impl Stackdriver {
    pub fn new(api_key: impl Into<String>) -> Stackdriver {
        Stackdriver {
            url: URL.into(),
            api_key: api_key.into(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    time_s: i64,
    data: Value,
}

impl Item for Point {
    fn size_bytes(&self) -> usize {
        size_of::<i64>() + size_bytes(&self.data)
    }
}

impl Point {
    /// The metric under `name`, as measured on the event's host; `None` without metric or time.
    pub fn new(event: &Event, name: &str) -> Option<Point> {
        let time_s = event.time()?.floor_s();
        let mut data = json!({
            "name": name,
            "value": event_json::number(&event.metric()?),
            "collected_at": time_s,
        });
        if let Some(host) = event.host() {
            data["instance"] = host.into();
        }
        Some(Point { time_s, data })
    }
}

/// The service, with dots for spaces.
pub fn metric_name(event: &Event) -> String {
    event.service().unwrap_or_default().replace(' ', ".")
}

impl Api for Stackdriver {
    type Item = Point;

    fn batch_max(&self) -> usize {
        BATCH_POINTS
    }

    fn requests(&self, batch: &[Point]) -> Vec<Request> {
        let timestamp = batch.iter().map(|point| point.time_s).max();
        let data: Value = batch.iter().map(|point| point.data.clone()).collect();
        let body = json!({"timestamp": timestamp, "proto_version": 1, "data": data});
        vec![
            Request::post(&self.url)
                .header("x-stackdriver-apikey", &self.api_key)
                .json(&body),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{check, event};

    #[test]
    fn posts_points() {
        let point = Point::new(&event(), &metric_name(&event())).unwrap();
        check(
            &Stackdriver::new("KEY").requests(&[point]),
            &format!(
                "POST {URL}\nx-stackdriver-apikey: KEY\nContent-Type: application/json\n\n\
                 {{\"timestamp\":1500000000,\"proto_version\":1,\"data\":[{{\"name\":\"api.rate\",\
                 \"value\":2.5,\"collected_at\":1500000000,\"instance\":\"www1\"}}]}}"
            ),
        );
    }
}
