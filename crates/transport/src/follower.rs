//! What a subscriber is to be sent: what the index holds, then what is published.

use std::sync::Arc;

use event::{Draft, Event, Number};
use tokio::sync::Notify;

use crate::handler::{Feed, Handler};
use crate::limits::FEED_EVENTS_PER_TURN;
use crate::server::Task;
use crate::stats::{ServerStats, add};

/// One subscriber's events, in order, in turns of at most [`FEED_EVENTS_PER_TURN`].
pub(crate) struct Follower {
    handler: Arc<dyn Handler>,
    stats: Arc<ServerStats>,
    snapshot: std::vec::IntoIter<Event>,
    feed: Option<Box<dyn Feed>>,
    ready: Arc<Notify>,
    task: Task,
}

impl Follower {
    /// Follows nothing yet.
    pub(crate) fn new(handler: Arc<dyn Handler>, stats: Arc<ServerStats>, task: Task) -> Follower {
        let snapshot = Vec::new().into_iter();
        Follower {
            handler,
            stats,
            snapshot,
            feed: None,
            ready: Arc::default(),
            task,
        }
    }

    /// Adds what the index holds.
    pub(crate) fn with_index(mut self, query: &str) -> Result<Follower, String> {
        self.snapshot = self.handler.query(query)?.into_iter();
        Ok(self)
    }

    /// Adds what will be published on a channel. To lose nothing between the two, subscribe before
    /// asking the index: an event may then come twice.
    pub(crate) fn with_channel(mut self, channel: &str, query: &str) -> Result<Follower, String> {
        let ready = Arc::clone(&self.ready);
        let wake = Arc::new(move || ready.notify_one());
        self.feed = Some(self.handler.subscribe(channel, query, wake)?);
        Ok(self)
    }

    /// The next events; waits for them. `None` when there will be no more, or the server stops.
    /// Loses nothing when dropped before it completes.
    pub(crate) async fn next(&mut self) -> Option<Vec<Event>> {
        let turn: Vec<Event> = self.snapshot.by_ref().take(FEED_EVENTS_PER_TURN).collect();
        if !turn.is_empty() {
            return Some(self.sending(turn));
        }
        loop {
            let mut turn = Vec::new();
            let lost = self.feed.as_mut()?.take(FEED_EVENTS_PER_TURN, &mut turn);
            if lost > 0 {
                add(&self.stats.lost, lost);
                turn.insert(0, self.lost(lost));
            }
            if !turn.is_empty() {
                return Some(self.sending(turn));
            }
            tokio::select! {
                () = self.ready.notified() => {}
                () = self.task.stopping() => return None,
            }
        }
    }

    /// Whether it follows a channel: then only the server's stop ends it.
    pub(crate) fn endless(&self) -> bool {
        self.feed.is_some()
    }

    fn sending(&self, turn: Vec<Event>) -> Vec<Event> {
        add(&self.stats.messages_out, turn.len() as u64);
        turn
    }

    /// Tells the subscriber in the only language that every one of them reads.
    fn lost(&self, lost: u64) -> Event {
        let description = format!("{lost} events were dropped because this subscriber is slow");
        Draft {
            service: Some("cauchy dropped".into()),
            state: Some("warning".into()),
            description: Some(description.into()),
            metric: Some(Number::Int(i64::try_from(lost).unwrap_or(i64::MAX))),
            time: Some(self.handler.now()),
            ..Draft::record()
        }
        .build()
    }
}
