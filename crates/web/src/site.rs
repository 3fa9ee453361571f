//! From a URL to its answer.

use crate::assets::{self, Asset};
use crate::{Answer, Metric, Status, metrics};

/// What the site needs to know of a request.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request<'a> {
    pub method: &'a str,
    /// Without the query string.
    pub path: &'a str,
    /// The header of that name, if the request has it.
    pub if_none_match: Option<&'a str>,
}

/// Every URL that is not a protocol's:
///
/// | URL | answer |
/// |---|---|
/// | `/`, `/assets/…` | the page |
/// | `/api/status` | a [`Status`], as JSON |
/// | `/metrics` | [`Metric`]s, as Prometheus reads them |
/// | `/healthz` | `ok` |
pub struct Site {
    assets: Vec<Asset>,
}

impl Default for Site {
    fn default() -> Site {
        Site::new()
    }
}

impl Site {
    pub fn new() -> Site {
        Site {
            assets: assets::all(),
        }
    }

    /// Answers a request; `None` if the path is not one of the site's. `status` and `metrics` are
    /// called only for the paths that show them. A method other than GET and HEAD is answered with
    /// 405.
    ///
    /// ```
    /// use web::{Request, Site};
    /// let request = Request { method: "GET", path: "/healthz", if_none_match: None };
    /// let answer = Site::new().answer(&request, || unreachable!(), || unreachable!()).unwrap();
    /// assert_eq!((answer.status, &*answer.body), (200, "ok\n".as_bytes()));
    /// ```
    pub fn answer(
        &self,
        request: &Request<'_>,
        status: impl FnOnce() -> Status,
        metrics: impl FnOnce() -> Vec<Metric>,
    ) -> Option<Answer> {
        let asset = self
            .assets
            .iter()
            .find(|asset| asset.path() == request.path);
        let known =
            asset.is_some() || matches!(request.path, "/api/status" | "/metrics" | "/healthz");
        if known && !matches!(request.method, "GET" | "HEAD") {
            return Some(method_not_allowed(request));
        }
        match request.path {
            "/api/status" => Some(Answer::live("application/json", status().to_json())),
            "/metrics" => Some(Answer::live(
                metrics::CONTENT_TYPE,
                metrics::render(&metrics()),
            )),
            "/healthz" => Some(Answer::live(TEXT, "ok\n".into())),
            _ => asset.map(|asset| asset.answer(request.if_none_match)),
        }
    }
}

const TEXT: &str = "text/plain; charset=utf-8";

fn method_not_allowed(request: &Request<'_>) -> Answer {
    let body = format!("{} can be read with GET, not changed.\n", request.path);
    Answer::new(405, TEXT, body.into_bytes()).with("allow", "GET, HEAD")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MetricKind;
    use crate::status::tests::example;

    fn ask(request: Request<'_>) -> Option<Answer> {
        let metrics = || {
            let samples = vec![(Vec::new(), 1.0)];
            let (name, help) = ("up".into(), "Runs.".into());
            vec![Metric {
                name,
                help,
                kind: MetricKind::Gauge,
                samples,
            }]
        };
        Site::new().answer(&request, example, metrics)
    }

    fn get(path: &str) -> Answer {
        ask(Request {
            method: "GET",
            path,
            if_none_match: None,
        })
        .unwrap()
    }

    fn header(answer: &Answer, name: &str) -> Option<String> {
        let found = answer.headers.iter().find(|(header, _)| *header == name);
        found.map(|(_, value)| value.clone())
    }

    #[test]
    fn each_path_has_its_type() {
        for (path, content_type) in [
            ("/", "text/html; charset=utf-8"),
            ("/assets/main.js", "text/javascript; charset=utf-8"),
            ("/assets/style.css", "text/css; charset=utf-8"),
            ("/assets/icon.svg", "image/svg+xml"),
            ("/api/status", "application/json"),
            ("/metrics", "text/plain; version=0.0.4; charset=utf-8"),
            ("/healthz", "text/plain; charset=utf-8"),
        ] {
            let answer = get(path);
            assert_eq!(
                (answer.status, answer.content_type),
                (200, content_type),
                "{path}"
            );
            assert!(!answer.body.is_empty(), "{path}");
        }
    }

    #[test]
    fn what_is_live_is_never_stored() {
        assert_eq!(
            get("/metrics").body,
            b"# HELP up Runs.\n# TYPE up gauge\nup 1\n".as_slice()
        );
        for path in ["/metrics", "/api/status", "/healthz"] {
            assert_eq!(
                header(&get(path), "cache-control").as_deref(),
                Some("no-store"),
                "{path}"
            );
        }
    }

    #[test]
    fn every_answer_is_confined_to_this_server() {
        for path in ["/", "/assets/main.js", "/api/status", "/metrics"] {
            let answer = get(path);
            assert_eq!(
                header(&answer, "x-content-type-options").as_deref(),
                Some("nosniff")
            );
            let policy = header(&answer, "content-security-policy").unwrap();
            assert!(policy.starts_with("default-src 'none';"), "{policy}");
            assert!(policy.contains("connect-src 'self' ws: wss:;"), "{policy}");
            assert!(
                !policy.contains("unsafe") && !policy.contains('*'),
                "{policy}"
            );
        }
    }

    #[test]
    fn a_file_that_the_browser_has_is_not_sent_again() {
        let etag = header(&get("/assets/main.js"), "etag").unwrap();
        let again = |tag: &str| {
            let path = "/assets/main.js";
            ask(Request {
                method: "GET",
                path,
                if_none_match: Some(tag),
            })
            .unwrap()
        };
        for tag in [
            etag.clone(),
            format!("W/{etag}"),
            format!("\"x\", {etag}"),
            "*".into(),
        ] {
            let answer = again(&tag);
            assert_eq!((answer.status, answer.body.len()), (304, 0), "{tag}");
            assert_eq!(header(&answer, "etag"), Some(etag.clone()));
            assert_eq!(
                header(&answer, "cache-control").as_deref(),
                Some("no-cache")
            );
        }
        assert_eq!(again("\"x\"").status, 200);
        assert_ne!(header(&get("/"), "etag"), Some(etag));
    }

    #[test]
    fn only_reading_is_allowed() {
        let post = |path| {
            ask(Request {
                method: "POST",
                path,
                if_none_match: None,
            })
        };
        let answer = post("/metrics").unwrap();
        assert_eq!(
            (answer.status, header(&answer, "allow")),
            (405, Some("GET, HEAD".into()))
        );
        assert_eq!(post("/events"), None);
        let head = Request {
            method: "HEAD",
            path: "/",
            if_none_match: None,
        };
        assert_eq!(ask(head).unwrap(), get("/"));
    }

    #[test]
    fn other_paths_are_not_the_sites() {
        for path in [
            "",
            "/index",
            "/assets/",
            "/assets/../Cargo.toml",
            "/nothing",
        ] {
            assert_eq!(
                ask(Request {
                    method: "GET",
                    path,
                    if_none_match: None
                }),
                None,
                "{path}"
            );
        }
    }
}
