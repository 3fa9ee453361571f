//! Proves that a client that does not read costs little memory and slows nobody: one that sends
//! queries and never takes the answers, and one that follows the index and never reads, which is
//! told how many events it lost when it reads at last.

mod server;

use std::io::{ErrorKind, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use server::process::resident_bytes;
use server::riemann::{event, events_message, query_message};
use server::subscriber::Subscriber;
use server::{PATIENCE, Server, USUAL};

/// Memory that a client which does not read may cost.
const BYTES_MAX: u64 = 64 << 20;
const QUERIES: usize = 100_000;
const FOLLOWED_EVENTS: usize = 1_000_000;
const EVENTS_PER_MESSAGE: usize = 1_000;

/// Each answer is about 100 KB: 100 000 of them would be 10 GB.
#[test]
fn queries_whose_answers_nobody_reads() {
    let server = Server::start(USUAL);
    let mut client = server.connect();
    let events: Vec<_> = (0..1_000)
        .map(|number| event(&format!("s{number:04}"), number))
        .collect();
    client.send(&events);
    assert_eq!(client.query("true").len(), 1_000);
    let before = resident_bytes(server.pid());

    let mut silent = server.connect();
    let short = Duration::from_millis(200);
    silent
        .stream
        .set_write_timeout(Some(short))
        .expect("a socket takes options");
    let written = write_until_refused(&mut silent.stream, &query_message("true").repeat(QUERIES));
    // The server has stopped reading from it, and nobody else notices.
    for number in 0..100 {
        client.send(&[event("meanwhile", number)]);
        assert_eq!(client.query("service = \"meanwhile\"").len(), 1);
    }
    let cost = resident_bytes(server.pid()).saturating_sub(before);
    println!("{written} bytes of queries taken, {cost} bytes of memory");
    assert!(cost < BYTES_MAX, "{cost} bytes");
    // It was only waiting.
    let answered = silent.answer().expect("an answer").events.len();
    assert!(answered >= 1_000, "{answered} events");
}

/// Writes until nothing more is taken for a while; gives how much was.
fn write_until_refused(stream: &mut TcpStream, bytes: &[u8]) -> usize {
    let mut written = 0;
    while written < bytes.len() {
        match stream.write(&bytes[written..]) {
            Ok(count) => written += count,
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            Err(error) => panic!("{error}"),
        }
    }
    written
}

#[test]
fn a_follower_that_does_not_read() {
    let server = Server::start(USUAL);
    let mut client = server.connect();
    client.send(&[event("first", 1)]);
    let mut follower = Subscriber::open(server.address("ws"), "/index?subscribe=true&query=true");
    follower.next_of("first");
    let before = resident_bytes(server.pid());

    let started = Instant::now();
    let events: Vec<_> = (0..EVENTS_PER_MESSAGE)
        .map(|number| event(&format!("s{number:04}"), number as i64))
        .collect();
    let message = events_message(&events);
    for _ in 0..FOLLOWED_EVENTS / EVENTS_PER_MESSAGE {
        client.stream.write_all(&message).expect("the server reads");
        assert!(client.answer().expect("an answer").ok);
    }
    let took = started.elapsed();
    let cost = resident_bytes(server.pid()).saturating_sub(before);
    println!("{FOLLOWED_EVENTS} events in {took:?}, {cost} bytes of memory");
    assert!(cost < BYTES_MAX, "{cost} bytes");

    client.send(&[event("last", 1)]);
    let (mut seen, mut lost) = (0, 0);
    let deadline = Instant::now() + PATIENCE;
    loop {
        let event = follower.next();
        match event["service"].as_str() {
            Some("cauchy dropped") => lost += event["metric"].as_u64().expect("how many"),
            Some("last") => break,
            _ => seen += 1,
        }
        assert!(Instant::now() < deadline, "{seen} seen, {lost} lost");
    }
    println!("{seen} seen, {lost} lost");
    assert!(lost > 0);
    assert_eq!(
        seen + lost,
        FOLLOWED_EVENTS as u64,
        "each is seen, or counted as lost"
    );
}
