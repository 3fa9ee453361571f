use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use event::{Fields, Number};
use transport::{HttpOptions, HttpServer, Server, Workers};

use crate::recorder::{PATIENCE, Recorder};
use crate::wire::connect;

pub struct Fixture {
    pub workers: Workers,
    pub server: Server,
    pub recorder: Arc<Recorder>,
}

pub fn start() -> Fixture {
    let workers = Workers::start(Some(1)).unwrap();
    let recorder = Recorder::new();
    let options = HttpOptions {
        port: 0,
        ..HttpOptions::default()
    };
    let server = HttpServer::bind(&options)
        .unwrap()
        .serve(&workers, recorder.clone());
    Fixture {
        workers,
        server,
        recorder,
    }
}

/// Sends a request that asks the server to close, and reads the whole answer.
pub fn ask(server: &Server, request: &str) -> String {
    let mut stream = connect(server.addr());
    let (line, rest) = request.split_once("\r\n").unwrap_or((request, "\r\n"));
    let request = format!("{line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{rest}");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn read_line(stream: &mut BufReader<TcpStream>) -> String {
    let mut line = String::new();
    stream.read_line(&mut line).unwrap();
    line
}

/// Reads the data of one chunk.
fn read_chunk(stream: &mut BufReader<TcpStream>) -> String {
    let length = usize::from_str_radix(read_line(stream).trim(), 16).unwrap();
    let mut chunk = vec![0; length + 2];
    stream.read_exact(&mut chunk).unwrap();
    chunk.truncate(length);
    String::from_utf8(chunk).unwrap()
}

fn read_head(stream: &mut BufReader<TcpStream>) -> String {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        head.push_str(&read_line(stream));
    }
    head
}

#[test]
fn the_program_answers_what_no_protocol_takes() {
    let fixture = start();
    let answer = ask(
        &fixture.server,
        "POST /echo?a=%20b\r\nContent-Length: 4\r\n\r\nbody",
    );
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(
        answer.contains("\r\nContent-Type: text/plain\r\n"),
        "{answer}"
    );
    assert!(
        answer.to_lowercase().contains("\r\nx-method: post\r\n"),
        "{answer}"
    );
    assert!(answer.ends_with("\r\n\r\na=%20b|body"), "{answer}");
}

#[test]
fn head_is_get_without_the_body() {
    let fixture = start();
    let answer = ask(&fixture.server, "HEAD /echo?abc");
    assert!(answer.contains("\r\nContent-Length: 4\r\n"), "{answer}");
    assert!(answer.ends_with("\r\n\r\n"), "{answer}");
}

#[test]
fn what_nobody_knows_is_not_found() {
    let fixture = start();
    let answer = ask(&fixture.server, "GET /nope");
    assert!(answer.starts_with("HTTP/1.1 404 Not Found\r\n"), "{answer}");
    assert!(answer.ends_with("There is nothing at /nope.\n"), "{answer}");
}

#[test]
fn a_plain_get_of_a_websocket_is_told_so() {
    let fixture = start();
    for path in ["/index?query=all", "/index", "/pubsub/index", "/events"] {
        let answer = ask(&fixture.server, &format!("GET {path}"));
        assert!(
            answer.starts_with("HTTP/1.1 426 Upgrade Required\r\n"),
            "{path}: {answer}"
        );
        assert!(answer.contains("This is a websocket"), "{path}: {answer}");
    }
}

