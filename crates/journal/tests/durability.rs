//! Proves what each durability makes durable by itself, when the journal is told the time.

use std::sync::Arc;

use journal::disk::pretend::{Crash, PretendDisk};
use journal::{Durability, Id, Journal, Options};

fn open(disk: &PretendDisk, durability: Durability) -> Journal {
    let options = Options {
        durability,
        segment_bytes: 4096,
        buffer_bytes: 4096,
        ..Options::default()
    };
    Journal::open_on(Arc::new(disk.clone()), options).expect("it opens")
}

/// The last record after the machine went down.
fn after_crash(disk: &PretendDisk, seed: u64) -> Id {
    let left = disk.after(Crash::Machine, seed);
    open(&left, Durability::Os).last().expect("open")
}

#[test]
fn in_always_a_tick_syncs_what_was_submitted_and_nobody_waits_for() {
    let disk = PretendDisk::new();
    let journal = open(&disk, Durability::Always);
    journal.tick(0).expect("ticked");
    for number in 1..=60 {
        let id = journal.submit([&[b'x'; 200][..]]).expect("room");
        assert_eq!(id, Id(number));
        journal.tick(number as i64).expect("ticked");
        assert_eq!(after_crash(&disk, number), id);
    }
}

#[test]
fn in_always_a_tick_without_new_records_touches_nothing() {
    let disk = PretendDisk::new();
    let journal = open(&disk, Durability::Always);
    journal.append(b"a record").expect("durable");
    journal.tick(0).expect("ticked");
    let steps = disk.steps();
    for number in 1..10 {
        journal.tick(number).expect("ticked");
    }
    assert_eq!(disk.steps(), steps);
}

#[test]
fn an_interval_is_synced_when_it_is_over() {
    let disk = PretendDisk::new();
    let journal = open(&disk, Durability::Interval { ms: 10 });
    journal.tick(0).expect("ticked");
    let id = journal.append(b"a record").expect("room");
    journal.tick(9_999).expect("ticked");
    let early: Vec<Id> = (0..20).map(|seed| after_crash(&disk, seed)).collect();
    assert!(early.contains(&Id(0)), "{early:?}");
    journal.tick(10_000).expect("ticked");
    assert!((0..20).all(|seed| after_crash(&disk, seed) == id));
}
