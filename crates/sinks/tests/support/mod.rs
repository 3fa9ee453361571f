//! Real servers for tests: started on a free port, stopped when dropped.

#![allow(dead_code, reason = "each test file uses a part")]

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write, pipe};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use event::{Draft, Event, Number, Time};
use parking_lot::Mutex;
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use sinks::outlet::Outlet;
use sinks::pace::{Bell, Pace};
use sinks::target::{Item, Target};

/// A server that says nothing for so long is broken.
const PATIENCE: Duration = Duration::from_secs(60);

/// A process whose output is read line by line.
pub struct Server {
    child: Child,
    lines: Receiver<String>,
}

impl Server {
    pub fn start<A: AsRef<OsStr>>(
        program: impl AsRef<OsStr>,
        args: impl IntoIterator<Item = A>,
    ) -> Server {
        let program = program.as_ref();
        let (reader, writer) = pipe().unwrap();
        let child = Command::new(program)
            .args(args)
            .stdout(writer.try_clone().unwrap())
            .stderr(writer)
            .spawn()
            .unwrap_or_else(|error| panic!("{program:?}: {error}"));
        let (to, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(reader).lines().map_while(Result::ok) {
                if to.send(line).is_err() {
                    return;
                }
            }
        });
        Server { child, lines }
    }

    /// The next line that contains `part`.
    pub fn wait_for(&self, part: &str) -> String {
        let mut seen = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) if line.contains(part) => return line,
                Ok(line) => seen.push(line),
                Err(_) => panic!("no {part:?} in:\n{}", seen.join("\n")),
            }
        }
    }

    /// The port at the end of an address in the next line that contains `part`.
    pub fn wait_for_port(&self, part: &str, before: &str) -> u16 {
        let line = self.wait_for(part);
        let at = line
            .find(before)
            .unwrap_or_else(|| panic!("no {before:?} in {line}"));
        let rest = &line[at + before.len()..];
        let digits = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        rest[..digits].parse().unwrap()
    }
}

/// Asks the server to stop, so that it can stop its own children, and waits for it.
impl Drop for Server {
    fn drop(&mut self) {
        let _ = Command::new("kill")
            .arg(self.child.id().to_string())
            .status();
        let _ = self.child.wait();
    }
}

/// A Python that has the packages of `NEEDS`: of the tests' own environment, or whichever is found.
pub fn python() -> PathBuf {
    let environment = std::env::var_os("CAUCHY_TEST_ENV").map_or_else(
        || Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("test-env"),
        PathBuf::from,
    );
    let python = environment.join("venv/bin/python3");
    if python.exists() {
        python
    } else {
        "python3".into()
    }
}

/// A port that was free a moment ago, for servers that cannot choose one.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}

/// A port that was free a moment ago, for servers that take none above 32767.
pub fn free_low_port() -> u16 {
    let from = 10_000 + std::process::id() as u16 % 20_000;
    let free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    (from..32_768).find(free).unwrap()
}

/// A clock that stands still but for pauses, which take no time.
#[derive(Default)]
pub struct NoWait(Mutex<Duration>);

impl Pace for NoWait {
    fn now(&self) -> Duration {
        *self.0.lock()
    }
    fn pause(&self, length: Duration, _: &Bell) {
        *self.0.lock() += length;
    }
}

/// Delivers items through an outlet; fails unless all were sent.
#[track_caller]
pub fn deliver<I: Item>(target: impl Target<Item = I> + 'static, items: Vec<I>) {
    let count = items.len() as u64;
    let outlet = Outlet::new("test", target, Arc::new(NoWait::default()));
    for item in items {
        outlet.offer(item);
    }
    outlet.close(PATIENCE);
    let stats = outlet.stats();
    assert_eq!((stats.sent, stats.lost), (count, 0), "{stats:?}");
}

pub fn event(service: &str, metric: f64) -> Event {
    Draft {
        host: Some("www1.example.com".into()),
        service: Some(service.into()),
        state: Some("critical".into()),
        description: Some("too \"slow\"".into()),
        metric: Some(Number::F64(metric)),
        tags: Some(vec!["a".into()]),
        time: Some(Time::from_s(1_500_000_000)),
        ttl: Some(Number::Int(60)),
        ..Draft::record()
    }
    .build()
}

/// One received request.
#[derive(Debug, PartialEq)]
pub struct Received {
    /// Method and path with query.
    pub line: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// Reads requests on one connection after another and answers each with the next of `answers`
/// (status and body), the last again and again.
pub fn http_server(answers: Vec<(u16, &'static str)>) -> (String, Receiver<Received>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (to, received) = channel();
    thread::spawn(move || {
        let mut answers = answers.into_iter();
        let mut answer = answers.next().unwrap();
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.unwrap());
            while let Some(request) = read_request(&mut stream) {
                if to.send(request).is_err() {
                    return;
                }
                let (status, body) = answer;
                answer = answers.next().unwrap_or(answer);
                let length = body.len();
                let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\n\r\n{body}");
                stream.get_mut().write_all(head.as_bytes()).unwrap();
            }
        }
    });
    (url, received)
}

pub fn read_request(stream: &mut impl BufRead) -> Option<Received> {
    let mut line = String::new();
    stream.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let line = line.trim_end().trim_end_matches(" HTTP/1.1").to_string();
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        stream.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim_end().split_once(": ") else {
            break;
        };
        headers.push((name.to_lowercase(), value.to_string()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.map_or(0, |(_, length)| length.parse().unwrap())];
    stream.read_exact(&mut body).ok()?;
    Some(Received {
        line,
        headers,
        body,
    })
}

/// A TLS server's configuration as `localhost`, and its certificate as PEM, for those who are to trust
/// it.
pub fn tls_server() -> (Arc<ServerConfig>, String) {
    let signed = rcgen::generate_simple_self_signed(["localhost".into()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(signed.signing_key.serialize_der().into());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![signed.cert.der().clone()], key)
        .unwrap();
    (Arc::new(config), signed.cert.pem())
}

/// Fetches a path of a local server.
pub fn get(port: u16, path: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(stream, "GET {path} HTTP/1.0\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}
