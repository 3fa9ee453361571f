use std::sync::atomic::Ordering;

use event::{Fields, HistogramRef, Number};

use crate::http::{Fixture, ask, start};

/// Puts a document, and gives the status and the body of the answer.
fn put(fixture: &Fixture, path: &str, document: &str) -> (String, String) {
    let length = document.len();
    let request = format!("PUT {path}\r\nContent-Length: {length}\r\n\r\n{document}");
    let answer = ask(&fixture.server, &request);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap();
    (status.to_owned(), body.to_owned())
}

fn check(fixture: &Fixture, document: &str, status: &str, body: &str) {
    let expected = (status.to_owned(), format!("{body}\n"));
    assert_eq!(put(fixture, "/httptrap/web1", document), expected);
}

#[test]
fn metrics_become_events_of_the_host() {
    let fixture = start();
    let document = r#"{"cpu": {"user": {"_type": "L", "_value": "12"}},
                       "latency": {"_type": "h", "_value": ["H[1.5e+00]=3"]}}"#;
    check(&fixture, document, "200", r#"{"stats":2}"#);
    let events = fixture.recorder.events();
    assert_eq!(events[0].host(), Some("web1"));
    assert_eq!(events[0].service(), Some("cpu`user"));
    assert_eq!(events[0].metric(), Some(Number::Int(12)));
    let histogram = HistogramRef::new(&[0, 1, 15, 0, 0, 3]).ok();
    assert_eq!(events[1].histogram(), histogram);
    assert_eq!(fixture.recorder.calls().len(), 1);
    assert_eq!(put(&fixture, "/httptrap", r#"{"m": 1}"#).0, "200");
    assert_eq!(fixture.recorder.events()[2].host(), None);
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_taken() {
    let fixture = start();
    let bad = r#""a": {"b": {"_type": "I", "_value": -1}}"#;
    let error = r#""errors":["a`b: -1 is no number of type I, 0 to 2^32 - 1"]"#;
    let body = format!("{{\"stats\":1,{error}}}");
    check(&fixture, &format!(r#"{{{bad}, "c": 1}}"#), "200", &body);
    let body = format!("{{\"stats\":0,{error}}}");
    check(&fixture, &format!("{{{bad}}}"), "400", &body);
    let body = r#"{"stats":0,"errors":["the document must be a JSON object of metrics by name"]}"#;
    check(&fixture, "[1]", "400", body);
    assert_eq!(fixture.server.stats().malformed.load(Ordering::Relaxed), 3);
    let body = r#"{"stats":1,"errors":["a stream failed: no message"]}"#;
    check(&fixture, r#"{"throw": 1, "fine": 2}"#, "200", body);
    assert_eq!(fixture.server.stats().failed.load(Ordering::Relaxed), 1);
}

#[test]
fn of_many_errors_some_are_told() {
    let fixture = start();
    let bad = |n| format!(r#""m{n}": {{"_type": "x", "_value": 1}}"#);
    let bad: Vec<String> = (0..102).map(bad).collect();
    let (status, body) = put(&fixture, "/httptrap/h", &format!("{{{}}}", bad.join(",")));
    assert_eq!(status, "400");
    assert!(body.ends_with("\"and 2 more\"]}\n"), "{body}");
}

#[test]
fn other_requests_are_told_what_to_do() {
    let fixture = start();
    assert!(ask(&fixture.server, "GET /httptrap/web1\r\n\r\n").contains(" 405 "));
    assert!(ask(&fixture.server, "PUT /httptrap/a/b\r\n\r\n").contains(" 404 "));
    let long = format!(
        "PUT /httptrap/a\r\nContent-Length: {}\r\n\r\n",
        (8 << 20) + 1
    );
    assert!(ask(&fixture.server, &long).contains(" 413 "));
}
