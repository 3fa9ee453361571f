//! Events that come as lines of text, streamed together.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Instant;

use event::Event;

use crate::handler::{Handler, LineHook};
use crate::keeping::stream_events;
use crate::stats::{ServerStats, add};
use crate::warning::Warnings;

/// What the connections of a line protocol share.
#[derive(Clone)]
pub(crate) struct LineEvents {
    /// As in "Graphite server received malformed message".
    pub name: &'static str,
    pub handler: Arc<dyn Handler>,
    pub stats: Arc<ServerStats>,
    pub warnings: Arc<Warnings>,
    pub hook: Option<LineHook>,
}

impl LineEvents {
    /// What the configuration makes of an event.
    pub(crate) fn hooked(&self, event: Event) -> Option<Event> {
        match &self.hook {
            None => Some(event),
            Some(hook) => hook(event),
        }
    }

    /// Counts a line that did not parse, and warns.
    pub(crate) fn malformed(&self, error: &dyn Display, line: &str) {
        add(&self.stats.malformed, 1);
        if let Some(left_out) = self.warnings.due() {
            let name = self.name;
            tracing::warn!(
                left_out,
                "{name} server received malformed message ({error}): {line}"
            );
        }
    }

    /// Streams the events of `lines` lines that were read together.
    pub(crate) fn stream(&self, events: Vec<Event>, lines: usize, read_at: Instant) {
        if !events.is_empty() {
            let mut failures = Vec::new();
            let count = events.len();
            let kept = stream_events(&*self.handler, events, &mut failures);
            if let Err(reason) = kept {
                add(&self.stats.failed, count as u64);
                if let Some(left_out) = self.warnings.due() {
                    tracing::warn!(left_out, "{}: events are lost: {reason}", self.name);
                }
            }
            add(&self.stats.failed, failures.len() as u64);
            if let Some(failure) = failures.first()
                && let Some(left_out) = self.warnings.due()
            {
                let message = failure.message.as_deref().unwrap_or("no message");
                tracing::warn!(left_out, "{}: a stream failed: {message}", self.name);
            }
        }
        self.stats.answered(lines, read_at);
    }
}
