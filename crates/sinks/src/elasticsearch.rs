//! Elasticsearch: one document a request, or many by the bulk interface.

use event::{Event, Time};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::document::document;
use crate::event_json::object_bytes;
use crate::http::{Api, Request, Response, by_status};
use crate::target::{DeliveryError, Item};
use crate::url::component;

pub const URL: &str = "http://127.0.0.1:9200";
pub const INDEX: &str = "riemann";
pub const INDEX_SUFFIX: &str = "-yyyy.MM.dd";
pub const TYPE: &str = "event";
/// Documents in one bulk.
const BATCH_DOCUMENTS: usize = 500;

/// Where documents go, and as whom.
#[derive(Clone, PartialEq, Eq)]
pub struct Cluster {
    /// Scheme, host and port.
    pub url: String,
    pub login: Option<(String, String)>,
}

impl Cluster {
    pub fn new(url: impl Into<String>) -> Cluster {
        Cluster {
            url: url.into(),
            login: None,
        }
    }

    fn authorize(&self, request: Request) -> Request {
        match &self.login {
            Some((user, password)) => request.basic_auth(user, password),
            None => request,
        }
    }
}

/// The date of `time` in UTC by a pattern of Java's letters: `yyyy` `yy` `MM` `dd` `HH` `mm` `ss`,
/// `xxxx` `ww` (year of week and week), text in quotes; other characters stand for themselves.
///
/// ```
/// use event::Time;
/// use sinks::elasticsearch::date_suffix;
/// let time = Time::from_s(1_500_000_000);
/// assert_eq!(date_suffix("-yyyy.MM.dd", time).as_deref(), Some("-2017.07.14"));
/// assert_eq!(date_suffix("-xxxx'w'ww", time).as_deref(), Some("-2017w28"));
/// ```
pub fn date_suffix(pattern: &str, time: Time) -> Option<String> {
    let instant = Timestamp::from_microsecond(time.us).ok()?;
    let mut suffix = String::new();
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        if let Some(quoted) = rest.strip_prefix('\'') {
            let end = quoted.find('\'')?;
            suffix += &quoted[..end];
            rest = &quoted[end + 1..];
            continue;
        }
        let run = rest.len() - rest.trim_start_matches(first).len();
        let format = match (first, run) {
            ('y' | 'Y' | 'u', 2) => "%y",
            ('y' | 'Y' | 'u', _) => "%Y",
            ('x', _) => "%G",
            ('w', _) => "%V",
            ('M', _) => "%m",
            ('d', _) => "%d",
            ('H', _) => "%H",
            ('m', _) => "%M",
            ('s', _) => "%S",
            _ => "",
        };
        if format.is_empty() {
            suffix += &rest[..run];
        } else {
            suffix += &instant.strftime(format).to_string();
        }
        rest = &rest[run..];
    }
    Some(suffix)
}

/// A document for an index (its suffix included) and type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    pub index: String,
    pub kind: String,
    pub source: Map<String, Value>,
}

impl Item for Document {
    fn size_bytes(&self) -> usize {
        self.index.len() + self.kind.len() + object_bytes(&self.source)
    }
}

/// One request a document.
pub struct Elasticsearch(pub Cluster);

impl Api for Elasticsearch {
    type Item = Document;

    fn requests(&self, batch: &[Document]) -> Vec<Request> {
        let post = |document: &Document| {
            let (index, kind) = (component(&document.index), component(&document.kind));
            let request = Request::post(format!("{}/{index}/{kind}", self.0.url));
            self.0
                .authorize(request)
                .json(&document.source.clone().into())
        };
        batch.iter().map(post).collect()
    }
}

/// One action of a bulk: `index`, `create`, `update`, or `delete` (which has no source).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    pub action: String,
    /// `_index`, `_type`, `_id`.
    pub metadata: Map<String, Value>,
    pub source: Option<Map<String, Value>>,
}

impl Item for Action {
    fn size_bytes(&self) -> usize {
        let source = self.source.as_ref().map_or(0, object_bytes);
        self.action.len() + object_bytes(&self.metadata) + source
    }
}

impl Action {
    /// Puts an event into the index of its day. An attribute `es-id` is the document's id.
    pub fn index(event: &Event, index: &str, kind: &str, suffix: &str) -> Option<Action> {
        use event::{FieldRef, Fields};
        let index = format!("{index}{}", date_suffix(suffix, event.time()?)?);
        let mut metadata = Map::from_iter([
            ("_index".into(), index.into()),
            ("_type".into(), kind.into()),
        ]);
        if let FieldRef::Str(id) = event.get("es-id") {
            metadata.insert("_id".into(), id.into());
        }
        let mut source = document(event);
        source.shift_remove("es-id");
        Some(Action {
            action: "index".into(),
            metadata,
            source: Some(source),
        })
    }
}

/// Many actions a request. When the cluster refuses some of a bulk the others have been taken: it is
/// sent again only if all were refused for want of capacity.
pub struct Bulk(pub Cluster);

