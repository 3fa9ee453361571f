use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::time::Instant;

use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{Bytes, Message, WebSocket, client};

use crate::http::{Fixture, ask, start};
use crate::recorder::{BAD_QUERY, PATIENCE, event};
use crate::wire::connect;

fn open(fixture: &Fixture, target: &str) -> WebSocket<TcpStream> {
    let addr = fixture.server.addr();
    let (socket, answer) = client(format!("ws://{addr}{target}"), connect(addr)).unwrap();
    assert_eq!(answer.status(), 101);
    socket
}

fn text(socket: &mut WebSocket<TcpStream>) -> String {
    match socket.read().unwrap() {
        Message::Text(text) => text.to_string(),
        other => panic!("a text frame, not {other:?}"),
    }
}

/// The code and reason that the server closes with.
fn closed(socket: &mut WebSocket<TcpStream>) -> (u16, String) {
    match socket.read().unwrap() {
        Message::Close(Some(CloseFrame { code, reason })) => (code.into(), reason.to_string()),
        other => panic!("a close frame, not {other:?}"),
    }
}

fn json(service: &str) -> String {
    format!("{{\"service\":\"{service}\",\"time\":\"1970-01-01T00:00:00.000Z\"}}")
}

#[test]
fn the_index_is_sent_and_closed() {
    let fixture = start();
    fixture.recorder.publish("index", &event("a"));
    fixture.recorder.publish("index", &event("b"));
    for target in [
        "/index?query=all",
        "/index/?query=all",
        "/index?query=all&subscribe=false",
    ] {
        let mut socket = open(&fixture, target);
        assert_eq!(
            [text(&mut socket), text(&mut socket)],
            [json("a"), json("b")]
        );
        assert_eq!(closed(&mut socket), (1000, String::new()));
    }
}

#[test]
fn a_subscriber_gets_the_index_and_then_what_is_published() {
    let fixture = start();
    fixture.recorder.publish("index", &event("a"));
    let mut socket = open(&fixture, "/index?subscribe=true&query=all");
    assert_eq!(text(&mut socket), json("a"));
    fixture.recorder.publish("other", &event("x"));
    fixture.recorder.publish("index", &event("b"));
    assert_eq!(text(&mut socket), json("b"));
    assert_eq!(
        fixture.server.stats().messages_out.load(Ordering::Relaxed),
        2
    );
}

#[test]
fn any_channel_can_be_followed() {
    let fixture = start();
    fixture.recorder.publish("my channel", &event("before"));
    let mut socket = open(&fixture, "/pubsub/my%20channel?query=wanted");
    let mut slashed = open(&fixture, "/pubsub/index/?query=all");
    fixture.recorder.publish("my channel", &event("unwanted"));
    fixture.recorder.publish("my channel", &event("wanted"));
    assert_eq!(text(&mut socket), json("wanted"));
    fixture.recorder.publish("index", &event("not here"));
    fixture.recorder.publish("index/", &event("here"));
    assert_eq!(text(&mut slashed), json("here"));
}

#[test]
fn what_is_wrong_is_said_when_closing() {
    let fixture = start();
    let missing = (1008, "the parameter query is missing".to_owned());
    let bad = (1008, BAD_QUERY.to_owned());
    for (target, expected) in [
        ("/index", missing.clone()),
        ("/pubsub/index", missing),
        ("/index?query=bad", bad.clone()),
        ("/index?query=bad&subscribe=true", bad.clone()),
        ("/pubsub/index?query=bad", bad),
        ("/pubsub/a/b?query=all", (1000, String::new())),
        ("/unknown", (1000, String::new())),
    ] {
        assert_eq!(closed(&mut open(&fixture, target)), expected, "{target}");
    }
}

#[test]
fn pings_are_answered() {
    let fixture = start();
    for target in ["/pubsub/index?query=all", "/events"] {
        let mut socket = open(&fixture, target);
        socket
            .send(Message::Ping(Bytes::from_static(b"there?")))
            .unwrap();
        assert_eq!(
            socket.read().unwrap(),
            Message::Pong(Bytes::from_static(b"there?"))
        );
    }
}

