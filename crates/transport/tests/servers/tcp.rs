use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use event::{Fields, Time};
use transport::{Server, TcpOptions, TcpServer, Workers};

use crate::recorder::{BAD_QUERY, PATIENCE, Recorder, event};
use crate::wire::{Answer, connect, events, exchange, is_closed, query};

struct Fixture {
    workers: Workers,
    server: Server,
    recorder: Arc<Recorder>,
}

fn start(options: &TcpOptions) -> Fixture {
    start_on(2, options)
}

fn start_on(workers: usize, options: &TcpOptions) -> Fixture {
    let workers = Workers::start(Some(workers)).unwrap();
    let recorder = Recorder::new();
    let options = TcpOptions {
        port: Some(0),
        ..options.clone()
    };
    let server = TcpServer::bind(&options)
        .unwrap()
        .serve(&workers, recorder.clone());
    Fixture {
        workers,
        server,
        recorder,
    }
}

impl Fixture {
    fn connect(&self) -> TcpStream {
        connect(self.server.addr())
    }
}

fn error(text: &str) -> Answer {
    Answer::Error(Some(text.into()))
}

#[test]
fn pipelined_messages_are_answered_in_order() {
    let fixture = start(&TcpOptions::default());
    fixture.recorder.publish("index", &event("a"));
    fixture.recorder.publish("index", &event("b"));
    let bytes = [
        events(&["x"]),
        query("a"),
        query("bad"),
        events(&["y", "z"]),
        events(&[]),
        query("all"),
        query("none"),
    ];
    let answers = exchange(&mut fixture.connect(), &bytes.concat(), 7);
    let services = |names: &[&str]| Answer::Events(names.iter().map(|n| n.to_string()).collect());
    assert_eq!(
        answers,
        [
            Answer::Ok,
            services(&["a"]),
            error(BAD_QUERY),
            Answer::Ok,
            Answer::Ok,
            services(&["a", "b"]),
            Answer::Ok,
        ]
    );
    let seen: Vec<String> = fixture.recorder.calls().concat();
    assert_eq!(seen, ["x", "y", "z"]);
}

#[test]
fn messages_that_arrive_together_are_streamed_together() {
    let fixture = start(&TcpOptions::default());
    let bytes = [
        events(&["a", "b"]),
        events(&["c"]),
        query("x"),
        events(&["d"]),
    ]
    .concat();
    let mut stream = fixture.connect();
    exchange(&mut stream, &bytes, 4);
    let calls = fixture.recorder.calls();
    assert_eq!(calls, [vec!["a", "b", "c"], vec!["d"]]);
}

#[test]
fn an_event_without_time_gets_the_handlers() {
    let fixture = start(&TcpOptions::default());
    let answers = exchange(&mut fixture.connect(), &[0, 0, 0, 2, 0x32, 0], 1);
    assert_eq!(answers, [Answer::Ok]);
    assert_eq!(fixture.recorder.events()[0].time(), Some(Time::from_s(7)));
}

#[test]
fn text_that_is_not_utf8_is_repaired() {
    let fixture = start(&TcpOptions::default());
    let broken = [0, 0, 0, 5, 0x32, 3, 0x1a, 1, 0xff];
    let bytes = [&events(&["a"])[..], &broken, &events(&["b"])].concat();
    assert_eq!(
        exchange(&mut fixture.connect(), &bytes, 3),
        [Answer::Ok, Answer::Ok, Answer::Ok]
    );
    assert_eq!(fixture.recorder.calls().concat(), ["a", "\u{fffd}", "b"]);
}

#[test]
fn a_negative_length_closes_after_the_answers_before_it() {
    let fixture = start(&TcpOptions::default());
    let mut stream = fixture.connect();
    let bytes = [events(&["a"]), vec![0xff, 0xff, 0xff, 0xff], events(&["b"])].concat();
    assert_eq!(exchange(&mut stream, &bytes, 1), [Answer::Ok]);
    assert!(is_closed(&mut stream));
    assert_eq!(fixture.recorder.calls(), [["a"]]);
    assert_eq!(fixture.server.stats().malformed.load(Ordering::Relaxed), 1);
}

