//! Messages that are kept before they are streamed, and answers that wait until that is durable.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Condvar, Mutex};

use event::{Event, Time, Views};
use tokio_tungstenite::tungstenite::{Message, client};
use transport::{
    Failure, Feed, Handler, HttpAnswer, HttpOptions, HttpRequest, HttpServer, Receipt, Server,
    TcpOptions, TcpServer, Tell, Wake, Workers,
};

use crate::recorder::{PATIENCE, Recorder};
use crate::wire::{Answer, answer, connect, events, exchange, query};

/// Keeps messages by number. Durable they are when the test says so; one that holds `full` is
/// refused.
#[derive(Default)]
struct Keeper {
    recorder: Recorder,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    kept: u64,
    streamed: Vec<Receipt>,
    waiting: Vec<(u64, Tell)>,
}

impl Keeper {
    fn receipt(&self, messages: usize) -> Receipt {
        let mut state = self.state.lock().unwrap();
        let after = state.kept;
        state.kept += messages as u64;
        Receipt {
            id: state.kept,
            after,
            is_durable: false,
        }
    }

    /// Waits until that many answers wait; gives who is to be told, by the number of the message.
    fn waiting(&self, count: usize) -> Vec<(u64, Tell)> {
        let state = self.state.lock().unwrap();
        let few = |state: &mut State| state.waiting.len() < count;
        let waited = self.changed.wait_timeout_while(state, PATIENCE, few);
        let (mut state, timeout) = waited.unwrap();
        assert!(!timeout.timed_out(), "waited in vain");
        let mut waiting = std::mem::take(&mut state.waiting);
        waiting.sort_by_key(|(id, _)| *id);
        waiting
    }
}

impl Handler for Keeper {
    fn stream(&self, views: &Views<'_>, failures: &mut Vec<Failure>) {
        self.recorder.stream(views, failures);
    }

    fn stream_events(&self, events: Vec<Event>, failures: &mut Vec<Failure>) {
        self.recorder.stream_events(events, failures);
    }

    fn keep(&self, messages: &[&[u8]], _: Time) -> Result<Option<Receipt>, String> {
        let is_full = |message: &&[u8]| message.windows(4).any(|bytes| bytes == b"full");
        if messages.iter().any(is_full) {
            return Err("no room".into());
        }
        Ok(Some(self.receipt(messages.len())))
    }

    fn keep_events(&self, _: &[Event], _: Time) -> Result<Option<Receipt>, String> {
        Ok(Some(self.receipt(1)))
    }

    fn streamed(&self, receipt: Receipt) {
        self.state.lock().unwrap().streamed.push(receipt);
    }

    fn when_durable(&self, receipt: Receipt, tell: Tell) {
        let mut state = self.state.lock().unwrap();
        state.waiting.push((receipt.id, tell));
        self.changed.notify_all();
    }

    fn query(&self, query: &str) -> Result<Vec<Event>, String> {
        self.recorder.query(query)
    }

    fn subscribe(&self, channel: &str, query: &str, wake: Wake) -> Result<Box<dyn Feed>, String> {
        self.recorder.subscribe(channel, query, wake)
    }

    fn http(&self, request: &HttpRequest) -> Option<HttpAnswer> {
        self.recorder.http(request)
    }

    fn now(&self) -> Time {
        self.recorder.now()
    }
}

fn gone() -> Result<(), String> {
    Err("the disk is gone".to_owned())
}

#[test]
fn answers_wait_and_the_worker_does_not() {
    let workers = Workers::start(Some(1)).unwrap();
    let keeper = Arc::<Keeper>::default();
    let options = TcpOptions {
        port: Some(0),
        ..TcpOptions::default()
    };
    let server = TcpServer::bind(&options)
        .unwrap()
        .serve(&workers, keeper.clone());
    let (mut first, mut second) = (connect(server.addr()), connect(server.addr()));
    first.write_all(&events(&["a"])).unwrap();
    keeper.recorder.wait_for_events(1);
    second.write_all(&events(&["b"])).unwrap();
    keeper.recorder.wait_for_events(2);
    let waiting = keeper.waiting(2);
    assert!(is_silent(&first));
    for (id, tell) in waiting {
        tell(if id == 1 { Ok(()) } else { gone() });
    }
    assert_eq!(answer(&mut first), Answer::Ok);
    assert_eq!(
        answer(&mut second),
        Answer::Error(Some("the disk is gone".into()))
    );
    let streamed = keeper.state.lock().unwrap().streamed.clone();
    let ids: Vec<u64> = streamed.iter().map(|receipt| receipt.id).collect();
    assert_eq!(ids, [1, 2]);
}

