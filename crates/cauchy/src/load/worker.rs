//! A thread that drives some of the connections.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use load::{Lane, LaneError, Tally};
use parking_lot::Mutex;

use super::poller::{Poller, Ready};
use super::wire::Wire;

/// Answers are read in pieces of this size.
const READ_BYTES: usize = 64 << 10;

/// How long to wait for the last answers.
const LAST_ANSWERS_TIMEOUT: Duration = Duration::from_secs(10);

/// How often a worker that waits looks whether it is to end.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);

/// What workers and the thread that reports share.
pub struct Shared {
    pub started: Instant,
    /// No more messages are to be sent.
    pub ending: AtomicBool,
    /// One for each worker.
    pub tallies: Vec<Mutex<Tally>>,
}

impl Shared {
    pub fn now_ns(&self) -> u64 {
        self.started.elapsed().as_nanos() as u64
    }
}

/// A connection and its state.
pub struct Seat {
    lane: Lane,
    wire: Wire,
    /// The connection takes no more for now.
    blocked: bool,
    broken: bool,
    watched: Watched,
}

/// What the poller looks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Watched {
    No,
    Answers,
    AnswersAndRoom,
}

/// Sends and receives until it is to end, then until all is answered.
pub fn run(shared: &Arc<Shared>, number: usize, mut seats: Vec<Seat>) {
    let tally = &shared.tallies[number];
    if let Err(error) = drive(shared, tally, &mut seats) {
        tally.lock().error.get_or_insert(error.to_string());
    }
}

fn drive(shared: &Shared, tally: &Mutex<Tally>, seats: &mut [Seat]) -> io::Result<()> {
    let mut poller = Poller::new()?;
    let mut buffer = vec![0; READ_BYTES];
    let mut ready = Vec::new();
    let mut give_up_at = None;
    loop {
        let ending = shared.ending.load(Ordering::Relaxed);
        if ending {
            let now = Instant::now();
            let give_up_at = *give_up_at.get_or_insert(now + LAST_ANSWERS_TIMEOUT);
            if now > give_up_at || seats.iter().all(|seat| seat.broken || seat.is_done()) {
                return Ok(());
            }
        }
        if seats.iter().all(|seat| seat.broken) {
            return Ok(());
        }
        send_all(seats, shared.now_ns(), ending, &mut tally.lock());
        for (number, seat) in seats.iter_mut().enumerate() {
            seat.watch(&poller, number)?;
        }
        let timeout = timeout(seats, shared.now_ns(), ending);
        ready.clear();
        ready.extend(poller.wait(timeout)?);
        for Ready {
            number,
            readable,
            writable,
        } in ready.iter().copied()
        {
            let seat = &mut seats[number];
            if writable {
                seat.blocked = false;
            }
            if readable {
                seat.receive(shared, &mut buffer, &mut tally.lock());
            }
        }
    }
}

impl Seat {
    pub fn new(lane: Lane, wire: Wire) -> Seat {
        Seat {
            lane,
            wire,
            blocked: false,
            broken: false,
            watched: Watched::No,
        }
    }

    fn receive(&mut self, shared: &Shared, buffer: &mut [u8], tally: &mut Tally) {
        let now = || shared.now_ns();
        let received = self.lane.receive(now, &mut self.wire, buffer, tally);
        self.note(received.map(|()| self.blocked), tally);
    }

    /// Has the poller look for what the connection waits for.
    fn watch(&mut self, poller: &Poller, number: usize) -> io::Result<()> {
        let wanted = if self.broken {
            Watched::No
        } else if self.blocked || self.wire.is_behind() {
            Watched::AnswersAndRoom
        } else {
            Watched::Answers
        };
        if wanted == self.watched {
            return Ok(());
        }
        if self.watched == Watched::No {
            poller.add(&self.wire, number)?;
        }
        match wanted {
            Watched::No => poller.remove(&self.wire)?,
            _ => poller.look_for_room(&self.wire, number, wanted == Watched::AnswersAndRoom)?,
        }
        self.watched = wanted;
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.lane.unanswered() == 0 && !self.lane.is_within_message() && !self.wire.is_behind()
    }

    /// Keeps whether it is blocked, or that it broke and why.
    fn note(&mut self, blocked: Result<bool, LaneError>, tally: &mut Tally) {
        match blocked {
            Ok(blocked) => self.blocked = blocked,
            Err(error) => {
                self.broken = true;
                tally.broken += 1;
                tally.error.get_or_insert(error.to_string());
            }
        }
    }
}

fn send_all(seats: &mut [Seat], now_ns: u64, ending: bool, tally: &mut Tally) {
    for seat in seats {
        if seat.blocked || seat.broken {
            continue;
        }
        let all = if ending {
            let finished = seat.lane.finish(now_ns, &mut seat.wire, tally);
            finished.map(|whole| whole && seat.wire.flush().is_ok())
        } else {
            seat.lane.send(now_ns, &mut seat.wire, tally)
        };
        seat.note(all.map(|all| !all), tally);
    }
}

/// Until something is due; none if something can go at once.
fn timeout(seats: &[Seat], now_ns: u64, ending: bool) -> Duration {
    let mut least = LOOK_INTERVAL;
    for seat in seats
        .iter()
        .filter(|seat| !seat.blocked && !seat.broken && !ending)
    {
        if seat.lane.may_send(now_ns) {
            return Duration::ZERO;
        }
        if let Some(due_ns) = seat.lane.due_ns() {
            least = least.min(Duration::from_nanos(due_ns.saturating_sub(now_ns)));
        }
    }
    least
}
