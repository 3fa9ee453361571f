//! Records of queues, as `cauchy journal` prints them.

use codec::iso8601;
use codec::riemann::decode_msg;
use event::{Event, Time, Views};
use serde_json::{Map, Value, json};
use sinks::durable::record::{self, Form, Waiting};

/// What a record of a queue says, or one of its dead letters; `None` of other records.
pub fn told(bytes: &[u8]) -> Option<Map<String, Value>> {
    if let Some(waiting) = record::read(bytes) {
        return Some(told_waiting(&waiting));
    }
    let dead = record::read_dead(bytes)?;
    let mut told =
        record::read(dead.record).map_or_else(Map::new, |waiting| told_waiting(&waiting));
    told.insert("given_up".into(), time(dead.given_up_us));
    told.insert("reason".into(), dead.reason.into());
    Some(told)
}

fn told_waiting(waiting: &Waiting<'_>) -> Map<String, Value> {
    let mut told = Map::new();
    told.insert("received".into(), time(waiting.received_us));
    told.insert("route".into(), waiting.route.into());
    match waiting.form {
        Form::Event | Form::Events => {
            told.insert("events".into(), Value::Array(events(waiting)));
        }
        Form::Text => {
            let text = String::from_utf8_lossy(waiting.body);
            told.insert("value".into(), text.into());
        }
    }
    told
}

fn events(waiting: &Waiting<'_>) -> Vec<Value> {
    let mut views = Views::new();
    let received = Time::from_us(waiting.received_us);
    if decode_msg(waiting.body, received, &mut views).is_err() {
        return Vec::new();
    }
    let events = views.iter().map(|view| {
        let mut text = Vec::new();
        codec::json::event_to_json(&mut text, &Event::from_view(&view));
        serde_json::from_slice(&text).unwrap_or_default()
    });
    events.collect()
}

fn time(us: i64) -> Value {
    json!(iso8601::Utc(Time::exact(us)).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dead_letter_says_why_and_what() {
        let mut waiting = Vec::new();
        record::put(&mut waiting, 1_000_000, "[:trigger]", Form::Text, |out| {
            out.extend(b"{:a 1}");
        });
        let mut dead = Vec::new();
        record::put_dead(&mut dead, 2_000_000, "status 400", &waiting);
        let expected = json!({
            "received": "1970-01-01T00:00:01.000Z",
            "given_up": "1970-01-01T00:00:02.000Z",
            "reason": "status 400",
            "route": "[:trigger]",
            "value": "{:a 1}",
        });
        assert_eq!(told(&dead).map(Value::Object), Some(expected));
        assert_eq!(told(b"another record"), None);
    }
}
