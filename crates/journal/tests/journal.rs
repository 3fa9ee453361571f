//! Proves what a journal does when nothing goes wrong: order, ids, subscribers, segments.

use std::sync::Arc;

use journal::disk::pretend::{Crash, PretendDisk};
use journal::{Compression, Durability, Error, Id, Journal, Options, Reader, Retention, Start};

fn small() -> Options {
    Options {
        segment_bytes: 4096,
        buffer_bytes: 4096,
        ..Options::default()
    }
}

fn open(disk: &PretendDisk, options: Options) -> Journal {
    Journal::open_on(Arc::new(disk.clone()), options).expect("the journal opens")
}

fn record(number: u64) -> Vec<u8> {
    let len = number as usize % 90;
    let mut bytes = format!("{number}:").into_bytes();
    bytes.resize(bytes.len() + len, b'a' + (number % 26) as u8);
    bytes
}

fn fill(journal: &Journal, from: u64, to: u64) {
    for number in from..=to {
        assert_eq!(journal.append(&record(number)).expect("room"), Id(number));
    }
}

/// Reads to the end and returns the ids, having checked the bytes.
fn drain(reader: &mut Reader, max: usize) -> Vec<u64> {
    let mut ids = Vec::new();
    loop {
        let batch = reader.next_batch(max).expect("the disk reads");
        assert!(batch.len() <= max);
        if batch.is_empty() {
            return ids;
        }
        for (id, bytes) in batch.iter() {
            assert_eq!(bytes, record(id.0), "record {id}");
            ids.push(id.0);
        }
    }
}

#[test]
fn records_come_back_in_order_from_buffer_and_segments() {
    for compression in [Compression::None, Compression::Lz4] {
        for max in [1, 7, 100_000] {
            let journal = open(
                &PretendDisk::new(),
                Options {
                    compression,
                    ..small()
                },
            );
            let mut reader = journal.subscribe("a", Start::Begin).expect("added");
            let mut read = Vec::new();
            for to in [1, 3, 500, 501, 2000] {
                fill(&journal, read.len() as u64 + 1, to);
                read.extend(drain(&mut reader, max));
                assert_eq!(read, (1..=to).collect::<Vec<_>>(), "{compression:?} {max}");
            }
        }
    }
}

#[test]
fn a_journal_is_found_again_as_it_was() {
    for durability in [Durability::Os, Durability::Always] {
        let disk = PretendDisk::new();
        let options = || Options {
            durability,
            ..small()
        };
        let mut last = 0;
        for round in 1..6 {
            let journal = open(&disk, options());
            assert!(journal.recovery().is_clean(), "{:?}", journal.recovery());
            assert_eq!(journal.last().expect("open"), Id(last));
            fill(&journal, last + 1, last + 100 * round);
            last += 100 * round;
        }
        let journal = open(&disk, options());
        let mut reader = journal.subscribe("a", Start::Begin).expect("added");
        assert_eq!(drain(&mut reader, 1000), (1..=last).collect::<Vec<_>>());
    }
}

#[test]
fn each_subscriber_has_its_own_checkpoint_and_it_can_go_back() {
    let disk = PretendDisk::new();
    let journal = open(&disk, small());
    let mut reader = journal.subscribe("reader", Start::Begin).expect("added");
    fill(&journal, 1, 1000);
    let first = reader.next_batch(10).expect("read").last().expect("ten").0;
    reader.checkpoint(first).expect("stored");
    // As JLog's example: a subscriber that trails as a safe point.
    journal
        .set_subscriber("checkpoint-name", first)
        .expect("set");
    reader.seek(first);
    drain(&mut reader, 100);
    reader.checkpoint(Id(1000)).expect("stored");
    assert_eq!(journal.checkpoint_of("reader").expect("there"), Id(1000));

    let safe = journal.checkpoint_of("checkpoint-name").expect("there");
    assert_eq!(reader.checkpoint(safe).expect("rewound"), first);
    drop((reader, journal));
    let journal = open(&disk, small());
    let mut again = journal.reader("reader").expect("there");
    let read = drain(&mut again, 100);
    assert_eq!(read, (first.0 + 1..=1000).collect::<Vec<_>>());
}

