//! Librato's metrics and annotations.

use std::collections::HashMap;

use event::{Event, Fields};
use serde_json::{Value, json};
use ureq::Agent;

use crate::event_json::{self, size_bytes};
use crate::http::{Request, Response, by_status, send};
use crate::target::{DeliveryError, Item, Target};
use crate::url::component;

pub const URL: &str = "https://metrics-api.librato.com/v1";
/// Annotations whose end is awaited; beyond these the end of one is not found.
const OPEN_ANNOTATIONS: usize = 10_000;

#[derive(Clone, PartialEq, Eq)]
pub struct Settings {
    pub url: String,
    pub user: String,
    pub api_key: String,
}

impl Settings {
    pub fn new(user: impl Into<String>, api_key: impl Into<String>) -> Settings {
        Settings {
            url: URL.into(),
            user: user.into(),
            api_key: api_key.into(),
        }
    }
}

/// What Librato is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    Gauge(Value),
    Counter(Value),
    Annotation(Annotation),
    /// Opens an annotation that a later [`Entry::End`] of the same source closes.
    Start(Annotation),
    End {
        name: String,
        source: String,
        end_time: i64,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    name: String,
    source: String,
    body: Value,
}

impl Item for Entry {
    fn size_bytes(&self) -> usize {
        match self {
            Entry::Gauge(body) | Entry::Counter(body) => size_bytes(body),
            Entry::Annotation(annotation) | Entry::Start(annotation) => {
                size_bytes(&annotation.body)
            }
            Entry::End { name, source, .. } => name.len() + source.len(),
        }
    }
}

impl Entry {
    /// `None` without service, metric or time.
    pub fn gauge(event: &Event) -> Option<Entry> {
        measurement(event).map(Entry::Gauge)
    }

    /// `None` without service, metric or time.
    pub fn counter(event: &Event) -> Option<Entry> {
        measurement(event).map(Entry::Counter)
    }

    /// `None` without service or time.
    pub fn annotation(event: &Event) -> Option<Entry> {
        annotation(event).map(Entry::Annotation)
    }

    /// `None` without service or time.
    pub fn start(event: &Event) -> Option<Entry> {
        annotation(event).map(Entry::Start)
    }

    /// `None` without service or time.
    pub fn end(event: &Event) -> Option<Entry> {
        let end_time = event.time()?.floor_s();
        Some(Entry::End {
            name: safe(event.service()?),
            source: source(event),
            end_time,
        })
    }
}

fn measurement(event: &Event) -> Option<Value> {
    Some(json!({
        "name": safe(event.service()?),
        "source": source(event),
        "value": event_json::number(&event.metric()?),
        "measure_time": event.time()?.floor_s(),
    }))
}

fn annotation(event: &Event) -> Option<Annotation> {
    let (name, source) = (safe(event.service()?), source(event));
    let title = [event.service(), event.state()]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ");
    let body = json!({
        "title": title,
        "source": source,
        "description": event.description(),
        "start_time": event.time()?.floor_s(),
    });
    Some(Annotation { name, source, body })
}

fn source(event: &Event) -> String {
    safe(event.host().unwrap_or_default())
}

/// Letters, digits and `.:-_`; what else there is becomes dots.
fn safe(name: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | ':' | '-' | '_');
    name.chars()
        .map(|c| if safe(c) { c } else { '.' })
        .collect()
}

/// Sends entries one by one, and remembers which annotations are open.
pub struct Librato {
    settings: Settings,
    agent: Agent,
    /// Identities by name and source.
    open: HashMap<(String, String), String>,
}

impl Librato {
    pub fn new(settings: Settings, agent: Agent) -> Librato {
        Librato {
            settings,
            agent,
            open: HashMap::new(),
        }
    }

