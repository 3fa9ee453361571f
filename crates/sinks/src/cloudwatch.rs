//! Amazon CloudWatch's metrics.

use event::{Event, Fields};
use jiff::Timestamp;

use crate::aws::{Signer, sign};
use crate::event_json::iso8601;
use crate::http::{Api, Request};
use crate::target::Item;

pub const REGION: &str = "us-east-1";
pub const NAMESPACE: &str = "Riemann";
/// Values in one request: as many as the interface always took.
const BATCH_VALUES: usize = 20;

/// CloudWatch in a region. The time, for signatures, is handed in.
pub struct CloudWatch {
    pub url: String,
    pub namespace: String,
    pub signer: Signer,
    pub now: Box<dyn Fn() -> Timestamp + Send + Sync>,
}

impl CloudWatch {
    pub fn new(
        region: &str,
        access_key: impl Into<String>,
        secret_key: impl Into<String>,
        now: Box<dyn Fn() -> Timestamp + Send + Sync>,
    ) -> CloudWatch {
        let signer = Signer {
            access_key: access_key.into(),
            secret_key: secret_key.into(),
            region: region.into(),
            service: "monitoring",
        };
        let url = format!("https://monitoring.{region}.amazonaws.com/");
        CloudWatch {
            url,
            namespace: NAMESPACE.into(),
            signer,
            now,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datum {
    name: String,
    host: Option<String>,
    value: String,
    timestamp: String,
}

impl Item for Datum {
    fn size_bytes(&self) -> usize {
        size_of::<Datum>() + self.name.len() + self.host.as_ref().map_or(0, String::len)
    }
}

impl Datum {
    /// The metric under the service's name, with the host as its dimension; `None` without
    /// service, time, or a finite metric.
    pub fn new(event: &Event) -> Option<Datum> {
        let value = event.metric()?.to_f64();
        Some(Datum {
            name: event.service()?.into(),
            host: event
                .host()
                .filter(|host| !host.is_empty())
                .map(String::from),
            value: value.is_finite().then(|| value.to_string())?,
            timestamp: iso8601(event.time()?)?,
        })
    }
}

impl Api for CloudWatch {
    type Item = Datum;

    fn batch_max(&self) -> usize {
        BATCH_VALUES
    }

    fn requests(&self, batch: &[Datum]) -> Vec<Request> {
        let mut form = vec![
            ("Action".to_string(), "PutMetricData"),
            ("Version".to_string(), "2010-08-01"),
            ("Namespace".to_string(), self.namespace.as_str()),
        ];
        for (at, datum) in batch.iter().enumerate() {
            let name = |part: &str| format!("MetricData.member.{}.{part}", at + 1);
            form.push((name("MetricName"), &datum.name));
            if let Some(host) = &datum.host {
                form.push((name("Dimensions.member.1.Name"), "Host"));
                form.push((name("Dimensions.member.1.Value"), host));
            }
            form.push((name("Timestamp"), &datum.timestamp));
            form.push((name("Value"), &datum.value));
        }
        let form: Vec<(&str, &str)> = form
            .iter()
            .map(|(name, value)| (name.as_str(), *value))
            .collect();
        vec![sign(
            Request::post(&self.url).form(&form),
            &self.signer,
            (self.now)(),
        )]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{event, text};

    #[test]
    fn posts_a_signed_form() {
        let now = || "2017-07-14T02:40:01Z".parse().unwrap();
        let cloudwatch = CloudWatch::new("eu-west-1", "ID", "SECRET", Box::new(now));
        let requests = cloudwatch.requests(&[Datum::new(&event()).unwrap()]);
        let text = text(&requests[0]);
        let (head, body) = text.split_once("\n\n").unwrap();
        assert!(
            head.starts_with(
                "POST https://monitoring.eu-west-1.amazonaws.com/\n\
                 Content-Type: application/x-www-form-urlencoded\n\
                 X-Amz-Date: 20170714T024001Z\n\
                 Authorization: AWS4-HMAC-SHA256 \
                 Credential=ID/20170714/eu-west-1/monitoring/aws4_request, \
                 SignedHeaders=content-type;host;x-amz-date, Signature="
            ),
            "{head}"
        );
        assert_eq!(
            body,
            "Action=PutMetricData&Version=2010-08-01&Namespace=Riemann&\
             MetricData.member.1.MetricName=api+rate&\
             MetricData.member.1.Dimensions.member.1.Name=Host&\
             MetricData.member.1.Dimensions.member.1.Value=www1&\
             MetricData.member.1.Timestamp=2017-07-14T02%3A40%3A00.250Z&\
             MetricData.member.1.Value=2.5"
        );
    }
}
