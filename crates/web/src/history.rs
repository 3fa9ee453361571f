//! What the URLs of history answer.

use std::borrow::Cow;

use ask::{Error, Json, Listing, Octets, Pieces, Question, Refused};
use serde_json::json;
use store::Store;

use crate::answer::Answer;

const JSON: &str = "application/json";
const OCTETS: &str = "application/octet-stream";

/// A request about history:
///
/// | URL | answer |
/// |---|---|
/// | `/api/history?query=…` | rows, as JSON; histograms, as bytes, for who accepts these first |
/// | `/api/series?query=…` | the names of series, as JSON |
///
/// ```
/// use web::HistoryRequest;
/// assert!(HistoryRequest::of("GET", "/api/history", "query=true", None).is_some());
/// assert!(HistoryRequest::of("GET", "/api/status", "", None).is_none());
/// ```
#[derive(Debug)]
pub struct HistoryRequest {
    what: What,
    is_get: bool,
    parts: Vec<(String, String)>,
    is_octets: bool,
}

#[derive(Clone, Copy, Debug)]
enum What {
    History,
    Series,
}

impl HistoryRequest {
    /// The request, if it is one. `query` follows the `?`; `accept` is the header of that name.
    #[must_use]
    pub fn of(method: &str, path: &str, query: &str, accept: Option<&str>) -> Option<Self> {
        let what = match path {
            "/api/history" => What::History,
            "/api/series" => What::Series,
            _ => return None,
        };
        let pairs = form_urlencoded::parse(query.as_bytes());
        let owned = |(name, value): (Cow<str>, Cow<str>)| (name.into_owned(), value.into_owned());
        Some(HistoryRequest {
            what,
            is_get: matches!(method, "GET" | "HEAD"),
            parts: pairs.map(owned).collect(),
            is_octets: accept.is_some_and(|accept| accept.trim().starts_with(OCTETS)),
        })
    }

    /// The head of a good answer; its body is empty.
    #[must_use]
    pub fn head(&self) -> Answer {
        let content_type = match self.what {
            What::History if self.is_octets => OCTETS,
            _ => JSON,
        };
        Answer::new(200, content_type, Vec::new()).with("cache-control", "no-store")
    }

    /// Answers: gives the body out, or nothing and the answer that says why not. `store` is `None`
    /// where no history is kept.
    ///
    /// # Errors
    /// The answer to be given instead.
    pub fn answer(
        &self,
        store: Option<&Store>,
        now_us: i64,
        out: &mut dyn Pieces,
    ) -> Result<(), Box<Answer>> {
        if !self.is_get {
            let error = "history can be read with GET, not changed";
            let answer = refusal(405, error, "send events to change it");
            return Err(Box::new(answer.with("allow", "GET, HEAD")));
        }
        let Some(store) = store else {
            let error = "this server keeps no history";
            let remedy = "write (history) among the streams of its configuration";
            return Err(Box::new(refusal(404, error, remedy)));
        };
        self.ask(store, now_us, out).map_err(|error| {
            Box::new(match error {
                Error::Refused(Refused { error, remedy }) => refusal(400, &error, &remedy),
                Error::Store(error) => {
                    let remedy = "look at the server's log, and at `cauchy store verify`";
                    refusal(500, &error.to_string(), remedy)
                }
            })
        })
    }

    fn ask(&self, store: &Store, now_us: i64, out: &mut dyn Pieces) -> Result<(), Error> {
        let parts = self.parts.iter().map(|(name, value)| (&**name, &**value));
        match self.what {
            What::Series => Listing::read(parts)?.write(store, out),
            What::History => {
                let question = Question::read(parts, now_us)?;
                if self.is_octets {
                    let question = Question {
                        shows: Vec::new(),
                        ..question
                    };
                    ask::answer(store, &question, &mut Octets::new(out))?;
                } else {
                    ask::answer(store, &question, &mut Json::new(out))?;
                }
            }
        }
        Ok(())
    }
}

/// The answer when too many questions are being answered.
#[must_use]
pub fn busy(at_once: usize) -> Answer {
    let error = format!("{at_once} questions to history are being answered already");
    refusal(503, &error, "ask again in a moment").with("retry-after", "1")
}

fn refusal(status: u16, error: &str, remedy: &str) -> Answer {
    let body = format!("{}\n", json!({ "error": error, "remedy": remedy }));
    Answer::new(status, JSON, body.into_bytes()).with("cache-control", "no-store")
}

#[cfg(test)]
mod tests {
    use store::{Options, Sample, Value};

    use super::*;

    fn get(query: &str, accept: Option<&str>, kept: bool) -> (Answer, Vec<u8>) {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), Options::default()).unwrap();
        let (host, service, value) = (Some("a"), Some("api rtt"), Value::Number(0.5));
        let sample = Sample {
            host,
            service,
            by: &[],
            time_us: 5_000_000,
            value,
        };
        store.append(&[sample]).unwrap();
        let request = HistoryRequest::of("GET", "/api/history", query, accept).unwrap();
        let mut body = Vec::new();
        let now_us = 10_000_000;
        match request.answer(kept.then_some(&store), now_us, &mut body) {
            Ok(()) => (request.head(), body),
            Err(answer) => (*answer, body),
        }
    }

    fn check_refused(query: &str, kept: bool, status: u16, expected: &str) {
        let (answer, body) = get(query, None, kept);
        assert_eq!((answer.status, body.len()), (status, 0));
        assert_eq!(String::from_utf8_lossy(&answer.body), expected);
    }

    #[test]
    fn parts_are_decoded() {
        let query = "query=service+%3D%20%22api%20rtt%22&from=0&to=10&step=10&show=count";
        let (head, body) = get(query, None, true);
        assert_eq!((head.status, head.content_type), (200, "application/json"));
        let answer: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(answer["series"][0]["rows"], json!([[0, 1]]));
    }

    #[test]
    fn bytes_come_to_who_accepts_them() {
        let query = "query=true&from=0&to=10&step=10";
        let (head, body) = get(query, Some("application/octet-stream"), true);
        assert_eq!(head.content_type, "application/octet-stream");
        assert_eq!((body[0], body[body.len() - 1]), (1, b'}'));
    }

    #[test]
    fn what_is_wrong_is_said_in_json() {
        let error = "{\"error\":\"no query says which series are meant\",\
            \"remedy\":\"name them: query=service = \\\"api latency\\\"; all: query=true\"}\n";
        check_refused("", true, 400, error);
        let error = "{\"error\":\"this server keeps no history\",\
            \"remedy\":\"write (history) among the streams of its configuration\"}\n";
        check_refused("query=true", false, 404, error);
        assert_eq!(busy(8).status, 503);
        let post = HistoryRequest::of("POST", "/api/series", "", None).unwrap();
        assert_eq!(
            post.answer(None, 0, &mut Vec::new()).unwrap_err().status,
            405
        );
    }
}