#[test]
fn subscribers_are_added_once_and_removed_once() {
    let journal = open(&PretendDisk::new(), small());
    fill(&journal, 1, 10);
    journal.add_subscriber("a", Start::End).expect("added");
    let again = journal.add_subscriber("a", Start::Begin);
    assert!(matches!(again, Err(Error::SubscriberExists { .. })));
    assert_eq!(journal.checkpoint_of("a").expect("there"), Id(10));
    journal
        .add_subscriber("b", Start::After(Id(4)))
        .expect("added");
    let mut reader = journal.reader("b").expect("there");
    assert_eq!(drain(&mut reader, 100), [5, 6, 7, 8, 9, 10]);
    journal.remove_subscriber("a").expect("removed");
    let again = journal.remove_subscriber("a");
    assert!(matches!(again, Err(Error::NoSubscriber { .. })));
    assert!(matches!(
        journal.reader("a"),
        Err(Error::NoSubscriber { .. })
    ));
    assert!(matches!(
        journal.add_subscriber("", Start::End),
        Err(Error::Name { bytes: 0 })
    ));
}

#[test]
fn a_passing_subscriber_ends_with_its_reader() {
    let disk = PretendDisk::new();
    let journal = open(&disk, small());
    fill(&journal, 1, 300);
    let mut reader = journal
        .subscribe_passing("~tail", Start::Begin)
        .expect("added");
    journal.add_subscriber("other", Start::End).expect("added");
    journal.compact().expect("compacted");
    assert_eq!(drain(&mut reader, 100).len(), 300, "it pins its segments");
    drop(reader);
    assert!(matches!(
        journal.checkpoint_of("~tail"),
        Err(Error::NoSubscriber { .. })
    ));
    assert!(journal.compact().expect("compacted") > 0);
}

#[test]
fn segments_go_when_all_have_passed_them() {
    let disk = PretendDisk::new();
    let journal = open(&disk, small());
    journal.add_subscriber("fast", Start::Begin).expect("added");
    journal.add_subscriber("slow", Start::Begin).expect("added");
    fill(&journal, 1, 2000);
    let full = disk.bytes();
    journal.checkpoint("fast", Id(2000)).expect("stored");
    assert_eq!(disk.bytes(), full);
    assert_eq!(journal.first().expect("open"), Id(1));
    journal.checkpoint("slow", Id(1000)).expect("stored");
    assert!(disk.bytes() < full * 2 / 3);
    let first = journal.first().expect("open").0;
    assert!((900..=1001).contains(&first), "{first}");
}

#[test]
fn a_record_longer_than_the_buffer_and_one_too_long() {
    for compression in [Compression::None, Compression::Lz4] {
        let options = Options {
            compression,
            ..small()
        };
        let journal = open(&PretendDisk::new(), options);
        let long: Vec<u8> = (0..40_000_u32).flat_map(u32::to_le_bytes).collect();
        journal.append(b"before").expect("room");
        journal.append(&long).expect("room");
        journal.append(b"").expect("room");
        let mut reader = journal.subscribe("a", Start::Begin).expect("added");
        let mut read = Vec::new();
        loop {
            let batch = reader.next_batch(10).expect("read");
            if batch.is_empty() {
                break;
            }
            read.extend(batch.iter().map(|(_, bytes)| bytes.to_vec()));
        }
        assert_eq!(read, [b"before".to_vec(), long, Vec::new()]);
        let too_long = vec![0; journal::limits::RECORD_BYTES_MAX + 1];
        let refused = journal.append(&too_long);
        assert!(matches!(refused, Err(Error::TooLong { .. })));
        assert_eq!(journal.append(b"after").expect("room"), Id(4));
    }
}

#[test]
fn what_is_too_much_goes_unread_and_is_counted() {
    let disk = PretendDisk::new();
    let retention = Retention {
        max_bytes: Some(20_000),
        max_age_us: None,
    };
    let journal = open(
        &disk,
        Options {
            retention,
            ..small()
        },
    );
    let mut reader = journal.subscribe("late", Start::Begin).expect("added");
    fill(&journal, 1, 3000);
    let held = journal.stats().expect("read").disk_bytes;
    assert!(held <= 20_000 + 4096, "{held}");
    let kept = journal.first().expect("open").0;
    assert!(kept > 1);
    assert_eq!(drain(&mut reader, 500), (kept..=3000).collect::<Vec<_>>());
    let missed: u64 = reader.take_damages().iter().map(|gap| gap.records).sum();
    assert_eq!(missed, kept - 1);
}

