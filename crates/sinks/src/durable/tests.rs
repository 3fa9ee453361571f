use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use journal::disk::pretend::PretendDisk;
use journal::{Id, Journal, Options, Retention};
use parking_lot::Mutex;

use super::record::{self, Form};
use super::*;
use crate::outlet::Outlet;
use crate::pace::{Bell, Pace};
use crate::target::{DeliveryError, Item, Target};

#[derive(Clone, Debug, PartialEq, Eq)]
struct Number(u32);

impl Item for Number {
    fn size_bytes(&self) -> usize {
        4
    }
}

/// A clock that moves only when someone pauses, and tells of it.
struct TestPace {
    now: Mutex<Duration>,
    paused: Mutex<Sender<()>>,
}

impl Pace for TestPace {
    fn now(&self) -> Duration {
        *self.now.lock()
    }

    fn pause(&self, length: Duration, _: &Bell) {
        *self.now.lock() += length;
        let _ = self.paused.lock().send(());
        std::thread::yield_now();
    }
}

type Answer = Result<(), DeliveryError>;

/// Tells each batch it is given and answers with what the test says of it.
struct Scripted {
    told: Sender<Vec<u32>>,
    answers: Receiver<Answer>,
    batch_max: usize,
}

impl Target for Scripted {
    type Item = Number;

    fn batch_max(&self) -> usize {
        self.batch_max
    }

    fn deliver(&mut self, batch: &[Number]) -> Answer {
        let told = self
            .told
            .send(batch.iter().map(|number| number.0).collect());
        told.map_err(|_| DeliveryError::passing("the test is over"))?;
        let over = |_| Err(DeliveryError::passing("the test is over"));
        self.answers.recv().unwrap_or_else(over)
    }
}

/// Offers the number that a record is.
struct TestCourier {
    crew: Crew,
    outlet: Arc<Outlet<Number>>,
    failed: Option<Failed>,
}

impl Courier for TestCourier {
    fn records_max(&self) -> usize {
        self.crew.batch_max()
    }

    fn take(&mut self, records: &[Vec<u8>]) -> Vec<(usize, String)> {
        let mut odd = Vec::new();
        for (place, bytes) in records.iter().enumerate() {
            self.crew.begin(place);
            let number = record::read(bytes).and_then(|read| read.body.try_into().ok());
            match number.map(u32::from_le_bytes) {
                Some(number) => self.outlet.offer(Number(number)),
                None => odd.push((place, "no number".to_owned())),
            }
        }
        odd
    }

    fn deliver(&mut self) -> Result<Progress, DeliveryError> {
        match self.crew.deliver() {
            Ok(true) => Ok(Progress::More),
            Ok(false) => Ok(Progress::Done),
            Err(failed) => {
                let error = failed.error.clone();
                self.failed = Some(failed);
                Err(error)
            }
        }
    }

    fn give_up(&mut self) -> Vec<usize> {
        let failed = self.failed.take();
        failed.map_or_else(Vec::new, |failed| self.crew.give_up(&failed))
    }

    fn first_in_hand(&self) -> Option<usize> {
        self.crew.first_record()
    }
}

/// A queue on disks that the test holds.
struct Bench {
    disk: PretendDisk,
    dead: PretendDisk,
    backlog: Arc<Backlog>,
}

/// A shift, and the target's side of it.
struct Delivery {
    shift: Shift,
    told: Receiver<Vec<u32>>,
    answer: Sender<Answer>,
    paused: Receiver<()>,
}

const PATIENCE: Duration = Duration::from_secs(60);

fn bench() -> Bench {
    on(PretendDisk::new(), PretendDisk::new())
}

fn on(disk: PretendDisk, dead: PretendDisk) -> Bench {
    on_with(Options::default(), disk, dead)
}

fn on_with(options: Options, disk: PretendDisk, dead: PretendDisk) -> Bench {
    let journal = Journal::open_on(Arc::new(disk.clone()), options).unwrap();
    let own = dead.clone();
    let open_dead = move || Journal::open_on(Arc::new(own.clone()), Options::default());
    let backlog = Backlog::new("test", journal, Box::new(open_dead), Arc::new(|| 1_000_000));
    Bench {
        disk,
        dead,
        backlog: Arc::new(backlog.unwrap()),
    }
}

impl Bench {
    fn put(&self, numbers: impl IntoIterator<Item = u32>) {
        for number in numbers {
            let mut bytes = Vec::new();
            let write = |out: &mut Vec<u8>| out.extend(number.to_le_bytes());
            record::put(&mut bytes, 400_000, "[]", Form::Text, write);
            self.backlog.put(&bytes);
        }
    }

