//! What streams ask of history.

use event::{Event, Time};
use histogram::Histogram;

/// History, as `baseline` sees it. The program hands it in by [`World::set_past`](crate::World).
pub trait Past: Send + Sync {
    /// The distribution of the series that an event belongs to, of samples from one time up to, not
    /// with, another; `None` where there are none.
    ///
    /// # Errors
    /// Why history cannot be read, as a text for the log.
    fn past(&self, event: &Event, from: Time, to: Time) -> Result<Option<Histogram>, String>;
}
