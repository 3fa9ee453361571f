//! Telegram, as a bot.

use event::Event;
use serde_json::json;

use crate::http::{Api, Request};
use crate::target::Item;
use crate::words;

pub const URL: &str = "https://api.telegram.org";

#[derive(Clone, PartialEq, Eq)]
pub struct Telegram {
    pub url: String,
    pub token: String,
    pub chat_id: String,
    pub markup: Markup,
}

impl Telegram {
    pub fn new(token: impl Into<String>, chat_id: impl Into<String>) -> Telegram {
        let markup = Markup::Markdown;
        Telegram {
            url: URL.into(),
            token: token.into(),
            chat_id: chat_id.into(),
            markup,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Markup {
    Markdown,
    Html,
}

/// A text in the target's markup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message(pub String);

impl Item for Message {
    fn size_bytes(&self) -> usize {
        self.0.len()
    }
}

impl Message {
    /// The event's fields, a line each.
    pub fn new(event: &Event, markup: Markup) -> Message {
        let names = ["host", "service", "state", "description", "metric", "tags"];
        let lines = names.map(|name| {
            let title = name[..1].to_uppercase() + &name[1..];
            let value = words::field(event, name);
            match markup {
                Markup::Markdown => format!("*{title}:* {}", escape_markdown(&value)),
                Markup::Html => format!("<b>{title}:</b> {}", escape_html(&value)),
            }
        });
        Message(lines.join("\n"))
    }
}

/// Telegram's first Markdown knows four characters.
pub fn escape_markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '_' | '*' | '`' | '[') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

pub fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

impl Api for Telegram {
    type Item = Message;

    fn requests(&self, batch: &[Message]) -> Vec<Request> {
        let url = format!("{}/bot{}/sendMessage", self.url, self.token);
        let mode = match self.markup {
            Markup::Markdown => "Markdown",
            Markup::Html => "HTML",
        };
        let body = |text: &str| json!({"chat_id": self.chat_id, "text": text, "parse_mode": mode});
        batch
            .iter()
            .map(|Message(text)| Request::post(&url).json(&body(text)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{check, event};

    #[test]
    fn posts_markdown() {
        let event = event().edit(|draft| draft.description = Some("a_b".into()));
        check(
            &Telegram::new("1:T", "-42").requests(&[Message::new(&event, Markup::Markdown)]),
            "POST https://api.telegram.org/bot1:T/sendMessage\nContent-Type: application/json\n\n\
             {\"chat_id\":\"-42\",\"text\":\"*Host:* www1\\n*Service:* api rate\\n\
             *State:* critical\\n*Description:* a\\\\_b\\n*Metric:* 2.5\\n*Tags:* a, b c\",\
             \"parse_mode\":\"Markdown\"}",
        );
    }

    #[test]
    fn or_html() {
        let event = event().edit(|draft| draft.host = Some("<h>".into()));
        let Message(text) = Message::new(&event, Markup::Html);
        assert!(text.starts_with("<b>Host:</b> &lt;h&gt;\n<b>Service:</b> api rate\n"));
    }
}
