//! Proves that damaged files lose no more than what is damaged, are named, and never stop the
//! program; and that a full disk costs nothing that was acknowledged.

use std::collections::BTreeMap;
use std::sync::Arc;

use journal::disk::pretend::{Crash, PretendDisk};
use journal::{Compression, Durability, Error, Id, Journal, OnDamage, Options, Start};
use proptest::prelude::*;

const RECORDS: u64 = 60;

fn options(compression: Compression) -> Options {
    Options {
        compression,
        segment_bytes: 4096,
        buffer_bytes: 4096,
        ..Options::default()
    }
}

fn record(number: u64) -> Vec<u8> {
    let mut bytes = format!("{number}:").into_bytes();
    let len = bytes.len() + (number * 37 % 90) as usize;
    bytes.resize(len, b'a' + (number % 26) as u8);
    bytes
}

/// A journal of a few small blocks in two segments, closed.
fn made(compression: Compression) -> PretendDisk {
    let disk = PretendDisk::new();
    let journal = open(&disk, compression).expect("it opens");
    journal.add_subscriber("a", Start::Begin).expect("added");
    for number in 1..=RECORDS {
        journal.append(&record(number)).expect("room");
        if number % 10 == 0 {
            journal.flush().expect("room");
        }
    }
    journal.checkpoint("a", Id(3)).expect("stored");
    drop(journal);
    disk
}

fn open(disk: &PretendDisk, compression: Compression) -> Result<Journal, Error> {
    Journal::open_on(Arc::new(disk.clone()), options(compression))
}

/// What is read from the start, with the number of damages and of records that they cost.
fn read(journal: &Journal) -> (BTreeMap<u64, Vec<u8>>, usize, u64) {
    let mut reader = journal.subscribe_passing("r", Start::Begin).expect("added");
    let (mut all, mut last) = (BTreeMap::new(), 0);
    loop {
        let batch = reader.next_batch(7).expect("damage is passed over");
        if batch.is_empty() {
            break;
        }
        for (id, bytes) in batch.iter() {
            assert!(id.0 > last, "in order");
            last = id.0;
            all.insert(id.0, bytes.to_vec());
        }
    }
    let damages = reader.take_damages();
    let lost = damages.iter().map(|damage| damage.records).sum();
    (all, damages.len(), lost)
}

#[test]
fn a_flipped_bit_in_any_byte_of_a_segment_costs_one_record_or_one_block() {
    for (compression, at_most) in [(Compression::None, 10), (Compression::Lz4, 10)] {
        let good = made(compression);
        let name = "0000000000000001.segment";
        let bytes = good.read(name).expect("a segment");
        let mut single = 0;
        for at in 0..bytes.len() {
            let disk = good.after(Crash::Process, 1);
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            disk.write(name, &damaged);
            let journal = open(&disk, compression).expect("it opens");
            let found_at_open = &journal.recovery().damages;
            let lost_at_open: u64 = found_at_open.iter().map(|damage| damage.records).sum();
            let (all, named, lost) = read(&journal);
            for (id, bytes) in &all {
                assert_eq!(*bytes, record(*id), "byte {at}: {id}");
            }
            let missing = RECORDS - all.len() as u64;
            let torn = journal.recovery().torn_bytes > 0;
            assert!(missing <= at_most, "byte {at}: {missing} records");
            assert!(
                torn || missing == lost,
                "byte {at}: {missing} gone, {lost} named"
            );
            assert!(missing == 0 || named > 0 || torn, "byte {at}");
            assert!(lost_at_open <= at_most);
            single += u64::from(missing == 1);
            assert_eq!(
                journal.append(b"after").expect("room"),
                journal.last().expect("open")
            );
        }
        if compression == Compression::None {
            assert!(
                single as usize > bytes.len() / 2,
                "mostly one record: {single}"
            );
        }
    }
}

#[test]
fn a_flipped_bit_in_the_other_files_loses_no_record() {
    for name in ["journal", "subscribers", "buffer"] {
        let good = made(Compression::None);
        let bytes = good.read(name).expect("a file");
        for at in (0..bytes.len()).filter(|at| at % 7 == 0 || bytes[*at] != 0) {
            let disk = good.after(Crash::Process, 1);
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            disk.write(name, &damaged);
            let journal = open(&disk, Compression::None).expect("it opens");
            assert_eq!(read(&journal).0.len() as u64, RECORDS, "{name} byte {at}");
            let checkpoint = journal.checkpoint_of("a").expect("it is there");
            assert!(checkpoint <= Id(3), "{name} byte {at}");
        }
    }
}

