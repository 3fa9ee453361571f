//! Queues and stores against what they are made of, in one run. Small unless run by `cargo bench`.
//! Words after `--` choose rows by a part of their name.
//!
//! Each row is the median of rounds in which both take turns, messages of 100 bytes, two threads.
//! The row of Redis starts a server of its own.

#[path = "../../cauchy/benches/recorded.rs"]
mod recorded;
#[path = "../tests/rig/mod.rs"]
mod rig;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_queue::ArrayQueue;
use pipe::queue::MemoryQueue;
use pipe::{Batch, Queue};

const SIZE: usize = 100;
const ROUNDS: usize = 7;
const BATCH: usize = 650;
/// Messages that the array holds, as many bytes as [`HELD`].
const ARRAY: usize = 64 << 10;
/// Messages that wait at most, in front of any queue of ours.
const HELD: u64 = 64 << 10;
const COUNT: usize = 65_000;
const COUNT_FULL: usize = 10_400_000;
/// A store in another process is so many times slower.
const REDIS_SHARE: usize = 10;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_full = arguments.iter().any(|argument| argument == "--bench");
    let count = if is_full { COUNT_FULL } else { COUNT };
    let words: Vec<&String> = arguments.iter().filter(|a| !a.starts_with("--")).collect();
    let wanted = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(&**word));
    let memory = || -> Arc<dyn Queue> { Arc::new(MemoryQueue::new("bench".into())) };
    let name = "memory queue, against ArrayQueue";
    if wanted(name) {
        row(name, || queue(memory(), count), || array(count));
    }
    #[cfg(feature = "zmq")]
    {
        let zmq = || -> Arc<dyn Queue> {
            Arc::new(pipe::queue::ZmqQueue::open("bench".into()).expect("sockets"))
        };
        let name = "zmq queue, against bare PUSH and PULL of as many bytes";
        if wanted(name) {
            row(name, || queue(zmq(), count), || bare_zmq(count));
        }
    }
    let name = "redis store, against prebuilt LPUSH";
    if wanted(name) {
        let folder = tempfile::tempdir().expect("a folder");
        let redis = rig::Redis::start_unsynced(folder.path());
        let (host, port) = (redis.address.host.clone(), redis.address.port);
        let count = count / REDIS_SHARE;
        let empty = || assert_eq!(redis.ask(&["FLUSHALL"]), "OK");
        row(
            name,
            || {
                empty();
                store_in_redis(&host, port, count)
            },
            || {
                empty();
                prebuilt(&host, port, count)
            },
        );
    }
}

fn row(name: &str, mut ours: impl FnMut() -> f64, mut other: impl FnMut() -> f64) {
    let mut rounds: Vec<(f64, f64)> = (0..ROUNDS).map(|_| (ours(), other())).collect();
    rounds.sort_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)));
    let (ours, other) = rounds[ROUNDS / 2];
    let ratio = ours / other;
    println!(
        "{name:<56} {:>8.2} M/s {:>8.2} M/s  x{ratio:.2}",
        ours / 1e6,
        other / 1e6
    );
    recorded::record(&format!("{name}, ratio"), ratio);
}

/// Messages a second through a queue of ours: pushed one by one, taken and read.
fn queue(queue: Arc<dyn Queue>, count: usize) -> f64 {
    let taken = Arc::new(std::sync::atomic::AtomicU64::new(0));
    let begun = Instant::now();
    let (putting, seen) = (queue.clone(), taken.clone());
    let putter = std::thread::spawn(move || {
        let message = [7; SIZE];
        let mut batch = Batch::new();
        for number in 1..=count {
            batch.push(std::hint::black_box(&message));
            if batch.len() == BATCH || number == count {
                let limit = (number as u64).saturating_sub(HELD);
                while seen.load(std::sync::atomic::Ordering::Relaxed) < limit {
                    std::thread::yield_now();
                }
                while queue_is_full(putting.put(&mut batch)) {}
            }
        }
    });
    let (mut batch, mut sum, mut left) = (Batch::new(), 0_u64, count);
    while left > 0 {
        if queue
            .take(&mut batch, Duration::from_secs(1))
            .expect("it gives")
        {
            sum += batch
                .iter()
                .map(|message| u64::from(message[0]))
                .sum::<u64>();
            left -= batch.len();
            taken.fetch_add(batch.len() as u64, std::sync::atomic::Ordering::Relaxed);
            queue.acknowledge(&mut batch).expect("it forgets");
        }
    }
    putter.join().expect("it puts");
    assert_eq!(sum, 7 * count as u64);
    count as f64 / begun.elapsed().as_secs_f64()
}

