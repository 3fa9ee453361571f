//! Targets that are reached by HTTP: what is posted is built by pure functions, here it is sent.

use std::fmt::Write;
use std::io::Read;
use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use thiserror::Error;
use ureq::Agent;
use ureq::tls::{PemItem, RootCerts, TlsConfig, TlsConfigBuilder, parse_pem};

use crate::policy::IO_TIMEOUT;
use crate::target::{DeliveryError, Item, Target};
use crate::url;

/// As much of an answer as is read: enough for an error, and for what Elasticsearch says of a bulk.
const ANSWER_BYTES: u64 = 4 << 20;
/// As much of an answer as is quoted in an error.
const QUOTED_CHARS: usize = 200;

/// A request, whole. `Debug` shows neither query nor headers: they hold keys.
#[derive(Clone, PartialEq, Eq)]
pub struct Request {
    pub method: &'static str,
    pub url: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

impl Request {
    pub fn post(url: impl Into<String>) -> Request {
        Request {
            method: "POST",
            url: url.into(),
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    pub fn put(url: impl Into<String>) -> Request {
        Request {
            method: "PUT",
            ..Request::post(url)
        }
    }

    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Request {
        self.headers.push((name, value.into()));
        self
    }

    #[must_use]
    pub fn basic_auth(self, user: &str, password: &str) -> Request {
        self.header("Authorization", basic(&format!("{user}:{password}")))
    }

    #[must_use]
    pub fn json(self, body: &Value) -> Request {
        self.body("application/json", body.to_string())
    }

    #[must_use]
    pub fn form(self, pairs: &[(&str, &str)]) -> Request {
        self.body("application/x-www-form-urlencoded", url::form(pairs))
    }

    #[must_use]
    pub fn body(self, content_type: &str, body: impl Into<Vec<u8>>) -> Request {
        Request {
            body: body.into(),
            ..self.header("Content-Type", content_type)
        }
    }
}

impl std::fmt::Debug for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} {} ({} bytes)",
            self.method,
            server(&self.url),
            self.body.len()
        )
    }
}

/// What basic authorization says of `user:password`.
pub fn basic(login: &str) -> String {
    format!("Basic {}", BASE64_STANDARD.encode(login))
}

/// User and password of a basic authorization.
pub fn login_of(authorization: &str) -> Option<(String, String)> {
    let login = BASE64_STANDARD.decode(authorization.strip_prefix("Basic ")?);
    let login = String::from_utf8(login.ok()?).ok()?;
    let (user, password) = login.split_once(':')?;
    Some((user.to_owned(), password.to_owned()))
}

/// What a server said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    pub status: u16,
    pub body: Vec<u8>,
}

/// An interface reached by HTTP: how items become requests, and what its answers mean.
pub trait Api: Send {
    type Item: Item;

    /// As [`Target::batch_max`].
    fn batch_max(&self) -> usize {
        1
    }

    /// The requests that deliver the batch; none if there is nothing in it to deliver.
    fn requests(&self, batch: &[Self::Item]) -> Vec<Request>;

    /// Reads the answer to one request: by default, 2xx is success; 408, 429 and 5xx pass.
    ///
    /// # Errors
    /// When the answer says that the items were not taken.
    fn judge(&self, response: &Response) -> Result<(), DeliveryError> {
        by_status(response)
    }
}

impl<A: Api + Sync> Api for Arc<A> {
    type Item = A::Item;

    fn batch_max(&self) -> usize {
        (**self).batch_max()
    }

    fn requests(&self, batch: &[A::Item]) -> Vec<Request> {
        (**self).requests(batch)
    }

    fn judge(&self, response: &Response) -> Result<(), DeliveryError> {
        (**self).judge(response)
    }
}

/// What a status says of a delivery.
///
/// # Errors
/// For all but 2xx.
pub fn by_status(response: &Response) -> Result<(), DeliveryError> {
    let status = response.status;
    if (200..300).contains(&status) {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&response.body);
    let mut message = format!("status {status}");
    if !text.trim().is_empty() {
        let quoted: String = text.trim().chars().take(QUOTED_CHARS).collect();
        write!(message, ": {quoted}").expect("a string takes all");
    }
    Err(DeliveryError {
        retry: matches!(status, 408 | 429 | 500..),
        message,
    })
}

/// A target that speaks HTTP. Keeps its connections open between requests.
pub struct HttpTarget<A> {
    api: A,
    agent: Agent,
}

impl<A: Api> HttpTarget<A> {
    pub fn new(api: A, agent: Agent) -> HttpTarget<A> {
        HttpTarget { api, agent }
    }
}

impl<A: Api> Target for HttpTarget<A> {
    type Item = A::Item;

    fn batch_max(&self) -> usize {
        self.api.batch_max()
    }

    fn deliver(&mut self, batch: &[A::Item]) -> Result<(), DeliveryError> {
        for request in self.api.requests(batch) {
            self.api.judge(&send(&self.agent, request)?)?;
        }
        Ok(())
    }
}

