//! Microsoft Teams, by an incoming webhook.

use event::Event;
use serde_json::{Map, Value, json};

use crate::event_json::object_bytes;
use crate::http::{Api, Request};
use crate::target::Item;
use crate::words;

#[derive(Clone, PartialEq, Eq)]
pub struct Teams {
    pub webhook: String,
}

/// A card, as Teams describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card(pub Map<String, Value>);

impl Item for Card {
    fn size_bytes(&self) -> usize {
        object_bytes(&self.0)
    }
}

impl Card {
    /// A section an event, under the colour of the worst state.
    pub fn new(events: &[Event]) -> Card {
        let sections: Vec<Value> = events.iter().map(section).collect();
        let worst = events
            .iter()
            .map(|event| rank(&words::field(event, "state")))
            .max();
        let color = ["2DC72D", "FFA500", "D70000"][worst.unwrap_or(0)];
        let title = match events {
            [event] => words::headline(event),
            events => format!("{} events", events.len()),
        };
        Card(Map::from_iter([
            ("@type".into(), "MessageCard".into()),
            ("@context".into(), "http://schema.org/extensions".into()),
            ("themeColor".into(), color.into()),
            ("summary".into(), title.as_str().into()),
            ("title".into(), title.into()),
            ("sections".into(), sections.into()),
        ]))
    }
}

fn rank(state: &str) -> usize {
    match state {
        "ok" => 0,
        "critical" | "error" => 2,
        _ => 1,
    }
}

fn section(event: &Event) -> Value {
    let named = ["host", "service", "state", "metric", "tags"].map(|name| {
        json!({"name": name[..1].to_uppercase() + &name[1..], "value": words::field(event, name)})
    });
    let text = words::field(event, "description");
    json!({"facts": named, "text": text})
}

impl Api for Teams {
    type Item = Card;

    fn requests(&self, batch: &[Card]) -> Vec<Request> {
        let post = |Card(card): &Card| Request::post(&self.webhook).json(&card.clone().into());
        batch.iter().map(post).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{check, event};

    #[test]
    fn posts_a_card() {
        let teams = Teams {
            webhook: "https://outlook.office.com/webhook/1".into(),
        };
        check(
            &teams.requests(&[Card::new(&[event()])]),
            "POST https://outlook.office.com/webhook/1\nContent-Type: application/json\n\n\
             {\"@type\":\"MessageCard\",\"@context\":\"http://schema.org/extensions\",\
             \"themeColor\":\"D70000\",\"summary\":\"www1 api rate is critical (2.5)\",\
             \"title\":\"www1 api rate is critical (2.5)\",\"sections\":[{\"facts\":[\
             {\"name\":\"Host\",\"value\":\"www1\"},{\"name\":\"Service\",\"value\":\"api rate\"},\
             {\"name\":\"State\",\"value\":\"critical\"},{\"name\":\"Metric\",\"value\":\"2.5\"},\
             {\"name\":\"Tags\",\"value\":\"a, b c\"}],\"text\":\"too slow\"}]}",
        );
    }
}
