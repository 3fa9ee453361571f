//! What outlives a configuration.

use std::sync::Arc;

use index::{Index, PubSub};

/// The index and the subscriptions of connections: a reload hands them to the next configuration.
#[derive(Clone, Default)]
pub struct Kept {
    pub index: Arc<Index>,
    /// Subscriptions of connections. Those of streams belong to their configuration.
    pub pubsub: PubSub,
}
