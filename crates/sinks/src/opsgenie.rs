//! Opsgenie's alerts, version 2 of its interface.

use event::{Event, Fields};
use serde_json::{Map, Value, json};

use crate::event_json::object_bytes;
use crate::http::{Api, Request};
use crate::target::Item;
use crate::url::component;
use crate::words;

pub const URL: &str = "https://api.opsgenie.com/v2/alerts";
/// Opsgenie cuts longer messages.
const MESSAGE_CHARS: usize = 130;

#[derive(Clone, PartialEq, Eq)]
pub struct Opsgenie {
    pub url: String,
    pub key: String,
}

impl Opsgenie {
    pub fn new(key: impl Into<String>) -> Opsgenie {
        Opsgenie {
            url: URL.into(),
            key: key.into(),
        }
    }
}

/// An alert to open or to close. The alias says which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Alert {
    Trigger {
        alias: String,
        fields: Map<String, Value>,
    },
    Resolve {
        alias: String,
    },
}

impl Item for Alert {
    fn size_bytes(&self) -> usize {
        match self {
            Alert::Trigger { alias, fields } => alias.len() + object_bytes(fields),
            Alert::Resolve { alias } => alias.len(),
        }
    }
}

impl Alert {
    /// One alert a host, service and set of tags.
    pub fn trigger(event: &Event) -> Alert {
        let [host, service, state, metric, description] =
            ["host", "service", "state", "metric", "description"]
                .map(|name| words::field(event, name));
        let message: String = words::headline(event).chars().take(MESSAGE_CHARS).collect();
        let description = format!(
            "Host: {host}\nService: {service}\nState: {state}\nMetric: {metric}\n\
             Description: {description}"
        );
        let tags: Value = event.tags().into_iter().flatten().collect();
        let fields = Map::from_iter([
            ("message".into(), message.into()),
            ("description".into(), description.into()),
            ("tags".into(), tags),
            ("source".into(), "riemann".into()),
        ]);
        Alert::Trigger {
            alias: alias(event),
            fields,
        }
    }

    pub fn resolve(event: &Event) -> Alert {
        Alert::Resolve {
            alias: alias(event),
        }
    }
}

/// The hash that Clojure gives host, service and sorted tags, so that alerts opened by Riemann are
/// closed by Cauchy.
pub fn alias(event: &Event) -> String {
    let mut tags: Vec<&str> = event.tags().into_iter().flatten().collect();
    tags.sort_unstable();
    let [host, service] = ["host", "service"].map(|name| words::field(event, name));
    let parts = [host, service, tags.join("\u{ffff}")];
    clojure_hash(&parts.join("\u{ffff}")).to_string()
}

/// Clojure's `hash` of a string: Murmur3 over Java's `hashCode`.
fn clojure_hash(text: &str) -> i32 {
    let code = text.encode_utf16().fold(0u32, |code, unit| {
        code.wrapping_mul(31).wrapping_add(unit.into())
    });
    if code == 0 {
        return 0;
    }
    let mixed = code
        .wrapping_mul(0xcc9e_2d51)
        .rotate_left(15)
        .wrapping_mul(0x1b87_3593);
    let mut hash = mixed
        .rotate_left(13)
        .wrapping_mul(5)
        .wrapping_add(0xe654_6b64)
        ^ 4;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    (hash ^ (hash >> 16)).cast_signed()
}

impl Api for Opsgenie {
    type Item = Alert;

    fn requests(&self, batch: &[Alert]) -> Vec<Request> {
        batch.iter().map(|alert| self.request(alert)).collect()
    }
}

impl Opsgenie {
    fn request(&self, alert: &Alert) -> Request {
        let key = format!("GenieKey {}", self.key);
        match alert {
            Alert::Trigger { alias, fields } => {
                let mut body = fields.clone();
                body.insert("alias".into(), alias.as_str().into());
                Request::post(&self.url)
                    .header("Authorization", key)
                    .json(&body.into())
            }
            Alert::Resolve { alias } => {
                let url = format!(
                    "{}/{}/close?identifierType=alias",
                    self.url,
                    component(alias)
                );
                let body = json!({"source": "riemann"});
                Request::post(url).header("Authorization", key).json(&body)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{check, event};

    #[test]
    fn hashes_as_clojure() {
        assert_eq!(clojure_hash(""), 0);
        assert_eq!(clojure_hash("a"), 1_455_541_201);
        assert_eq!(clojure_hash("hello"), 1_715_862_179);
    }

    #[test]
    fn opens_and_closes_the_same_alert() {
        let opsgenie = Opsgenie::new("KEY");
        let alias = alias(&event());
        check(
            &opsgenie.requests(&[Alert::trigger(&event())]),
            &format!(
                "POST {URL}\nAuthorization: GenieKey KEY\nContent-Type: application/json\n\n\
                 {{\"message\":\"www1 api rate is critical (2.5)\",\
                 \"description\":\"Host: www1\\nService: api rate\\nState: critical\\n\
                 Metric: 2.5\\nDescription: too slow\",\"tags\":[\"a\",\"b c\"],\
                 \"source\":\"riemann\",\"alias\":\"{alias}\"}}"
            ),
        );
        check(
            &opsgenie.requests(&[Alert::resolve(&event())]),
            &format!(
                "POST {URL}/{alias}/close?identifierType=alias\nAuthorization: GenieKey KEY\n\
                 Content-Type: application/json\n\n{{\"source\":\"riemann\"}}"
            ),
        );
    }
}
