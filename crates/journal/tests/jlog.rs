//! Each defect that was found in JLog 2.6, by its name: ours does not have it.

use std::sync::Arc;

use journal::disk::Disk;
use journal::disk::pretend::{Crash, PretendDisk};
use journal::{Compression, Durability, Id, Journal, Options, Reader, Start};

fn options() -> Options {
    Options {
        segment_bytes: 4096,
        buffer_bytes: 4096,
        ..Options::default()
    }
}

fn open_with(disk: &PretendDisk, options: Options) -> Journal {
    Journal::open_on(Arc::new(disk.clone()), options).expect("it opens")
}

fn open(disk: &PretendDisk) -> Journal {
    open_with(disk, options())
}

fn fill(journal: &Journal, count: u64) {
    for number in 0..count {
        let record = format!("{number:064}");
        journal.append(record.as_bytes()).expect("room");
    }
}

fn count(reader: &mut Reader) -> usize {
    let mut read = 0;
    loop {
        let batch = reader.next_batch(100).expect("it reads");
        if batch.is_empty() {
            return read;
        }
        read += batch.len();
    }
}

fn last_segment(disk: &PretendDisk) -> String {
    let names = disk.list().expect("a folder");
    let segments = names.into_iter().filter(|name| name.ends_with(".segment"));
    segments.max().expect("a segment")
}

#[test]
fn a_torn_tail_does_not_wedge_readers() {
    for torn in 1..200 {
        let disk = PretendDisk::new();
        let journal = open(&disk);
        journal.add_subscriber("a", Start::Begin).expect("added");
        fill(&journal, 25);
        drop(journal);
        // A write that was cut short: the beginning of a block, of a header at the least.
        let name = last_segment(&disk);
        let mut bytes = disk.read(&name).expect("a segment");
        let again: Vec<u8> = bytes[64..].iter().copied().take(torn).collect();
        bytes.extend(again);
        disk.write(&name, &bytes);
        let journal = open(&disk);
        // Zeros at its end cannot be told from what was filled in ahead.
        let told = journal.recovery().torn_bytes;
        assert!(told > 0 && told <= torn as u64);
        let mut reader = journal.reader("a").expect("it is there");
        assert_eq!(count(&mut reader), 25);
        fill(&journal, 10);
        assert_eq!(count(&mut reader), 10, "it does not stall");
    }
}

#[test]
fn the_buffer_neither_repeats_nor_tears_records_after_a_crash() {
    let whole = PretendDisk::new();
    let journal = open(&whole);
    fill(&journal, 200);
    drop(journal);
    for step in 1..=whole.steps() {
        let disk = PretendDisk::new();
        disk.crash_at(step);
        let mut appended = 0;
        if let Ok(journal) = Journal::open_on(Arc::new(disk.clone()), options()) {
            for number in 0..200 {
                let record = format!("{number:064}");
                if journal.append(record.as_bytes()).is_err() {
                    break;
                }
                appended += 1;
            }
        }
        let journal = open(&disk.after(Crash::Process, step));
        let mut reader = journal.subscribe("a", Start::Begin).expect("added");
        assert_eq!(count(&mut reader), appended, "step {step}");
        assert_eq!(reader.take_damages(), []);
    }
}

#[test]
fn safe_means_that_records_are_synced() {
    let disk = PretendDisk::new();
    let options = Options {
        durability: Durability::Always,
        ..options()
    };
    let journal = open_with(&disk, options);
    for number in 1..=100 {
        journal.append(b"a record").expect("durable");
        let left = disk.after(Crash::Machine, number);
        assert_eq!(open(&left).last().expect("open"), Id(number));
    }
}

#[test]
fn removing_the_slow_subscriber_frees_its_segments() {
    let disk = PretendDisk::new();
    let journal = open(&disk);
    journal.add_subscriber("slow", Start::Begin).expect("added");
    journal.add_subscriber("fast", Start::Begin).expect("added");
    fill(&journal, 600);
    journal
        .checkpoint("fast", journal.last().expect("open"))
        .expect("stored");
    assert!(journal.stats().expect("read").segments >= 8);
    journal.remove_subscriber("slow").expect("removed");
    assert_eq!(journal.stats().expect("read").segments, 1);
}

#[test]
fn compacting_without_subscribers_frees_segments() {
    let journal = open(&PretendDisk::new());
    fill(&journal, 600);
    assert!(journal.compact().expect("compacted") >= 8);
    assert_eq!(journal.stats().expect("read").segments, 1);
}

#[test]
fn compression_is_as_it_was_asked_for_and_two_journals_differ() {
    let (plain, packed) = (PretendDisk::new(), PretendDisk::new());
    let lz4 = Options {
        compression: Compression::Lz4,
        ..options()
    };
    let (one, other) = (open(&plain), open_with(&packed, lz4.clone()));
    for journal in [&one, &other] {
        fill(journal, 600);
        let mut reader = journal.subscribe("a", Start::Begin).expect("added");
        assert_eq!(count(&mut reader), 600);
    }
    assert_eq!(one.settings().compression, Compression::None);
    assert_eq!(other.settings().compression, Compression::Lz4);
    let bytes = |journal: &Journal| journal.stats().expect("read").disk_bytes;
    assert!(bytes(&other) * 3 < bytes(&one));
    // It is chosen once, and kept.
    drop((one, other));
    let kept = open_with(&plain, lz4).settings().compression;
    assert_eq!(kept, Compression::None);
}

