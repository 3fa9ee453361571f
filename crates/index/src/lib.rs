//! The latest event of each host and service, and who wants to hear of what.
//!
//! [`Index`] keeps, for every (host, service), the last event that came, until its time to live has
//! passed. [`PubSub`] hands values to whoever subscribed to a channel. Neither knows the other:
//! whoever inserts an event also publishes it.
//!
//! This crate never reads a clock, never starts a thread, and never calls a predicate or a
//! subscriber while it holds a lock.

mod channel;
mod deadline;
mod key;
mod listener;
mod pubsub;
mod recent;
mod shard;
mod stage;
mod table;

pub use channel::{Callback, Channel, Filter, Payload, Thrown};
pub use deadline::TTL_S_DEFAULT;
pub use key::{Key, Part};
pub use listener::{Batch, Listener, Notify};
pub use pubsub::{Counts, Options, PubSub, SubscriptionId};
pub use table::{Expired, Index};
