//! Proves that a source that ends takes what had been sent by then, and that nothing is uncounted.

mod rig;

use std::io::Write;
use std::net::UdpSocket;
use std::sync::Arc;

use event::Time;
use journal::Options;
use pipe::queue::{JournalQueue, MemoryQueue};
use pipe::source::{Inlet, read_datagrams};
use pipe::store::CountStore;
use pipe::{Batch, Framing, Overflow, PipeError, Queue, Store};
use rig::{Running, pipeline, send, wait};

const MIB: u64 = 1 << 20;

fn memory() -> Box<MemoryQueue> {
    Box::new(MemoryQueue::new("test".into()))
}

/// A store that takes nothing.
struct Closed;

impl Store for Closed {
    fn store(&mut self, _: &Batch, _: &str) -> Result<(), PipeError> {
        Err(PipeError::Message("closed".into()))
    }
}

#[test]
fn a_sender_that_goes_on_is_left() {
    let mut running = Running::start(
        pipeline(memory(), MIB, Overflow::Wait),
        Framing::Fixed(100),
        CountStore::default(),
    );
    let mut stream = running.connect();
    let sender = std::thread::spawn(move || while stream.write_all(&[b'm'; 1000]).is_ok() {});
    wait(&running.told, 1000);
    running.stop();
    sender.join().unwrap();
    let figures = running.pipeline.figures();
    assert_eq!((figures.stored, figures.lost), (figures.came, 0));
}

#[test]
fn what_waited_for_room_is_in_the_queue_at_the_end() {
    const COUNT: usize = 5000;
    let folder = tempfile::tempdir().unwrap();
    let open = || JournalQueue::open(folder.path(), Options::default(), "first").unwrap();
    let mut running = Running::start(
        pipeline(Box::new(open()), 1000, Overflow::Wait),
        Framing::Fixed(100),
        Closed,
    );
    send(running.connect(), 0..COUNT);
    while running.pipeline.figures().came == 0 {
        std::thread::yield_now();
    }
    running.stop();
    let figures = running.pipeline.figures();
    assert_eq!((figures.came, figures.depth), (COUNT as u64, COUNT as u64));
    drop(running);
    assert_eq!(open().held().unwrap().messages, COUNT as u64);
}

#[test]
fn every_datagram_is_taken_or_counted_as_dropped() {
    const SENT: u64 = 2000;
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
    // Nobody reads yet, and the kernel's buffer is too small for all.
    for _ in 0..SENT {
        let to = socket.local_addr().unwrap();
        sender.send_to(&[b'm'; 1000], to).unwrap();
    }
    let pipeline = pipeline(memory(), 100 * MIB, Overflow::Wait);
    let inlet = Inlet::new(
        pipeline.clone(),
        Framing::Fixed(1000),
        Arc::new(|| Time::from_s(1)),
    );
    inlet.close();
    read_datagrams(&socket, &inlet).unwrap();
    let figures = pipeline.figures();
    assert!(figures.overrun > 0 && figures.came > 0);
    assert_eq!(figures.came + figures.overrun, SENT);
}
