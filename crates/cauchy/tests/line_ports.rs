//! Proves that every other port is wired to the streams and the index as its options say: Graphite
//! over TCP and UDP, with tags and a function of the user's; OpenTSDB; JSON over plain HTTP; and
//! events as a browser's `EventSource` reads them.

mod server;

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};

use event::{Event, Fields};
use serde_json::Value;
use server::riemann::{Riemann, event};
use server::{PATIENCE, Server, USUAL, eventually, http};

fn usual_and(servers: &str) -> Server {
    Server::start(&format!("{servers} {USUAL}"))
}

fn open(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("the server takes a connection");
    stream
        .set_read_timeout(Some(PATIENCE))
        .expect("a socket takes options");
    stream
}

fn now() -> i64 {
    event("now", 0).time().expect("a time").floor_s()
}

fn await_one(client: &mut Riemann, query: &str) -> Event {
    eventually(query, || client.query(query).pop())
}

fn attribute<'a>(event: &'a Event, name: &str) -> Option<&'a str> {
    let found = event.attrs().find(|(key, _)| *key == name);
    found.map(|(_, value)| value)
}

#[test]
fn graphite_over_tcp() {
    let server = usual_and("(graphite-server {:port 0})");
    let mut client = server.connect();
    let mut stream = open(server.address("graphite"));
    let now = now();
    write!(
        stream,
        "a bad line\nweb.cpu 0.25 {now}\r\nweb.disk;rack=a1 3 {now}\n"
    )
    .expect("it reads");
    let cpu = await_one(&mut client, "service = \"web.cpu\"");
    assert_eq!(cpu.metric().map(|metric| metric.to_f64()), Some(0.25));
    assert_eq!(cpu.time().map(|time| time.floor_s()), Some(now));
    assert_eq!(cpu.host(), None);
    await_one(&mut client, "service = \"web.disk;rack=a1\"");
    server.log.wait("a bad line");
}

#[test]
fn graphite_with_tags_and_a_function() {
    let server = usual_and(
        "(graphite-server {:port 0 :tags true
           :parser-fn (fn [{:keys [service]}]
                        (if-let [[_ host metric] (re-find #\"^hosts\\.(\\w+)\\.(.+)$\" service)]
                          {:host host :service metric}
                          {}))})",
    );
    let mut client = server.connect();
    let mut stream = open(server.address("graphite"));
    writeln!(stream, "hosts.web1.cpu.user;rack=a1;zone=b 0.25 {}", now()).expect("it reads");
    let cpu = await_one(&mut client, "host = \"web1\"");
    assert_eq!(cpu.service(), Some("cpu.user"));
    assert_eq!(attribute(&cpu, "rack"), Some("a1"));
    assert_eq!(attribute(&cpu, "zone"), Some("b"));
}

#[test]
fn graphite_over_udp() {
    let server = usual_and("(graphite-server {:port 0 :protocol :udp})");
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let line = format!("udp.metric 1 {}\n", now());
    socket
        .send_to(line.as_bytes(), server.address("graphite"))
        .expect("a datagram leaves");
    await_one(&mut server.connect(), "service = \"udp.metric\"");
}

#[test]
fn opentsdb() {
    let server = usual_and("(opentsdb-server {:port 0})");
    let mut stream = open(server.address("opentsdb"));
    let mut answers = BufReader::new(stream.try_clone().expect("a handle"));
    let mut answer = || {
        let mut line = String::new();
        answers.read_line(&mut line).expect("an answer");
        line
    };
    writeln!(stream, "version").expect("it reads");
    assert_eq!(answer(), "net.opentsdb\n");
    assert!(answer().starts_with("Built on "));
    writeln!(stream, "put nonsense").expect("it reads");
    assert!(
        answer().starts_with("put: illegal argument: "),
        "and it goes on"
    );
    writeln!(stream, "put sys.cpu {} 42.5 host=web1 cpu=0", now()).expect("it reads");
    let cpu = await_one(&mut server.connect(), "host = \"web1\"");
    assert_eq!(cpu.service(), Some("sys.cpu cpu=0"));
    assert_eq!(cpu.description(), Some("sys.cpu"));
    assert_eq!(cpu.metric().map(|metric| metric.to_f64()), Some(42.5));
    assert_eq!(attribute(&cpu, "cpu"), Some("0"));
}

