//! A source's way into its pipeline.

use std::sync::Arc;
use std::time::Duration;

use event::Time;

use crate::end::End;
use crate::{Batch, Framing, Pipeline};

/// Tells the time of events that have none.
pub type Now = Arc<dyn Fn() -> Time + Send + Sync>;

/// Where a source puts what it reads, until it or its pipeline ends.
pub struct Inlet {
    pipeline: Arc<Pipeline>,
    framing: Framing,
    now: Now,
    closed: End,
}

impl Inlet {
    /// Of a pipeline.
    #[must_use]
    pub fn new(pipeline: Arc<Pipeline>, framing: Framing, now: Now) -> Arc<Inlet> {
        Arc::new(Inlet {
            pipeline,
            framing,
            now,
            closed: End::not_yet(),
        })
    }

    /// Ends the source: what senders have sent by now is taken, then they are left.
    pub fn close(&self) {
        self.closed.mark(self.pipeline.pace().now());
        self.pipeline.look_again();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.ended().is_some()
    }

    fn ended(&self) -> Option<Duration> {
        self.closed.since().or_else(|| self.pipeline.stopped())
    }

    pub(crate) fn pipeline(&self) -> &Pipeline {
        &self.pipeline
    }

    pub(crate) fn framing(&self) -> Framing {
        self.framing
    }

    pub(crate) fn now(&self) -> Time {
        (self.now)()
    }

    /// Puts messages into the queue, and waits for as long as that takes. False if they are lost.
    pub(crate) fn put(&self, batch: &mut Batch) -> bool {
        self.pipeline.put_until(batch, || self.ended())
    }
}
