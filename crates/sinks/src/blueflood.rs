//! Blueflood's ingest interface.

use event::{Event, Fields};
use serde_json::{Value, json};

use crate::event_json::{self, size_bytes};
use crate::http::{Api, Request};
use crate::target::Item;
use crate::url::component;

pub const PORT: u16 = 19_000;
/// Seconds that values are kept unless told otherwise: two days.
pub const TTL_S: i64 = 172_800;
/// Values in one request.
const BATCH_VALUES: usize = 100;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blueflood {
    /// Scheme, host and port.
    pub url: String,
    pub tenant: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point(Value);

impl Item for Point {
    fn size_bytes(&self) -> usize {
        size_bytes(&self.0)
    }
}

impl Point {
    /// The metric as `host.service`, with dots for spaces; `None` without service, metric or time.
    pub fn new(event: &Event, ttl_s: i64) -> Option<Point> {
        let host = event.host().map(|host| format!("{host}."));
        let name = host.unwrap_or_default() + &event.service()?.replace(' ', ".");
        Some(Point(json!({
            "collectionTime": event.time()?.us.div_euclid(1000),
            "ttlInSeconds": ttl_s,
            "metricValue": event_json::number(&event.metric()?),
            "metricName": name,
        })))
    }
}

impl Api for Blueflood {
    type Item = Point;

    fn batch_max(&self) -> usize {
        BATCH_VALUES
    }

    fn requests(&self, batch: &[Point]) -> Vec<Request> {
        let points: Value = batch.iter().map(|point| point.0.clone()).collect();
        let url = format!("{}/v2.0/{}/ingest", self.url, component(&self.tenant));
        vec![Request::post(url).json(&points)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{check, event};

    #[test]
    fn posts_values() {
        let blueflood = Blueflood {
            url: "http://h:19000".into(),
            tenant: "t".into(),
        };
        check(
            &blueflood.requests(&[Point::new(&event(), TTL_S).unwrap()]),
            "POST http://h:19000/v2.0/t/ingest\nContent-Type: application/json\n\n\
             [{\"collectionTime\":1500000000250,\"ttlInSeconds\":172800,\"metricValue\":2.5,\
             \"metricName\":\"www1.api.rate\"}]",
        );
    }
}
