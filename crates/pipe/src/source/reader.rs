//! Reads one connection to its end.

use std::io::{ErrorKind, Read, Write};

use event::Time;
use sinks::pace::Bell;
use socket::Gather;

use super::Inlet;
use crate::limits::{BATCH_BYTES, GATHER_PAUSE, LOOK_INTERVAL, RECEIVE_BYTES, SMALL_READ_BYTES};
use crate::{Batch, Framing, Splitter};

/// Reads messages into a pipeline until the sender ends, or the inlet is closed; then what the
/// sender has sent by that time.
pub fn read<S: Read + Write>(stream: &mut S, inlet: &Inlet) {
    let pipeline = inlet.pipeline();
    let mut intake = Intake::new(inlet.framing());
    // Senders that wait for answers are never made to wait.
    let is_one_way = inlet.framing() != Framing::Events;
    let mut gather = is_one_way.then(|| Gather::new(GATHER_PAUSE));
    let mut after_end = 0;
    loop {
        let count = match stream.read(&mut intake.buffer[intake.filled..]) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if is_wait(error.kind()) => {
                if inlet.is_closed() {
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
        let split = intake.take(inlet.now());
        if !inlet.put(&mut intake.batch) {
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
        if inlet.is_closed() {
            after_end += count;
            if after_end > RECEIVE_BYTES {
                break;
            }
        } else if let Some(gather) = &mut gather
            && let Some(pause) = gather.pause_after(count < SMALL_READ_BYTES, pipeline.pace().now())
        {
            pipeline.pace().pause(pause, &Bell::default());
        }
    }
    let rest = &intake.buffer[..intake.filled];
    if !intake.splitter.end(rest, &mut intake.batch) {
        pipeline.flow().torn();
    }
    inlet.put(&mut intake.batch);
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
    fn new(framing: Framing) -> Intake {
        Intake {
            splitter: Splitter::new(framing),
            buffer: vec![0; BATCH_BYTES],
            filled: 0,
            batch: Batch::new(),
            answers: Vec::new(),
        }
    }

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

const _: () = assert!(GATHER_PAUSE.as_millis() < LOOK_INTERVAL.as_millis());
