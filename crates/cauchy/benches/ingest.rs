//! Processor time that the server takes for an event: messages of 100 events, pipelined over one
//! TCP connection, through the built-in configuration into the index. Beside it, in the same run, the
//! floor: the same bytes decoded and stored by one thread that does nothing else.
//!
//! Believe the ratio; the figures belong to the machine. Small unless run by `cargo bench`.

#[path = "../tests/server/mod.rs"]
mod server;

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use codec::riemann::{Frames, decode_msg};
use event::{Draft, Event, Number, Time, Views};
use index::Index;

use server::process::{cpu_time, resident_bytes};
use server::riemann::{event, events_message};
use server::{Server, built_in, eventually, free_port, program};

const EVENTS_PER_MESSAGE: usize = 100;
const HOSTS: usize = 10;
const SERVICES: usize = 100;
/// Messages prepared: each key comes four times, with other metrics.
const MESSAGES: usize = 4 * HOSTS * SERVICES / EVENTS_PER_MESSAGE;
/// An acknowledgement: a length and `{ok: true}`.
const ACK_BYTES: u64 = 6;
/// Length of the prefix and longest message that the floor reads.
const MESSAGE_BYTES_MAX: usize = 1 << 20;

/// How much to do.
struct Size {
    warm_up: Duration,
    measured: Duration,
    floor_rounds: usize,
}

const SMALL: Size = Size {
    warm_up: Duration::from_millis(50),
    measured: Duration::from_millis(200),
    floor_rounds: 10,
};
const FULL: Size = Size {
    warm_up: Duration::from_secs(1),
    measured: Duration::from_secs(5),
    floor_rounds: 2_000,
};

fn main() {
    let full = std::env::args().any(|argument| argument == "--bench");
    let size = if full { FULL } else { SMALL };
    let messages = messages();
    let bytes = messages.len() as f64 / (MESSAGES * EVENTS_PER_MESSAGE) as f64;
    println!("{} keys, {bytes:.0} bytes an event", HOSTS * SERVICES);

    let floor = floor(&messages, size.floor_rounds);
    let served = served(messages, &size);
    println!("floor    {floor:8.1} ns an event, decode and store in one thread");
    println!(
        "server   {:8.1} ns of processor time an event",
        served.cpu_ns
    );
    println!("ratio    {:8.2}", served.cpu_ns / floor);
    println!(
        "         {:8.2} M events a second of the server's processor time",
        1e3 / served.cpu_ns
    );
    println!(
        "         {:8.2} M events a second",
        served.events_per_s / 1e6
    );
    println!(
        "         {:8.1} MB resident",
        served.resident_bytes as f64 / 1e6
    );
}

/// Framed messages, one after the other.
fn messages() -> Vec<u8> {
    let keys: Vec<Event> = (0..HOSTS * SERVICES)
        .map(|key| key_event(key, 0.0))
        .collect();
    let mut all = Vec::new();
    for number in 0..MESSAGES {
        let start = number * EVENTS_PER_MESSAGE % keys.len();
        let events: Vec<Event> = keys[start..start + EVENTS_PER_MESSAGE]
            .iter()
            .map(|key| key.edit(|draft| draft.metric = Some(Number::F64(number as f64))))
            .collect();
        all.extend(events_message(&events));
    }
    all
}

fn key_event(key: usize, metric: f64) -> Event {
    let now = event("now", 0);
    Draft {
        host: Some(format!("web-{:05}.example.com", key / SERVICES).into()),
        service: Some(format!("disk {:02} used", key % SERVICES).into()),
        state: Some("ok".into()),
        description: Some("all is well on this one".into()),
        metric: Some(Number::F64(metric)),
        tags: Some(vec!["production".into(), "web".into()]),
        ..now.draft()
    }
    .build()
}

/// Nanoseconds an event.
fn floor(messages: &[u8], rounds: usize) -> f64 {
    let index = Index::new();
    let mut views = Views::new();
    let mut round = || {
        for message in Frames::new(messages, MESSAGE_BYTES_MAX) {
            let mut decoded = std::mem::take(&mut views).recycle();
            let message = message.expect("a whole message");
            decode_msg(message, Time::from_s(0), &mut decoded).expect("a good message");
            index.insert_views(&decoded, 0..decoded.len());
            views = decoded.recycle();
        }
    };
    round();
    let start = Instant::now();
    (0..rounds).for_each(|_| round());
    let ns = start.elapsed().as_nanos() as f64;
    assert_eq!(index.len(), HOSTS * SERVICES);
    ns / (rounds * MESSAGES * EVENTS_PER_MESSAGE) as f64
}

struct Served {
    cpu_ns: f64,
    events_per_s: f64,
    resident_bytes: u64,
}

/// What the running server takes and does.
fn served(messages: Vec<u8>, size: &Size) -> Served {
    let server = Server::start_with(&built_in(free_port()), program());
    let stream = TcpStream::connect(server.address("tcp")).expect("the server takes a connection");
    stream.set_nodelay(true).expect("a socket takes options");
    let acks = Arc::new(AtomicU64::new(0));
    let done = Arc::new(AtomicBool::new(false));
    let reader = read_acks(stream.try_clone().expect("a handle"), acks.clone());
    let writer = write_messages(stream, messages, done.clone());

    let events = || acks.load(Ordering::Relaxed) * EVENTS_PER_MESSAGE as u64;
    wait(size.warm_up);
    let (cpu, count, start) = (cpu_time(server.pid()), events(), Instant::now());
    wait(size.measured);
    let (cpu, count, took) = (
        cpu_time(server.pid()) - cpu,
        events() - count,
        start.elapsed(),
    );
    let resident_bytes = resident_bytes(server.pid());
    done.store(true, Ordering::Relaxed);
    let sent = writer.join().expect("the writer ends");
    reader.join().expect("the reader ends");
    assert_eq!(
        acks.load(Ordering::Relaxed),
        sent,
        "every message is acknowledged"
    );
    assert_eq!(
        server.connect().query("service =~ \"disk %\"").len(),
        HOSTS * SERVICES
    );
    Served {
        cpu_ns: cpu.as_nanos() as f64 / count as f64,
        events_per_s: count as f64 / took.as_secs_f64(),
        resident_bytes,
    }
}

/// Lets the time pass that a measurement takes.
fn wait(time: Duration) {
    let end = Instant::now() + time;
    eventually("the end of a measurement", || {
        (Instant::now() >= end).then_some(())
    });
}

type Thread<T> = std::thread::JoinHandle<T>;

fn read_acks(mut stream: TcpStream, acks: Arc<AtomicU64>) -> Thread<()> {
    std::thread::spawn(move || {
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
fn write_messages(mut stream: TcpStream, messages: Vec<u8>, done: Arc<AtomicBool>) -> Thread<u64> {
    std::thread::spawn(move || {
        let mut sent = 0;
        while !done.load(Ordering::Relaxed) {
            stream.write_all(&messages).expect("the server reads");
            sent += MESSAGES as u64;
        }
        stream
            .shutdown(Shutdown::Write)
            .expect("an open connection");
        sent
    })
}
