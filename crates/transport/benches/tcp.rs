//! What a TCP server costs for an event: framing, decoding, answering, on one worker, over loopback.
//!
//! `cargo bench -p cauchy-transport`; small under `cargo test`. Prints the CPU nanoseconds of the
//! worker for each event beside those of decoding the same bytes in place, and the memory of a connection.

use std::fs;
use std::hint::black_box;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use codec::riemann::{Frames, decode_msg, encode_events, frame};
use event::{Draft, Event, Number, Time, Views};
use transport::{
    Failure, Feed, Handler, HttpAnswer, HttpRequest, TcpOptions, TcpServer, Wake, Workers,
};

const WORKER: &str = "cauchy-net-0";
const ACK_BYTES: usize = 6;

/// Takes events and does nothing with them.
#[derive(Default)]
struct Sink {
    events: AtomicU64,
    calls: AtomicU64,
}

impl Handler for Sink {
    fn stream(&self, views: &Views<'_>, _: &mut Vec<Failure>) {
        self.events.fetch_add(views.len() as u64, Ordering::Relaxed);
        self.calls.fetch_add(1, Ordering::Relaxed);
    }
    fn stream_events(&self, _: Vec<Event>, _: &mut Vec<Failure>) {}
    fn query(&self, _: &str) -> Result<Vec<Event>, String> {
        Ok(Vec::new())
    }
    fn subscribe(&self, _: &str, _: &str, _: Wake) -> Result<Box<dyn Feed>, String> {
        Err("no channels".into())
    }
    fn http(&self, _: &HttpRequest) -> Option<HttpAnswer> {
        None
    }
    fn now(&self) -> Time {
        Time::from_s(0)
    }
}

/// Framed messages of `events` events each, all different.
fn messages(count: usize, events: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for message in 0..count {
        let batch: Vec<Event> = (0..events)
            .map(|number| sample(message * events + number))
            .collect();
        frame(&mut bytes, |out| encode_events(out, &batch));
    }
    bytes
}

fn sample(number: usize) -> Event {
    Draft {
        host: Some(format!("host{}.example.com", number % 50).into()),
        service: Some(format!("service {}", number % 20).into()),
        state: Some("ok".into()),
        description: Some("a description as agents send it".into()),
        metric: Some(Number::F64(number as f64 / 7.0)),
        tags: Some(vec!["bench".into(), "tcp".into(), "load".into()]),
        time: Some(Time::from_s(1_700_000_000)),
        ttl: Some(Number::F32(20.0)),
        ..Draft::record()
    }
    .build()
}

/// CPU nanoseconds that the worker has used.
fn worker_cpu_ns() -> f64 {
    let tasks = fs::read_dir("/proc/self/task").expect("Linux lists its threads");
    let worker = tasks
        .filter_map(|task| Some(task.ok()?.path()))
        .find(|task| fs::read_to_string(task.join("comm")).is_ok_and(|n| n.trim() == WORKER))
        .expect("the worker runs");
    let schedule = fs::read_to_string(worker.join("schedstat")).expect("Linux counts its time");
    schedule
        .split(' ')
        .next()
        .and_then(|ns| ns.parse().ok())
        .expect("a number of nanoseconds")
}

/// Sends the bytes `rounds` times while reading the answers.
fn drive(stream: &TcpStream, bytes: &[u8], rounds: usize, answers: usize) {
    let mut reader = stream.try_clone().expect("a handle");
    let reading = thread::spawn(move || {
        let mut left = rounds * answers * ACK_BYTES;
        let mut buffer = vec![0; 64 << 10];
        while left > 0 {
            let length = reader.read(&mut buffer).expect("an answer");
            assert_ne!(length, 0, "the server closed");
            left -= length;
        }
    });
    let mut writer = stream;
    for _ in 0..rounds {
        writer.write_all(bytes).expect("the server reads");
    }
    reading.join().expect("all answers came");
}

fn decode_ns(bytes: &[u8], rounds: usize) -> f64 {
    let mut views = Views::new();
    let started = Instant::now();
    let mut events = 0;
    for _ in 0..rounds {
        views = black_box(views).recycle();
        for message in Frames::new(bytes, usize::MAX).flatten() {
            decode_msg(message, Time::from_s(0), &mut views).expect("it was encoded here");
        }
        events += views.len();
    }
    started.elapsed().as_nanos() as f64 / events as f64
}

fn measure(name: &str, count: usize, events: usize, rounds: usize) {
    let bytes = messages(count, events);
    let workers = Workers::start(Some(1)).expect("threads");
    let sink = Arc::<Sink>::default();
    let options = TcpOptions {
        port: Some(0),
        ..TcpOptions::default()
    };
    let server = TcpServer::bind(&options)
        .expect("a port")
        .serve(&workers, sink.clone());
    let stream = TcpStream::connect(server.addr()).expect("a connection");
    drive(&stream, &bytes, 1, count);
    let (cpu, started) = (worker_cpu_ns(), Instant::now());
    drive(&stream, &bytes, rounds, count);
    let seconds = started.elapsed().as_secs_f64();
    let cpu = worker_cpu_ns() - cpu;
    let total = (rounds * count * events) as f64;
    let calls = sink.calls.load(Ordering::Relaxed) as f64;
    println!(
        "{name}: {:.1} ns CPU an event, {:.2} M events/s, {:.0} events a call; decoding {:.1} ns",
        cpu / total,
        total / seconds / 1e6,
        sink.events.load(Ordering::Relaxed) as f64 / calls,
        decode_ns(&bytes, rounds.min(50)),
    );
}

/// Bytes of memory of this process.
fn resident_bytes() -> f64 {
    let pages = fs::read_to_string("/proc/self/statm").expect("Linux counts its pages");
    let pages: f64 = pages
        .split(' ')
        .nth(1)
        .and_then(|n| n.parse().ok())
        .expect("a number");
    pages * rustix::param::page_size() as f64
}

fn measure_idle(connections: usize) {
    let mut limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    limit.current = limit.maximum;
    rustix::process::setrlimit(rustix::process::Resource::Nofile, limit)
        .expect("up to the maximum");
    // Each takes a handle of ours and one of the server's; some are in use.
    let handles = limit.maximum.unwrap_or(u64::MAX);
    let connections = connections.min(usize::try_from(handles / 2).unwrap_or(usize::MAX) - 100);
    let workers = Workers::start(Some(1)).expect("threads");
    let options = TcpOptions {
        port: Some(0),
        ..TcpOptions::default()
    };
    let server = TcpServer::bind(&options)
        .expect("a port")
        .serve(&workers, Arc::<Sink>::default());
    let connect = || {
        let stream = TcpStream::connect(server.addr()).expect("a connection");
        drive(&stream, &messages(1, 1), 1, 1);
        stream
    };
    let _first = connect();
    let before = resident_bytes();
    let _idle: Vec<TcpStream> = (0..connections).map(|_| connect()).collect();
    let each = (resident_bytes() - before) / connections as f64;
    println!("{connections} idle connections: {each:.0} bytes each");
}

fn main() {
    let bench = std::env::args().any(|arg| arg == "--bench");
    measure_idle(if bench { 10_000 } else { 100 });
    let rounds = if std::env::args().any(|arg| arg == "--bench") {
        400
    } else {
        2
    };
    measure("messages of 100 events", 256, 100, rounds);
    measure("messages of one event", 4096, 1, rounds);
}
