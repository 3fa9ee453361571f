//! What outlives a configuration.

use std::sync::{Arc, OnceLock};

use event::{Event, Views};
use index::{Index, PubSub};
use sinks::durable::Backlog;

use crate::effects::Effects;
use crate::history::HistorySlot;
use crate::queue::QueueSpec;

/// The index and the subscriptions of connections: a reload hands them to the next configuration.
#[derive(Clone, Default)]
pub struct Kept {
    pub index: Arc<Index>,
    /// Hears of every change of the index, if it is to outlive the process as well.
    pub index_log: LogSlot,
    /// Where events go that history keeps; nowhere, while no history is open.
    pub history: HistorySlot,
    /// Who hears of what would leave; without one, it leaves.
    pub effects: Option<Effects>,
    /// Subscriptions of connections. Those of streams belong to their configuration.
    pub pubsub: PubSub,
    /// Opens the journals of queues; without one, queues are in memory.
    pub backlogs: Option<Arc<dyn Backlogs>>,
}

/// Opens the journals of queues. One that is open, through a reload, is given again.
pub trait Backlogs: Send + Sync {
    /// # Errors
    /// One line for the user.
    fn open(&self, spec: &QueueSpec) -> Result<Arc<Backlog>, String>;
}

/// Where a log of the index is, once there is one.
pub type LogSlot = Arc<OnceLock<Arc<dyn IndexLog>>>;

/// Hears of changes of the index, each after it was made. Of changes of one event on several
/// threads at once, it may hear in another order.
pub trait IndexLog: Send + Sync {
    /// An event was put in; one with state `expired` has taken out that of its host and service.
    fn kept(&self, event: &Event);

    /// The chosen events were put in, in order.
    fn kept_views(&self, views: &Views<'_>, chosen: &mut dyn Iterator<Item = usize>);

    /// Events were taken out.
    fn removed(&self, events: &[Event]);

    /// Everything was taken out.
    fn cleared(&self);
}
