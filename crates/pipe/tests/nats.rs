//! Proves that a NATS server killed and started again in the middle costs no message.
#![cfg(feature = "nats")]

mod rig;

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use pipe::queue::NatsQueue;
use pipe::store::CountStore;
use pipe::{Batch, Framing, Overflow, Queue};
use rig::{Keeping, PATIENCE, Running, message, pipeline, send, wait};
use sinks::socket::Address;

const MIB: u64 = 1 << 20;
const COUNT: usize = 60_000;

struct Nats {
    child: Child,
    address: Address,
}

impl Nats {
    fn start(dir: &Path) -> Nats {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        Nats::start_on(dir, port)
    }

    fn start_on(dir: &Path, port: u16) -> Nats {
        let mut child = Command::new("nats-server")
            .args(["-a", "127.0.0.1", "-p", &port.to_string(), "-js", "-sd"])
            .arg(dir)
            .stderr(Stdio::piped())
            .spawn()
            .expect("nats-server is installed: cargo xtask needs");
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        while !said.contains("Server is ready") {
            let before = said.len();
            lines.read_line(&mut said).unwrap();
            assert!(said.len() > before, "nats-server ended: {said}");
        }
        std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::sink()));
        Nats {
            child,
            address: Address::new("127.0.0.1", port),
        }
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_server_killed_in_the_middle_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let nats = Nats::start(folder.path());
    let address = nats.address.clone();
    let queue = NatsQueue::open(&address, "things", "run-1").unwrap();
    let kept = Keeping::default();
    let seen = kept.0.clone();
    let mut running = Running::start(
        pipeline(Box::new(queue), MIB, Overflow::Wait),
        Framing::Fixed(100),
        kept,
    );
    let stream = running.connect();
    let sender = std::thread::spawn(move || send(stream, 0..COUNT));
    let stored = wait(&running.told, COUNT / 10);
    drop(nats);
    let _nats = Nats::start_on(folder.path(), address.port);
    assert_eq!(stored + wait(&running.told, COUNT - stored), COUNT);
    sender.join().unwrap();
    running.stop();
    assert_eq!(
        *seen.lock().unwrap(),
        (0..COUNT).map(message).collect::<Vec<_>>()
    );
}

#[test]
fn what_was_not_acknowledged_comes_again() {
    let folder = tempfile::tempdir().unwrap();
    let nats = Nats::start(folder.path());
    let open = |run| NatsQueue::open(&nats.address, "things", run).unwrap();
    let queue = open("run-1");
    let mut batch = Batch::new();
    for half in [0..2500, 2500..5000] {
        half.for_each(|number| batch.push(&message(number)));
        queue.put(&mut batch).unwrap();
    }
    assert!(queue.take(&mut batch, PATIENCE).unwrap());
    assert_eq!(batch.len(), 2500);
    queue.acknowledge(&mut batch).unwrap();
    assert!(queue.take(&mut batch, PATIENCE).unwrap());
    let first = batch.first();
    let origin = queue.origin().to_owned();
    drop(queue);
    let again = open("run-2");
    let held = again.held().unwrap();
    assert_eq!((held.messages, held.bytes), (2500, 250_000));
    assert_eq!(again.origin(), origin);
    while !again.take(&mut batch, PATIENCE).unwrap() {}
    assert_eq!((batch.len(), batch.first()), (2500, first));
    again.acknowledge(&mut batch).unwrap();
    let mut running = Running::start(
        pipeline(Box::new(again), MIB, Overflow::Wait),
        Framing::Fixed(100),
        CountStore::default(),
    );
    send(running.connect(), 5000..5500);
    assert_eq!(wait(&running.told, 500), 500);
    running.stop();
}