#[test]
fn a_flipped_bit_in_a_buffer_left_by_a_killed_process_costs_one_record() {
    let disk = PretendDisk::new();
    let journal = open(&disk, Compression::None).expect("it opens");
    for number in 1..=20 {
        journal.append(&record(number)).expect("room");
    }
    let left = disk.after(Crash::Process, 1);
    let bytes = left.read("buffer").expect("a buffer");
    for at in (0..bytes.len()).filter(|at| bytes[*at] != 0) {
        let disk = left.after(Crash::Process, 1);
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        disk.write("buffer", &damaged);
        let journal = open(&disk, Compression::None).expect("it opens");
        let (all, ..) = read(&journal);
        for (id, bytes) in &all {
            assert_eq!(*bytes, record(*id), "byte {at}: {id}");
        }
        // The eight bytes that say what the file is are its only ones without a second copy.
        let least = if at < 8 { 0 } else { 19 };
        assert!(all.len() >= least, "byte {at}: {} records", all.len());
    }
}

#[test]
fn a_reader_that_is_told_to_stops_at_damage_until_it_may_skip() {
    let disk = made(Compression::None);
    let name = "0000000000000001.segment";
    let mut bytes = disk.read(name).expect("a segment");
    bytes[400] ^= 1;
    disk.write(name, &bytes);
    let journal = open(&disk, Compression::None).expect("it opens");
    let mut reader = journal.subscribe_passing("r", Start::Begin).expect("added");
    reader.on_damage(OnDamage::Stop);
    let mut before = 0;
    let damage = loop {
        match reader.next_batch(100) {
            Ok(batch) => before += batch.len(),
            Err(Error::Damaged(damage)) => break damage,
            Err(error) => panic!("{error}"),
        }
    };
    assert!(matches!(reader.next_batch(100), Err(Error::Damaged(_))));
    assert_eq!((damage.segment, damage.records), (Id(1), 1));
    assert!(
        damage.to_string().contains("segment 1 is damaged at byte"),
        "{damage}"
    );
    reader.on_damage(OnDamage::Skip);
    let mut after = 0;
    while let Ok(batch) = reader.next_batch(100) {
        if batch.is_empty() {
            break;
        }
        after += batch.len();
    }
    assert_eq!(before + after, RECORDS as usize - 1);
    let stats = journal.stats().expect("read");
    assert_eq!((stats.damages, stats.records_damaged), (1, 1));
}

#[test]
fn a_missing_segment_is_passed_over_and_named() {
    let disk = PretendDisk::new();
    let journal = open(&disk, Compression::None).expect("it opens");
    for number in 1..=300 {
        journal.append(&record(number)).expect("room");
    }
    drop(journal);
    let segments = |disk: &PretendDisk| {
        let names = journal::disk::Disk::list(disk).expect("a folder");
        let mut names: Vec<String> = names
            .into_iter()
            .filter(|name| name.ends_with(".segment"))
            .collect();
        names.sort();
        names
    };
    let names = segments(&disk);
    assert!(names.len() > 3);
    journal::disk::Disk::remove(&disk, &names[1]).expect("removed");
    let first = |name: &str| u64::from_str_radix(&name[..16], 16).expect("a number");
    let gone = first(&names[1])..first(&names[2]);
    let journal = open(&disk, Compression::None).expect("it opens");
    let (all, named, lost) = read(&journal);
    assert_eq!((named, lost), (1, gone.end - gone.start));
    assert_eq!(all.len() as u64, 300 - lost);
    assert!(gone.clone().all(|id| !all.contains_key(&id)));
}

