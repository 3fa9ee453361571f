//! KairosDB, by telnet lines or by HTTP.

use event::{Event, Fields, Number};
use serde_json::{Map, Value, json};

use crate::event_json;
use crate::http::{Api, Request};
use crate::opentsdb::{self, word};
use crate::socket::{Address, TcpSender};
use crate::target::{DeliveryError, Item, Target};
use crate::words;

/// The telnet interface; HTTP is on 8080.
pub const PORT: u16 = 4242;
/// Values in one delivery.
const BATCH_POINTS: usize = 1000;

#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    pub name: String,
    pub time_ms: i64,
    pub value: Number,
    pub tags: Vec<(String, String)>,
    /// Seconds until it is forgotten; by HTTP only.
    pub ttl_s: Option<i64>,
}

impl Item for Point {
    fn size_bytes(&self) -> usize {
        let tags: usize = self
            .tags
            .iter()
            .map(|(name, value)| name.len() + value.len())
            .sum();
        size_of::<Point>() + self.name.len() + tags
    }
}

impl Point {
    /// `None` if the event has no metric, or no time.
    pub fn new(event: &Event, name: String, tags: Vec<(String, String)>) -> Option<Point> {
        let time_ms = event.time()?.us.div_euclid(1000);
        Some(Point {
            name,
            time_ms,
            value: event.metric()?,
            tags,
            ttl_s: None,
        })
    }

    /// `putm name milliseconds value tag=value …`
    fn line(&self) -> String {
        let mut line = format!(
            "putm {} {} {}",
            word(&self.name),
            self.time_ms,
            words::number(&self.value)
        );
        for (name, value) in self.tags.iter().filter(|(_, value)| !value.is_empty()) {
            line += &format!(" {}={}", word(name), word(value));
        }
        line + "\n"
    }

    fn json(&self) -> Value {
        let tags: Map<String, Value> = self
            .tags
            .iter()
            .map(|(name, value)| (name.clone(), value.as_str().into()))
            .collect();
        let mut json = json!({
            "name": self.name,
            "timestamp": self.time_ms,
            "value": event_json::number(&self.value),
            "tags": tags,
        });
        if let Some(ttl_s) = self.ttl_s {
            json["ttl"] = ttl_s.into();
        }
        json
    }
}

/// The service, with dots for spaces.
pub fn metric_name(event: &Event) -> String {
    opentsdb::metric_name(event)
}

/// The host, under the name `fqdn`.
pub fn tags(event: &Event) -> Vec<(String, String)> {
    event
        .host()
        .map(|host| ("fqdn".into(), host.into()))
        .into_iter()
        .collect()
}

/// By telnet lines.
pub struct Telnet(TcpSender);

impl Telnet {
    pub fn new(address: Address) -> Telnet {
        Telnet(TcpSender::new(address, None))
    }
}

impl Target for Telnet {
    type Item = Point;

    fn batch_max(&self) -> usize {
        BATCH_POINTS
    }

    fn deliver(&mut self, batch: &[Point]) -> Result<(), DeliveryError> {
        let lines: String = batch.iter().map(Point::line).collect();
        Ok(self.0.send(lines.as_bytes())?)
    }

    fn confirm(&mut self) -> Result<(), DeliveryError> {
        Ok(self.0.confirm()?)
    }
}

/// By HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Http {
    /// Scheme, host and port.
    pub url: String,
}

impl Api for Http {
    type Item = Point;

    fn batch_max(&self) -> usize {
        BATCH_POINTS
    }

    fn requests(&self, batch: &[Point]) -> Vec<Request> {
        let points: Value = batch.iter().map(Point::json).collect();
        vec![Request::post(format!("{}/api/v1/datapoints", self.url)).json(&points)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{check, event};

    fn point() -> Point {
        let event = event();
        Point::new(&event, metric_name(&event), tags(&event)).unwrap()
    }

    #[test]
    fn lines() {
        assert_eq!(
            point().line(),
            "putm api.rate 1500000000250 2.5 fqdn=www1\n"
        );
    }

    #[test]
    fn requests() {
        let points = [
            Point {
                ttl_s: Some(60),
                ..point()
            },
            point(),
        ];
        check(
            &Http {
                url: "http://h:8080".into(),
            }
            .requests(&points),
            "POST http://h:8080/api/v1/datapoints\nContent-Type: application/json\n\n\
             [{\"name\":\"api.rate\",\"timestamp\":1500000000250,\"value\":2.5,\
             \"tags\":{\"fqdn\":\"www1\"},\"ttl\":60},\
             {\"name\":\"api.rate\",\"timestamp\":1500000000250,\"value\":2.5,\
             \"tags\":{\"fqdn\":\"www1\"}}]",
        );
    }
}