#[test]
fn what_is_too_old_goes() {
    let now = Arc::new(std::sync::atomic::AtomicI64::new(0));
    let clock = Arc::clone(&now);
    let journal = open(
        &PretendDisk::new(),
        Options {
            retention: Retention {
                max_bytes: None,
                max_age_us: Some(60),
            },
            now: Arc::new(move || clock.load(std::sync::atomic::Ordering::Relaxed)),
            ..small()
        },
    );
    for second in 0..10 {
        now.store(second * 10, std::sync::atomic::Ordering::Relaxed);
        fill(&journal, second as u64 * 100 + 1, second as u64 * 100 + 100);
    }
    journal.tick(100).expect("ticked");
    let first = journal.first().expect("open").0;
    assert!((300..=401).contains(&first), "{first}");
}

#[test]
fn depth_is_true_in_records_and_bytes() {
    for compression in [Compression::None, Compression::Lz4] {
        let now = Arc::new(std::sync::atomic::AtomicI64::new(0));
        let clock = Arc::clone(&now);
        let journal = open(
            &PretendDisk::new(),
            Options {
                compression,
                now: Arc::new(move || clock.load(std::sync::atomic::Ordering::Relaxed)),
                ..small()
            },
        );
        journal.add_subscriber("a", Start::Begin).expect("added");
        for number in 1..=1500 {
            now.store(number, std::sync::atomic::Ordering::Relaxed);
            journal.append(&record(number as u64)).expect("room");
        }
        for checkpoint in (0..=1500).step_by(97).chain([1499, 1500]) {
            journal.checkpoint("a", Id(checkpoint)).expect("stored");
            let stats = journal.stats().expect("read");
            let subscriber = &stats.subscribers[0];
            // Segments that it has passed are gone, so it cannot go back: only forth.
            let unread = checkpoint + 1..=1500;
            assert_eq!(subscriber.records, 1500 - checkpoint);
            let bytes: usize = unread.map(|number| record(number).len()).sum();
            assert_eq!(subscriber.bytes, bytes as u64, "after {checkpoint}");
            match subscriber.oldest_us {
                None => assert_eq!(checkpoint, 1500),
                Some(time) => assert!((1..=checkpoint as i64 + 1).contains(&time)),
            }
        }
        let kept = journal.first().expect("open").0 as i64;
        for time in (1..1600).step_by(13) {
            let before = journal.last_before(time).expect("read").0 as i64;
            // A block holds some eighty of these records.
            assert!(before < kept || (time - 100..time).contains(&before) || time > 1500);
        }
        assert!(journal.last_before(9999).expect("read") < Id(1500));
    }
}

#[test]
fn a_tick_syncs_when_the_interval_is_over_and_flushes_what_waits() {
    let disk = PretendDisk::new();
    let options = Options {
        durability: Durability::Interval { ms: 1000 },
        ..small()
    };
    let journal = open(&disk, options);
    let kept = |seed| {
        let left = disk.after(Crash::Machine, seed);
        open(&left, small()).last().expect("open").0
    };
    fill(&journal, 1, 5);
    journal.tick(0).expect("ticked");
    assert!((1..50).all(|seed| kept(seed) >= 5), "the first tick syncs");
    fill(&journal, 6, 10);
    journal.tick(999_999).expect("ticked");
    assert!((1..50).any(|seed| kept(seed) < 10), "it is not time yet");
    journal.tick(1_000_000).expect("ticked");
    assert!((1..50).all(|seed| kept(seed) >= 10));
    assert_eq!(journal.stats().expect("read").buffered, 0);
    assert_eq!(journal.stats().expect("read").syncs, 2);
}

#[test]
fn who_waits_for_a_record_is_woken_by_it() {
    let journal = open(&PretendDisk::new(), small());
    let none = std::time::Duration::ZERO;
    assert!(!journal.wait_for(Id(0), none).expect("open"));
    let waiting = journal.clone();
    let patience = std::time::Duration::from_secs(60);
    let thread = std::thread::spawn(move || waiting.wait_for(Id(1), patience).expect("open"));
    fill(&journal, 1, 2);
    assert!(thread.join().expect("no panic"));
}