fn queue_is_full(put: Result<(), pipe::PipeError>) -> bool {
    match put {
        Ok(()) => false,
        Err(pipe::PipeError::Full) => true,
        Err(error) => panic!("{error}"),
    }
}

fn array(count: usize) -> f64 {
    let queue = Arc::new(ArrayQueue::<[u8; SIZE]>::new(ARRAY));
    let begun = Instant::now();
    let putting = queue.clone();
    let putter = std::thread::spawn(move || {
        for _ in 0..count {
            let mut message = std::hint::black_box([7; SIZE]);
            while let Err(back) = putting.push(message) {
                message = back;
                std::thread::yield_now();
            }
        }
    });
    let (mut sum, mut left) = (0_u64, count);
    while left > 0 {
        match queue.pop() {
            Some(message) => {
                sum += u64::from(message[0]);
                left -= 1;
            }
            None => std::thread::yield_now(),
        }
    }
    putter.join().expect("it puts");
    assert_eq!(sum, 7 * count as u64);
    count as f64 / begun.elapsed().as_secs_f64()
}

/// The same bytes in messages as long, built one by one, and each looked at.
#[cfg(feature = "zmq")]
fn bare_zmq(count: usize) -> f64 {
    let context = zmq::Context::new();
    let push = context.socket(zmq::PUSH).expect("a socket");
    push.bind("inproc://bench").expect("a name");
    let pull = context.socket(zmq::PULL).expect("a socket");
    pull.connect("inproc://bench").expect("a name");
    let begun = Instant::now();
    let putter = std::thread::spawn(move || {
        let message = [7; SIZE];
        let mut bytes = Vec::with_capacity(BATCH * SIZE);
        for number in 1..=count {
            bytes.extend_from_slice(std::hint::black_box(&message));
            if bytes.len() == BATCH * SIZE || number == count {
                push.send(&bytes[..], 0).expect("it sends");
                bytes.clear();
            }
        }
    });
    let mut message = zmq::Message::new();
    let (mut sum, mut left) = (0, count);
    while left > 0 {
        pull.recv(&mut message, 0).expect("it receives");
        let messages = message.chunks(SIZE);
        left -= messages.len();
        sum += messages.map(|message| u64::from(message[0])).sum::<u64>();
    }
    assert_eq!(sum, 7 * count as u64);
    let took = begun.elapsed().as_secs_f64();
    putter.join().expect("it puts");
    count as f64 / took
}

fn batch_of(count: usize) -> Batch {
    let mut batch = Batch::new();
    (0..count).for_each(|_| batch.push(&[b'm'; SIZE]));
    batch
}

fn store_in_redis(host: &str, port: u16, count: usize) -> f64 {
    use pipe::Store;
    use pipe::store::{RedisStore, RedisWay};
    let address = sinks::socket::Address::new(host, port);
    let mut store = RedisStore::new(address, 0, RedisWay::Lpush, "bench-ours");
    let batch = batch_of(BATCH);
    let begun = Instant::now();
    for _ in 0..count / BATCH {
        store.store(&batch, "bench").expect("it stores");
    }
    (count / BATCH * BATCH) as f64 / begun.elapsed().as_secs_f64()
}

/// Commands encoded before the clock starts, as many values each, written without waiting.
fn prebuilt(host: &str, port: u16, count: usize) -> f64 {
    use std::io::{Read, Write};
    let mut command =
        format!("*{}\r\n$5\r\nLPUSH\r\n$11\r\nbench-other\r\n", BATCH + 2).into_bytes();
    for _ in 0..BATCH {
        command.extend_from_slice(format!("${SIZE}\r\n").as_bytes());
        command.extend_from_slice(&[b'm'; SIZE]);
        command.extend_from_slice(b"\r\n");
    }
    let mut writing = std::net::TcpStream::connect((host, port)).expect("a redis");
    let mut reading = writing.try_clone().expect("a handle");
    let rounds = count / BATCH;
    let begun = Instant::now();
    let writer = std::thread::spawn(move || {
        (0..rounds).for_each(|_| writing.write_all(&command).expect("it reads"));
    });
    let (mut replies, mut bytes) = (0, [0; 4096]);
    while replies < rounds {
        let read = reading.read(&mut bytes).expect("it answers");
        assert!(read > 0);
        replies += bytes[..read].iter().filter(|&&byte| byte == b'\n').count();
    }
    let took = begun.elapsed().as_secs_f64();
    writer.join().expect("it writes");
    (rounds * BATCH) as f64 / took
}
