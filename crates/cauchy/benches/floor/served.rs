//! The server at work: messages pipelined over one connection.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{JoinHandle, spawn};
use std::time::{Duration, Instant};

use crate::Size;
use crate::messages::{EVENTS_PER_MESSAGE, Messages};
use crate::server::http;
use crate::server::process::{cpu_time, resident_bytes};
use crate::server::{Server, eventually, program};

/// An acknowledgement: a length and `{ok: true}`.
const ACK_BYTES: u64 = 6;

/// A server whose index holds every key.
pub struct Served<'m> {
    server: Server,
    messages: &'m Messages,
}

impl<'m> Served<'m> {
    pub fn start(config: &str, messages: &'m Messages, size: &Size) -> Served<'m> {
        let other = std::env::var_os("CAUCHY_PROGRAM").map(Command::new);
        let server = Server::start_with(config, other.unwrap_or_else(program));
        let mut served = Served { server, messages };
        served.load(&mut |load| {
            eventually("every key", || {
                (load.events() >= messages.events as u64).then_some(())
            });
            wait(size.warm_up);
        });
        served
    }

    /// Nanoseconds of the server's processor time an event.
    pub fn run(&mut self, size: &Size) -> f64 {
        let mut ns = 0.0;
        let pid = self.server.pid();
        self.load(&mut |load| {
            let (cpu, count) = (cpu_time(pid), load.events());
            wait(size.measured);
            let (cpu, count) = (cpu_time(pid) - cpu, load.events() - count);
            ns = cpu.as_nanos() as f64 / count as f64;
        });
        ns
    }

    /// A figure of `/metrics`.
    pub fn metric(&self, name: &str) -> f64 {
        let (_, text) = http::get(self.server.address("ws"), "/metrics");
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        let number = line.and_then(|line| line.trim().parse().ok());
        number.unwrap_or_else(|| panic!("no {name} in {text}"))
    }

    pub fn resident_bytes(&self) -> u64 {
        resident_bytes(self.server.pid())
    }

    /// Sees that the index has what was acknowledged.
    pub fn finish(self) {
        let first = self.server.connect().query("service = \"disk 07 used\"");
        assert_eq!(first.len(), self.messages.keys / 100);
    }

    /// Sends while `meanwhile` runs; every message must be acknowledged.
    fn load(&mut self, meanwhile: &mut dyn FnMut(&Load)) {
        let stream =
            TcpStream::connect(self.server.address("tcp")).expect("the server takes a connection");
        stream.set_nodelay(true).expect("a socket takes options");
        let load = Load::default();
        let reader = read_acks(stream.try_clone().expect("a handle"), load.acks.clone());
        let sent = std::thread::scope(|scope| {
            let writer = scope.spawn(|| write_messages(stream, self.messages, &load.done));
            meanwhile(&load);
            load.done.store(true, Ordering::Relaxed);
            writer.join().expect("the writer ends")
        });
        reader.join().expect("the reader ends");
        assert_eq!(
            load.acks.load(Ordering::Relaxed),
            sent,
            "every message is acknowledged"
        );
    }
}

#[derive(Default)]
struct Load {
    acks: Arc<AtomicU64>,
    done: AtomicBool,
}

impl Load {
    /// Acknowledged so far.
    fn events(&self) -> u64 {
        self.acks.load(Ordering::Relaxed) * EVENTS_PER_MESSAGE as u64
    }
}

/// Lets the time pass that a measurement takes.
fn wait(time: Duration) {
    let end = Instant::now() + time;
    eventually("the end of a measurement", || {
        (Instant::now() >= end).then_some(())
    });
}

fn read_acks(mut stream: TcpStream, acks: Arc<AtomicU64>) -> JoinHandle<()> {
    spawn(move || {
        let mut buffer = vec![0; 64 << 10];
        let mut bytes = 0;
        while let Ok(count) = stream.read(&mut buffer)
            && count > 0
        {
            bytes += count as u64;
            acks.store(bytes / ACK_BYTES, Ordering::Relaxed);
        }
    })
}

/// Writes whole rounds until it is done; gives the number of messages.
fn write_messages(mut stream: TcpStream, messages: &Messages, done: &AtomicBool) -> u64 {
    let mut sent = 0;
    while !done.load(Ordering::Relaxed) {
        stream.write_all(&messages.bytes).expect("the server reads");
        sent += messages.count() as u64;
    }
    stream
        .shutdown(Shutdown::Write)
        .expect("an open connection");
    sent
}
