//! A lane against a pretend connection: what goes when, and what is counted.

use std::cell::Cell;
use std::io::{self, Read, Write};
use std::sync::Arc;

use event::Time;
use load::{AnswerKind, Encoding, Lane, LaneError, Pace, Prepared, Sending, Shape, Tally};

/// Takes so many bytes a write, as often as it has credit; answers what it is told to.
struct Wire {
    taken: Vec<u8>,
    writes: usize,
    takes: usize,
    credit: usize,
    answer: Vec<u8>,
}

impl Wire {
    fn new() -> Wire {
        Wire {
            taken: Vec::new(),
            writes: 0,
            takes: usize::MAX,
            credit: usize::MAX,
            answer: Vec::new(),
        }
    }

    fn acknowledge(&mut self, messages: usize) {
        for _ in 0..messages {
            self.answer.extend([0, 0, 0, 2, 0x10, 1]);
        }
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.credit == 0 {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        self.credit -= 1;
        self.writes += 1;
        let taken = bytes.len().min(self.takes);
        self.taken.extend(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.answer.is_empty() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let count = buffer.len().min(self.answer.len());
        buffer[..count].copy_from_slice(&self.answer[..count]);
        self.answer.drain(..count);
        Ok(count)
    }
}

fn prepared() -> Arc<Prepared> {
    let shape = Shape::default();
    let prepared = Prepared::new(Encoding::Riemann, &shape, 1, Time::from_s(0));
    Arc::new(prepared.expect("small"))
}

fn lane(window: u64, coalesce: bool, pace: Option<Pace>) -> Lane {
    let sending = Sending {
        window,
        coalesce,
        pace,
    };
    Lane::new(prepared(), sending, Some(AnswerKind::Riemann), 0)
}

fn receive(lane: &mut Lane, wire: &mut Wire, now_ns: u64, tally: &mut Tally) {
    lane.receive(|| now_ns, wire, &mut [0; 4096], tally)
        .expect("answers");
}

#[test]
fn the_window_is_kept_and_round_trips_are_timed() {
    let (mut lane, mut wire, mut tally) = (lane(10, true, None), Wire::new(), Tally::default());
    assert!(lane.send(1_000, &mut wire, &mut tally).expect("sent"));
    assert_eq!((tally.sent, wire.writes, lane.unanswered()), (10, 1, 10));
    assert!(!lane.may_send(2_000));
    wire.acknowledge(4);
    receive(&mut lane, &mut wire, 5_000, &mut tally);
    assert!(lane.send(6_000, &mut wire, &mut tally).expect("sent"));
    assert_eq!((tally.sent, tally.acked, lane.unanswered()), (14, 4, 10));
    wire.acknowledge(10);
    receive(&mut lane, &mut wire, 9_000, &mut tally);
    assert_eq!((tally.acked, lane.unanswered()), (14, 0));
    assert_eq!(tally.round_trips.count(), 14);
    assert_eq!(tally.round_trips.count_near(4e-6), 4);
    assert_eq!(tally.round_trips.count_near(8e-6), 6);
    assert_eq!(tally.round_trips.count_near(3e-6), 4);
    assert_eq!(tally.round_trip_max_ns, 8_000);
}

#[test]
fn without_coalescing_each_message_is_a_write() {
    let (mut lane, mut wire, mut tally) = (lane(5, false, None), Wire::new(), Tally::default());
    lane.send(0, &mut wire, &mut tally).expect("sent");
    assert_eq!((tally.sent, wire.writes), (5, 5));
}

#[test]
fn bytes_go_in_order_whatever_the_connection_takes() {
    let (mut whole, mut all) = (Wire::new(), Tally::default());
    lane(1_000, true, None)
        .send(0, &mut whole, &mut all)
        .expect("sent");
    let (mut lane, mut wire, mut tally) = (lane(1_000, true, None), Wire::new(), Tally::default());
    wire.takes = 61;
    let mut now_ns = 0;
    while tally.sent < 1_000 {
        wire.credit = 1;
        now_ns += 10;
        lane.send(now_ns, &mut wire, &mut tally).expect("sent");
    }
    assert_eq!(wire.taken, whole.taken);
    assert_eq!(tally.bytes_out as usize, wire.taken.len());
    // Each is timed from when its first byte went.
    wire.acknowledge(1);
    receive(&mut lane, &mut wire, 1_010, &mut tally);
    assert_eq!(tally.round_trip_max_ns, 1_000);
}

#[test]
fn a_stall_is_charged_to_all_that_was_due() {
    let pace = Pace::new(0, 1_000.0);
    let (mut lane, mut wire) = (lane(u64::MAX, true, Some(pace)), Wire::new());
    let mut tally = Tally::default();
    wire.credit = 0;
    assert!(!lane.send(0, &mut wire, &mut tally).expect("blocked"));
    wire.credit = usize::MAX;
    lane.send(1_000_000_000, &mut wire, &mut tally)
        .expect("sent");
    assert_eq!(tally.sent, 1_001);
    wire.acknowledge(1_001);
    receive(&mut lane, &mut wire, 1_000_000_000, &mut tally);
    assert_eq!(tally.round_trip_max_ns, 1_000_000_000);
    let median = tally.round_trips.quantile(0.5);
    assert!((0.49..0.51).contains(&median), "{median}");
    assert_eq!(lane.due_ns(), Some(1_001_000_000));
}

#[test]
fn a_message_begun_is_finished_at_the_end() {
    let (mut lane, mut wire, mut tally) = (lane(1, true, None), Wire::new(), Tally::default());
    (wire.takes, wire.credit) = (7, 1);
    assert!(!lane.send(0, &mut wire, &mut tally).expect("some"));
    assert!(lane.is_within_message() && tally.sent == 0);
    assert!(!lane.finish(1, &mut wire, &mut tally).expect("blocked"));
    wire.credit = usize::MAX;
    assert!(lane.finish(2, &mut wire, &mut tally).expect("whole"));
    assert_eq!((tally.sent, lane.is_within_message()), (1, false));
}

#[test]
fn a_server_that_ends_or_answers_too_much_is_told() {
    struct Ended;
    impl Read for Ended {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Ok(0)
        }
    }
    let mut tally = Tally::default();
    let ended = lane(1, true, None).receive(|| 0, &mut Ended, &mut [0; 9], &mut tally);
    assert!(matches!(ended, Err(LaneError::Closed)));
    let mut wire = Wire::new();
    wire.acknowledge(1);
    let unasked = lane(1, true, None).receive(|| 0, &mut wire, &mut [0; 9], &mut tally);
    assert!(matches!(unasked, Err(LaneError::Unasked)));
}

#[test]
fn the_clock_is_asked_once_a_read() {
    let (mut lane, mut wire, mut tally) = (lane(64, true, None), Wire::new(), Tally::default());
    lane.send(0, &mut wire, &mut tally).expect("sent");
    wire.acknowledge(64);
    let asked = Cell::new(0);
    let now = || {
        asked.set(asked.get() + 1);
        7
    };
    lane.receive(now, &mut wire, &mut [0; 4096], &mut tally)
        .expect("answers");
    assert_eq!((asked.get(), tally.acked), (1, 64));
}
