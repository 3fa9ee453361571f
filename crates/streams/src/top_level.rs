//! The streams of a configuration, which every event enters.

use clj::{Cx, Result, Thrown, Value};

use crate::children::Child;
use crate::siblings::Siblings;
use crate::{Batch, Selection};

/// The top-level streams. Nothing rescues them: what one throws ends the way of that event and
/// goes back to whoever sent it. The other events of the batch go on.
pub struct TopLevel(Siblings);

/// The events of a batch that did not get through, by index, with what they ran into.
pub type Failures = Vec<(usize, Thrown)>;

impl TopLevel {
    pub fn of(streams: &[Value]) -> TopLevel {
        TopLevel(Siblings::of(streams.iter().map(Child::of).collect()))
    }

    /// One event through all streams.
    ///
    /// # Errors
    /// What the first stream to throw throws; later ones do not see the event.
    pub fn call(&self, cx: &Cx<'_>, value: &Value) -> Result<()> {
        for child in self.0.as_slice() {
            child.call(cx, value)?;
        }
        Ok(())
    }

    /// All events of a batch through all streams, with the effect of [`TopLevel::call`] on each.
    pub fn push(&self, cx: &Cx<'_>, batch: &Batch<'_>) -> Failures {
        let mut failures = Vec::new();
        let chosen = Selection::first(batch.len());
        if !chosen.is_empty() {
            let failed = std::cell::RefCell::new(&mut failures);
            batch.with_rescue(false, || {
                self.0.push(cx, batch, &chosen, |remaining| {
                    for (index, thrown) in batch.take_failures() {
                        remaining.remove(index);
                        failed.borrow_mut().push((index, thrown));
                    }
                });
            });
        }
        failures.sort_by_key(|(index, _)| *index);
        failures
    }
}
