//! Proves that what is acknowledged is counted, that the events of a connection keep their order, and
//! that every expiry is seen: with 1, 3 and 200 connections that all send at once and pipeline.
//! `SLOW=1` sends more.

mod server;

use std::io::Write;

use event::{Draft, Event, Number};
use server::riemann::{Riemann, event, events_message};
use server::{Server, eventually, http};

/// An event out of order, and each that has expired, leaves a mark in the index.
const CONFIG: &str = r#"
(tcp-server {:port 0})
(ws-server {:port 0})
(periodically-expire 1)
(let [index (index)
      mark (fn [event service state]
             (index (assoc event :service service :state state :ttl 300 :time (unix-time))))]
  (streams
    (where (not (expired? event))
      index
      (by :service
        (moving-event-window 2
          (fn [[before after]]
            (when (and after (not= (inc (:metric before)) (:metric after)))
              (mark after "order" "disorder"))))))
    (expired
      (fn [event] (mark event (str "gone " (:service event)) "gone")))))
"#;
const EVENTS_PER_MESSAGE: usize = 10;
/// Short, so that all expire while the test waits, and not before they are stored.
const TTL_S: f32 = 1.0;
const SLOW_FACTOR: usize = 20;

#[test]
fn one_connection() {
    check(1, 200);
}

#[test]
fn three_connections() {
    check(3, 100);
}

#[test]
fn two_hundred_connections() {
    check(200, 5);
}

fn check(connections: usize, messages: usize) {
    let slow = std::env::var_os("SLOW").is_some();
    let messages = messages * if slow { SLOW_FACTOR } else { 1 };
    let server = Server::start(CONFIG);
    let counted_before = counted(&server);
    let clients: Vec<Riemann> = (0..connections).map(|_| server.connect()).collect();
    std::thread::scope(|scope| {
        for (number, client) in clients.into_iter().enumerate() {
            scope.spawn(move || send_and_see_all_acknowledged(client, number, messages));
        }
    });
    let sent = connections * messages * EVENTS_PER_MESSAGE;
    assert_eq!(counted(&server) - counted_before, sent as u64);
    let mut client = server.connect();
    assert_eq!(client.query("state = \"disorder\""), []);
    eventually("every expiry", || {
        let gone = client.query("state = \"gone\"").len();
        assert!(gone <= connections, "{gone} expired");
        (gone == connections).then_some(())
    });
}

/// All messages before the first answer is read.
fn send_and_see_all_acknowledged(mut client: Riemann, number: usize, messages: usize) {
    let service = format!("connection {number}");
    let now = event(&service, 0);
    let mut stream = client.stream.try_clone().expect("a handle");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for message in 0..messages {
                let first = message * EVENTS_PER_MESSAGE;
                let events: Vec<Event> = (first..first + EVENTS_PER_MESSAGE)
                    .map(|metric| numbered(metric, &now))
                    .collect();
                stream
                    .write_all(&events_message(&events))
                    .expect("the server reads");
            }
        });
        for _ in 0..messages {
            let answer = client.answer().expect("an answer");
            assert!(answer.ok, "{answer:?}");
        }
    });
}

fn numbered(metric: usize, now: &Event) -> Event {
    Draft {
        metric: Some(Number::Int(i64::try_from(metric).expect("a small number"))),
        ttl: Some(Number::F32(TTL_S)),
        ..now.draft()
    }
    .build()
}

/// Events received so far, as the server says.
fn counted(server: &Server) -> u64 {
    let (status, text) = http::get(server.address("ws"), "/metrics");
    assert_eq!(status, 200, "{text}");
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("cauchy_events_total "));
    line.and_then(|count| count.parse().ok())
        .unwrap_or_else(|| panic!("no count: {text}"))
}