    fn begin(&self, batch_max: usize, tries_max: Option<u32>) -> Delivery {
        let (told_to, told) = channel();
        let (answer, answers) = channel();
        let (paused_to, paused) = channel();
        let pace = Arc::new(TestPace {
            now: Mutex::default(),
            paused: Mutex::new(paused_to),
        });
        let target = Scripted {
            told: told_to,
            answers,
            batch_max,
        };
        let crew = Crew::default();
        let outlet = crew.open("test", pace.clone(), || Ok::<_, ()>(target));
        let courier = TestCourier {
            outlet: outlet.unwrap(),
            crew,
            failed: None,
        };
        let shift = Shift::begin(&self.backlog, Box::new(courier), pace, tries_max);
        Delivery {
            shift: shift.unwrap(),
            told,
            answer,
            paused,
        }
    }

    /// How far the journal says that things have left.
    fn checkpoint(&self) -> Id {
        self.backlog.checkpoint().unwrap()
    }

    fn dead(&self) -> Vec<(String, u32)> {
        let journal = Journal::open_on(Arc::new(self.dead.clone()), Options::default());
        let mut dead = Vec::new();
        let journal = journal.unwrap();
        let mut reader = journal
            .subscribe_passing("test", journal::Start::Begin)
            .unwrap();
        for (_, bytes) in reader.next_batch(100).unwrap().iter() {
            let letter = record::read_dead(bytes).unwrap();
            let waiting = record::read(letter.record).unwrap();
            let number = u32::from_le_bytes(waiting.body.try_into().unwrap());
            dead.push((letter.reason.to_owned(), number));
        }
        dead
    }
}

impl Delivery {
    fn next(&self) -> Vec<u32> {
        self.told.recv_timeout(PATIENCE).expect("a delivery")
    }

    /// Waits for a delivery and answers it.
    fn answer(&self, expected: &[u32], answer: Answer) {
        assert_eq!(self.next(), expected);
        self.answer.send(answer).unwrap();
    }

    fn end(self) {
        let Delivery { shift, answer, .. } = self;
        shift.call_off();
        drop(answer);
        assert!(shift.ended_within(PATIENCE));
    }
}

fn passing() -> Answer {
    Err(DeliveryError::passing("not there"))
}

fn lasting() -> Answer {
    Err(DeliveryError::lasting("never"))
}

#[test]
fn what_came_leaves_in_order_and_is_noted_after() {
    let bench = bench();
    bench.put(1..=5);
    let delivery = bench.begin(3, None);
    assert_eq!(delivery.next(), [1, 2, 3]);
    assert_eq!(bench.checkpoint(), Id(0));
    assert_eq!(
        bench.backlog.stats().oldest,
        Some(Duration::from_micros(600_000))
    );
    delivery.answer.send(Ok(())).unwrap();
    assert_eq!(delivery.next(), [4, 5]);
    assert_eq!(bench.checkpoint(), Id(3));
    delivery.answer.send(Ok(())).unwrap();
    bench.put([6]);
    delivery.answer(&[6], Ok(()));
    delivery.end();
    let stats = bench.backlog.stats();
    assert_eq!((stats.accepted, stats.sent, stats.depth), (6, 6, 0));
    assert_eq!((bench.checkpoint(), stats.oldest), (Id(6), None));
}

#[test]
fn what_has_not_left_is_there_after_a_crash() {
    let first = bench();
    first.put(1..=4);
    let delivery = first.begin(2, None);
    delivery.answer(&[1, 2], Ok(()));
    delivery.answer(&[3, 4], passing());
    assert_eq!(delivery.next(), [3, 4]);
    let disk = first.disk.after(journal::disk::pretend::Crash::Process, 1);
    delivery.end();
    let second = on(disk, PretendDisk::new());
    second.put([5]);
    assert_eq!(second.backlog.stats().depth, 3);
    let delivery = second.begin(10, None);
    delivery.answer(&[3, 4], Ok(()));
    delivery.answer(&[5], Ok(()));
    delivery.end();
    assert_eq!(second.checkpoint(), Id(5));
}

