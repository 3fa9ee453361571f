//! What the servers do with what they receive: streams, queries, subscriptions, the page.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use arc_swap::ArcSwapOption;
use config::{Configuration, Kept};
use event::{Event, Fields, Time, Views};
use index::{Filter, Listener, Options, Payload};
use parking_lot::Mutex;
use query::Query;
use transport::{Failure, Feed, Handler, HttpAnswer, HttpRequest, Later, Receipt, Tell, Wake};

use crate::history::History;
use crate::history_query::{Questions, http_answer};
use crate::index_keeping::IndexKeeping;
use crate::ingest::{Ingest, LateClock};
use crate::telemetry::Counters;
use crate::web_status::WebStatus;

/// Events that a subscriber may be behind before it loses the oldest.
const SUBSCRIBER_EVENTS_MAX: usize = 16_384;

/// The running configuration and what outlives it, as the servers see them.
pub struct Live {
    pub configuration: ArcSwapOption<Configuration>,
    pub kept: Kept,
    pub counters: Arc<Counters>,
    pub web: WebStatus,
    /// The journal in front of the streams.
    pub ingest: ArcSwapOption<Ingest>,
    /// The journal of the index.
    pub index_keeping: OnceLock<Arc<IndexKeeping>>,
    /// What streams keep for later questions.
    pub history: ArcSwapOption<History>,
    /// Those to history that are being answered.
    questions: Questions,
    /// The clock of a configuration that has to catch up.
    pub late: Mutex<Option<Arc<LateClock>>>,
    clock: Arc<dyn clock::Clock>,
}

impl Live {
    pub fn new(
        kept: Kept,
        counters: Arc<Counters>,
        web: WebStatus,
        clock: Arc<dyn clock::Clock>,
    ) -> Live {
        Live {
            configuration: ArcSwapOption::empty(),
            kept,
            counters,
            web,
            ingest: ArcSwapOption::empty(),
            index_keeping: OnceLock::new(),
            history: ArcSwapOption::empty(),
            questions: Questions::default(),
            late: Mutex::default(),
            clock,
        }
    }

    /// Has streams keep events in this history, and questions look into it; gives the one before.
    pub fn set_history(&self, history: Option<Arc<History>>) -> Option<Arc<History>> {
        let log = history.as_ref().map(|history| Arc::new(history.log()));
        self.kept.history.store(log);
        self.history.swap(history)
    }

    /// Gives the streams what the journal holds that they have not seen.
    ///
    /// # Errors
    /// One line for the user.
    pub fn catch_up(&self) -> Result<(), String> {
        let Some(clock) = self.late.lock().take() else {
            return Ok(());
        };
        let (ingest, configuration) = (self.ingest.load_full(), self.configuration.load_full());
        if let (Some(ingest), Some(configuration)) = (ingest, configuration) {
            let started = Instant::now();
            let messages = ingest.feed(&configuration, Some(&clock))?;
            let ms = started.elapsed().as_millis();
            tracing::info!("the streams were given {messages} messages of the journal in {ms} ms");
        }
        Ok(())
    }

    /// Calls the journal, if there is one and the streams take events.
    fn kept(
        &self,
        keep: impl FnOnce(&Ingest) -> Result<Receipt, String>,
    ) -> Result<Option<Receipt>, String> {
        let Some(ingest) = &*self.ingest.load() else {
            return Ok(None);
        };
        if self.configuration.load().is_none() {
            return Err("not taken, the server stops".to_owned());
        }
        keep(ingest).map(Some)
    }

    /// Times a call that streams `count` events.
    fn measured(&self, count: usize, stream: impl FnOnce()) {
        let started = Instant::now();
        let active = self.counters.enter();
        stream();
        drop(active);
        self.counters.streamed(count, started.elapsed());
    }
}

impl Handler for Live {
    fn stream(&self, views: &Views<'_>, failures: &mut Vec<Failure>) {
        let configuration = self.configuration.load();
        let Some(configuration) = configuration.as_ref() else {
            return;
        };
        self.measured(views.len(), || {
            configuration.stream_views(views, |index, message| {
                failures.push(Failure { index, message });
            });
        });
    }

    fn stream_events(&self, events: Vec<Event>, failures: &mut Vec<Failure>) {
        let configuration = self.configuration.load();
        let Some(configuration) = configuration.as_ref() else {
            return;
        };
        self.measured(events.len(), || {
            configuration.stream_events(events, |index, message| {
                failures.push(Failure { index, message });
            });
        });
    }

    fn keep(&self, messages: &[&[u8]], now: Time) -> Result<Option<Receipt>, String> {
        self.kept(|ingest| ingest.keep(messages, now))
    }

    fn keep_events(&self, events: &[Event], now: Time) -> Result<Option<Receipt>, String> {
        self.kept(|ingest| ingest.keep_events(events, now))
    }

    fn streamed(&self, receipt: Receipt) {
        if let Some(ingest) = &*self.ingest.load() {
            ingest.streamed(receipt);
        }
    }

    fn when_durable(&self, receipt: Receipt, tell: Tell) {
        match &*self.ingest.load() {
            Some(ingest) => ingest.when_durable(receipt, tell),
            None => tell(Err("not durable, the server stops".to_owned())),
        }
    }

    fn query(&self, text: &str) -> Result<Vec<Event>, String> {
        let configuration = self.configuration.load();
        let index = configuration.as_ref().and_then(|config| config.index());
        let index = index.ok_or("no index")?;
        let query = parse(text)?;
        Ok(match query.host_and_service() {
            Some(key) => index.lookup(key).into_iter().collect(),
            None => index.search(&|event: &dyn Fields| query.matches(event)),
        })
    }

    fn subscribe(&self, channel: &str, text: &str, notify: Wake) -> Result<Box<dyn Feed>, String> {
        let query = parse(text)?;
        let filter: Filter = Arc::new(move |payload: &Payload| match payload {
            Payload::Event(event) => query.matches(event),
            Payload::Other(_) => false,
        });
        let options = Options {
            persistent: true,
            filter: Some(filter),
        };
        let listener = self
            .kept
            .pubsub
            .listen(channel, options, SUBSCRIBER_EVENTS_MAX, notify);
        Ok(Box::new(Subscriber(listener)))
    }

    fn http(&self, request: &HttpRequest) -> Option<HttpAnswer> {
        self.web.answer(request, self).map(http_answer)
    }

    fn http_later(&self, request: &HttpRequest) -> Option<Later> {
        let history = self.history.load();
        let store = history.as_ref().map(|history| history.store().clone());
        self.questions.answer(request, store, self.clock.now().us)
    }

    fn now(&self) -> Time {
        // The wire's present is a double of seconds: an event without a time gets one like it.
        Time::from_us(self.clock.now().us)
    }
}

fn parse(text: &str) -> Result<Query, String> {
    let ast = query::parse(text).map_err(|error| error.to_string())?;
    Query::compile(&ast).map_err(|error| error.to_string())
}

struct Subscriber(Listener);

impl Feed for Subscriber {
    fn take(&mut self, max: usize, into: &mut Vec<Event>) -> u64 {
        let batch = self.0.read(max);
        into.extend(
            batch
                .values
                .into_iter()
                .filter_map(|payload| match payload {
                    Payload::Event(event) => Some(event),
                    Payload::Other(_) => None,
                }),
        );
        batch.lost
    }
}
