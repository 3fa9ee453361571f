//! A handler that records what it is given.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use event::{Draft, Event, Fields, Time, Views};
use transport::{Failure, Feed, Handler, HttpAnswer, HttpRequest, Wake};

/// Long enough for the slowest machine; only a failing test waits for it.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// What a query that does not parse is answered with.
pub const BAD_QUERY: &str = "no viable alternative at input '<EOF>'";

/// Streams events into a list. An event whose service starts with `throw` fails: with its state as
/// message, if it has one. One whose service is `panic` panics.
///
/// Queries: `bad` is none, `all` matches everything, another text the events of that service.
#[derive(Default)]
pub struct Recorder {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    calls: Vec<Vec<Event>>,
    index: Vec<Event>,
    queries: Vec<String>,
    subscriptions: Vec<Subscription>,
    panics: usize,
}

struct Subscription {
    channel: String,
    query: String,
    ring: Arc<Mutex<Ring>>,
    wake: Wake,
}

#[derive(Default)]
struct Ring {
    events: VecDeque<Event>,
    lost: u64,
}

/// Events that a subscriber may be behind.
const RING_EVENTS: usize = 4;

impl Recorder {
    pub fn new() -> Arc<Recorder> {
        Arc::default()
    }

    /// The services of each call.
    pub fn calls(&self) -> Vec<Vec<String>> {
        let state = self.state.lock().unwrap();
        state
            .calls
            .iter()
            .map(|call| call.iter().map(service).collect())
            .collect()
    }

    /// All events, in order.
    pub fn events(&self) -> Vec<Event> {
        self.state.lock().unwrap().calls.concat()
    }

    pub fn queries(&self) -> Vec<String> {
        self.state.lock().unwrap().queries.clone()
    }

    /// Waits until that many events have been streamed, and gives all of them.
    pub fn wait_for_events(&self, count: usize) -> Vec<Event> {
        self.wait_until(|state| state.calls.iter().map(Vec::len).sum::<usize>() >= count);
        self.events()
    }

    /// Waits until an event of the service `panic` has come.
    pub fn wait_for_panic(&self) {
        self.wait_until(|state| state.panics > 0);
    }

    fn wait_until(&self, done: impl Fn(&State) -> bool) {
        let state = self.state.lock().unwrap();
        let (_state, timeout) = self
            .changed
            .wait_timeout_while(state, PATIENCE, |state| !done(state))
            .unwrap();
        assert!(!timeout.timed_out(), "waited in vain");
    }

    /// Puts an event into the index and publishes it on a channel.
    pub fn publish(&self, channel: &str, event: &Event) {
        let mut state = self.state.lock().unwrap();
        if channel == "index" {
            state.index.push(event.clone());
        }
        for subscription in &state.subscriptions {
            if subscription.channel == channel && matches(&subscription.query, event) {
                let mut ring = subscription.ring.lock().unwrap();
                if ring.events.len() == RING_EVENTS {
                    ring.events.pop_front();
                    ring.lost += 1;
                }
                ring.events.push_back(event.clone());
                (subscription.wake)();
            }
        }
    }

    fn streamed(&self, events: Vec<Event>, failures: &mut Vec<Failure>) {
        if events.iter().any(|event| service(event) == "panic") {
            self.state.lock().unwrap().panics += 1;
            self.changed.notify_all();
            panic!("asked for by a test");
        }
        for (index, event) in events.iter().enumerate() {
            if service(event).starts_with("throw") {
                failures.push(Failure {
                    index,
                    message: event.state().map(str::to_owned),
                });
            }
        }
        self.state.lock().unwrap().calls.push(events);
        self.changed.notify_all();
    }
}

fn service(event: &Event) -> String {
    event.service().unwrap_or_default().to_owned()
}

fn matches(query: &str, event: &Event) -> bool {
    query == "all" || event.service() == Some(query)
}

fn parse(query: &str) -> Result<(), String> {
    if query == "bad" {
        Err(BAD_QUERY.into())
    } else {
        Ok(())
    }
}

/// An event with a service, at time 0.
pub fn event(service: &str) -> Event {
    Draft {
        service: Some(service.into()),
        time: Some(Time::from_s(0)),
        ..Draft::plain()
    }
    .build()
}

impl Handler for Recorder {
    fn stream(&self, views: &Views<'_>, failures: &mut Vec<Failure>) {
        self.streamed(
            views.iter().map(|view| Event::from_view(&view)).collect(),
            failures,
        );
    }

    fn stream_events(&self, events: Vec<Event>, failures: &mut Vec<Failure>) {
        self.streamed(events, failures);
    }

    fn query(&self, query: &str) -> Result<Vec<Event>, String> {
        parse(query)?;
        let mut state = self.state.lock().unwrap();
        state.queries.push(query.to_owned());
        Ok(state
            .index
            .iter()
            .filter(|event| matches(query, event))
            .cloned()
            .collect())
    }

    fn subscribe(&self, channel: &str, query: &str, wake: Wake) -> Result<Box<dyn Feed>, String> {
        parse(query)?;
        let ring = Arc::<Mutex<Ring>>::default();
        self.state.lock().unwrap().subscriptions.push(Subscription {
            channel: channel.into(),
            query: query.into(),
            ring: Arc::clone(&ring),
            wake,
        });
        self.changed.notify_all();
        Ok(Box::new(RingFeed(ring)))
    }

    fn http(&self, request: &HttpRequest) -> Option<HttpAnswer> {
        (request.path == "/echo").then(|| HttpAnswer {
            status: 200,
            content_type: "text/plain".into(),
            headers: vec![("X-Method".into(), request.method.clone())],
            body: [request.query.as_bytes(), b"|", &request.body]
                .concat()
                .into(),
        })
    }

    fn now(&self) -> Time {
        Time::from_s(7)
    }
}

struct RingFeed(Arc<Mutex<Ring>>);

impl Feed for RingFeed {
    fn take(&mut self, max: usize, into: &mut Vec<Event>) -> u64 {
        let mut ring = self.0.lock().unwrap();
        let count = max.min(ring.events.len());
        into.extend(ring.events.drain(..count));
        std::mem::take(&mut ring.lost)
    }
}
