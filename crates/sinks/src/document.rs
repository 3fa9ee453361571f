//! Events as JSON documents for stores of logs: all fields, and the time as `@timestamp`.

use event::{Event, Fields};
use serde_json::{Map, Value};

use crate::event_json;

/// `@timestamp` in ISO 8601 first, then the fields without `time`.
pub fn document(event: &Event) -> Map<String, Value> {
    let mut document = Map::new();
    if let Some(timestamp) = event.time().and_then(event_json::iso8601) {
        document.insert("@timestamp".into(), timestamp.into());
    }
    let fields = event_json::event(event);
    document.extend(fields.into_iter().filter(|(name, _)| name != "time"));
    document
}
