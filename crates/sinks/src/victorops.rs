//! VictorOps (Splunk On-Call), its generic REST endpoint.

use event::{Event, Fields};
use serde_json::{Map, Value};

use crate::event_json::{self, object_bytes};
use crate::http::{Api, Request};
use crate::target::Item;
use crate::url::component;
use crate::words;

pub const URL: &str = "https://alert.victorops.com/integrations/generic/20131114/alert";

#[derive(Clone, PartialEq, Eq)]
pub struct VictorOps {
    pub url: String,
    pub api_key: String,
    pub routing_key: String,
}

impl VictorOps {
    pub fn new(api_key: impl Into<String>, routing_key: impl Into<String>) -> VictorOps {
        VictorOps {
            url: URL.into(),
            api_key: api_key.into(),
            routing_key: routing_key.into(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Info,
    Warning,
    Critical,
    Acknowledgement,
    Recovery,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Info => "INFO",
            Kind::Warning => "WARNING",
            Kind::Critical => "CRITICAL",
            Kind::Acknowledgement => "ACKNOWLEDGEMENT",
            Kind::Recovery => "RECOVERY",
        }
    }
}

/// A message about an entity, one a host and service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message(pub Map<String, Value>);

impl Item for Message {
    fn size_bytes(&self) -> usize {
        object_bytes(&self.0)
    }
}

impl Message {
    pub fn new(kind: Kind, event: &Event) -> Message {
        let [host, service] = ["host", "service"].map(|name| words::field(event, name));
        let time = event.time().map(|time| time.floor_s());
        Message(Map::from_iter([
            ("message_type".into(), kind.name().into()),
            ("entity_id".into(), format!("{host}/{service}").into()),
            ("timestamp".into(), time.into()),
            ("state_message".into(), words::headline(event).into()),
            ("host_name".into(), host.into()),
            ("monitoring_tool".into(), "riemann".into()),
            ("metric".into(), event_json::field(event.get("metric"))),
            (
                "description".into(),
                words::field(event, "description").into(),
            ),
        ]))
    }
}

impl Api for VictorOps {
    type Item = Message;

    fn requests(&self, batch: &[Message]) -> Vec<Request> {
        let (api_key, routing_key) = (component(&self.api_key), component(&self.routing_key));
        let url = format!("{}/{api_key}/{routing_key}", self.url);
        batch
            .iter()
            .map(|Message(body)| Request::post(&url).json(&body.clone().into()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{check, event};

    #[test]
    fn posts_a_message() {
        check(
            &VictorOps::new("KEY", "ops").requests(&[Message::new(Kind::Critical, &event())]),
            &format!(
                "POST {URL}/KEY/ops\nContent-Type: application/json\n\n\
                 {{\"message_type\":\"CRITICAL\",\"entity_id\":\"www1/api rate\",\
                 \"timestamp\":1500000000,\
                 \"state_message\":\"www1 api rate is critical (2.5)\",\"host_name\":\"www1\",\
                 \"monitoring_tool\":\"riemann\",\"metric\":2.5,\"description\":\"too slow\"}}"
            ),
        );
    }
}
