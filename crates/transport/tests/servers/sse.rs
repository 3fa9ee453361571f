use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Instant;

use transport::{Server, SseOptions, SseServer, Workers};

use crate::http::ask;
use crate::recorder::{BAD_QUERY, PATIENCE, Recorder, event};
use crate::wire::connect;

fn start(headers: &[(&str, &str)]) -> (Workers, Server, Arc<Recorder>) {
    let workers = Workers::start(Some(1)).unwrap();
    let recorder = Recorder::new();
    let headers = headers
        .iter()
        .map(|(k, v)| (k.to_string(), v.to_string()))
        .collect();
    let options = SseOptions {
        port: 0,
        headers,
        ..SseOptions::default()
    };
    let server = SseServer::bind(&options)
        .unwrap()
        .serve(&workers, recorder.clone());
    (workers, server, recorder)
}

fn open(server: &Server, target: &str) -> BufReader<TcpStream> {
    let mut stream = connect(server.addr());
    write!(stream, "GET {target} HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    BufReader::new(stream)
}

/// Reads until a line that starts so, and gives it.
fn line(stream: &mut BufReader<TcpStream>, start: &str) -> String {
    let mut line = String::new();
    while !line.starts_with(start) {
        line.clear();
        assert_ne!(
            stream.read_line(&mut line).unwrap(),
            0,
            "closed before {start}"
        );
    }
    line.trim_end().to_owned()
}

fn data(service: &str) -> String {
    format!("data: {{\"service\":\"{service}\",\"time\":\"1970-01-01T00:00:00.000Z\"}}")
}

#[test]
fn the_index_and_then_what_enters_it() {
    let (_workers, server, recorder) = start(&[]);
    recorder.publish("index", &event("a"));
    let mut stream = open(&server, "/index?query=all");
    assert_eq!(line(&mut stream, "HTTP"), "HTTP/1.1 200 OK");
    assert_eq!(line(&mut stream, "data"), data("a"));
    recorder.publish("index", &event("b"));
    assert_eq!(line(&mut stream, "data"), data("b"));
    assert_eq!(line(&mut stream, "\n"), "");
}

#[test]
fn its_headers_are_riemanns_and_the_configurations() {
    let (_workers, server, recorder) = start(&[
        ("Access-Control-Allow-Origin", "*"),
        ("Cache-Control", "private"),
    ]);
    recorder.publish("index", &event("a"));
    let mut stream = open(&server, "/index?query=all");
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).unwrap();
        match line.trim_end() {
            "" => break,
            line => head.push(line.to_owned()),
        }
    }
    for header in [
        "Content-Type: text/event-stream",
        "Connection: keepalive",
        "Cache-Control: private",
        "Access-Control-Allow-Origin: *",
        "Transfer-Encoding: chunked",
    ] {
        let found = head.iter().any(|line| line.eq_ignore_ascii_case(header));
        assert!(found, "{header} is not in {head:?}");
    }
}

#[test]
fn what_is_wrong_is_answered() {
    let (_workers, server, _recorder) = start(&[]);
    let missing = ask(&server, "GET /index");
    assert!(
        missing.starts_with("HTTP/1.1 500 ") && missing.ends_with("\r\n\r\n"),
        "{missing}"
    );
    let bad = ask(&server, "GET /index?query=bad");
    assert!(
        bad.starts_with("HTTP/1.1 500 ") && bad.ends_with(BAD_QUERY),
        "{bad}"
    );
    let other = ask(&server, "GET /other?query=all");
    assert!(other.starts_with("HTTP/1.1 404 "), "{other}");
    assert!(
        other.to_lowercase().contains("\r\nconnection: close\r\n"),
        "{other}"
    );
}

#[test]
fn a_header_that_cannot_be_sent_is_an_error_of_the_configuration() {
    let headers = vec![("No Header".to_owned(), "x".to_owned())];
    let options = SseOptions {
        port: 0,
        headers,
        ..SseOptions::default()
    };
    let error = SseServer::bind(&options).err().unwrap().to_string();
    assert_eq!(
        error,
        "sse-server: No Header: x is not an HTTP header; mend :headers"
    );
}

#[test]
fn a_stop_ends_the_streams() {
    let (_workers, server, recorder) = start(&[]);
    recorder.publish("index", &event("a"));
    let mut stream = open(&server, "/index?query=all");
    line(&mut stream, "data");
    server.begin_stop();
    assert!(server.stopped_by(Instant::now() + PATIENCE));
    assert_eq!(line(&mut stream, "0\r\n"), "0");
}