#[test]
fn a_full_disk_costs_nothing_and_appends_go_on_when_there_is_room() {
    for durability in [Durability::Os, Durability::Always] {
        let disk = PretendDisk::new();
        let options = Options {
            durability,
            ..options(Compression::None)
        };
        let journal = Journal::open_on(Arc::new(disk.clone()), options).expect("it opens");
        journal.add_subscriber("a", Start::Begin).expect("added");
        disk.room(Some(disk.bytes() + 30_000));
        let mut kept = BTreeMap::new();
        let full = loop {
            let next = journal.last().expect("open").0 + 1;
            match journal.append(&record(next)) {
                Ok(id) => kept.insert(id.0, record(next)),
                Err(error) => break error,
            };
        };
        assert!(matches!(full, Error::Full { .. }), "{full}");
        assert!(full.to_string().contains("free some room"), "{full}");
        assert!(journal.append(&[0; 4000]).is_err(), "it stays full");
        let (all, named, _) = read(&journal);
        assert_eq!(named, 0);
        assert!(kept.iter().all(|(id, bytes)| all.get(id) == Some(bytes)));

        disk.room(None);
        let next = journal.last().expect("open").0 + 1;
        let id = journal.append(&record(next)).expect("there is room");
        kept.insert(id.0, record(next));
        drop(journal);
        let journal = open(&disk, Compression::None).expect("it opens");
        let (all, named, _) = read(&journal);
        assert_eq!(named, 0);
        assert!(kept.iter().all(|(id, bytes)| all.get(id) == Some(bytes)));
    }
}

#[test]
fn a_failed_sync_acknowledges_nothing_and_the_next_segment_goes_on() {
    let disk = PretendDisk::new();
    let options = Options {
        durability: Durability::Always,
        ..options(Compression::None)
    };
    let journal = Journal::open_on(Arc::new(disk.clone()), options).expect("it opens");
    journal.append(&record(1)).expect("durable");
    disk.fail_syncs(true);
    assert!(journal.append(&record(2)).is_err());
    disk.fail_syncs(false);
    // The kernel may have dropped what it could not write: no later sync makes that good.
    assert!(journal.wait_durable(Id(2)).is_err());
    let id = journal.append(&record(3)).expect("durable");
    assert_eq!(id, Id(3));
    let left = disk.after(Crash::Machine, 5);
    let journal = open(&left, Compression::None).expect("it opens");
    let (all, ..) = read(&journal);
    assert_eq!(all.get(&1), Some(&record(1)));
    assert_eq!(all.get(&3), Some(&record(3)));
}

/// A file that is changed: cut, overwritten, or put together anew.
#[derive(Clone, Debug)]
enum Change {
    Cut(usize),
    Overwrite(usize, Vec<u8>),
    Copy(usize, usize, usize),
    Append(Vec<u8>),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        any::<usize>().prop_map(Change::Cut),
        (any::<usize>(), prop::collection::vec(any::<u8>(), 1..40))
            .prop_map(|(at, bytes)| Change::Overwrite(at, bytes)),
        (any::<usize>(), any::<usize>(), 1..400_usize)
            .prop_map(|(from, to, len)| Change::Copy(from, to, len)),
        prop::collection::vec(any::<u8>(), 1..200).prop_map(Change::Append),
    ]
}

fn changed(mut bytes: Vec<u8>, change: &Change) -> Vec<u8> {
    let len = bytes.len().max(1);
    match change {
        Change::Cut(at) => bytes.truncate(at % len),
        Change::Overwrite(at, with) => {
            let at = at % len;
            for (into, byte) in bytes[at.min(len - 1)..].iter_mut().zip(with) {
                *into = *byte;
            }
        }
        Change::Copy(from, to, count) => {
            let (from, to) = (from % len, to % len);
            let count = (*count).min(bytes.len() - from.max(to).min(bytes.len()));
            bytes.copy_within(from..from + count, to);
        }
        Change::Append(with) => bytes.extend(with),
    }
    bytes
}

/// With `SLOW=1` many more.
fn cases() -> u32 {
    if std::env::var_os("SLOW").is_some() {
        20_000
    } else {
        400
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases()) })]

    #[test]
    fn no_file_whatever_is_in_it_stops_the_program_or_gives_wrong_records(
        lz4: bool,
        file in 0..4_usize,
        changes in prop::collection::vec(change(), 1..5),
    ) {
        let compression = if lz4 { Compression::Lz4 } else { Compression::None };
        let disk = made(compression);
        let name = ["0000000000000001.segment", "journal", "subscribers", "buffer"][file];
        let mut bytes = disk.read(name).expect("a file");
        for change in &changes {
            bytes = changed(bytes, change);
        }
        disk.write(name, &bytes);
        if let Ok(journal) = open(&disk, compression) {
            let (all, ..) = read(&journal);
            for (id, bytes) in &all {
                prop_assert_eq!(bytes, &record(*id));
            }
            journal.append(b"after").expect("room");
            journal.stats().expect("it reads");
        } else {
            prop_assert!(file == 1 || file == 2, "only its head stops a journal");
        }
    }
}
