//! Proves that what came is stored, held or counted as lost, with queues of this machine.

mod rig;

use std::io::{Read, Write};
use std::sync::{Arc, Mutex};

use codec::riemann::{encode_ack, frame};
use journal::{Durability, Journal, Options, Reader, Start};
use pipe::queue::{JournalQueue, MemoryQueue};
use pipe::store::{CountStore, FileStore, JournalStore, RiemannStore};
use pipe::{Batch, Framing, Overflow, PipeError, Store};
use rig::{Keeping, PATIENCE, Running, message, pipeline, send, wait};

const MIB: u64 = 1 << 20;

fn memory() -> Box<MemoryQueue> {
    Box::new(MemoryQueue::new("test".into()))
}

fn journal_queue(dir: &std::path::Path) -> Box<JournalQueue> {
    Box::new(JournalQueue::open(dir, Options::default(), "first").expect("it opens"))
}

/// A store that fails until it is let.
struct Closed(Arc<Mutex<bool>>);

impl Store for Closed {
    fn store(&mut self, _: &Batch, _: &str) -> Result<(), PipeError> {
        match *self.0.lock().unwrap() {
            true => Ok(()),
            false => Err(PipeError::Message("closed".into())),
        }
    }
}

#[test]
fn five_senders_through_memory_and_all_is_stored() {
    const EACH: usize = 100_000;
    let mut running = Running::start(
        pipeline(memory(), MIB, Overflow::Wait),
        Framing::Fixed(100),
        CountStore::default(),
    );
    let senders: Vec<_> = (0..5)
        .map(|sender| {
            let stream = running.connect();
            std::thread::spawn(move || send(stream, sender * EACH..(sender + 1) * EACH))
        })
        .collect();
    senders
        .into_iter()
        .for_each(|sender| sender.join().unwrap());
    assert_eq!(wait(&running.told, 5 * EACH), 5 * EACH);
    running.stop();
    let figures = running.pipeline.figures();
    assert_eq!(
        (figures.came, figures.stored),
        (5 * EACH as u64, 5 * EACH as u64)
    );
    assert_eq!((figures.depth, figures.lost, figures.torn), (0, 0, 0));
}

#[cfg(feature = "zmq")]
#[test]
fn zeromq_gives_back_all_in_order_and_makes_senders_wait() {
    let queue = || Box::new(pipe::queue::ZmqQueue::open("test".into()).unwrap());
    let kept = Keeping::default();
    let seen = kept.0.clone();
    let mut running = Running::start(
        pipeline(queue(), MIB, Overflow::Wait),
        Framing::Fixed(100),
        kept,
    );
    send(running.connect(), 0..100_000);
    wait(&running.told, 100_000);
    running.stop();
    assert_eq!(
        *seen.lock().unwrap(),
        (0..100_000).map(message).collect::<Vec<_>>()
    );
    // Nobody takes: at the high-water marks a put says so, and keeps its message.
    let (queue, mut batch, mut put) = (queue(), Batch::new(), 0);
    let full = loop {
        batch.push(b"one");
        match pipe::Queue::put(&*queue, &mut batch) {
            Ok(()) => put += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(full, PipeError::Full));
    assert_eq!((put, batch.len()), (2000, 1));
}

#[test]
fn order_is_kept_and_half_a_message_is_told() {
    let kept = Keeping::default();
    let seen = kept.0.clone();
    let mut running = Running::start(
        pipeline(memory(), MIB, Overflow::Wait),
        Framing::Lines,
        kept,
    );
    let text: String = (0..10_000)
        .map(|number| format!("line {number}\n"))
        .collect();
    running.connect().write_all(text.as_bytes()).unwrap();
    wait(&running.told, 10_000);
    running.stop();
    let lines: Vec<_> = text.lines().map(|line| line.as_bytes().to_vec()).collect();
    assert_eq!(*seen.lock().unwrap(), lines);
}

#[test]
fn a_full_queue_makes_senders_wait_and_loses_nothing() {
    let open = Arc::new(Mutex::new(false));
    let mut running = Running::start(
        pipeline(memory(), MIB, Overflow::Wait),
        Framing::Fixed(100),
        Closed(open.clone()),
    );
    let stream = running.connect();
    let blocked = stream.try_clone().unwrap();
    blocked.set_nonblocking(true).unwrap();
    // More than the queue and the kernel's buffers hold: at some point nothing more is taken.
    let mut sent = 0;
    let bytes = message(7).repeat(1000);
    let mut rest = &bytes[..];
    while running.pipeline.figures().depth_bytes < MIB {
        match (&blocked).write(rest) {
            Ok(count) => {
                sent += count;
                rest = &bytes[sent % bytes.len()..];
            }
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock),
        }
    }
    assert!(running.pipeline.figures().depth_bytes < MIB + 256 * 1024);
    while running.pipeline.figures().failures == 0 {
        std::thread::yield_now();
    }
    *open.lock().unwrap() = true;
    // Only now is the rest of a message sure to be taken.
    blocked.set_nonblocking(false).unwrap();
    (&blocked).write_all(rest).unwrap();
    sent += rest.len();
    drop((stream, blocked));
    wait(&running.told, sent / 100);
    running.stop();
    assert_eq!(running.pipeline.figures().stored, sent as u64 / 100);
    assert_eq!(running.pipeline.figures().lost, 0);
}