/// A client with the usual limits that trusts the public authorities. Cheap to clone; clones share
/// connections.
pub fn agent() -> Agent {
    agent_with(RootCerts::WebPki)
}

/// As [`agent`], but trusts only the certificates in `pem`.
///
/// # Errors
/// When there is something else in it, or nothing.
pub fn agent_trusting(pem: &[u8]) -> Result<Agent, PemError> {
    let mut certificates = Vec::new();
    for item in parse_pem(pem) {
        match item.map_err(|_| PemError)? {
            PemItem::Certificate(certificate) => certificates.push(certificate),
            _ => return Err(PemError),
        }
    }
    if certificates.is_empty() {
        return Err(PemError);
    }
    Ok(agent_with(RootCerts::new_with_certs(&certificates)))
}

/// As [`agent`], but does not look at the certificates of servers: anyone may be in between.
pub fn agent_trusting_all() -> Agent {
    agent_of(tls(RootCerts::WebPki).disable_verification(true).build())
}

/// What should be certificates in PEM is something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not PEM with certificates and nothing else")]
pub struct PemError;

fn agent_with(roots: RootCerts) -> Agent {
    agent_of(tls(roots).build())
}

fn tls(roots: RootCerts) -> TlsConfigBuilder {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    TlsConfig::builder()
        .unversioned_rustls_crypto_provider(provider)
        .root_certs(roots)
}

fn agent_of(tls: TlsConfig) -> Agent {
    Agent::config_builder()
        .timeout_resolve(Some(IO_TIMEOUT))
        .timeout_connect(Some(IO_TIMEOUT))
        .timeout_send_body(Some(IO_TIMEOUT))
        .timeout_recv_response(Some(IO_TIMEOUT))
        .timeout_recv_body(Some(IO_TIMEOUT))
        .http_status_as_error(false)
        // A redirected POST would become a GET, and its body be lost unnoticed.
        .max_redirects(0)
        .user_agent("cauchy")
        .tls_config(tls)
        .build()
        .into()
}

/// Sends one request and waits for its answer, whatever its status.
///
/// # Errors
/// When there is no answer: the server is not reached or is too slow (worth another try), or the
/// request is not one (not worth it).
pub fn send(agent: &Agent, request: Request) -> Result<Response, DeliveryError> {
    let server = server(&request.url).to_string();
    let failed = |error: ureq::Error| {
        let message = format!("{server}: {error}");
        match error {
            ureq::Error::BadUri(_) | ureq::Error::Http(_) => {
                DeliveryError::lasting(format!("{server}: not a usable URL or header"))
            }
            _ => DeliveryError::passing(message),
        }
    };
    let mut builder = ureq::http::Request::builder()
        .method(request.method)
        .uri(&request.url);
    for (name, value) in &request.headers {
        builder = builder.header(*name, value);
    }
    let built = builder
        .body(request.body)
        .map_err(|error| failed(error.into()))?;
    let response = agent.run(built).map_err(failed)?;
    let status = response.status().as_u16();
    let mut body = Vec::new();
    let read = response
        .into_body()
        .into_reader()
        .take(ANSWER_BYTES)
        .read_to_end(&mut body);
    read.map_err(|error| DeliveryError::passing(format!("{server}: {error}")))?;
    Ok(Response { status, body })
}

/// Scheme, host and port of a URL: what may be told.
pub(crate) fn server(url: &str) -> &str {
    let from = url.find("://").map_or(0, |at| at + 3);
    let end = url[from..]
        .find(['/', '?', '#'])
        .map_or(url.len(), |at| from + at);
    let authority = url[from..end].rfind('@').map_or(from, |at| from + at + 1);
    &url[authority..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_told() {
        let request = Request::post("https://u:p@h:1/T0KEN?key=1")
            .basic_auth("u", "p")
            .form(&[]);
        assert_eq!(format!("{request:?}"), "POST h:1 (0 bytes)");
    }

    #[test]
    fn a_status_says_whether_to_try_again() {
        let judge = |status| {
            by_status(&Response {
                status,
                body: b" why \n".to_vec(),
            })
        };
        assert_eq!(judge(204), Ok(()));
        assert_eq!(judge(400), Err(DeliveryError::lasting("status 400: why")));
        assert_eq!(judge(429), Err(DeliveryError::passing("status 429: why")));
        assert_eq!(judge(503), Err(DeliveryError::passing("status 503: why")));
    }

    #[test]
    fn trusts_certificates_only() {
        assert_eq!(agent_trusting(b"").err(), Some(PemError));
        assert_eq!(
            agent_trusting(b"-----BEGIN CERTIFICATE-----\n").err(),
            Some(PemError)
        );
    }

    #[test]
    fn writes_basic_authorization() {
        let request = Request::post("http://h").basic_auth("Aladdin", "open sesame");
        let expected = (
            "Authorization",
            "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==".to_string(),
        );
        assert_eq!(request.headers, [expected]);
    }
}
