//! What a client has sent for code to read.

use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

use super::reply::{Reply, status};

/// Bytes that wait to be read.
const WAITING_BYTES_MAX: usize = 1 << 20;

/// The input of a session.
#[derive(Default)]
pub struct Input {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    text: String,
    /// The client has said that no more comes, once.
    ended: bool,
}

impl Input {
    /// Adds a text; an empty one is the end of the input. False if too much waits already.
    pub fn add(self: &Arc<Input>, text: &str) -> bool {
        let mut waiting = self.waiting.lock();
        if waiting.text.len() + text.len() > WAITING_BYTES_MAX {
            return false;
        }
        waiting.text.push_str(text);
        waiting.ended |= text.is_empty();
        self.changed.notify_all();
        true
    }

    /// Wakes whoever waits, to see that it was interrupted.
    pub fn wake(&self) {
        let _waiting = self.waiting.lock();
        self.changed.notify_all();
    }

    /// The next line with its end. Asks the client for it and waits if there is none; `None` at the
    /// end of the input, or if the reader is interrupted.
    pub fn read_line(&self, reply: &Reply) -> Option<String> {
        let mut waiting = self.waiting.lock();
        let mut asked = false;
        loop {
            if let Some(end) = waiting.text.find('\n') {
                return Some(waiting.text.drain(..=end).collect());
            }
            if std::mem::take(&mut waiting.ended) {
                let rest = std::mem::take(&mut waiting.text);
                return (!rest.is_empty()).then_some(rest);
            }
            if reply.is_ended() {
                return None;
            }
            if !std::mem::replace(&mut asked, true) {
                reply.send([("status", status(&["need-input"]))]);
            }
            self.changed.wait(&mut waiting);
        }
    }
}