#[test]
fn drop_oldest_counts_every_drop() {
    let queue = pipeline(memory(), MIB, Overflow::DropOldest);
    let mut batch = Batch::new();
    for number in 0..100_000 {
        batch.push(&message(number));
        assert!(queue.put(&mut batch) && batch.is_empty());
    }
    let figures = queue.figures();
    assert_eq!(figures.came, 100_000);
    assert_eq!(figures.lost + figures.depth, 100_000);
    assert!(figures.depth_bytes < MIB + 100 && figures.depth_bytes > MIB - 65_536);
    let kept = Keeping::default();
    let seen = kept.0.clone();
    let mut running = Running::start(queue, Framing::Fixed(100), kept);
    wait(&running.told, figures.depth as usize);
    running.stop();
    let seen = seen.lock().unwrap();
    let oldest = figures.lost as usize;
    assert_eq!(*seen, (oldest..100_000).map(message).collect::<Vec<_>>());
}

#[test]
fn what_a_journal_holds_is_stored_by_the_next_run() {
    let folder = tempfile::tempdir().unwrap();
    let first = pipeline(journal_queue(folder.path()), MIB * 100, Overflow::Wait);
    let mut batch = Batch::new();
    (0..5000).for_each(|number| batch.push(&message(number)));
    assert!(first.put(&mut batch));
    drop(first);
    let next = pipeline(journal_queue(folder.path()), MIB * 100, Overflow::Wait);
    assert_eq!(next.figures().depth, 5000);
    let kept = Keeping::default();
    let seen = kept.0.clone();
    let mut running = Running::start(next, Framing::Fixed(100), kept);
    send(running.connect(), 5000..6000);
    wait(&running.told, 6000);
    running.stop();
    drop(running);
    assert_eq!(
        *seen.lock().unwrap(),
        (0..6000).map(message).collect::<Vec<_>>()
    );
    let last = journal_queue(folder.path());
    assert_eq!(pipe::Queue::held(&*last).unwrap().messages, 0);
    assert_eq!(pipe::Queue::origin(&*last), "first");
}

#[test]
fn a_journal_takes_the_whole_again_after_a_stop_in_the_middle() {
    let folder = tempfile::tempdir().unwrap();
    let queue = journal_queue(folder.path());
    let put = |queue: &JournalQueue, numbers: std::ops::Range<usize>| {
        let mut batch = Batch::new();
        numbers.for_each(|number| batch.push(&message(number)));
        pipe::Queue::put(queue, &mut batch).unwrap();
    };
    put(&queue, 0..3000);
    let mut batch = Batch::new();
    assert!(pipe::Queue::take(&*queue, &mut batch, PATIENCE).unwrap());
    let acknowledged = batch.len();
    pipe::Queue::acknowledge(&*queue, &mut batch).unwrap();
    assert!(pipe::Queue::take(&*queue, &mut batch, PATIENCE).unwrap());
    drop(queue);
    let queue = journal_queue(folder.path());
    assert!(pipe::Queue::take(&*queue, &mut batch, PATIENCE).unwrap());
    assert_eq!(batch.iter().next(), Some(&message(acknowledged)[..]));
    assert_eq!(batch.first(), acknowledged as u64 + 1);
}

#[test]
fn a_store_of_records_has_what_came() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options {
        durability: Durability::Always,
        ..Options::default()
    };
    let store = JournalStore::open(folder.path(), options).unwrap();
    let journal = store.journal().clone();
    let mut running = Running::start(
        pipeline(memory(), MIB, Overflow::Wait),
        Framing::Fixed(100),
        store,
    );
    send(running.connect(), 0..3000);
    wait(&running.told, 3000);
    running.stop();
    assert_eq!(
        records(&journal),
        (0..3000).map(message).collect::<Vec<_>>()
    );
}

fn records(journal: &Journal) -> Vec<Vec<u8>> {
    let mut reader: Reader = journal.subscribe_passing("test", Start::Begin).unwrap();
    let mut all = Vec::new();
    loop {
        let batch = reader.next_batch(1000).unwrap();
        if batch.is_empty() {
            return all;
        }
        all.extend(batch.iter().map(|(_, record)| record.to_vec()));
    }
}

#[test]
fn events_are_answered_and_go_to_a_file_and_another_server() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events.jsonl");
    let mut last = Running::start(
        pipeline(memory(), MIB, Overflow::Wait),
        Framing::Events,
        FileStore::open(&path, Framing::Events).unwrap(),
    );
    let store = RiemannStore::new(sinks::socket::Address::new("127.0.0.1", last.port));
    let mut first = Running::start(
        pipeline(memory(), MIB, Overflow::Wait),
        Framing::Events,
        store,
    );
    let mut stream = first.connect();
    let two = b"\x32\x08\x1a\x03cpu\x22\x01a\x32\x08\x1a\x03mem\x22\x01b";
    let mut framed = Vec::new();
    frame(&mut framed, |out| out.extend_from_slice(two));
    stream.write_all(&framed).unwrap();
    let mut ack = Vec::new();
    frame(&mut ack, encode_ack);
    let mut answer = vec![0; ack.len()];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(answer, ack);
    wait(&first.told, 2);
    wait(&last.told, 2);
    first.stop();
    last.stop();
    let text = std::fs::read_to_string(path).unwrap();
    let services: Vec<bool> = text
        .lines()
        .zip(["\"service\":\"cpu\"", "\"service\":\"mem\""])
        .map(|(line, service)| line.contains(service))
        .collect();
    assert_eq!(services, [true, true], "{text}");
}