#[test]
fn garbage_and_long_frames_close() {
    let fixture = start(&TcpOptions {
        frame_bytes_max: 1000,
        ..TcpOptions::default()
    });
    let garbage = [&[0, 0, 0, 4][..], b"\x32\xff\xff\xff"].concat();
    let request = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n".to_vec();
    for bytes in [garbage, request, 1001u32.to_be_bytes().to_vec()] {
        let mut stream = fixture.connect();
        stream.write_all(&bytes).unwrap();
        assert!(is_closed(&mut stream), "{bytes:?}");
    }
    let fits = "s".repeat(1000 - 10);
    assert!(events(&[&fits]).len() <= 1004);
    assert_eq!(
        exchange(&mut fixture.connect(), &events(&[&fits]), 1),
        [Answer::Ok]
    );
}

#[test]
fn a_message_larger_than_the_read_buffer_goes_through() {
    let fixture = start(&TcpOptions::default());
    let large = "s".repeat(3 << 20);
    let bytes = [events(&["a"]), events(&[&large]), events(&["b"])].concat();
    let mut stream = fixture.connect();
    assert_eq!(
        exchange(&mut stream, &bytes, 3),
        [Answer::Ok, Answer::Ok, Answer::Ok]
    );
    fixture.recorder.publish("index", &event(&large));
    assert_eq!(
        exchange(&mut stream, &query("all"), 1),
        [Answer::Events(vec![large.clone()])]
    );
    assert_eq!(
        fixture.recorder.calls().concat(),
        ["a".to_owned(), large, "b".into()]
    );
}

#[test]
fn a_client_that_does_not_read_is_not_read_from() {
    let options = TcpOptions {
        answer_bytes_max: 4096,
        ..TcpOptions::default()
    };
    let fixture = start_on(1, &options);
    fixture
        .recorder
        .publish("index", &event(&"s".repeat(64 << 10)));
    let mut stream = fixture.connect();
    stream.set_nonblocking(true).unwrap();
    let questions = query("all").repeat(1000);
    let mut other = fixture.connect();
    let (mut at, mut refused) = (0, 0);
    // Each round of the other client shows that the worker has had time for this one.
    while refused < 20 {
        match stream.write(&questions[at..]) {
            Ok(written) => (at, refused) = ((at + written) % questions.len(), 0),
            Err(error) => {
                assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock);
                refused += 1;
            }
        }
        assert_eq!(exchange(&mut other, &events(&["alive"]), 1), [Answer::Ok]);
        assert!(
            fixture.recorder.queries().len() < 2000,
            "answers that nobody reads"
        );
    }
}

#[test]
fn a_handler_that_panics_closes_that_connection_only() {
    let fixture = start_on(1, &TcpOptions::default());
    let (mut first, mut second) = (fixture.connect(), fixture.connect());
    first.write_all(&events(&["panic"])).unwrap();
    assert!(is_closed(&mut first));
    assert_eq!(exchange(&mut second, &events(&["a"]), 1), [Answer::Ok]);
}

#[test]
fn failures_are_told_as_riemann_tells_them() {
    let fixture = start(&TcpOptions::default());
    let failing = |service: &str, state: Option<&str>| {
        event(service).edit(|draft| draft.state = state.map(|state| state.to_owned().into()))
    };
    let message = |events: &[event::Event]| {
        let mut out = Vec::new();
        codec::riemann::frame(&mut out, |out| codec::riemann::encode_events(out, events));
        out
    };
    let (boom, silent) = (failing("throw", Some("boom")), failing("throw", None));
    let bytes = [
        events(&["a"]),
        message(&[event("b"), boom.clone(), event("c")]),
        message(&[boom.clone(), silent.clone(), silent.clone()]),
        message(&[boom.clone(), silent.clone()]),
        message(&[silent]),
        events(&["d"]),
    ];
    let answers = exchange(&mut fixture.connect(), &bytes.concat(), 6);
    assert_eq!(
        answers,
        [
            Answer::Ok,
            error("boom"),
            error("boom (and 2 more events failed)"),
            error("boom (and 1 more event failed)"),
            Answer::Error(None),
            Answer::Ok,
        ]
    );
    assert_eq!(fixture.server.stats().failed.load(Ordering::Relaxed), 7);
}

