//! An event that the tests of targets send, and how a request reads.

use event::{Draft, Event, Number, Time};

use crate::http::Request;

pub fn event() -> Event {
    Draft {
        host: Some("www1".into()),
        service: Some("api rate".into()),
        state: Some("critical".into()),
        description: Some("too slow".into()),
        metric: Some(Number::F64(2.5)),
        tags: Some(vec!["a".into(), "b c".into()]),
        time: Some(Time::exact(1_500_000_000_250_000)),
        ttl: Some(Number::Int(60)),
        attrs: vec![("zone".into(), "b".into())],
        ..Draft::record()
    }
    .build()
}

/// [`event`] as JSON.
pub const EVENT: &str = "{\"host\":\"www1\",\"service\":\"api rate\",\"state\":\"critical\",\
    \"description\":\"too slow\",\"metric\":2.5,\"tags\":[\"a\",\"b c\"],\
    \"time\":1500000000.25,\"ttl\":60,\"zone\":\"b\"}";

/// Method and URL, headers, an empty line, the body.
pub fn text(request: &Request) -> String {
    let mut text = format!("{} {}\n", request.method, request.url);
    for (name, value) in &request.headers {
        text.push_str(&format!("{name}: {value}\n"));
    }
    text + "\n" + std::str::from_utf8(&request.body).unwrap()
}

/// Checks the only request of several.
#[track_caller]
pub fn check(requests: &[Request], expected: &str) {
    assert_eq!(requests.len(), 1);
    assert_eq!(text(&requests[0]), expected);
}