#[test]
fn a_checkpoint_can_be_set_by_name_even_for_one_who_is_new() {
    let journal = open(&PretendDisk::new());
    fill(&journal, 10);
    assert_eq!(journal.set_subscriber("a", Id(4)).expect("set"), Id(4));
    assert_eq!(journal.set_subscriber("a", Id(2)).expect("set"), Id(2));
    assert_eq!(journal.checkpoint_of("a").expect("there"), Id(2));
    assert_eq!(
        journal.set_subscriber("a", Id(1_000_000)).expect("set"),
        Id(10)
    );
}

#[test]
fn repairing_a_healthy_journal_changes_nothing() {
    for compression in [Compression::None, Compression::Lz4] {
        let disk = PretendDisk::new();
        let options = Options {
            compression,
            ..options()
        };
        let journal = open_with(&disk, options.clone());
        fill(&journal, 300);
        journal
            .add_subscriber("a", Start::After(Id(5)))
            .expect("added");
        journal
            .add_subscriber("b", Start::After(Id(7)))
            .expect("added");
        drop(journal);
        let repaired = journal::repair(&disk).expect("repaired");
        assert!(repaired.is_healthy(), "{repaired:?}");
        let journal = open_with(&disk, options);
        assert_eq!(journal.last().expect("open"), Id(300));
        assert_eq!(journal.checkpoint_of("a").expect("there"), Id(5));
        assert_eq!(journal.checkpoint_of("b").expect("there"), Id(7));
    }
}

#[test]
fn appending_fails_and_ends_on_a_disk_that_takes_only_part_of_a_write() {
    let disk = PretendDisk::new();
    let journal = open(&disk);
    disk.room(Some(disk.bytes() + 1000));
    let failed = (0..1000).find(|_| journal.append(&[b'x'; 100]).is_err());
    assert!(failed.is_some(), "it neither hangs nor pretends");
    disk.room(None);
    journal.append(b"y").expect("the lock was given back");
}

#[test]
fn a_header_cut_in_the_middle_does_not_stall_readers() {
    let made = || {
        let disk = PretendDisk::new();
        let journal = open(&disk);
        journal.add_subscriber("a", Start::Begin).expect("added");
        fill(&journal, 10);
        journal.flush().expect("room");
        fill(&journal, 10);
        drop(journal);
        disk
    };
    let name = last_segment(&made());
    let whole = made().read(&name).expect("a segment");
    let second = whole.len() / 2 + 32;
    assert_eq!(&whole[second..second + 4], b"CJb1");
    // What comes after the 49th byte of a header is zeros: with them it is whole.
    for cut in 1..49 {
        let disk = made();
        let torn = &whole[second..second + cut];
        let filled = vec![0; cut.next_multiple_of(8) - cut];
        let parts = [&whole[..second], torn, &filled, &whole[second..]];
        disk.write(&name, &parts.concat());
        let journal = open(&disk);
        let mut reader = journal.reader("a").expect("it is there");
        assert_eq!(count(&mut reader), 20, "cut at {cut}");
        assert_eq!(reader.take_damages().len(), 1, "and it is named");
    }
}

#[test]
fn a_slow_trickle_reaches_readers_at_once() {
    let journal = open(&PretendDisk::new());
    let mut reader = journal.subscribe("a", Start::Begin).expect("added");
    for _ in 0..3 {
        fill(&journal, 1);
        assert_eq!(count(&mut reader), 1);
    }
}

#[test]
fn ids_tell_that_records_are_missing() {
    let disk = PretendDisk::new();
    let journal = open(&disk);
    fill(&journal, 300);
    drop(journal);
    let names = disk.list().expect("a folder");
    let mut segments: Vec<_> = names
        .iter()
        .filter(|name| name.ends_with(".segment"))
        .collect();
    segments.sort();
    disk.remove(segments[1]).expect("it is there");
    let journal = open(&disk);
    let mut reader = journal.subscribe("a", Start::Begin).expect("added");
    let read = count(&mut reader) as u64;
    let damages = reader.take_damages();
    assert_eq!(damages.len(), 1);
    assert_eq!(read + damages[0].records, 300);
}

#[test]
fn a_lock_is_given_back_by_every_error() {
    let disk = PretendDisk::new();
    let journal = open(&disk);
    journal.add_subscriber("a", Start::Begin).expect("added");
    assert!(journal.add_subscriber("a", Start::Begin).is_err());
    assert!(journal.add_subscriber("", Start::Begin).is_err());
    assert!(journal.reader("b").is_err());
    assert!(journal.remove_subscriber("b").is_err());
    assert!(
        journal
            .append(&vec![0; journal::limits::RECORD_BYTES_MAX + 1])
            .is_err()
    );
    disk.fail_syncs(true);
    assert!(journal.sync().is_ok(), "there was nothing to sync");
    fill(&journal, 1);
    assert!(journal.sync().is_err());
    disk.fail_syncs(false);
    fill(&journal, 1);
    journal.sync().expect("synced");
}
