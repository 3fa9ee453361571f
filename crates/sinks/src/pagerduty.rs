//! PagerDuty's events interface, versions 1 and 2.

use event::Event;
use serde_json::{Map, Value, json};

use crate::event_json::{self, object_bytes};
use crate::http::{Api, Request};
use crate::target::Item;
use crate::words;

pub const V1_URL: &str = "https://events.pagerduty.com/generic/2010-04-15/create_event.json";
pub const V2_URL: &str = "https://events.pagerduty.com/v2/enqueue";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    V1,
    V2,
}

/// A service of PagerDuty. The version says how [`Incident::fields`] are sent.
#[derive(Clone, PartialEq, Eq)]
pub struct PagerDuty {
    pub url: String,
    pub version: Version,
    /// The service key, or in version 2 the routing key.
    pub key: String,
}

impl PagerDuty {
    pub fn new(version: Version, key: impl Into<String>) -> PagerDuty {
        let url = match version {
            Version::V1 => V1_URL,
            Version::V2 => V2_URL,
        };
        PagerDuty {
            url: url.into(),
            version,
            key: key.into(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Trigger,
    Acknowledge,
    Resolve,
}

impl Action {
    fn name(self) -> &'static str {
        match self {
            Action::Trigger => "trigger",
            Action::Acknowledge => "acknowledge",
            Action::Resolve => "resolve",
        }
    }
}

/// Something that happened to an incident. In version 1 the fields are those of the message, with
/// `incident_key` among them; in version 2 they are the payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    pub action: Action,
    /// Version 2 only: which incident this is about.
    pub dedup_key: Option<String>,
    pub fields: Map<String, Value>,
}

impl Item for Incident {
    fn size_bytes(&self) -> usize {
        object_bytes(&self.fields)
    }
}

impl Incident {
    /// An event as version 1 tells it: one incident a host and service.
    pub fn v1(action: Action, event: &Event) -> Incident {
        let details = Value::Object(event_json::event(event));
        let fields = Map::from_iter([
            ("incident_key".into(), incident_key(event).into()),
            ("description".into(), words::headline(event).into()),
            ("details".into(), details),
        ]);
        Incident {
            action,
            dedup_key: None,
            fields,
        }
    }

    /// An event as version 2 tells it: one incident a host and service.
    pub fn v2(action: Action, event: &Event) -> Incident {
        let details = Value::Object(event_json::event(event));
        let fields = Map::from_iter([
            ("summary".into(), words::headline(event).into()),
            ("source".into(), words::field(event, "host").into()),
            (
                "severity".into(),
                severity(&words::field(event, "state")).into(),
            ),
            ("custom_details".into(), details),
        ]);
        Incident {
            action,
            dedup_key: Some(incident_key(event)),
            fields,
        }
    }
}

fn incident_key(event: &Event) -> String {
    format!(
        "{} {}",
        words::field(event, "host"),
        words::field(event, "service")
    )
}

/// PagerDuty takes these four; other states are errors, `ok` is information.
fn severity(state: &str) -> &'static str {
    match state {
        "critical" => "critical",
        "warning" => "warning",
        "ok" | "info" => "info",
        _ => "error",
    }
}

impl Api for PagerDuty {
    type Item = Incident;

    fn requests(&self, batch: &[Incident]) -> Vec<Request> {
        batch
            .iter()
            .map(|incident| Request::post(&self.url).json(&self.body(incident)))
            .collect()
    }
}

impl PagerDuty {
    fn body(&self, incident: &Incident) -> Value {
        let (action, key) = (incident.action.name(), &self.key);
        match self.version {
            Version::V1 => {
                let mut body = json!({"service_key": key, "event_type": action});
                for (name, value) in &incident.fields {
                    body[name] = value.clone();
                }
                body
            }
            Version::V2 => {
                let mut body = json!({"routing_key": key, "event_action": action});
                if let Some(dedup_key) = &incident.dedup_key {
                    body["dedup_key"] = dedup_key.as_str().into();
                }
                body["payload"] = incident.fields.clone().into();
                body
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{EVENT, check, event};

    #[test]
    fn version_1() {
        let pagerduty = PagerDuty::new(Version::V1, "KEY");
        let body = r#"{"service_key":"KEY","event_type":"trigger","incident_key":"www1 api rate","#
            .to_string()
            + r#""description":"www1 api rate is critical (2.5)","details":"#
            + EVENT
            + "}";
        let expected = format!("POST {V1_URL}\nContent-Type: application/json\n\n{body}");
        check(
            &pagerduty.requests(&[Incident::v1(Action::Trigger, &event())]),
            &expected,
        );
    }

    #[test]
    fn version_2() {
        let pagerduty = PagerDuty::new(Version::V2, "KEY");
        let body = r#"{"routing_key":"KEY","event_action":"resolve","dedup_key":"www1 api rate","#
            .to_string()
            + r#""payload":{"summary":"www1 api rate is critical (2.5)","source":"www1","#
            + r#""severity":"critical","custom_details":"#
            + EVENT
            + "}}";
        let expected = format!("POST {V2_URL}\nContent-Type: application/json\n\n{body}");
        check(
            &pagerduty.requests(&[Incident::v2(Action::Resolve, &event())]),
            &expected,
        );
    }
}
