//! One HTTP request of any shape, for code that waits for its answer.

use std::io::{ErrorKind, Read};
use std::time::Duration;

use thiserror::Error;
use ureq::Agent;
use ureq::http::{Method, Request};

/// As much of an answer as is read.
const ANSWER_BYTES: u64 = 64 << 20;

/// A request, whole.
pub struct Call {
    pub method: String,
    pub url: String,
    pub headers: Vec<(String, String)>,
    /// `None` sends no body, for methods that usually have none.
    pub body: Option<Vec<u8>>,
    /// The agent's own limits hold where there is none.
    pub connect_timeout: Option<Duration>,
    pub read_timeout: Option<Duration>,
    /// Redirections that are followed.
    pub redirects_max: u32,
}

/// An answer, whatever its status.
pub struct Answer {
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum FetchError {
    #[error("{0}: not a usable URL, method or header")]
    Request(String),
    #[error("{0}: unknown host")]
    UnknownHost(String),
    #[error("{0}: connection refused")]
    Refused(String),
    #[error("{0}: no answer in time")]
    Timeout(String),
    #[error("{0}")]
    Other(String),
}

/// Sends a request and waits for the answer.
///
/// # Errors
/// When there is no answer.
pub fn fetch(agent: &Agent, call: Call) -> Result<Answer, FetchError> {
    let server = crate::http::server(&call.url).to_owned();
    let unusable = || FetchError::Request(server.clone());
    let method = Method::from_bytes(call.method.as_bytes()).map_err(|_| unusable())?;
    let mut builder = Request::builder().method(method).uri(&call.url);
    for (name, value) in &call.headers {
        builder = builder.header(name, value);
    }
    let limits = (call.connect_timeout, call.read_timeout, call.redirects_max);
    let response = match call.body {
        Some(body) => run(agent, builder.body(body).map_err(|_| unusable())?, limits),
        None => run(agent, builder.body(()).map_err(|_| unusable())?, limits),
    };
    let response = response.map_err(|error| explain(server.clone(), &error))?;
    let headers = response.headers().iter().map(|(name, value)| {
        (
            name.as_str().to_owned(),
            String::from_utf8_lossy(value.as_bytes()).into_owned(),
        )
    });
    let (status, headers) = (response.status().as_u16(), headers.collect());
    let mut body = Vec::new();
    let reader = response.into_body().into_reader();
    reader
        .take(ANSWER_BYTES)
        .read_to_end(&mut body)
        .map_err(|error| match error.kind() {
            ErrorKind::TimedOut => FetchError::Timeout(server.clone()),
            _ => FetchError::Other(format!("{server}: {error}")),
        })?;
    Ok(Answer {
        status,
        headers,
        body,
    })
}

fn run<B: ureq::AsSendBody>(
    agent: &Agent,
    request: Request<B>,
    (connect, read, redirects): (Option<Duration>, Option<Duration>, u32),
) -> Result<ureq::http::Response<ureq::Body>, ureq::Error> {
    let mut config = agent
        .configure_request(request)
        .allow_non_standard_methods(true)
        .max_redirects(redirects)
        .max_redirects_will_error(false);
    if connect.is_some() {
        config = config.timeout_connect(connect);
    }
    if read.is_some() {
        config = config.timeout_recv_response(read).timeout_recv_body(read);
    }
    agent.run(config.build())
}

fn explain(server: String, error: &ureq::Error) -> FetchError {
    match error {
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => FetchError::Request(server),
        ureq::Error::HostNotFound => FetchError::UnknownHost(server),
        ureq::Error::Timeout(_) => FetchError::Timeout(server),
        ureq::Error::ConnectionFailed => FetchError::Refused(server),
        ureq::Error::Io(io) if io.kind() == ErrorKind::ConnectionRefused => {
            FetchError::Refused(server)
        }
        other => FetchError::Other(format!("{server}: {other}")),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::TcpListener;

    use super::*;

    fn call(url: String) -> Call {
        Call {
            method: "GET".into(),
            url,
            headers: vec![("X-Test".into(), "1".into())],
            body: None,
            connect_timeout: None,
            read_timeout: None,
            redirects_max: 0,
        }
    }

    #[test]
    fn gives_status_headers_and_body() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/a", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let mut stream = listener.accept().unwrap().0;
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).unwrap();
                head.push(byte[0]);
            }
            stream
                .write_all(b"HTTP/1.1 404 No\r\nX-A: b\r\nContent-Length: 2\r\n\r\nno")
                .unwrap();
            String::from_utf8(head).unwrap()
        });
        let answer = fetch(&crate::http::agent(), call(url)).unwrap();
        assert_eq!(
            (answer.status, answer.body.as_slice()),
            (404, b"no".as_slice())
        );
        assert!(answer.headers.contains(&("x-a".into(), "b".into())));
        let head = server.join().unwrap().to_lowercase();
        assert!(
            head.starts_with("get /a http/1.1\r\n") && head.contains("x-test: 1\r\n"),
            "{head}"
        );
    }

    #[test]
    fn says_why_there_is_none() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        drop(listener);
        let failed = |url: String| fetch(&crate::http::agent(), call(url)).err().unwrap();
        assert!(matches!(
            failed(format!("http://{address}/")),
            FetchError::Refused(_)
        ));
        assert!(matches!(failed("no url".into()), FetchError::Request(_)));
    }
}
