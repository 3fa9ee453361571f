//! Waits for any of many connections, on time.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Connections told of at once.
const READY_MAX: usize = 256;

/// Below this, a wait must end to the microsecond: epoll counts in milliseconds.
const COARSE: Duration = Duration::from_millis(20);

pub struct Poller {
    epoll: OwnedFd,
    ready: Vec<Event>,
}

/// A connection that can go on.
#[derive(Clone, Copy)]
pub struct Ready {
    /// The number it was added with.
    pub number: usize,
    pub readable: bool,
    pub writable: bool,
}

impl Poller {
    pub fn new() -> io::Result<Poller> {
        Ok(Poller {
            epoll: epoll::create(CreateFlags::CLOEXEC)?,
            ready: Vec::with_capacity(READY_MAX),
        })
    }

    /// Begins to look whether a connection can be read.
    pub fn add(&self, source: impl AsFd, number: usize) -> io::Result<()> {
        let data = EventData::new_u64(number as u64);
        Ok(epoll::add(&self.epoll, source, data, EventFlags::IN)?)
    }

    /// Also looks whether it can be written to, or no more.
    pub fn look_for_room(&self, source: impl AsFd, number: usize, look: bool) -> io::Result<()> {
        let data = EventData::new_u64(number as u64);
        let flags = if look {
            EventFlags::IN | EventFlags::OUT
        } else {
            EventFlags::IN
        };
        Ok(epoll::modify(&self.epoll, source, data, flags)?)
    }

    /// Looks no more.
    pub fn remove(&self, source: impl AsFd) -> io::Result<()> {
        Ok(epoll::delete(&self.epoll, source)?)
    }

    /// Waits until some can go on, or so long.
    pub fn wait(&mut self, timeout: Duration) -> io::Result<impl Iterator<Item = Ready>> {
        self.ready.clear();
        let mut coarse = timeout;
        if !timeout.is_zero() && timeout < COARSE {
            coarse = Duration::ZERO;
            let mut own = [PollFd::new(&self.epoll, PollFlags::IN)];
            ignore_interrupts(poll(&mut own, Some(&timespec(timeout))))?;
        }
        let ready = spare_capacity(&mut self.ready);
        ignore_interrupts(epoll::wait(&self.epoll, ready, Some(&timespec(coarse))))?;
        Ok(self.ready.iter().map(|event| {
            let flags = event.flags;
            Ready {
                number: event.data.u64() as usize,
                readable: flags.intersects(EventFlags::IN | EventFlags::ERR | EventFlags::HUP),
                writable: flags.contains(EventFlags::OUT),
            }
        }))
    }
}

/// A signal ends a wait early, as if nothing had come.
fn ignore_interrupts(outcome: rustix::io::Result<usize>) -> io::Result<()> {
    match outcome {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn timespec(duration: Duration) -> Timespec {
    Timespec {
        tv_sec: duration.as_secs() as i64,
        tv_nsec: duration.subsec_nanos().into(),
    }
}
