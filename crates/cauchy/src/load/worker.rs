//! A thread that drives some of the connections.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use load::{Lane, LaneError, Tally};
use parking_lot::Mutex;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

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
    pub lane: Lane,
    pub wire: Wire,
    /// The connection takes no more for now.
    pub blocked: bool,
    pub broken: bool,
}

/// Sends and receives until it is to end, then until all is answered.
pub fn run(shared: &Arc<Shared>, number: usize, mut seats: Vec<Seat>) {
    let tally = &shared.tallies[number];
    let mut buffer = vec![0; READ_BYTES];
    let mut give_up_at = None;
    loop {
        let ending = shared.ending.load(Ordering::Relaxed);
        if ending {
            let give_up_at =
                *give_up_at.get_or_insert_with(|| Instant::now() + LAST_ANSWERS_TIMEOUT);
            let done = seats.iter().all(|seat| seat.broken || seat.is_done());
            if done || Instant::now() > give_up_at {
                return;
            }
        }
        if seats.iter().all(|seat| seat.broken) {
            return;
        }
        send_all(&mut seats, shared.now_ns(), ending, &mut tally.lock());
        let timeout = timeout(&seats, shared.now_ns(), ending);
        if let Err(error) = wait(&mut seats, timeout, |seat| {
            let mut tally = tally.lock();
            let now = || shared.now_ns();
            let received = seat
                .lane
                .receive(now, &mut seat.wire, &mut buffer, &mut tally);
            seat.note(received.map(|()| seat.blocked), &mut tally);
        }) {
            tally.lock().error.get_or_insert(error.to_string());
            return;
        }
    }
}

impl Seat {
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

/// Waits until connections can go on; `receive` is called for those that have something.
fn wait(
    seats: &mut [Seat],
    timeout: Duration,
    mut receive: impl FnMut(&mut Seat),
) -> io::Result<()> {
    let interest = |seat: &Seat| {
        if seat.blocked || seat.wire.is_behind() {
            PollFlags::IN | PollFlags::OUT
        } else {
            PollFlags::IN
        }
    };
    let open = || 0..seats.len();
    let mut polled: Vec<PollFd<'_>> = open()
        .filter(|at| !seats[*at].broken)
        .map(|at| PollFd::new(&seats[at].wire, interest(&seats[at])))
        .collect();
    let timeout = Timespec {
        tv_sec: timeout.as_secs() as i64,
        tv_nsec: timeout.subsec_nanos().into(),
    };
    match poll(&mut polled, Some(&timeout)) {
        Ok(0) => return Ok(()),
        Ok(_) => {}
        Err(rustix::io::Errno::INTR) => return Ok(()),
        Err(error) => return Err(error.into()),
    }
    let ready: Vec<PollFlags> = polled.iter().map(PollFd::revents).collect();
    let open = seats.iter_mut().filter(|seat| !seat.broken);
    for (seat, ready) in open.zip(ready) {
        if ready.contains(PollFlags::OUT) {
            seat.blocked = false;
        }
        if ready.intersects(PollFlags::IN | PollFlags::ERR | PollFlags::HUP) {
            receive(seat);
        }
    }
    Ok(())
}
