use std::sync::mpsc::{Receiver, Sender, channel};

use super::*;

impl Item for u32 {
    fn size_bytes(&self) -> usize {
        4
    }
}

/// A clock that moves only when someone pauses.
#[derive(Default)]
struct TestPace {
    now: Mutex<Duration>,
    pauses: Mutex<Vec<u64>>,
}

impl Pace for TestPace {
    fn now(&self) -> Duration {
        *self.now.lock()
    }

    fn pause(&self, length: Duration, _: &Bell) {
        *self.now.lock() += length;
        self.pauses.lock().push(length.as_millis() as u64);
    }
}

type Answer = Result<(), DeliveryError>;

/// Tells each batch it is given and answers with what the test sends, in turn.
struct Scripted {
    told: Sender<Vec<u32>>,
    answers: Receiver<Answer>,
    batch_max: usize,
}

impl Target for Scripted {
    type Item = u32;

    fn batch_max(&self) -> usize {
        self.batch_max
    }

    fn deliver(&mut self, batch: &[u32]) -> Answer {
        self.told.send(batch.to_vec()).unwrap();
        self.answers
            .recv()
            .unwrap_or_else(|_| Err(DeliveryError::lasting("gone")))
    }
}

struct Bench {
    outlet: Outlet<u32>,
    pace: Arc<TestPace>,
    told: Receiver<Vec<u32>>,
    answer: Sender<Answer>,
}

fn bench(batch_max: usize, policy: Policy) -> Bench {
    let (told_to, told) = channel();
    let (answer, answers) = channel();
    let pace = Arc::new(TestPace::default());
    let target = Scripted {
        told: told_to,
        answers,
        batch_max,
    };
    let outlet = Outlet::with_policy("test", target, pace.clone(), policy);
    Bench {
        outlet,
        pace,
        told,
        answer,
    }
}

fn passing() -> Answer {
    Err(DeliveryError::passing("refused"))
}

const GRACE: Duration = Duration::from_secs(3600);

#[test]
fn delivers_in_order_and_batches_what_waits() {
    let bench = bench(3, Policy::default());
    bench.outlet.offer(1);
    assert_eq!(bench.told.recv().unwrap(), [1]);
    for item in 2..=5 {
        bench.outlet.offer(item);
    }
    assert_eq!(bench.outlet.stats().depth, 4);
    for _ in 0..3 {
        bench.answer.send(Ok(())).unwrap();
    }
    assert_eq!(bench.told.recv().unwrap(), [2, 3, 4]);
    assert_eq!(bench.told.recv().unwrap(), [5]);
    assert_eq!(bench.outlet.close(GRACE), 0);
    let stats = bench.outlet.stats();
    assert_eq!(
        (stats.accepted, stats.sent, stats.lost, stats.depth),
        (5, 5, 0, 0)
    );
}

#[test]
fn tries_again_after_pauses_that_double() {
    let bench = bench(1, Policy::default());
    for _ in 0..4 {
        bench.answer.send(passing()).unwrap();
    }
    bench.answer.send(Ok(())).unwrap();
    bench.outlet.offer(7);
    for _ in 0..5 {
        assert_eq!(bench.told.recv().unwrap(), [7]);
    }
    assert_eq!(bench.outlet.close(GRACE), 0);
    assert_eq!(*bench.pace.pauses.lock(), [500, 1000, 2000, 4000]);
    let stats = bench.outlet.stats();
    assert_eq!(
        (stats.sent, stats.failed, stats.lost, stats.trouble),
        (1, 4, 0, None)
    );
}

#[test]
fn gives_a_batch_up_and_keeps_pausing_longer() {
    let bench = bench(
        1,
        Policy {
            attempts: 2,
            ..Policy::default()
        },
    );
    for _ in 0..3 {
        bench.answer.send(passing()).unwrap();
    }
    bench.answer.send(Ok(())).unwrap();
    bench.outlet.offer(1);
    bench.outlet.offer(2);
    let told: Vec<Vec<u32>> = (0..4).map(|_| bench.told.recv().unwrap()).collect();
    assert_eq!(told, [[1], [1], [2], [2]]);
    bench.outlet.close(GRACE);
    assert_eq!(*bench.pace.pauses.lock(), [500, 2000]);
    let stats = bench.outlet.stats();
    assert_eq!((stats.sent, stats.failed, stats.lost), (1, 3, 1));
}

#[test]
fn a_refused_batch_is_lost_at_once() {
    let bench = bench(1, Policy::default());
    bench
        .answer
        .send(Err(DeliveryError::lasting("400")))
        .unwrap();
    bench.outlet.offer(1);
    assert_eq!(bench.told.recv().unwrap(), [1]);
    bench.outlet.close(GRACE);
    assert!(bench.pace.pauses.lock().is_empty());
    let stats = bench.outlet.stats();
    assert_eq!(
        (stats.failed, stats.lost, stats.trouble.as_deref()),
        (1, 1, Some("400"))
    );
}

