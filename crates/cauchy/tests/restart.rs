//! Proves that the server can be stopped at any moment and started again at once on the same ports:
//! after `kill -9`, and after SIGTERM and SIGINT, which end it cleanly in under a second with the
//! requests that it had read answered.

mod server;

use std::io::{ErrorKind, Write};
use std::net::TcpStream;
use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

use server::riemann::{event, events_message, query_message};
use server::subscriber::Subscriber;
use server::{Server, USUAL, free_port, http};

fn on_ports(tcp: u16, ws: u16) -> String {
    format!(
        "(tcp-server {{:port {tcp}}}) (udp-server {{:port {tcp}}}) (ws-server {{:port {ws}}})
         (streams (default :ttl 60 (index)))"
    )
}

#[test]
fn a_killed_server_starts_again_at_once() {
    let config = on_ports(free_port(), free_port());
    for round in 0..3 {
        let mut server = Server::start(&config);
        let mut clients: Vec<_> = (0..20).map(|_| server.connect()).collect();
        for client in &mut clients {
            client.send(&[event("before", round)]);
        }
        // Bytes on their way to a connection that dies leave the port in use for a while.
        clients[0]
            .stream
            .write_all(&[0, 0, 0])
            .expect("the server reads");
        server.signal(libc::SIGKILL);
        assert_eq!(server.wait().signal(), Some(libc::SIGKILL));
        let again = Server::start(&config);
        assert!(again.connect().query("true").is_empty());
        assert_eq!(http::get(again.address("ws"), "/healthz").0, 200);
    }
}

#[test]
fn terminated_and_interrupted_it_answers_and_ends() {
    for signal in [libc::SIGTERM, libc::SIGINT] {
        let config = on_ports(free_port(), free_port());
        let mut server = Server::start(&config);
        let mut idle: Vec<_> = (0..20).map(|_| server.connect()).collect();
        idle[0].send(&[event("idle", 1)]);
        let mut busy = server.connect();
        // What has been read when the signal comes is answered; there is no partial answer.
        busy.send(&[event("first", 1)]);
        let message = events_message(&[event("busy", 1), event("busier", 2)]);
        busy.stream
            .write_all(&message.repeat(500))
            .expect("the server reads");
        busy.answer().expect("the first answer");
        let asked = Instant::now();
        server.signal(signal);
        let mut answered = 1;
        let end = loop {
            match busy.answer() {
                Ok(answer) => assert!(answer.ok, "{answer:?}"),
                Err(end) => break end,
            }
            answered += 1;
        };
        let closed = [ErrorKind::UnexpectedEof, ErrorKind::ConnectionReset];
        assert!(closed.contains(&end.kind()), "{end}");
        let status = server.wait();
        let took = asked.elapsed();
        assert_eq!(status.code(), Some(0));
        assert!(took < Duration::from_secs(1), "{took:?}");
        assert!(answered <= 500);
        Server::start(&config);
    }
}

/// A request that is being streamed when the signal comes is answered before the end.
#[test]
fn a_request_in_the_streams_is_answered_before_the_end() {
    let mut server = Server::start(
        "(tcp-server {:port 0})
         (streams (fn [event] (info \"streaming\" (:service event)) (Thread/sleep 200)))",
    );
    let mut client = server.connect();
    let message = events_message(&[event("slow", 1)]);
    client.stream.write_all(&message).expect("the server reads");
    server.log.wait("streaming slow");
    server.signal(libc::SIGTERM);
    assert!(client.answer().expect("an answer").ok);
    assert_eq!(server.wait().code(), Some(0));
}

/// Clients that never end by themselves: a follower that answers no close, one that takes no
/// answers, half a request, half a message.
#[test]
fn no_client_holds_up_the_end() {
    let mut server = Server::start(USUAL);
    let mut client = server.connect();
    let events: Vec<_> = (0..1_000)
        .map(|number| event(&format!("s{number}"), number))
        .collect();
    client.send(&events);
    let ws = server.address("ws");
    let mut follower = Subscriber::open(ws, "/index?subscribe=true&query=true");
    follower.next();
    let mut silent = server.connect();
    let queries = query_message("true").repeat(1_000);
    silent.stream.write_all(&queries).expect("the server reads");
    let mut half_request = TcpStream::connect(ws).expect("a connection");
    half_request
        .write_all(b"GET / HTTP/1.1\r\nHo")
        .expect("the server reads");
    let mut half_message = server.connect();
    half_message
        .stream
        .write_all(&[0, 0, 1])
        .expect("the server reads");
    client.send(&events);
    let asked = Instant::now();
    server.signal(libc::SIGTERM);
    assert_eq!(server.wait().code(), Some(0));
    let took = asked.elapsed();
    assert!(took < Duration::from_secs(1), "{took:?}");
}
