use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use codec::riemann::{encode_events, encode_query};
use transport::{Server, UdpOptions, UdpServer, Workers};

use crate::recorder::{PATIENCE, Recorder, event};

struct Fixture {
    _workers: Workers,
    server: Server,
    recorder: Arc<Recorder>,
    client: UdpSocket,
}

fn start(options: &UdpOptions) -> Fixture {
    start_on(1, options)
}

fn start_on(workers: usize, options: &UdpOptions) -> Fixture {
    let workers = Workers::start(Some(workers)).unwrap();
    let recorder = Recorder::new();
    let options = UdpOptions {
        port: 0,
        ..options.clone()
    };
    let server = UdpServer::bind(&options)
        .unwrap()
        .serve(&workers, recorder.clone());
    let client = UdpSocket::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    client.connect(server.addr()).unwrap();
    Fixture {
        _workers: workers,
        server,
        recorder,
        client,
    }
}

/// A message of one event, that long.
fn datagram(length: usize) -> Vec<u8> {
    let padded = |padding: usize| message(&"s".repeat(padding));
    let datagrams = (length.saturating_sub(30)..length).map(padded);
    datagrams
        .into_iter()
        .find(|datagram| datagram.len() == length)
        .unwrap()
}

fn message(service: &str) -> Vec<u8> {
    let mut message = Vec::new();
    encode_events(&mut message, [&event(service)]);
    message
}

#[test]
fn datagrams_are_streamed_in_order() {
    let fixture = start(&UdpOptions::default());
    let services: Vec<String> = (0..500).map(|number| number.to_string()).collect();
    for service in &services {
        fixture.client.send(&message(service)).unwrap();
    }
    fixture.recorder.wait_for_events(500);
    assert_eq!(fixture.recorder.calls().concat(), services);
}

#[test]
fn each_sender_keeps_its_order_over_several_workers() {
    let fixture = start_on(3, &UdpOptions::default());
    let clients: Vec<UdpSocket> = (0..8)
        .map(|_| {
            let client = UdpSocket::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
            client.connect(fixture.server.addr()).unwrap();
            client
        })
        .collect();
    for number in 0..50 {
        for (client, socket) in clients.iter().enumerate() {
            let service = format!("{client} {number:02}");
            socket.send(&message(&service)).unwrap();
        }
    }
    fixture.recorder.wait_for_events(400);
    let services = fixture.recorder.calls().concat();
    for client in 0..clients.len() {
        let own = format!("{client} ");
        let numbers = services.iter().filter_map(|name| name.strip_prefix(&own));
        let expected: Vec<String> = (0..50).map(|number| format!("{number:02}")).collect();
        assert_eq!(numbers.collect::<Vec<_>>(), expected);
    }
}

#[test]
fn what_the_kernel_drops_is_counted() {
    let fixture = start(&UdpOptions {
        receive_buffer_bytes: 4096,
        ..UdpOptions::default()
    });
    let overrun = || fixture.server.stats().overrun.load(Ordering::Relaxed);
    let messages_in = || fixture.server.stats().messages_in.load(Ordering::Relaxed);
    let deadline = Instant::now() + PATIENCE;
    let mut sent = 0;
    while overrun() == 0 && Instant::now() < deadline {
        for _ in 0..1000 {
            fixture.client.send(&message("burst")).unwrap();
        }
        sent += 1000;
    }
    while overrun() + messages_in() < sent && Instant::now() < deadline {
        std::thread::yield_now();
    }
    assert!(overrun() > 0);
    assert_eq!(overrun() + messages_in(), sent);
}

#[test]
fn the_longest_is_taken_and_a_longer_one_dropped() {
    let fixture = start(&UdpOptions::default());
    fixture.client.send(&datagram(16_384)).unwrap();
    fixture.client.send(&datagram(16_385)).unwrap();
    fixture.client.send(&message("after")).unwrap();
    fixture.recorder.wait_for_events(2);
    let services = fixture.recorder.calls().concat();
    assert_eq!(
        (services[0].len() > 16_000, services[1].as_str()),
        (true, "after")
    );
    assert_eq!(fixture.server.stats().dropped.load(Ordering::Relaxed), 1);
}

#[test]
fn the_limit_can_be_set() {
    let fixture = start(&UdpOptions {
        bytes_max: 100,
        ..UdpOptions::default()
    });
    for length in [101, 100] {
        fixture.client.send(&datagram(length)).unwrap();
    }
    fixture.recorder.wait_for_events(1);
    assert_eq!(fixture.server.stats().dropped.load(Ordering::Relaxed), 1);
}

#[test]
fn garbage_is_counted_and_queries_are_not_run() {
    let fixture = start(&UdpOptions::default());
    let mut query = Vec::new();
    encode_query(&mut query, "all");
    for datagram in [b"\x32\xff".to_vec(), query, Vec::new(), message("after")] {
        fixture.client.send(&datagram).unwrap();
    }
    fixture.client.send(b"\x32\x03\x1a\x01\xff").unwrap();
    fixture.recorder.wait_for_events(2);
    assert_eq!(fixture.recorder.calls().concat(), ["after", "\u{fffd}"]);
    assert!(fixture.recorder.queries().is_empty());
    assert_eq!(fixture.server.stats().malformed.load(Ordering::Relaxed), 1);
}

#[test]
fn a_handler_that_panics_does_not_end_it() {
    let fixture = start(&UdpOptions::default());
    fixture.client.send(&message("panic")).unwrap();
    fixture.recorder.wait_for_panic();
    fixture.client.send(&message("after")).unwrap();
    fixture.recorder.wait_for_events(1);
    assert_eq!(fixture.recorder.calls(), [["after"]]);
}

#[test]
fn a_stop_frees_the_port() {
    let fixture = start(&UdpOptions::default());
    fixture.server.begin_stop();
    assert!(fixture.server.stopped_by(Instant::now() + PATIENCE));
    assert!(UdpSocket::bind(fixture.server.addr()).is_ok());
}
