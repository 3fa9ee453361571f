use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use event::{Fields, Time};
use transport::{OpentsdbOptions, OpentsdbServer, Server, Workers};

use crate::recorder::Recorder;
use crate::wire::{connect, is_closed};

fn start() -> (Workers, Server, Arc<Recorder>) {
    let workers = Workers::start(Some(1)).unwrap();
    let recorder = Recorder::new();
    let options = OpentsdbOptions {
        port: 0,
        ..OpentsdbOptions::default()
    };
    let server = OpentsdbServer::bind(&options)
        .unwrap()
        .serve(&workers, recorder.clone());
    (workers, server, recorder)
}

fn read(stream: &mut TcpStream, length: usize) -> String {
    let mut answer = vec![0; length];
    stream.read_exact(&mut answer).unwrap();
    String::from_utf8(answer).unwrap()
}

#[test]
fn a_put_is_streamed() {
    let (_workers, server, recorder) = start();
    let line = b"put sys.cpu 1356998400 42.5 host=web01 cpu=0\n";
    connect(server.addr()).write_all(line).unwrap();
    let events = recorder.wait_for_events(1);
    assert_eq!(events[0].service(), Some("sys.cpu cpu=0"));
    assert_eq!(events[0].host(), Some("web01"));
    assert_eq!(events[0].time(), Some(Time::from_s(1_356_998_400)));
}

#[test]
fn version_is_answered_as_riemann_answers_it() {
    let (_workers, server, _recorder) = start();
    let mut stream = connect(server.addr());
    stream.write_all(b"version\r\n").unwrap();
    let expected = "net.opentsdb\nBuilt on ... (riemann-opentsdb)\n";
    assert_eq!(read(&mut stream, expected.len()), expected);
}

#[test]
fn a_bad_line_is_answered_and_the_connection_stays() {
    let (_workers, server, recorder) = start();
    let mut stream = connect(server.addr());
    stream.write_all(b"put a\nput ok 1 2 a=b\n").unwrap();
    recorder.wait_for_events(1);
    assert!(read(&mut stream, 22).starts_with("put: illegal argument:"));
}

#[test]
fn an_endless_line_closes() {
    let (_workers, server, _recorder) = start();
    let mut stream = connect(server.addr());
    stream.write_all(&[b'a'; 5000]).unwrap();
    let expected = "put: illegal argument: a line has more than 4096 bytes\n";
    assert_eq!(read(&mut stream, expected.len()), expected);
    assert!(is_closed(&mut stream));
}
