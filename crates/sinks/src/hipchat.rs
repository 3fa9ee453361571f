//! HipChat, both versions of its interface.

use event::Event;
use serde_json::json;

use crate::http::{Api, Request};
use crate::target::Item;
use crate::url::component;
use crate::words;

pub const SERVER: &str = "api.hipchat.com";
/// Tokens of version 2 have this length; others are of version 1.
const V2_TOKEN_CHARS: usize = 40;

#[derive(Clone, PartialEq, Eq)]
pub struct HipChat {
    /// Scheme and host.
    pub url: String,
    pub token: String,
    pub room: String,
    pub from: String,
    pub notify: bool,
}

impl HipChat {
    /// A room of a server, as `riemann`.
    pub fn new(server: &str, token: impl Into<String>, room: impl Into<String>) -> HipChat {
        HipChat {
            url: format!("https://{server}"),
            token: token.into(),
            room: room.into(),
            from: "riemann".into(),
            notify: false,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub text: String,
    pub color: &'static str,
}

impl Item for Message {
    fn size_bytes(&self) -> usize {
        self.text.len()
    }
}

impl Message {
    pub fn new(event: &Event) -> Message {
        let [host, service, state, metric, description] =
            ["host", "service", "state", "metric", "description"]
                .map(|name| words::field(event, name));
        let text = format!(
            "Host: {host}\nService: {service}\nState: {state}\nMetric: {metric}\n\
             Description: {description}"
        );
        Message {
            text,
            color: color(&state),
        }
    }
}

/// Green, red or yellow.
pub fn color(state: &str) -> &'static str {
    match state {
        "ok" => "green",
        "critical" | "error" => "red",
        _ => "yellow",
    }
}

impl Api for HipChat {
    type Item = Message;

    fn requests(&self, batch: &[Message]) -> Vec<Request> {
        batch.iter().map(|message| self.request(message)).collect()
    }
}

impl HipChat {
    fn request(&self, message: &Message) -> Request {
        if self.token.len() == V2_TOKEN_CHARS {
            self.v2(message)
        } else {
            self.v1(message)
        }
    }

    fn v1(&self, message: &Message) -> Request {
        Request::post(format!("{}/v1/rooms/message?format=json", self.url)).form(&[
            ("room_id", &self.room),
            ("from", &self.from),
            ("auth_token", &self.token),
            ("message_format", "text"),
            ("message", &message.text),
            ("color", message.color),
            ("notify", if self.notify { "1" } else { "0" }),
        ])
    }

    fn v2(&self, message: &Message) -> Request {
        let room = component(&self.room);
        Request::post(format!("{}/v2/room/{room}/notification", self.url))
            .header("Authorization", format!("Bearer {}", self.token))
            .json(&json!({
                "from": self.from,
                "message_format": "text",
                "message": message.text,
                "color": message.color,
                "notify": self.notify,
            }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{check, event};

    #[test]
    fn version_2_by_the_length_of_the_token() {
        let token = "t".repeat(40);
        check(
            &HipChat::new(SERVER, &token, "the room").requests(&[Message::new(&event())]),
            &format!(
                "POST https://api.hipchat.com/v2/room/the%20room/notification\n\
                 Authorization: Bearer {token}\nContent-Type: application/json\n\n\
                 {{\"from\":\"riemann\",\"message_format\":\"text\",\
                 \"message\":\"Host: www1\\nService: api rate\\nState: critical\\nMetric: 2.5\\n\
                 Description: too slow\",\"color\":\"red\",\"notify\":false}}"
            ),
        );
    }

    #[test]
    fn version_1_otherwise() {
        let hipchat = HipChat {
            notify: true,
            ..HipChat::new(SERVER, "old", "7")
        };
        check(
            &hipchat.requests(&[Message {
                text: "hi".into(),
                color: "green",
            }]),
            "POST https://api.hipchat.com/v1/rooms/message?format=json\n\
             Content-Type: application/x-www-form-urlencoded\n\n\
             room_id=7&from=riemann&auth_token=old&message_format=text&message=hi&\
             color=green&notify=1",
        );
    }
}