    /// `None` for the end of what is not open.
    fn request(&self, entry: &Entry) -> Option<Request> {
        let Settings { url, user, api_key } = &self.settings;
        let (request, body) = match entry {
            Entry::Gauge(gauge) => (
                Request::post(format!("{url}/metrics")),
                json!({"gauges": [gauge]}),
            ),
            Entry::Counter(counter) => (
                Request::post(format!("{url}/metrics")),
                json!({"counters": [counter]}),
            ),
            Entry::Annotation(annotation) | Entry::Start(annotation) => {
                let url = format!("{url}/annotations/{}", component(&annotation.name));
                (Request::post(url), annotation.body.clone())
            }
            Entry::End {
                name,
                source,
                end_time,
            } => {
                let id = component(self.open.get(&(name.clone(), source.clone()))?);
                let url = format!("{url}/annotations/{}/{id}", component(name));
                (Request::put(url), json!({"end_time": end_time}))
            }
        };
        Some(request.basic_auth(user, api_key).json(&body))
    }

    fn remember(&mut self, entry: &Entry, response: &Response) {
        match entry {
            Entry::Start(annotation) if self.open.len() < OPEN_ANNOTATIONS => {
                let answer: Value = serde_json::from_slice(&response.body).unwrap_or_default();
                let id = match &answer["id"] {
                    Value::String(id) => id.clone(),
                    id => id.to_string(),
                };
                let key = (annotation.name.clone(), annotation.source.clone());
                self.open.insert(key, id);
            }
            Entry::End { name, source, .. } => {
                self.open.remove(&(name.clone(), source.clone()));
            }
            _ => {}
        }
    }
}

impl Target for Librato {
    type Item = Entry;

    fn batch_max(&self) -> usize {
        1
    }

    fn deliver(&mut self, batch: &[Entry]) -> Result<(), DeliveryError> {
        for entry in batch {
            let request = self
                .request(entry)
                .ok_or_else(|| DeliveryError::lasting("the annotation was not started"))?;
            let response = send(&self.agent, request)?;
            by_status(&response)?;
            self.remember(entry, &response);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::agent;
    use crate::sample::{event, text};

    const HEAD: &str = "Authorization: Basic dTpr\nContent-Type: application/json\n\n";

    fn librato() -> Librato {
        Librato::new(Settings::new("u", "k"), agent())
    }

    #[test]
    fn measurements() {
        let body = "{\"name\":\"api.rate\",\"source\":\"www1\",\"value\":2.5,\
                    \"measure_time\":1500000000}";
        let request = librato().request(&Entry::gauge(&event()).unwrap()).unwrap();
        assert_eq!(
            text(&request),
            format!("POST {URL}/metrics\n{HEAD}{{\"gauges\":[{body}]}}")
        );
        let request = librato()
            .request(&Entry::counter(&event()).unwrap())
            .unwrap();
        assert_eq!(
            text(&request),
            format!("POST {URL}/metrics\n{HEAD}{{\"counters\":[{body}]}}")
        );
    }

    #[test]
    fn an_annotation_starts_and_ends() {
        let mut librato = librato();
        let (start, end) = (
            Entry::start(&event()).unwrap(),
            Entry::end(&event()).unwrap(),
        );
        assert_eq!(librato.request(&end), None);
        assert_eq!(
            text(&librato.request(&start).unwrap()),
            format!(
                "POST {URL}/annotations/api.rate\n{HEAD}{{\"title\":\"api rate critical\",\
                 \"source\":\"www1\",\"description\":\"too slow\",\"start_time\":1500000000}}"
            )
        );
        librato.remember(
            &start,
            &Response {
                status: 201,
                body: b"{\"id\":143}".into(),
            },
        );
        assert_eq!(
            text(&librato.request(&end).unwrap()),
            format!("PUT {URL}/annotations/api.rate/143\n{HEAD}{{\"end_time\":1500000000}}")
        );
        librato.remember(
            &end,
            &Response {
                status: 204,
                body: Vec::new(),
            },
        );
        assert_eq!(librato.request(&end), None);
    }
}