#[test]
fn json_lines_over_http() {
    let server = Server::start(USUAL);
    let lines = "{\"host\":\"h\",\"service\":\"a\",\"metric\":9007199254740993,\"ttl\":300,\"rack\":\"a1\"}\n\
                 nonsense\n\
                 {\"host\":\"h\",\"service\":\"b\",\"metric\":0.5,\"tags\":[\"x\",\"ü\"],\"ttl\":300}\n";
    for method in ["PUT", "POST"] {
        let request = format!(
            "{method} /events HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{lines}",
            lines.len()
        );
        let answer = http::exchange(server.address("ws"), request.as_bytes());
        let answer = String::from_utf8(answer).expect("UTF-8");
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        assert_eq!(answer.matches("{}").count(), 2, "{answer}");
        assert_eq!(answer.matches("{\"error\":").count(), 1, "{answer}");
    }
    let mut client = server.connect();
    let a = await_one(&mut client, "service = \"a\" and metric = 9007199254740993");
    assert_eq!(attribute(&a, "rack"), Some("a1"));
    let b = await_one(&mut client, "service = \"b\" and tagged \"ü\"");
    assert_eq!(b.metric().map(|metric| metric.to_f64()), Some(0.5));
}

#[test]
fn server_sent_events() {
    let server = usual_and("(sse-server {:port 0 :headers {:Access-Control-Allow-Origin \"*\"}})");
    let mut client = server.connect();
    client.send(&[event("before", 1)]);
    let mut stream = open(server.address("sse"));
    let request = "GET /index?query=host%20%3D%20%22test%22 HTTP/1.1\r\nHost: a\r\n\r\n";
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut lines = BufReader::new(stream)
        .lines()
        .map(|line| line.expect("more"));
    let head: Vec<String> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
    assert!(head[0].starts_with("HTTP/1.1 200 "), "{head:?}");
    let head = head.join("\n").to_lowercase();
    assert!(head.contains("content-type: text/event-stream"), "{head}");
    assert!(head.contains("access-control-allow-origin: *"), "{head}");
    let mut next = || -> Value {
        let data = lines.find_map(|line| line.strip_prefix("data: ").map(str::to_owned));
        serde_json::from_str(&data.expect("data")).expect("JSON")
    };
    assert_eq!(next()["service"], "before");
    client.send(&[event("after", 2)]);
    let after = next();
    assert_eq!(after["service"], "after");
    assert_eq!(after["metric"], 2);
}

/// A channel of the configuration's own, from a stream to a websocket.
#[test]
fn a_channel_of_ones_own() {
    let server = Server::start(&format!(
        "{USUAL} (streams (where (service \"news\") (with :state \"told\" (publish \"my channel\"))))"
    ));
    let path = "/pubsub/my%20channel?query=true";
    let mut follower = server::subscriber::Subscriber::open(server.address("ws"), path);
    let mut client = server.connect();
    client.send(&[event("other", 1), event("news", 2)]);
    let news = follower.next();
    assert_eq!(news["service"], "news");
    assert_eq!(news["state"], "told");
}

/// A stream that was given to `streams` itself: what its children throw is theirs alone.
#[test]
fn a_stream_that_throws_answers_with_its_message() {
    let server = Server::start(&format!(
        "{USUAL} (streams (fn [event] (when (= \"bad\" (:service event))
                                        (throw (Exception. \"on purpose\")))))"
    ));
    let mut client = server.connect();
    let answer = client
        .try_send(&[event("good", 1), event("bad", 2), event("later", 3)])
        .expect("an answer");
    assert!(!answer.ok);
    let error = answer.error.unwrap_or_default();
    assert!(error.contains("on purpose"), "{error}");
    let later = client.query("service = \"later\"");
    assert_eq!(later.len(), 1, "the rest is processed");
}

#[test]
fn a_child_that_throws_is_logged_and_nothing_else() {
    let server = Server::start(&format!(
        "{USUAL} (streams (where (service \"bad\")
                   (fn [_] (throw (Exception. \"on purpose\")))
                   (fn [event] (info \"the next child has\" (:service event)))))"
    ));
    let mut client = server.connect();
    client.send(&[event("bad", 2)]);
    let line = server.log.wait("on purpose");
    assert!(line.starts_with("WARN "), "{line}");
    server.log.wait("the next child has bad");
}