#[test]
fn each_frame_is_an_event_and_is_answered() {
    let fixture = start();
    let mut socket = open(&fixture, "/events");
    for frame in [
        "{\"service\":\"a\"}",
        "{bad",
        "{\"service\":\"throw\",\"state\":\"boom\"}",
    ] {
        socket.send(Message::text(frame)).unwrap();
    }
    assert_eq!(text(&mut socket), "{}");
    assert!(text(&mut socket).starts_with("{\"error\":\""));
    assert_eq!(text(&mut socket), "{\"error\":\"boom\"}");
    socket
        .send(Message::Binary(Bytes::from_static(b"{}")))
        .unwrap();
    assert!(text(&mut socket).starts_with("{\"error\":\""));
    assert_eq!(fixture.recorder.calls().concat(), ["a", "throw"]);
}

#[test]
fn a_frame_that_is_too_long_closes() {
    let fixture = start();
    let mut socket = open(&fixture, "/events");
    // The server may close while we still write.
    let _ = socket.send(Message::text(" ".repeat(5 << 20)));
    let refused = match socket.read() {
        Ok(Message::Close(Some(CloseFrame { code, .. }))) => u16::from(code) == 1009,
        Ok(_) => false,
        Err(_) => true,
    };
    assert!(refused);
    assert_eq!(fixture.recorder.calls().len(), 0);
}

#[test]
fn a_slow_subscriber_loses_the_oldest_and_is_told_how_many() {
    let fixture = start();
    let large = "s".repeat(256 << 10);
    let mut socket = open(&fixture, "/pubsub/index?query=all");
    let sent = 400;
    for number in 0..sent {
        fixture
            .recorder
            .publish("index", &event(&format!("{number} {large}")));
    }
    let (mut received, mut lost, mut last) = (0, 0, 0);
    while last + 1 < sent {
        let text = text(&mut socket);
        let event: serde_json::Value = serde_json::from_str(&text).unwrap();
        if event["service"] == "cauchy dropped" {
            assert_eq!(event["state"], "warning");
            lost += event["metric"].as_u64().unwrap();
        } else {
            let service = event["service"].as_str().unwrap();
            last = service.split(' ').next().unwrap().parse().unwrap();
            received += 1;
        }
    }
    assert_eq!(received + lost, sent);
    assert!(lost > 0 && fixture.server.stats().lost.load(Ordering::Relaxed) == lost);
}

#[test]
fn a_handshake_that_is_none_is_refused() {
    let fixture = start();
    let upgrade = "Upgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\n";
    let without_version = format!("GET /events\r\n{upgrade}\r\n");
    let answer = ask(&fixture.server, &without_version);
    assert!(answer.starts_with("HTTP/1.1 426 "), "{answer}");
    let without_key = format!("GET /events\r\n{upgrade}Sec-WebSocket-Version: 13\r\n\r\n");
    let answer = ask(&fixture.server, &without_key);
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
}

#[test]
fn a_stop_says_goodbye() {
    let fixture = start();
    let mut follower = open(&fixture, "/pubsub/index?query=all");
    let mut sender = open(&fixture, "/events");
    fixture.server.begin_stop();
    for socket in [&mut follower, &mut sender] {
        assert_eq!(closed(socket), (1001, "the server stops".into()));
        // Lets the library answer the close frame.
        assert!(socket.read().is_err());
    }
    assert!(fixture.server.stopped_by(Instant::now() + PATIENCE));
}

#[test]
fn connections_are_counted_while_they_are_websockets() {
    let fixture = start();
    let mut socket = open(&fixture, "/events");
    socket.send(Message::text("{}")).unwrap();
    text(&mut socket);
    assert_eq!(
        fixture.server.stats().connections.load(Ordering::Relaxed),
        1
    );
}
