//! Boundary's measurements.

use event::{Event, Fields};
use serde_json::{Value, json};

use crate::event_json::{self, size_bytes};
use crate::http::{Api, Request};
use crate::target::Item;

pub const URL: &str = "https://premium-api.boundary.com/v1/measurements";
/// Measurements in one request.
const BATCH_MEASUREMENTS: usize = 500;

#[derive(Clone, PartialEq, Eq)]
pub struct Boundary {
    pub url: String,
    pub email: String,
    pub token: String,
}

impl Boundary {
    pub fn new(email: impl Into<String>, token: impl Into<String>) -> Boundary {
        Boundary {
            url: URL.into(),
            email: email.into(),
            token: token.into(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measurement(Value);

impl Item for Measurement {
    fn size_bytes(&self) -> usize {
        size_bytes(&self.0)
    }
}

impl Measurement {
    /// The metric under `metric_id` (of the service, if there is none), after the organization's
    /// name; `None` without service, metric or time.
    pub fn new(event: &Event, organization: &str, metric_id: Option<&str>) -> Option<Measurement> {
        let name = metric_id.or(event.service())?;
        let name = if organization.is_empty() {
            name
        } else {
            &format!("{organization}_{name}")
        };
        Some(Measurement(json!({
            "source": event.host(),
            "metric": identifier(name),
            "measure": event_json::number(&event.metric()?),
            "timestamp": event.time()?.floor_s(),
        })))
    }
}

/// Upper case, with `_` for all but letters and digits.
fn identifier(name: &str) -> String {
    name.to_uppercase()
        .replace(|c: char| !c.is_ascii_alphanumeric(), "_")
}

impl Api for Boundary {
    type Item = Measurement;

    fn batch_max(&self) -> usize {
        BATCH_MEASUREMENTS
    }

    fn requests(&self, batch: &[Measurement]) -> Vec<Request> {
        let body: Value = batch
            .iter()
            .map(|measurement| measurement.0.clone())
            .collect();
        vec![
            Request::post(&self.url)
                .basic_auth(&self.email, &self.token)
                .json(&body),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{check, event};

    #[test]
    fn posts_measurements() {
        check(
            &Boundary::new("a@b", "T")
                .requests(&[Measurement::new(&event(), "org", None).unwrap()]),
            &format!(
                "POST {URL}\nAuthorization: Basic YUBiOlQ=\nContent-Type: application/json\n\n\
                 [{{\"source\":\"www1\",\"metric\":\"ORG_API_RATE\",\"measure\":2.5,\
                 \"timestamp\":1500000000}}]"
            ),
        );
        let named = Measurement::new(&event(), "", Some("My id")).unwrap();
        assert_eq!(named.0["metric"], "MY_ID");
    }
}