#[test]
fn after_so_many_tries_a_record_is_a_dead_letter() {
    let bench = bench();
    bench.put([1, 2]);
    let delivery = bench.begin(1, Some(3));
    for _ in 0..3 {
        delivery.answer(&[1], passing());
    }
    delivery.answer(&[2], Ok(()));
    delivery.end();
    let stats = bench.backlog.stats();
    assert_eq!(
        (stats.sent, stats.dead, stats.failed, stats.depth),
        (1, 1, 3, 0)
    );
    drop(bench.backlog.clone());
    let Bench {
        disk,
        dead,
        backlog,
    } = bench;
    drop(backlog);
    let bench = on(disk, dead);
    assert_eq!(bench.dead(), [("not there".to_owned(), 1)]);
}

#[test]
fn of_a_batch_that_is_refused_only_the_culprit_is_given_up() {
    let bench = bench();
    bench.put(1..=4);
    let delivery = bench.begin(3, None);
    delivery.answer(&[1, 2, 3], lasting());
    delivery.answer(&[1], Ok(()));
    delivery.answer(&[2], lasting());
    delivery.answer(&[3], Ok(()));
    delivery.answer(&[4], Ok(()));
    delivery.end();
    assert_eq!(bench.backlog.stats().dead, 1);
    let Bench {
        disk,
        dead,
        backlog,
    } = bench;
    drop(backlog);
    assert_eq!(on(disk, dead).dead(), [("never".to_owned(), 2)]);
}

#[test]
fn a_record_that_nobody_can_deliver_is_a_dead_letter_at_once() {
    let bench = bench();
    bench.backlog.put(b"what is this?");
    bench.put([7]);
    let delivery = bench.begin(1, None);
    delivery.answer(&[7], Ok(()));
    delivery.end();
    let stats = bench.backlog.stats();
    assert_eq!((stats.sent, stats.dead, stats.depth), (1, 1, 0));
}

#[test]
fn a_new_shift_goes_on_where_the_one_before_gave_way() {
    let bench = bench();
    bench.put([1, 2]);
    let old = bench.begin(1, None);
    assert_eq!(old.next(), [1]);
    let new = bench.begin(1, None);
    assert!(new.told.try_recv().is_err(), "two shifts at once");
    old.answer.send(Ok(())).unwrap();
    new.answer(&[2], Ok(()));
    bench.put([3]);
    new.answer(&[3], Ok(()));
    old.end();
    new.end();
    assert_eq!(bench.backlog.stats().sent, 3);
}

#[test]
fn a_full_disk_loses_what_comes_and_counts_it() {
    let bench = bench();
    let delivery = bench.begin(1, None);
    bench.disk.room(Some(0));
    // The buffer takes some: it is as large as the journal had it made.
    let long = vec![7; 100_000];
    for _ in 0..3 {
        bench.backlog.put(&long);
    }
    let lost = bench.backlog.stats().lost;
    assert!(lost > 0);
    bench.disk.room(None);
    bench.put([1]);
    delivery.answer(&[1], Ok(()));
    delivery.end();
    let stats = bench.backlog.stats();
    assert_eq!((stats.lost, stats.depth, stats.dead), (lost, 0, 3 - lost));
}

#[test]
fn a_dead_letter_waits_for_room() {
    let bench = bench();
    bench.dead.room(Some(0));
    bench.put([1, 2]);
    let delivery = bench.begin(1, None);
    delivery.answer(&[1], lasting());
    delivery.paused.recv_timeout(PATIENCE).expect("a pause");
    assert_eq!((bench.backlog.stats().dead, bench.checkpoint()), (0, Id(0)));
    bench.dead.room(None);
    delivery.answer(&[2], Ok(()));
    delivery.end();
    assert_eq!(bench.backlog.stats().dead, 1);
}

#[test]
fn what_a_limited_journal_drops_is_counted_once() {
    let options = Options {
        segment_bytes: 4096,
        buffer_bytes: 4096,
        retention: Retention {
            max_bytes: Some(20_000),
            max_age_us: None,
        },
        ..Options::default()
    };
    let bench = on_with(options, PretendDisk::new(), PretendDisk::new());
    bench.put(1..=2000);
    bench.backlog.tick();
    let lost = bench.backlog.stats().lost;
    assert!(lost > 0 && lost < 2000, "{lost}");
    let delivery = bench.begin(10_000, None);
    let mut came = Vec::new();
    while came.last() != Some(&2000) {
        came.extend(delivery.next());
        delivery.answer.send(Ok(())).unwrap();
    }
    delivery.end();
    let first = u32::try_from(lost).unwrap() + 1;
    assert_eq!(came, (first..=2000).collect::<Vec<_>>());
    let stats = bench.backlog.stats();
    assert_eq!(
        (stats.lost, stats.sent, stats.depth),
        (lost, 2000 - lost, 0)
    );
}