impl Api for Bulk {
    type Item = Action;

    fn batch_max(&self) -> usize {
        BATCH_DOCUMENTS
    }

    fn requests(&self, batch: &[Action]) -> Vec<Request> {
        let mut body = String::new();
        for action in batch {
            body += &json!({ action.action.as_str(): action.metadata }).to_string();
            body.push('\n');
            if let Some(source) = &action.source {
                body += &Value::Object(source.clone()).to_string();
                body.push('\n');
            }
        }
        let request = Request::post(format!("{}/_bulk", self.0.url));
        vec![self.0.authorize(request).body("application/x-ndjson", body)]
    }

    fn judge(&self, response: &Response) -> Result<(), DeliveryError> {
        by_status(response)?;
        let answer: Value = serde_json::from_slice(&response.body).unwrap_or_default();
        if answer["errors"] != json!(true) {
            return Ok(());
        }
        let results: Vec<&Value> = answer["items"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|item| item.as_object()?.values().next())
            .collect();
        let status = |result: &Value| result["status"].as_u64().unwrap_or(0);
        let refused: Vec<&&Value> = results
            .iter()
            .filter(|result| status(result) >= 300)
            .collect();
        let busy = refused
            .iter()
            .all(|result| matches!(status(result), 429 | 503));
        let reason = refused
            .first()
            .map_or(&Value::Null, |result| &result["error"]["reason"]);
        Err(DeliveryError {
            retry: busy && refused.len() == results.len(),
            message: format!("{} of {} refused: {reason}", refused.len(), results.len()),
        })
    }
}

#[cfg(test)]
mod tests {
    use event::Fields;

    use super::*;
    use crate::sample::{check, event};

    const DOCUMENT: &str = "{\"@timestamp\":\"2017-07-14T02:40:00.250Z\",\"host\":\"www1\",\
        \"service\":\"api rate\",\"state\":\"critical\",\"description\":\"too slow\",\
        \"metric\":2.5,\"tags\":[\"a\",\"b c\"],\"ttl\":60,\"zone\":\"b\"}";

    #[test]
    fn posts_a_document() {
        let event = event();
        let suffix = date_suffix(INDEX_SUFFIX, event.time().unwrap()).unwrap();
        let index = format!("{INDEX}{suffix}");
        let document = Document {
            index,
            kind: TYPE.into(),
            source: document(&event),
        };
        let login = Some(("u".into(), "p".into()));
        check(
            &Elasticsearch(Cluster {
                login,
                ..Cluster::new(URL)
            })
            .requests(&[document]),
            &format!(
                "POST {URL}/riemann-2017.07.14/event\nAuthorization: Basic dTpw\n\
                 Content-Type: application/json\n\n{DOCUMENT}"
            ),
        );
    }

    #[test]
    fn posts_a_bulk() {
        let index = |event: &Event| Action::index(event, "riemann", "event", "-yyyy").unwrap();
        let with_id = event().edit(|draft| draft.set_attr("es-id", event::Attr::Str("7".into())));
        let delete = Action {
            action: "delete".into(),
            metadata: Map::from_iter([("_id".into(), "7".into())]),
            source: None,
        };
        check(
            &Bulk(Cluster::new(URL)).requests(&[index(&event()), index(&with_id), delete]),
            &format!(
                "POST {URL}/_bulk\nContent-Type: application/x-ndjson\n\n\
                 {{\"index\":{{\"_index\":\"riemann-2017\",\"_type\":\"event\"}}}}\n{DOCUMENT}\n\
                 {{\"index\":{{\"_index\":\"riemann-2017\",\"_type\":\"event\",\"_id\":\"7\"}}}}\n\
                 {DOCUMENT}\n{{\"delete\":{{\"_id\":\"7\"}}}}\n"
            ),
        );
    }

    #[test]
    fn reads_what_became_of_a_bulk() {
        let judge = |body: &str| {
            Bulk(Cluster::new(URL)).judge(&Response {
                status: 200,
                body: body.into(),
            })
        };
        assert_eq!(judge(r#"{"errors":false,"items":[]}"#), Ok(()));
        let taken = r#"{"index":{"status":201}}"#;
        let bad = r#"{"index":{"status":400,"error":{"reason":"no"}}}"#;
        let busy = r#"{"index":{"status":429,"error":{"reason":"full"}}}"#;
        let answer = |items: &[&str]| format!(r#"{{"errors":true,"items":[{}]}}"#, items.join(","));
        assert_eq!(
            judge(&answer(&[taken, bad])),
            Err(DeliveryError::lasting("1 of 2 refused: \"no\""))
        );
        assert_eq!(
            judge(&answer(&[busy, busy])),
            Err(DeliveryError::passing("2 of 2 refused: \"full\""))
        );
        assert!(!judge(&answer(&[busy, taken])).unwrap_err().retry);
    }
}
