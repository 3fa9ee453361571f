//! Proves that a Redis killed and started again in the middle costs no message.

mod rig;

use std::collections::HashSet;

use pipe::queue::{MemoryQueue, RedisQueue};
use pipe::store::{CountStore, RedisStore, RedisWay};
use pipe::{Batch, Framing, Overflow, Queue};
use rig::{Keeping, Redis, Running, message, pipeline, send, wait};

const MIB: u64 = 1 << 20;
const COUNT: usize = 60_000;

/// Sends, kills the Redis after a part was stored, starts it again, and waits for the rest.
fn through_a_crash(running: &mut Running, redis: &mut Redis, dir: &std::path::Path) -> usize {
    let stream = running.connect();
    let sender = std::thread::spawn(move || send(stream, 0..COUNT));
    let mut stored = wait(&running.told, COUNT / 10);
    redis.kill();
    *redis = Redis::start_on(dir, redis.address.port);
    stored += wait(&running.told, COUNT - stored);
    sender.join().unwrap();
    running.stop();
    assert_eq!(running.pipeline.figures().lost, 0);
    stored
}

fn store_through_a_crash(way: RedisWay) -> (Redis, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let mut redis = Redis::start(folder.path());
    let store = RedisStore::new(redis.address.clone(), 1, way, "things");
    let queue = Box::new(MemoryQueue::new("run-1".into()));
    let mut running = Running::start(
        pipeline(queue, MIB, Overflow::Wait),
        Framing::Fixed(100),
        store,
    );
    assert_eq!(
        through_a_crash(&mut running, &mut redis, folder.path()),
        COUNT
    );
    (redis, folder)
}

#[test]
fn each_message_is_a_key_once() {
    let (redis, _folder) = store_through_a_crash(RedisWay::Set);
    assert_eq!(redis.ask(&["-n", "1", "DBSIZE"]), COUNT.to_string());
    let last = redis.ask(&["-n", "1", "GET", &format!("things:run-1:{}", COUNT - 1)]);
    assert_eq!(last.as_bytes(), message(COUNT - 1));
}

#[test]
fn a_list_and_a_stream_have_each_message_at_least_once() {
    let (redis, _folder) = store_through_a_crash(RedisWay::Lpush);
    let items = redis.ask(&["-n", "1", "LRANGE", "things", "0", "-1"]);
    let different: HashSet<&str> = items.lines().collect();
    assert_eq!(different.len(), COUNT);
    let (redis, _folder) = store_through_a_crash(RedisWay::Xadd);
    let length: usize = redis.ask(&["-n", "1", "XLEN", "things"]).parse().unwrap();
    assert!(length >= COUNT, "{length}");
}

#[test]
fn a_stream_as_queue_gives_each_message_once_and_ends_empty() {
    let folder = tempfile::tempdir().unwrap();
    let mut redis = Redis::start(folder.path());
    let queue = RedisQueue::open(&redis.address, 0, "queue", "run-1").unwrap();
    let kept = Keeping::default();
    let seen = kept.0.clone();
    let mut running = Running::start(
        pipeline(Box::new(queue), MIB, Overflow::Wait),
        Framing::Fixed(100),
        kept,
    );
    assert_eq!(
        through_a_crash(&mut running, &mut redis, folder.path()),
        COUNT
    );
    assert_eq!(
        *seen.lock().unwrap(),
        (0..COUNT).map(message).collect::<Vec<_>>()
    );
}

#[test]
fn many_senders_and_crashes_lose_and_double_nothing() {
    const SENDERS: usize = 4;
    const CRASHES: usize = 3;
    let folder = tempfile::tempdir().unwrap();
    let mut redis = Redis::start(folder.path());
    let queue = RedisQueue::open(&redis.address, 0, "queue", "run-1").unwrap();
    let kept = Keeping::default();
    let seen = kept.0.clone();
    let mut running = Running::start(
        pipeline(Box::new(queue), MIB, Overflow::Wait),
        Framing::Fixed(100),
        kept,
    );
    let senders: Vec<_> = (0..SENDERS)
        .map(|sender| {
            let stream = running.connect();
            let first = sender * COUNT / SENDERS;
            std::thread::spawn(move || send(stream, first..first + COUNT / SENDERS))
        })
        .collect();
    let mut stored = 0;
    for _ in 0..CRASHES {
        stored += wait(&running.told, COUNT / 8);
        redis.kill();
        redis = Redis::start_on(folder.path(), redis.address.port);
    }
    wait(&running.told, COUNT - stored);
    senders
        .into_iter()
        .for_each(|sender| sender.join().unwrap());
    running.stop();
    let seen = seen.lock().unwrap();
    for sender in 0..SENDERS {
        let range = sender * COUNT / SENDERS..(sender + 1) * COUNT / SENDERS;
        let bounds = message(range.start)..=message(range.end - 1);
        let of_sender = seen.iter().filter(|message| bounds.contains(*message));
        assert!(of_sender.eq(range.map(message).collect::<Vec<_>>().iter()));
    }
    assert_eq!(seen.len(), COUNT);
}

#[test]
fn a_stream_gives_again_what_was_not_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let redis = Redis::start(folder.path());
    let open = |origin| RedisQueue::open(&redis.address, 0, "queue", origin).unwrap();
    let queue = open("first");
    let mut batch = Batch::new();
    (0..5000).for_each(|number| batch.push(&message(number)));
    queue.put(&mut batch).unwrap();
    assert!(batch.is_empty());
    assert!(queue.take(&mut batch, rig::PATIENCE).unwrap());
    let acknowledged = batch.len();
    queue.acknowledge(&mut batch).unwrap();
    assert!(queue.take(&mut batch, rig::PATIENCE).unwrap());
    drop(queue);
    let again = open("second");
    let left = 5000 - acknowledged;
    let held = again.held().unwrap();
    assert_eq!(
        (held.messages, held.bytes),
        (left as u64, left as u64 * 100)
    );
    assert_eq!(again.origin(), "first");
    let mut running = Running::start(
        pipeline(Box::new(again), MIB, Overflow::Wait),
        Framing::Fixed(100),
        CountStore::default(),
    );
    send(running.connect(), 5000..5500);
    assert_eq!(wait(&running.told, left + 500), left + 500);
    running.stop();
    assert_eq!(redis.ask(&["XLEN", "queue"]), "0");
    assert_eq!(redis.ask(&["SELECT", "0"]), "OK");
}