#[test]
fn a_full_queue_drops_its_oldest_and_never_blocks() {
    let bench = bench(
        10,
        Policy {
            queue_items: 2,
            ..Policy::default()
        },
    );
    bench.outlet.offer(1);
    assert_eq!(bench.told.recv().unwrap(), [1]);
    for item in 2..=5 {
        bench.outlet.offer(item);
    }
    let stats = bench.outlet.stats();
    assert_eq!(
        (stats.in_flight, stats.depth, stats.lost, stats.bytes),
        (1, 2, 2, 8)
    );
    bench.answer.send(Ok(())).unwrap();
    bench.answer.send(Ok(())).unwrap();
    assert_eq!(bench.told.recv().unwrap(), [4, 5]);
    bench.outlet.close(GRACE);
}

#[test]
fn tells_the_age_of_the_oldest() {
    let bench = bench(1, Policy::default());
    bench.outlet.offer(1);
    bench.told.recv().unwrap();
    *bench.pace.now.lock() = Duration::from_secs(4);
    assert_eq!(bench.outlet.stats().oldest, Some(Duration::from_secs(4)));
    bench.answer.send(Ok(())).unwrap();
    bench.outlet.close(GRACE);
    assert_eq!(bench.outlet.stats().oldest, None);
}

#[test]
fn closing_gives_up_at_the_deadline_and_counts_what_is_left() {
    let policy = Policy {
        attempts: u32::MAX,
        queue_items: usize::MAX,
        ..Policy::default()
    };
    let bench = bench(1, policy);
    let Bench {
        outlet,
        pace,
        told,
        answer,
    } = bench;
    outlet.offer(1);
    assert_eq!(told.recv().unwrap(), [1]);
    std::thread::scope(|scope| {
        let closing = scope.spawn(|| outlet.close(GRACE));
        while outlet.stats().lost == 0 {
            outlet.offer(2);
            std::thread::yield_now();
        }
        *pace.now.lock() = GRACE - Duration::from_secs(2);
        for _ in 0..4 {
            answer.send(passing()).unwrap();
        }
        closing.join().unwrap();
    });
    assert_eq!(*pace.pauses.lock(), [500, 1000, 500]);
    let stats = outlet.stats();
    assert_eq!(
        (stats.sent, stats.failed, stats.lost),
        (0, 4, stats.accepted)
    );
}

#[test]
fn a_panic_costs_one_batch() {
    struct Fragile;
    impl Target for Fragile {
        type Item = u32;
        fn batch_max(&self) -> usize {
            1
        }
        fn deliver(&mut self, batch: &[u32]) -> Answer {
            assert_ne!(batch, [1], "a panic that the test provokes");
            Ok(())
        }
    }
    let outlet = Outlet::new("fragile", Fragile, Arc::new(TestPace::default()));
    outlet.offer(1);
    outlet.offer(2);
    outlet.close(GRACE);
    assert_eq!((outlet.stats().sent, outlet.stats().lost), (1, 1));
}

#[test]
fn an_outlet_that_was_never_used_closes_at_once() {
    let bench = bench(1, Policy::default());
    assert_eq!(bench.outlet.close(GRACE), 0);
    bench.outlet.offer(1);
    assert_eq!(bench.outlet.stats().lost, 1);
}

#[test]
fn closing_does_not_wait_longer_than_told() {
    let bench = bench(1, Policy::default());
    bench.outlet.offer(1);
    assert_eq!(bench.told.recv().unwrap(), [1]);
    bench.outlet.offer(2);
    assert_eq!(bench.outlet.close(Duration::ZERO), 2);
    let stats = bench.outlet.stats();
    assert_eq!(
        (stats.accepted, stats.lost, stats.in_flight, stats.depth),
        (2, 2, 0, 0)
    );
}

#[test]
fn a_dropped_outlet_still_delivers_what_it_has() {
    let bench = bench(1, Policy::default());
    for item in 1..=3 {
        bench.outlet.offer(item);
    }
    drop(bench.outlet);
    for item in 1..=3 {
        assert_eq!(bench.told.recv().unwrap(), [item]);
        bench.answer.send(Ok(())).unwrap();
    }
    assert!(bench.told.recv().is_err(), "the worker has ended");
}

#[test]
fn many_threads_offer_and_nothing_is_miscounted() {
    let bench = bench(
        7,
        Policy {
            queue_items: 100,
            ..Policy::default()
        },
    );
    let Bench {
        outlet,
        told,
        answer,
        ..
    } = bench;
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let outlet = &outlet;
            scope.spawn(move || (0..1000).for_each(|turn| outlet.offer(thread * 1000 + turn)));
        }
        for _ in 0..4000 {
            answer.send(Ok(())).unwrap();
        }
    });
    outlet.close(GRACE);
    let stats = outlet.stats();
    let delivered = told.try_iter().map(|batch| batch.len() as u64).sum::<u64>();
    assert_eq!(stats.accepted, 4000);
    assert_eq!(
        (stats.sent, stats.depth, stats.in_flight),
        (delivered, 0, 0)
    );
    assert_eq!(stats.sent + stats.lost, 4000);
}

#[test]
fn complains_once_an_interval() {
    let mut log = Log {
        last: None,
        interval: Duration::from_secs(10),
        lost_told: 0,
    };
    let at = Duration::from_secs;
    assert_eq!(log.due(at(3), 1), Some(1));
    assert_eq!(log.due(at(12), 5), None);
    assert_eq!(log.due(at(13), 8), Some(7));
}
