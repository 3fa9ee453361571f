//! Gives the streams what they have not seen.

use codec::riemann::decode_msg;
use config::Configuration;
use event::{Time, Views};
use journal::Id;

use super::{Ingest, LateClock, STREAMS, failed, record};

/// Records between two notes of how far the streams are: what a crash meanwhile repeats.
const RECORDS_PER_NOTE: usize = 1024;

impl Ingest {
    /// When the first message was received that the streams have not seen, if there is one.
    ///
    /// # Errors
    /// One line for the user.
    pub fn unseen_since(&self) -> Result<Option<Time>, String> {
        let failed = |error| failed(&self.spec, &error);
        let mut reader = self.shared.journal.reader(STREAMS).map_err(failed)?;
        loop {
            let batch = reader.next_batch(RECORDS_PER_NOTE).map_err(failed)?;
            if batch.is_empty() {
                return Ok(None);
            }
            let mut records = batch.iter();
            if let Some((received, _)) = records.find_map(|(_, bytes)| record::read(bytes)) {
                return Ok(Some(received));
            }
        }
    }

    /// Gives a configuration's streams all that they have not seen, at the times that it was
    /// received at by the clock, if there is one. Returns how many messages that was.
    ///
    /// # Errors
    /// One line for the user.
    pub fn feed(
        &self,
        configuration: &Configuration,
        clock: Option<&LateClock>,
    ) -> Result<u64, String> {
        let failed = |error| failed(&self.spec, &error);
        let mut reader = self.shared.journal.reader(STREAMS).map_err(failed)?;
        let (mut spare, mut messages) = (Views::default(), 0);
        loop {
            let batch = reader.next_batch(RECORDS_PER_NOTE).map_err(failed)?;
            let Some((last, _)) = batch.last() else { break };
            let mut views = spare.recycle();
            for (id, bytes) in batch.iter() {
                let count;
                (views, count) = give(configuration, clock, id, bytes, views);
                messages += count;
            }
            spare = views.recycle();
            for damage in reader.take_damages() {
                tracing::error!("journal {}: {damage}", self.spec.dir.display());
            }
            if self.spec.rewind_us == 0 {
                self.shared.note(last).map_err(failed)?;
            }
            let after = self.shared.flight.enter();
            self.shared.flight.leave(after, last.0);
        }
        if let Some(clock) = clock {
            configuration.advance(clock.received(), clock.system_now());
            clock.catch_up();
        }
        Ok(messages)
    }
}

/// Streams the events of one record, and gives how many messages it holds.
fn give<'a>(
    configuration: &Configuration,
    clock: Option<&LateClock>,
    id: Id,
    bytes: &'a [u8],
    views: Views<'a>,
) -> (Views<'a>, u64) {
    let mut views = views;
    let Some((received, messages)) = record::read(bytes) else {
        tracing::error!("journal: record {id} is of a kind that this program does not know");
        return (views, 0);
    };
    if let Some(clock) = clock {
        configuration.advance(clock.received(), Time::exact(received.us));
    }
    let mut count = 0;
    for message in messages {
        count += 1;
        if let Err(error) = decode_msg(message, received, &mut views) {
            tracing::error!("journal: message {count} of record {id} is none: {error}");
        }
    }
    configuration.stream_views(&views, |_, reason| {
        let reason = reason.unwrap_or_default();
        tracing::warn!("an event of the journal's record {id} failed: {reason}");
    });
    (views.recycle(), count)
}