#[test]
fn idle_connections_are_many_and_do_not_disturb() {
    let fixture = start(&TcpOptions::default());
    let idle: Vec<TcpStream> = (0..1200).map(|_| fixture.connect()).collect();
    let mut busy = fixture.connect();
    for _ in 0..10 {
        assert_eq!(exchange(&mut busy, &events(&["a"]), 1), [Answer::Ok]);
    }
    let mut last = idle.into_iter().next_back().unwrap();
    assert_eq!(exchange(&mut last, &events(&["b"]), 1), [Answer::Ok]);
    assert_eq!(
        fixture.server.stats().accepted.load(Ordering::Relaxed),
        1201
    );
}

#[test]
fn beyond_the_limit_of_connections_clients_wait() {
    let fixture = start(&TcpOptions {
        connections_max: 1,
        ..TcpOptions::default()
    });
    let mut first = fixture.connect();
    assert_eq!(exchange(&mut first, &events(&["a"]), 1), [Answer::Ok]);
    let mut second = fixture.connect();
    second.write_all(&events(&["b"])).unwrap();
    assert_eq!(exchange(&mut first, &events(&["c"]), 1), [Answer::Ok]);
    assert_eq!(fixture.recorder.calls(), [["a"], ["c"]]);
    drop(first);
    assert_eq!(exchange(&mut second, &[], 1), [Answer::Ok]);
}

#[test]
fn a_stop_answers_what_was_read_and_is_quick() {
    let fixture = start(&TcpOptions::default());
    let mut idle = fixture.connect();
    let mut busy = fixture.connect();
    assert_eq!(exchange(&mut busy, &events(&["a"]), 1), [Answer::Ok]);
    busy.write_all(&events(&["b"])).unwrap();
    fixture.recorder.wait_for_events(2);
    fixture.server.begin_stop();
    assert!(fixture.server.stopped_by(Instant::now() + PATIENCE));
    assert_eq!(exchange(&mut busy, &[], 1), [Answer::Ok]);
    assert!(is_closed(&mut busy) && is_closed(&mut idle));
    assert!(TcpStream::connect(fixture.server.addr()).is_err());
    assert!(fixture.workers.stop(PATIENCE));
}

#[test]
fn a_stop_does_not_wait_for_a_client_that_does_not_read() {
    let fixture = start(&TcpOptions::default());
    fixture
        .recorder
        .publish("index", &event(&"s".repeat(8 << 20)));
    let mut stream = fixture.connect();
    stream.write_all(&query("all").repeat(4)).unwrap();
    stream.read_exact(&mut [0]).unwrap();
    let started = Instant::now();
    fixture.server.begin_stop();
    assert!(fixture.server.stopped_by(started + Duration::from_secs(5)));
}

#[test]
fn latencies_and_messages_are_counted() {
    let fixture = start(&TcpOptions::default());
    let bytes = [events(&["a", "b"]), events(&["c"])].concat();
    let mut stream = fixture.connect();
    exchange(&mut stream, &bytes, 2);
    let stats = fixture.server.stats();
    assert_eq!(stats.messages_in.load(Ordering::Relaxed), 2);
    assert_eq!(stats.bytes_in.load(Ordering::Relaxed), bytes.len() as u64);
    assert_eq!(stats.connections.load(Ordering::Relaxed), 1);
    assert_eq!(stats.latency.take().count(), 2);
}
