//! Proves that histograms come in by every door, are kept whole by what keeps events, and go on to
//! another server, to subscribers and to a graphing server as they should.

mod server;

use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener};

use event::{Draft, Event, Fields, HistogramRef, Number};
use histogram::Histogram;
use serde_json::{Value, json};
use server::subscriber::Subscriber;
use server::{Server, USUAL, eventually, http};
use tempfile::TempDir;

/// Three of 1.5, and one of 0.02.
const BYTES: [u8; 10] = [0, 2, 15, 0, 0, 3, 20, 254, 0, 1];
const BASE64: &str = "AAIU/gABDwAAAw==";

fn latency() -> Histogram {
    Histogram::decode(&BYTES).expect("a histogram")
}

fn event(service: &str) -> Event {
    let mut draft = Draft {
        host: Some("test".into()),
        service: Some(service.to_owned().into()),
        ttl: Some(Number::F32(300.0)),
        ..Draft::record()
    };
    draft.set_histogram(HistogramRef::new(&BYTES).expect("a histogram").to_owned());
    draft.build()
}

/// Puts a body; gives what the server says.
fn put(address: SocketAddr, path: &str, body: &str) -> String {
    let length = body.len();
    let request = format!(
        "PUT {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    );
    String::from_utf8(http::exchange(address, request.as_bytes())).expect("UTF-8")
}

/// The services whose event has the histogram.
fn whole(events: &[Event]) -> Vec<&str> {
    let whole = |event: &&Event| event.histogram().map(HistogramRef::unpack) == Some(latency());
    let mut services: Vec<_> = events
        .iter()
        .filter(whole)
        .filter_map(Event::service)
        .collect();
    services.sort_unstable();
    services
}

#[test]
fn they_come_in_by_every_door() {
    let server = Server::start(USUAL);
    let (mut client, ws) = (server.connect(), server.address("ws"));
    client.send(&[event("riemann")]);
    let json = json!({"host": "test", "service": "json", "metric_histogram": BASE64});
    assert!(put(ws, "/events", &json.to_string()).contains("{}"));
    let bins =
        json!({"host": "test", "service": "bins", "metric_histogram": {"1.5": 3, "0.02": 1}});
    assert!(put(ws, "/events", &bins.to_string()).contains("{}"));
    let trap = json!({"trap": {"a": {"_type": "h", "_value": ["H[1.5e+00]=3", "H[2.0e-02]=1"]}}});
    assert!(put(ws, "/httptrap/test", &trap.to_string()).contains(r#"{"stats":1}"#));
    let events = client.query("host = \"test\"");
    assert_eq!(whole(&events), ["bins", "json", "riemann", "trap`a"]);
    assert!(
        client
            .query("metric > 0 or metric <= 0 or metric = nil")
            .is_empty()
    );
    assert_eq!(client.query("metric != 1 and metric").len(), 4);
    let mut subscriber = Subscriber::open(ws, "/index?query=service%20%3D%20%22bins%22");
    let told = subscriber.next();
    assert_eq!(
        (&told["metric"], &told["metric_histogram"]),
        (&Value::Null, &json!(BASE64))
    );
    let bad = json!({"service": "bad", "metric_histogram": "AAEP"});
    let said = put(ws, "/events", &bad.to_string());
    let error = "metric_histogram: a histogram in base64: the histogram ends within a bin";
    assert!(said.contains(error), "{said}");
}

/// As any message that is none: the connection is closed, the log says why, others go on.
#[test]
fn bytes_that_are_none_are_refused() {
    use std::io::{Read, Write};
    let server = Server::start(USUAL);
    let mut client = server.connect();
    client
        .stream
        .write_all(b"\0\0\0\x08\x32\x06\xa2\x06\x03\0\x01\x0f")
        .expect("sent");
    assert_eq!(client.stream.read(&mut [0]).unwrap_or(0), 0);
    server
        .log
        .wait("field 100 of an event is no histogram: it ends within a bin");
    let mut client = server.connect();
    client.send(&[event("after")]);
    assert_eq!(whole(&client.query("true")), ["after"]);
}

#[test]
fn another_server_gets_them_whole() {
    let second = Server::start(USUAL);
    let port = second.port("tcp");
    let first = Server::start(&format!(
        "(tcp-server {{:port 0}}) (streams (forward (tcp-client :host \"127.0.0.1\" :port {port})))"
    ));
    first.connect().send(&[event("one"), event("two")]);
    let mut client = second.connect();
    let events = eventually("both", || {
        let events = client.query("host = \"test\"");
        (events.len() == 2).then_some(events)
    });
    assert_eq!(whole(&events), ["one", "two"]);
}

#[test]
fn an_index_that_stays_and_a_journal_keep_them() {
    let folder = TempDir::new().expect("a folder");
    let (ingest, kept) = (folder.path().join("ingest"), folder.path().join("index"));
    let config = format!(
        "(journal \"ingest\" {{:dir {ingest:?} :retention {{:age 3600}}}}) (tcp-server {{:port 0}})
         (let [index (index {{:persist true :dir {kept:?}}})] (streams index))"
    );
    let mut server = Server::start(&config);
    server.connect().send(&[event("kept")]);
    server.signal(libc::SIGKILL);
    server.wait();
    let server = Server::start(&config);
    assert_eq!(whole(&server.connect().query("true")), ["kept"]);
    let count = "(streams (fn [event] (println \"seen\" (h/count (:metric event)))))";
    std::fs::write(folder.path().join("replay.config"), count).expect("a file");
    let replayed = server::program()
        .args(["replay", "--journal"])
        .args([&ingest, &folder.path().join("replay.config")])
        .output()
        .expect("the program runs");
    let said = String::from_utf8_lossy(&replayed.stderr);
    assert!(said.contains("seen 4"), "{said}");
}

/// Graphite knows numbers only.
#[test]
fn a_graphing_server_gets_numbers() {
    let carbon = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = carbon.local_addr().expect("bound").port();
    let server = Server::start(&format!(
        "(tcp-server {{:port 0}}) (streams (graphite {{:port {port}}}))"
    ));
    server.connect().send(&[event("api")]);
    let (stream, _) = carbon.accept().expect("a connection");
    let lines = BufReader::new(stream).lines().take(5);
    let names: Vec<String> = lines
        .map(|line| {
            let line = line.expect("a line");
            let words: Vec<&str> = line.split(' ').collect();
            words[..2].join(" ")
        })
        .collect();
    assert_eq!(names[0], "test.api.count 4");
    assert_eq!(names[4], "test.api.max 1.575");
    for (name, part) in names.iter().zip(["count", "5", "95", "99", "max"]) {
        assert!(name.starts_with(&format!("test.api.{part} ")), "{names:?}");
    }
}
