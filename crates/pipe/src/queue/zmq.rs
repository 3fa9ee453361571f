//! A queue in libzmq: PUSH and PULL within this program, with high-water marks.
//!
//! A message of ZeroMQ carries a whole batch, so that its price is shared by hundreds:
//!
//! ```text
//! first number   count   ends             bytes
//! 8 bytes        4       4 × count        the rest        all little-endian
//! ```

use std::time::Duration;

use parking_lot::Mutex;
use zmq::{Context, PULL, PUSH, Socket};

use super::{Held, Queue};
use crate::limits::LOOK_INTERVAL;
use crate::{Batch, PipeError};

/// The address within the context, which no other queue has.
const ENDPOINT: &str = "inproc://pipe";

/// Batches on each side before a sender waits: 64 MiB of full ones.
const HIGH_WATER_BATCHES: i32 = 1000;

/// Keeps messages in libzmq; they end with the program.
pub struct ZmqQueue {
    push: Mutex<Push>,
    pull: Mutex<Socket>,
    origin: String,
    /// Invariant: dropped last; sockets belong to it.
    _context: Context,
}

struct Push {
    socket: Socket,
    next: u64,
    packed: Vec<u8>,
}

impl ZmqQueue {
    /// An empty queue. `origin` names this run of the program.
    ///
    /// # Errors
    /// libzmq has no sockets left.
    pub fn open(origin: String) -> Result<ZmqQueue, PipeError> {
        let context = Context::new();
        let (push, pull) = sockets(&context).map_err(failed)?;
        Ok(ZmqQueue {
            push: Mutex::new(Push {
                socket: push,
                next: 0,
                packed: Vec::new(),
            }),
            pull: Mutex::new(pull),
            origin,
            _context: context,
        })
    }
}

fn sockets(context: &Context) -> Result<(Socket, Socket), zmq::Error> {
    let push = context.socket(PUSH)?;
    push.set_sndhwm(HIGH_WATER_BATCHES)?;
    push.set_sndtimeo(milliseconds(LOOK_INTERVAL))?;
    push.set_linger(0)?;
    push.bind(ENDPOINT)?;
    let pull = context.socket(PULL)?;
    pull.set_rcvhwm(HIGH_WATER_BATCHES)?;
    pull.connect(ENDPOINT)?;
    Ok((push, pull))
}

fn milliseconds(time: Duration) -> i32 {
    i32::try_from(time.as_millis()).unwrap_or(i32::MAX)
}

fn failed(error: zmq::Error) -> PipeError {
    PipeError::Refused {
        place: "zeromq".to_owned(),
        answer: error.to_string(),
    }
}

impl Queue for ZmqQueue {
    fn put(&self, batch: &mut Batch) -> Result<(), PipeError> {
        if batch.is_empty() {
            return Ok(());
        }
        let mut push = self.push.lock();
        let Push {
            socket,
            next,
            packed,
        } = &mut *push;
        batch.number(*next);
        batch.pack(packed);
        match socket.send(&packed[..], 0) {
            Ok(()) => {
                *next += batch.len() as u64;
                batch.clear();
                Ok(())
            }
            Err(zmq::Error::EAGAIN) => Err(PipeError::Full),
            Err(error) => Err(failed(error)),
        }
    }

    fn take(&self, into: &mut Batch, at_most: Duration) -> Result<bool, PipeError> {
        into.clear();
        let pull = self.pull.lock();
        pull.set_rcvtimeo(milliseconds(at_most)).map_err(failed)?;
        match pull.recv_msg(0) {
            Ok(packed) => into.unpack(&packed).map(|()| true),
            Err(zmq::Error::EAGAIN | zmq::Error::EINTR) => Ok(false),
            Err(error) => Err(failed(error)),
        }
    }

    fn acknowledge(&self, batch: &mut Batch) -> Result<(), PipeError> {
        batch.clear();
        Ok(())
    }

    fn held(&self) -> Result<Held, PipeError> {
        Ok(Held::default())
    }

    fn origin(&self) -> &str {
        &self.origin
    }

    fn is_durable(&self) -> bool {
        false
    }
}
