//! Slack, and what understands its incoming webhooks.

use event::Event;
use serde_json::{Map, Value, json};

use crate::event_json::object_bytes;
use crate::http::{Api, Request};
use crate::target::Item;
use crate::url::component;
use crate::words;

#[derive(Clone, PartialEq, Eq)]
pub struct Slack {
    pub webhook: String,
    /// Who speaks, where, with which picture, unless the message says so itself.
    pub username: Option<String>,
    pub channel: Option<String>,
    pub icon: Option<String>,
}

/// The webhook of an account, by the token that Slack gave.
pub fn webhook(account: &str, token: &str) -> String {
    let (account, token) = (component(account), component(token));
    format!("https://{account}.slack.com/services/hooks/incoming-webhook?token={token}")
}

/// What Slack is to show: `text`, `attachments`, and its own `username`, `channel` and `icon`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message(pub Map<String, Value>);

impl Item for Message {
    fn size_bytes(&self) -> usize {
        object_bytes(&self.0)
    }
}

impl Message {
    /// An attachment an event, all fields in one.
    pub fn simple(events: &[Event]) -> Message {
        let attachments: Vec<Value> = events
            .iter()
            .map(|event| {
                let lines = described(event).map(|(title, value)| format!("{title}: {value}"));
                let value = escape(&lines.join("\n"));
                let field = json!({"title": "Riemann Event", "value": value, "short": true});
                json!({"fallback": fallback(event), "fields": [field]})
            })
            .collect();
        Message(Map::from_iter([("attachments".into(), attachments.into())]))
    }

    /// An attachment an event, coloured by state, with a field for each of its own.
    pub fn extended(events: &[Event]) -> Message {
        let attachments: Vec<Value> = events.iter().map(extended_attachment).collect();
        Message(Map::from_iter([
            ("text".into(), "This event requires your attention!".into()),
            ("attachments".into(), attachments.into()),
        ]))
    }
}

fn extended_attachment(event: &Event) -> Value {
    let fields: Vec<Value> = described(event)
        .into_iter()
        .filter(|(title, _)| *title != "Description")
        .map(|(title, value)| json!({"title": title, "value": escape(&value), "short": true}))
        .collect();
    let color = match words::field(event, "state").as_str() {
        "ok" => "good",
        "critical" | "error" => "danger",
        _ => "warning",
    };
    json!({
        "fallback": fallback(event),
        "pretext": "Event Details:",
        "text": escape(&words::field(event, "description")),
        "color": color,
        "fields": fields,
    })
}

fn described(event: &Event) -> [(&'static str, String); 6] {
    [
        ("Host", words::field(event, "host")),
        ("Service", words::field(event, "service")),
        ("State", words::field(event, "state")),
        ("Description", words::field(event, "description")),
        ("Metric", words::field(event, "metric")),
        ("Tags", words::field(event, "tags")),
    ]
}

fn fallback(event: &Event) -> String {
    let parts = described(event).map(|(title, value)| format!("*{title}:* `{}`", escape(&value)));
    parts.join(" ")
}

/// Slack's three characters with a meaning.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

impl Api for Slack {
    type Item = Message;

    fn requests(&self, batch: &[Message]) -> Vec<Request> {
        batch.iter().map(|message| self.request(message)).collect()
    }
}

impl Slack {
    fn request(&self, message: &Message) -> Request {
        let mut payload = Map::new();
        let defaults = [
            ("channel", &self.channel),
            ("username", &self.username),
            ("icon_emoji", &self.icon),
        ];
        for (key, value) in defaults {
            if let Some(value) = value {
                payload.insert(key.into(), value.as_str().into());
            }
        }
        for (key, value) in &message.0 {
            let key = if key == "icon" { "icon_emoji" } else { key };
            payload.insert(key.into(), value.clone());
        }
        Request::post(&self.webhook).form(&[("payload", &Value::Object(payload).to_string())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{self, check};

    #[test]
    fn posts_a_form_with_the_message_over_the_defaults() {
        let slack = Slack {
            webhook: webhook("org", "T/1"),
            username: Some("bot".into()),
            channel: Some("#ops".into()),
            icon: None,
        };
        let message = json!({"text": "a&b", "channel": "#x", "icon": ":o:"});
        let Value::Object(message) = message else {
            unreachable!()
        };
        check(
            &slack.requests(&[Message(message)]),
            "POST https://org.slack.com/services/hooks/incoming-webhook?token=T%2F1\n\
             Content-Type: application/x-www-form-urlencoded\n\n\
             payload=%7B%22channel%22%3A%22%23x%22%2C%22username%22%3A%22bot%22%2C\
             %22text%22%3A%22a%26b%22%2C%22icon_emoji%22%3A%22%3Ao%3A%22%7D",
        );
    }

    const FALLBACK: &str = "*Host:* `www1` *Service:* `api rate` *State:* `critical` \
        *Description:* `too slow` *Metric:* `2.5` *Tags:* `a, b c`";

    #[test]
    fn the_simple_form() {
        let Message(message) = Message::simple(&[sample::event()]);
        let value = "Host: www1\nService: api rate\nState: critical\nDescription: too slow\n\
                     Metric: 2.5\nTags: a, b c";
        let field = json!({"title": "Riemann Event", "value": value, "short": true});
        let expected = json!({"attachments": [{"fallback": FALLBACK, "fields": [field]}]});
        assert_eq!(Value::Object(message), expected);
    }

    #[test]
    fn the_extended_form() {
        let Message(message) = Message::extended(&[sample::event()]);
        let field = |title, value| json!({"title": title, "value": value, "short": true});
        let expected = json!({
            "text": "This event requires your attention!",
            "attachments": [{
                "fallback": FALLBACK,
                "pretext": "Event Details:",
                "text": "too slow",
                "color": "danger",
                "fields": [
                    field("Host", "www1"),
                    field("Service", "api rate"),
                    field("State", "critical"),
                    field("Metric", "2.5"),
                    field("Tags", "a, b c"),
                ],
            }],
        });
        assert_eq!(Value::Object(message), expected);
    }

    #[test]
    fn escapes() {
        assert_eq!(escape("<a> & b"), "&lt;a&gt; &amp; b");
    }
}