#[test]
fn what_is_refused_is_not_streamed_and_its_sender_is_told() {
    let workers = Workers::start(Some(1)).unwrap();
    let keeper = Arc::<Keeper>::default();
    let options = TcpOptions {
        port: Some(0),
        ..TcpOptions::default()
    };
    let server = TcpServer::bind(&options)
        .unwrap()
        .serve(&workers, keeper.clone());
    let mut client = connect(server.addr());
    let refused = exchange(&mut client, &events(&["full", "other"]), 1);
    assert_eq!(refused, [Answer::Error(Some("no room".into()))]);
    client.write_all(&events(&["a"])).unwrap();
    for (_, tell) in keeper.waiting(1) {
        tell(Ok(()));
    }
    assert_eq!(answer(&mut client), Answer::Ok);
    assert_eq!(keeper.recorder.calls(), [["a"]]);
}

#[test]
fn of_the_answers_of_a_read_errors_stay_and_the_others_become_errors() {
    let (workers, keeper) = (Workers::start(Some(1)).unwrap(), Arc::<Keeper>::default());
    let options = TcpOptions {
        port: Some(0),
        ..TcpOptions::default()
    };
    let server = TcpServer::bind(&options)
        .unwrap()
        .serve(&workers, keeper.clone());
    let mut client = connect(server.addr());
    let sent = [events(&["a"]), events(&["throw"]), query("all")].concat();
    client.write_all(&sent).unwrap();
    for (_, tell) in keeper.waiting(1) {
        tell(gone());
    }
    let refused = Answer::Error(Some("the disk is gone".into()));
    assert_eq!(answer(&mut client), refused);
    assert_eq!(answer(&mut client), Answer::Error(None));
    assert_eq!(answer(&mut client), refused);
    // The connection goes on.
    client.write_all(&events(&["b"])).unwrap();
    for (_, tell) in keeper.waiting(1) {
        tell(Ok(()));
    }
    assert_eq!(answer(&mut client), Answer::Ok);
}

fn serve_http(workers: &Workers, keeper: &Arc<Keeper>) -> Server {
    let options = HttpOptions {
        port: 0,
        ..HttpOptions::default()
    };
    let server = HttpServer::bind(&options).unwrap();
    server.serve(workers, keeper.clone())
}

/// Nothing comes on a connection that a message was sent on.
fn is_silent(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    let early = stream.peek(&mut [0]).map_err(|error| error.kind());
    stream.set_nonblocking(false).unwrap();
    early == Err(ErrorKind::WouldBlock)
}

#[test]
fn answers_to_json_lines_are_held_until_they_are_durable() {
    for (outcome, said) in [(Ok(()), "{}"), (gone(), "{\"error\":\"the disk is gone\"}")] {
        let (workers, keeper) = (Workers::start(Some(1)).unwrap(), Arc::<Keeper>::default());
        let server = serve_http(&workers, &keeper);
        let mut client = connect(server.addr());
        let body = "{\"service\":\"a\"}\nnot json\n{\"service\":\"b\"}\n";
        let length = body.len();
        let head = "POST /events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";
        let request = format!("{head}Content-Length: {length}\r\n\r\n{body}");
        client.write_all(request.as_bytes()).unwrap();
        keeper.recorder.wait_for_events(2);
        let waiting = keeper.waiting(1);
        assert!(is_silent(&client));
        for (_, tell) in waiting {
            tell(outcome.clone());
        }
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        let answers: Vec<&str> = answer
            .lines()
            .filter(|line| line.starts_with('{'))
            .collect();
        assert_eq!(answers.len(), 3, "{answer}");
        assert_eq!([answers[0], answers[2]], [said, said]);
        assert!(!answers[1].contains("disk"), "{answer}");
    }
}

#[test]
fn answers_on_a_websocket_are_held_until_they_are_durable() {
    let (workers, keeper) = (Workers::start(Some(1)).unwrap(), Arc::<Keeper>::default());
    let server = serve_http(&workers, &keeper);
    let stream = connect(server.addr());
    let url = format!("ws://{}/events", server.addr());
    let (mut socket, _) = client(url, stream.try_clone().unwrap()).unwrap();
    for (number, outcome, said) in [
        (1, Ok(()), "{}"),
        (2, gone(), "{\"error\":\"the disk is gone\"}"),
        (3, Ok(()), "{}"),
    ] {
        socket.send(Message::text("{\"service\":\"a\"}")).unwrap();
        keeper.recorder.wait_for_events(number);
        let waiting = keeper.waiting(1);
        assert!(is_silent(&stream));
        for (_, tell) in waiting {
            tell(outcome.clone());
        }
        assert_eq!(socket.read().unwrap(), Message::text(said));
    }
}
