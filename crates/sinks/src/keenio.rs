//! Keen IO's collections of events.

use event::Event;
use serde_json::{Map, Value};

use crate::event_json::{self, object_bytes};
use crate::http::{Api, Request};
use crate::target::Item;
use crate::url::component;

pub const URL: &str = "https://api.keen.io/3.0";

#[derive(Clone, PartialEq, Eq)]
pub struct KeenIo {
    pub url: String,
    pub project: String,
    pub collection: String,
    pub write_key: String,
}

impl KeenIo {
    pub fn new(
        collection: impl Into<String>,
        project: impl Into<String>,
        write_key: impl Into<String>,
    ) -> KeenIo {
        KeenIo {
            url: URL.into(),
            project: project.into(),
            collection: collection.into(),
            write_key: write_key.into(),
        }
    }
}

/// An event with all its fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry(pub Map<String, Value>);

impl Item for Entry {
    fn size_bytes(&self) -> usize {
        object_bytes(&self.0)
    }
}

impl Entry {
    pub fn new(event: &Event) -> Entry {
        Entry(event_json::event(event))
    }
}

impl Api for KeenIo {
    type Item = Entry;

    fn requests(&self, batch: &[Entry]) -> Vec<Request> {
        let (project, collection) = (component(&self.project), component(&self.collection));
        let url = format!("{}/projects/{project}/events/{collection}", self.url);
        let post = |Entry(entry): &Entry| {
            let request = Request::post(&url).header("Authorization", &self.write_key);
            request.json(&entry.clone().into())
        };
        batch.iter().map(post).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{EVENT, check, event};

    #[test]
    fn posts_an_event() {
        check(
            &KeenIo::new("c d", "p", "KEY").requests(&[Entry::new(&event())]),
            &format!(
                "POST {URL}/projects/p/events/c%20d\nAuthorization: KEY\n\
                 Content-Type: application/json\n\n{EVENT}"
            ),
        );
    }
}
