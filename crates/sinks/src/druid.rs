//! Druid, by Tranquility's HTTP interface.

use event::{Event, Fields};
use serde_json::{Map, Value};

use crate::event_json::{self, object_bytes};
use crate::http::{Api, Request};
use crate::target::Item;
use crate::url::component;

pub const PORT: u16 = 8200;
/// Rows in one request.
const BATCH_ROWS: usize = 500;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Druid {
    /// Scheme, host and port.
    pub url: String,
    pub dataset: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row(pub Map<String, Value>);

impl Item for Row {
    fn size_bytes(&self) -> usize {
        object_bytes(&self.0)
    }
}

impl Row {
    /// The event's fields, with its time as `timestamp` in ISO 8601 and its metric as `value`;
    /// `None` without either.
    pub fn new(event: &Event) -> Option<Row> {
        let timestamp = event_json::iso8601(event.time()?)?;
        let field = |name: &str| (name.to_string(), event_json::field(event.get(name)));
        let mut row = Map::from_iter(["host", "service", "state"].map(field));
        row.insert("timestamp".into(), timestamp.into());
        row.insert("value".into(), event_json::number(&event.metric()?));
        row.extend(["description", "tags"].map(field));
        Some(Row(row))
    }
}

impl Api for Druid {
    type Item = Row;

    fn batch_max(&self) -> usize {
        BATCH_ROWS
    }

    fn requests(&self, batch: &[Row]) -> Vec<Request> {
        let rows: Value = batch
            .iter()
            .map(|row| Value::Object(row.0.clone()))
            .collect();
        let url = format!("{}/v1/post/{}", self.url, component(&self.dataset));
        vec![Request::post(url).json(&rows)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{check, event};

    #[test]
    fn posts_rows() {
        let druid = Druid {
            url: "http://h:8200".into(),
            dataset: "my data".into(),
        };
        check(
            &druid.requests(&[Row::new(&event()).unwrap()]),
            "POST http://h:8200/v1/post/my%20data\nContent-Type: application/json\n\n\
             [{\"host\":\"www1\",\"service\":\"api rate\",\"state\":\"critical\",\
             \"timestamp\":\"2017-07-14T02:40:00.250Z\",\"value\":2.5,\
             \"description\":\"too slow\",\"tags\":[\"a\",\"b c\"]}]",
        );
        assert_eq!(Row::new(&event().edit(|draft| draft.metric = None)), None);
    }
}
