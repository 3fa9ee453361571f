//! Messages that are kept before they are streamed, and answers that wait until that is durable.

use std::io::{ErrorKind, Write};
use std::sync::{Arc, Condvar, Mutex};

use event::{Event, Time, Views};
use transport::{
    Failure, Feed, Handler, HttpAnswer, HttpRequest, Receipt, TcpOptions, TcpServer, Tell, Wake,
    Workers,
};

use crate::recorder::{PATIENCE, Recorder};
use crate::wire::{Answer, answer, connect, events, exchange, is_closed};

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
        let mut state = self.state.lock().unwrap();
        let after = state.kept;
        state.kept += messages.len() as u64;
        Ok(Some(Receipt {
            id: state.kept,
            after,
            is_durable: false,
        }))
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
    first.set_nonblocking(true).unwrap();
    let early = first.peek(&mut [0]).map_err(|error| error.kind());
    assert_eq!(early, Err(ErrorKind::WouldBlock));
    first.set_nonblocking(false).unwrap();
    for (id, tell) in waiting {
        tell(id == 1);
    }
    assert_eq!(answer(&mut first), Answer::Ok);
    assert!(is_closed(&mut second));
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
        tell(true);
    }
    assert_eq!(answer(&mut client), Answer::Ok);
    assert_eq!(keeper.recorder.calls(), [["a"]]);
}