#[test]
fn each_line_is_an_event_and_gets_a_line() {
    let fixture = start();
    let body = "{\"service\":\"a\",\"metric\":1}\n{\"serv\n\n{\"service\":\"throw\",\"state\":\"boom\"}\n\
                {\"service\":\"throw\"}\n\
                {\"service\":\"b\",\"metric\":1.5}";
    for method in ["PUT", "POST"] {
        let request = format!(
            "{method} /events\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let answer = ask(&fixture.server, &request);
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(
            answer.contains("\r\nContent-Type: application/json\r\n"),
            "{answer}"
        );
        assert!(
            answer
                .to_lowercase()
                .contains("\r\ntransfer-encoding: chunked\r\n"),
            "{answer}"
        );
        let lines: Vec<&str> = answer
            .lines()
            .filter(|line| line.starts_with('{'))
            .collect();
        assert_eq!(lines.len(), 5, "{answer}");
        assert_eq!((lines[0], lines[4]), ("{}", "{}"));
        assert!(lines[1].starts_with("{\"error\":\""), "{answer}");
        assert_eq!(lines[2..4], ["{\"error\":\"boom\"}", "{\"error\":null}"]);
    }
    let events = fixture.recorder.events();
    assert_eq!((events.len(), events[0].service()), (8, Some("a")));
    assert_eq!(events[3].metric(), Some(Number::F64(1.5)));
    assert_eq!(fixture.server.stats().malformed.load(Ordering::Relaxed), 2);
}

#[test]
fn lines_are_answered_while_the_body_still_comes() {
    let fixture = start();
    let mut stream = BufReader::new(connect(fixture.server.addr()));
    let send = |stream: &mut BufReader<TcpStream>, text: &str| {
        stream.get_mut().write_all(text.as_bytes()).unwrap();
    };
    send(
        &mut stream,
        "POST /events HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    send(&mut stream, "10\r\n{\"service\":\"a\"}\n\r\n");
    assert!(read_head(&mut stream).starts_with("HTTP/1.1 200"));
    assert_eq!(read_chunk(&mut stream), "{}\n");
    send(&mut stream, "8\r\n{\"servic\r\n");
    send(&mut stream, "8\r\ne\":\"b\"}\n\r\n");
    assert_eq!(read_chunk(&mut stream), "{}\n");
    send(&mut stream, "0\r\n\r\n");
    assert_eq!(read_chunk(&mut stream), "");
    assert_eq!(fixture.recorder.calls(), [["a"], ["b"]]);
}

#[test]
fn a_client_that_expects_to_continue_is_told_to() {
    let fixture = start();
    let mut stream = BufReader::new(connect(fixture.server.addr()));
    let head =
        "POST /events HTTP/1.1\r\nHost: x\r\nContent-Length: 15\r\nExpect: 100-continue\r\n\r\n";
    stream.get_mut().write_all(head.as_bytes()).unwrap();
    assert_eq!(read_head(&mut stream), "HTTP/1.1 100 Continue\r\n\r\n");
    stream.get_mut().write_all(b"{\"service\":\"a\"}").unwrap();
    assert!(read_head(&mut stream).starts_with("HTTP/1.1 200"));
    assert_eq!(read_chunk(&mut stream), "{}\n");
}

#[test]
fn a_line_without_end_is_refused() {
    let fixture = start();
    let length = (4 << 20) + 100;
    let body = "x".repeat(length);
    let request = format!("POST /events\r\nContent-Length: {length}\r\n\r\n{body}");
    assert!(ask(&fixture.server, &request).contains("{\"error\":\"a line has more than"));
}

#[test]
fn large_bodies_and_heads_are_refused() {
    let fixture = start();
    let large = format!("POST /echo\r\nContent-Length: {}\r\n\r\n", (8 << 20) + 1);
    assert!(ask(&fixture.server, &large).starts_with("HTTP/1.1 413 "));
    let path = "a".repeat(70_000);
    let mut stream = connect(fixture.server.addr());
    // It may close before it has read all.
    let _ = stream.write_all(format!("GET /{path} HTTP/1.1\r\n\r\n").as_bytes());
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer);
    assert!(
        answer.is_empty() || answer.starts_with("HTTP/1.1 4"),
        "{answer}"
    );
}

#[test]
fn requests_follow_each_other_on_one_connection() {
    let fixture = start();
    let mut stream = BufReader::new(connect(fixture.server.addr()));
    for text in ["one", "two"] {
        let request = format!("GET /echo?{text} HTTP/1.1\r\nHost: x\r\n\r\n");
        stream.get_mut().write_all(request.as_bytes()).unwrap();
        read_head(&mut stream);
        let mut body = [0; 4];
        stream.read_exact(&mut body).unwrap();
        assert_eq!(body, format!("{text}|").as_bytes());
    }
    assert_eq!(
        fixture.server.stats().messages_in.load(Ordering::Relaxed),
        2
    );
}

#[test]
fn a_stop_closes_idle_connections() {
    let fixture = start();
    let mut stream = BufReader::new(connect(fixture.server.addr()));
    stream
        .get_mut()
        .write_all(b"GET /echo HTTP/1.1\r\nHost: x\r\n\r\n")
        .unwrap();
    read_head(&mut stream);
    stream.read_exact(&mut [0]).unwrap();
    fixture.server.begin_stop();
    assert!(fixture.server.stopped_by(Instant::now() + PATIENCE));
    assert_eq!(stream.read(&mut [0]).unwrap(), 0);
    assert!(fixture.workers.stop(PATIENCE));
}
