//! Reads one connection to its end.

use std::io::{ErrorKind, Read, Write};

use event::Time;
use sinks::pace::Bell;

use crate::limits::{BATCH_BYTES, GATHER_PAUSE, LOOK_INTERVAL, SMALL_READ_BYTES, SMALL_READS};
use crate::{Batch, Framing, Pipeline, Splitter};

/// Reads messages into a pipeline until the sender ends, or the pipeline does.
pub fn read<S: Read + Write>(
    stream: &mut S,
    framing: Framing,
    pipeline: &Pipeline,
    now: &(dyn Fn() -> Time + Send + Sync),
) {
    let mut intake = Intake {
        splitter: Splitter::new(framing),
        buffer: vec![0; BATCH_BYTES],
        filled: 0,
        batch: Batch::new(),
        answers: Vec::new(),
    };
    let mut gathering = Gathering::new(framing);
    loop {
        let read = stream.read(&mut intake.buffer[intake.filled..]);
        let count = match read {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if is_wait(error.kind()) => {
                if pipeline.is_stopping() {
                    break;
                }
                continue;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => {
                tracing::debug!(target: "pipe", "{}: a sender: {error}", pipeline.name());
                break;
            }
        };
        intake.filled += count;
        let split = intake.take(now());
        if !pipeline.put(&mut intake.batch) {
            return;
        }
        if !intake.answers.is_empty() && stream.write_all(&intake.answers).is_err() {
            break;
        }
        intake.answers.clear();
        if let Err(error) = split {
            pipeline.flow().refused();
            tracing::warn!(target: "pipe", "{}: a sender is cut off: {error}", pipeline.name());
            return;
        }
        if gathering.after(count) {
            pipeline.pace().pause(GATHER_PAUSE, &Bell::default());
        }
    }
    let rest = &intake.buffer[..intake.filled];
    if !intake.splitter.end(rest, &mut intake.batch) {
        pipeline.flow().torn();
    }
    pipeline.put(&mut intake.batch);
}

/// A read that found nothing within its time limit.
pub(super) fn is_wait(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

struct Intake {
    splitter: Splitter,
    buffer: Vec<u8>,
    /// Bytes of the unfinished message, at the front of the buffer.
    filled: usize,
    batch: Batch,
    answers: Vec<u8>,
}

impl Intake {
    fn take(&mut self, now: Time) -> Result<(), crate::PipeError> {
        let bytes = &self.buffer[..self.filled];
        let split = self
            .splitter
            .split(bytes, now, &mut self.batch, &mut self.answers)?;
        self.buffer.copy_within(split.consumed..self.filled, 0);
        self.filled -= split.consumed;
        if self.filled == self.buffer.len() || split.wanted > self.buffer.len() {
            // A long message comes in few reads, and a short lie takes little memory.
            let doubled = self.buffer.len() * 2;
            self.buffer.resize(doubled, 0);
        } else if self.filled == 0 && self.buffer.len() > 4 * BATCH_BYTES {
            self.buffer = vec![0; BATCH_BYTES];
        }
        Ok(())
    }
}

/// Lets single messages of a fast sender gather, so that not each costs a wake. Senders that wait
/// for answers are never made to wait.
struct Gathering {
    answers: bool,
    small: u32,
}

impl Gathering {
    fn new(framing: Framing) -> Gathering {
        Gathering {
            answers: framing == Framing::Events,
            small: 0,
        }
    }

    fn after(&mut self, count: usize) -> bool {
        if self.answers {
            return false;
        }
        self.small = if count < SMALL_READ_BYTES {
            self.small + 1
        } else {
            0
        };
        self.small >= SMALL_READS
    }
}

const _: () = assert!(GATHER_PAUSE.as_millis() < LOOK_INTERVAL.as_millis());
