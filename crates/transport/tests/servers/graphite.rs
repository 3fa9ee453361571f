use std::io::Write;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use event::{Event, Fields, Number, Time};
use transport::{GraphiteOptions, GraphiteServer, LineProtocol, Server, Workers};

use crate::recorder::Recorder;
use crate::wire::{connect, is_closed};

struct Fixture {
    _workers: Workers,
    server: Server,
    recorder: Arc<Recorder>,
}

fn start(options: GraphiteOptions) -> Fixture {
    let workers = Workers::start(Some(1)).unwrap();
    let recorder = Recorder::new();
    let options = GraphiteOptions { port: 0, ..options };
    let server = GraphiteServer::bind(&options)
        .unwrap()
        .serve(&workers, recorder.clone());
    Fixture {
        _workers: workers,
        server,
        recorder,
    }
}

#[test]
fn lines_of_a_read_are_streamed_together() {
    let fixture = start(GraphiteOptions::default());
    let mut stream = connect(fixture.server.addr());
    stream.write_all(b"a.b 1 100\r\nc 2.5 200\n").unwrap();
    let events = fixture.recorder.wait_for_events(2);
    assert_eq!(fixture.recorder.calls(), [["a.b", "c"]]);
    assert_eq!(events[0].metric(), Some(Number::F64(1.0)));
    assert_eq!(events[1].time(), Some(Time::from_s(200)));
    assert_eq!(events[0].host(), None);
}

#[test]
fn a_malformed_line_is_counted_and_the_connection_stays() {
    let fixture = start(GraphiteOptions::default());
    let mut stream = connect(fixture.server.addr());
    stream
        .write_all(b"a 1 2.5\n b 1 2 3\n\nc NaN 3\nd 1 4\n")
        .unwrap();
    fixture.recorder.wait_for_events(1);
    assert_eq!(fixture.recorder.calls(), [["d"]]);
    assert_eq!(fixture.server.stats().malformed.load(Ordering::Relaxed), 4);
}

#[test]
fn a_line_of_more_than_1024_bytes_closes() {
    let fixture = start(GraphiteOptions::default());
    let fits = "s".repeat(1024 - 4);
    let mut stream = connect(fixture.server.addr());
    stream
        .write_all(format!("{fits} 1 2\r\n").as_bytes())
        .unwrap();
    fixture.recorder.wait_for_events(1);
    stream.write_all(format!("{fits}s 1 2").as_bytes()).unwrap();
    stream.write_all(b"\r\r").unwrap();
    assert!(is_closed(&mut stream));
}

#[test]
fn tags_become_attributes() {
    let fixture = start(GraphiteOptions {
        tags: true,
        ..GraphiteOptions::default()
    });
    connect(fixture.server.addr())
        .write_all(b"disk;server=web01;unit=b 1 2\n")
        .unwrap();
    let events = fixture.recorder.wait_for_events(1);
    assert_eq!(events[0].service(), Some("disk"));
    let attrs: Vec<_> = events[0].attrs().collect();
    assert_eq!(attrs, [("server", "web01"), ("unit", "b")]);
}

#[test]
fn the_configurations_parser_may_change_and_drop() {
    let hook = |event: Event| {
        let keep = event.service() != Some("drop");
        keep.then(|| event.edit(|draft| draft.host = Some("web01".into())))
    };
    let fixture = start(GraphiteOptions {
        hook: Some(Arc::new(hook)),
        ..GraphiteOptions::default()
    });
    connect(fixture.server.addr())
        .write_all(b"drop 1 2\nkeep 1 2\n")
        .unwrap();
    let events = fixture.recorder.wait_for_events(1);
    assert_eq!(
        (events[0].service(), events[0].host()),
        (Some("keep"), Some("web01"))
    );
}

#[test]
fn udp_takes_one_line_or_more() {
    let fixture = start(GraphiteOptions {
        protocol: LineProtocol::Udp,
        ..GraphiteOptions::default()
    });
    let client = UdpSocket::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    for datagram in ["a 1 2", "b 1 2\n", "c 1 2\r\nd 1 2\n"] {
        client
            .send_to(datagram.as_bytes(), fixture.server.addr())
            .unwrap();
    }
    fixture.recorder.wait_for_events(4);
    assert_eq!(fixture.recorder.calls().concat(), ["a", "b", "c", "d"]);
}
