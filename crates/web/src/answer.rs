//! An answer to a request, with the headers that every answer has.

use std::borrow::Cow;

/// What a browser may do with the page: run and show only what this server sent, and talk to it.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self'; connect-src 'self' ws: wss:; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// An HTTP answer. The body is to be left out when the method was HEAD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    pub content_type: &'static str,
    /// All headers but `Content-Type` and `Content-Length`; names in lower case.
    pub headers: Vec<(&'static str, String)>,
    pub body: Cow<'static, [u8]>,
}

impl Answer {
    pub(crate) fn new(
        status: u16,
        content_type: &'static str,
        body: impl Into<Cow<'static, [u8]>>,
    ) -> Answer {
        let headers = vec![
            ("x-content-type-options", "nosniff".to_string()),
            (
                "content-security-policy",
                CONTENT_SECURITY_POLICY.to_string(),
            ),
            ("referrer-policy", "no-referrer".to_string()),
        ];
        Answer {
            status,
            content_type,
            headers,
            body: body.into(),
        }
    }

    /// An answer that is true only now: no cache keeps it.
    pub(crate) fn live(content_type: &'static str, body: String) -> Answer {
        Answer::new(200, content_type, body.into_bytes()).with("cache-control", "no-store")
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Answer {
        self.headers.push((name, value.into()));
        self
    }
}
