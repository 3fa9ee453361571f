//! One connection of a load.

use std::collections::VecDeque;
use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::sync::Arc;

use crate::answers::{AnswerError, AnswerKind, Answers};
use crate::pace::Pace;
use crate::prepared::Prepared;
use crate::tally::Tally;

/// One write takes at most so much, so that connections of a worker take turns.
const WRITE_BYTES_MAX: usize = 256 << 10;

/// Writes in a turn when messages go one by one.
const WRITES_MAX: u32 = 64;

/// How a lane sends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sending {
    /// Messages that may be unanswered; of no meaning where nothing is answered.
    pub window: u64,
    /// Whether one write may take many messages.
    pub coalesce: bool,
    /// Open loop; without it, messages go as the window allows.
    pub pace: Option<Pace>,
}

/// A connection: which message comes next, and which are unanswered.
pub struct Lane {
    prepared: Arc<Prepared>,
    sending: Sending,
    answers: Option<Answers>,
    /// The message that comes next, and where in the bytes.
    message: usize,
    place: usize,
    sent: u64,
    answered: u64,
    /// When the message that is partly sent was begun.
    begun_ns: Option<u64>,
    /// Closed loop: numbers of unanswered messages and when they were sent.
    stamps: VecDeque<(u64, u64)>,
}

/// Why a lane cannot go on.
#[derive(Debug)]
pub enum LaneError {
    /// The connection broke.
    Io(std::io::Error),
    /// The server ended the connection.
    Closed,
    /// What came is no answer.
    Answer(AnswerError),
    /// More answers than messages.
    Unasked,
}

impl fmt::Display for LaneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaneError::Io(error) => write!(f, "{error}"),
            LaneError::Closed => f.write_str("the server closed the connection"),
            LaneError::Answer(error) => write!(f, "{error}"),
            LaneError::Unasked => f.write_str("the server sent more answers than it got messages"),
        }
    }
}

impl std::error::Error for LaneError {}

impl Lane {
    /// A lane that begins at a message of its own, so that lanes do not all send the same key at
    /// once; `answers` is how the server answers, if it does.
    pub fn new(
        prepared: Arc<Prepared>,
        sending: Sending,
        answers: Option<AnswerKind>,
        first: usize,
    ) -> Lane {
        let message = first % prepared.messages();
        Lane {
            place: prepared.start(message),
            message,
            prepared,
            sending,
            answers: answers.map(Answers::new),
            sent: 0,
            answered: 0,
            begun_ns: None,
            stamps: VecDeque::new(),
        }
    }

    /// Messages sent and not answered; 0 where nothing is answered.
    pub fn unanswered(&self) -> u64 {
        match self.answers {
            Some(_) => self.sent - self.answered,
            None => 0,
        }
    }

    /// Whether a message is partly sent.
    pub fn is_within_message(&self) -> bool {
        self.begun_ns.is_some()
    }

    /// How many messages may go now.
    fn allowed(&self, now_ns: u64) -> u64 {
        let window = match self.answers {
            Some(_) => self.sending.window.saturating_sub(self.unanswered()),
            None => u64::MAX,
        };
        match &self.sending.pace {
            Some(pace) => window.min(pace.due(now_ns).saturating_sub(self.sent)),
            None => window,
        }
    }

    /// Whether something may go now.
    pub fn may_send(&self, now_ns: u64) -> bool {
        self.allowed(now_ns) > 0
    }

    /// When the next message is due, if only that is waited for.
    pub fn due_ns(&self) -> Option<u64> {
        let open = self.answers.is_none() || self.unanswered() < self.sending.window;
        let pace = self.sending.pace.as_ref().filter(|_| open);
        pace.map(|pace| pace.intended_ns(self.sent))
    }

    /// Sends what is allowed, until the connection takes no more. Gives whether it took all: if
    /// not, it is to be asked again when it can take more.
    ///
    /// # Errors
    /// If the connection broke.
    pub fn send(
        &mut self,
        now_ns: u64,
        wire: &mut (impl Write + ?Sized),
        tally: &mut Tally,
    ) -> Result<bool, LaneError> {
        for _ in 0..WRITES_MAX {
            let allowed = self.allowed(now_ns);
            if allowed == 0 {
                return Ok(true);
            }
            let last = self.last_message(allowed);
            let bytes = self.prepared.bytes(self.place, last);
            // Only one message has to go whole, however long it is.
            let bytes = match bytes.get(..WRITE_BYTES_MAX) {
                Some(some) if last > self.message => some,
                _ => bytes,
            };
            let offered = bytes.len();
            match wire.write(bytes) {
                Ok(0) => return Err(LaneError::Closed),
                Ok(taken) => {
                    self.advance(taken, now_ns, tally);
                    if taken < offered {
                        return Ok(false);
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(LaneError::Io(error)),
            }
        }
        Ok(true)
    }

    /// Sends the rest of a message that is partly sent, at the end. Gives whether it is whole.
    ///
    /// # Errors
    /// If the connection broke.
    pub fn finish(
        &mut self,
        now_ns: u64,
        wire: &mut (impl Write + ?Sized),
        tally: &mut Tally,
    ) -> Result<bool, LaneError> {
        while self.is_within_message() {
            match wire.write(self.prepared.bytes(self.place, self.message)) {
                Ok(0) => return Err(LaneError::Closed),
                Ok(taken) => self.advance(taken, now_ns, tally),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(LaneError::Io(error)),
            }
        }
        Ok(true)
    }

    /// The last of the messages that the next write takes.
    fn last_message(&self, allowed: u64) -> usize {
        let left = (self.prepared.messages() - self.message) as u64;
        let count = if self.sending.coalesce {
            allowed.min(left)
        } else {
            1
        };
        self.message + count as usize - 1
    }

    /// So many bytes were taken.
    fn advance(&mut self, taken: usize, now_ns: u64, tally: &mut Tally) {
        tally.bytes_out += taken as u64;
        self.place += taken;
        let whole = self.prepared.ended(self.message, self.place);
        self.message += whole;
        self.sent += whole as u64;
        tally.sent += whole as u64;
        if self.answers.is_some() && self.sending.pace.is_none() {
            self.stamp(whole as u64, now_ns);
        }
        let partial = self.message < self.prepared.messages()
            && self.place > self.prepared.start(self.message);
        if !partial {
            self.begun_ns = None;
        } else if whole > 0 || self.begun_ns.is_none() {
            self.begun_ns = Some(now_ns);
        }
        if self.message == self.prepared.messages() {
            self.message = 0;
            self.place = 0;
        }
    }

    /// Notes when messages were sent; the first of them maybe began in an earlier write.
    fn stamp(&mut self, mut count: u64, now_ns: u64) {
        if count > 0
            && let Some(begun_ns) = self.begun_ns
        {
            self.stamps.push_back((1, begun_ns));
            count -= 1;
        }
        if count == 0 {
            return;
        }
        match self.stamps.back_mut() {
            Some((last, at_ns)) if *at_ns == now_ns => *last += count,
            _ => self.stamps.push_back((count, now_ns)),
        }
    }

    /// Reads answers until there are no more.
    ///
    /// # Errors
    /// If the connection broke or ended, or gives what is no answer.
    pub fn receive(
        &mut self,
        mut now_ns: impl FnMut() -> u64,
        wire: &mut (impl Read + ?Sized),
        buffer: &mut [u8],
        tally: &mut Tally,
    ) -> Result<(), LaneError> {
        loop {
            let read = match wire.read(buffer) {
                Ok(0) => return Err(LaneError::Closed),
                Ok(read) => read,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(LaneError::Io(error)),
            };
            tally.bytes_in += read as u64;
            let Some(answers) = &mut self.answers else {
                continue;
            };
            let answered = answers.read(&buffer[..read]).map_err(LaneError::Answer)?;
            let count = answered.ok + answered.failed;
            if count > self.sent - self.answered {
                return Err(LaneError::Unasked);
            }
            self.time(count, now_ns(), tally);
            tally.answered(answered);
            if read < buffer.len() {
                return Ok(());
            }
        }
    }

    /// Times the oldest unanswered messages.
    fn time(&mut self, mut count: u64, now_ns: u64, tally: &mut Tally) {
        if let Some(pace) = &self.sending.pace {
            for number in self.answered..self.answered + count {
                tally.round_trip(now_ns.saturating_sub(pace.intended_ns(number)), 1);
            }
        }
        self.answered += count;
        while let Some((stamped, at_ns)) = self.stamps.front_mut().filter(|_| count > 0) {
            let timed = count.min(*stamped);
            tally.round_trip(now_ns.saturating_sub(*at_ns), timed);
            count -= timed;
            *stamped -= timed;
            if *stamped == 0 {
                self.stamps.pop_front();
            }
        }
    }
}
