//! Proves that a folder in which files are cut, overwritten, exchanged, copied, missing or alien
//! gives every record of the segments that are still whole somewhere, none that is wrong, and says
//! that something is missing if something is. `SLOW=1` tries many more.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use journal::disk::Disk;
use journal::disk::pretend::{Crash, PretendDisk};
use journal::{Compression, Error, Id, Journal, Options, Start};
use proptest::prelude::*;
use proptest::sample::Index;

const RECORDS: u64 = 300;

fn record(number: u64) -> Vec<u8> {
    let mut bytes = format!("{number}:").into_bytes();
    let len = bytes.len() + (number * 37 % 90) as usize;
    bytes.resize(len, b'a' + (number % 26) as u8);
    bytes
}

fn open(disk: &PretendDisk, compression: Compression) -> Result<Journal, Error> {
    let options = Options {
        compression,
        segment_bytes: 4096,
        buffer_bytes: 4096,
        ..Options::default()
    };
    Journal::open_on(Arc::new(disk.clone()), options)
}

/// A closed journal of several segments.
fn made(compression: Compression) -> PretendDisk {
    let disk = PretendDisk::new();
    let journal = open(&disk, compression).expect("it opens");
    journal.add_subscriber("a", Start::Begin).expect("added");
    for number in 1..=RECORDS {
        journal.append(&record(number)).expect("room");
        if number % 9 == 0 {
            journal.flush().expect("room");
        }
    }
    journal.checkpoint("a", Id(3)).expect("stored");
    drop(journal);
    disk
}

fn names(disk: &PretendDisk) -> Vec<String> {
    let mut names = disk.list().expect("a folder");
    names.sort();
    names
}

/// Each segment's records and bytes.
fn segments(disk: &PretendDisk) -> Vec<(std::ops::Range<u64>, Vec<u8>)> {
    let first = |name: &String| {
        let digits = name.strip_suffix(".segment")?;
        u64::from_str_radix(digits, 16).ok()
    };
    let names = names(disk);
    let firsts: Vec<u64> = names.iter().filter_map(first).collect();
    let ends = firsts[1..].iter().copied().chain([RECORDS + 1]);
    let ranges = firsts.iter().zip(ends).map(|(&first, end)| first..end);
    let files = names.iter().filter(|name| first(name).is_some());
    let bytes = files.map(|name| disk.read(name).expect("it is there"));
    ranges.zip(bytes).collect()
}

/// What somebody does to a file, or to two.
#[derive(Clone, Debug)]
enum Blow {
    Cut(Index, Index),
    Overwrite(Index, Index, Vec<u8>),
    Zero(Index, Index, usize),
    Remove(Index),
    Exchange(Index, Index),
    Copy(Index, Index),
    /// A new file, as if it began with that record.
    Alien(u64, Vec<u8>),
    /// A copy of a file, as if it began with that record.
    Double(Index, u64),
}

fn blow() -> impl Strategy<Value = Blow> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..300);
    let index = any::<Index>;
    let first = || prop_oneof![4 => 0..RECORDS + 50, 1 => any::<u64>()];
    prop_oneof![
        (index(), index()).prop_map(|(file, at)| Blow::Cut(file, at)),
        (index(), index(), bytes()).prop_map(|(file, at, with)| Blow::Overwrite(file, at, with)),
        (index(), index(), 1..5000_usize).prop_map(|(file, at, len)| Blow::Zero(file, at, len)),
        index().prop_map(Blow::Remove),
        (index(), index()).prop_map(|(one, other)| Blow::Exchange(one, other)),
        (index(), index()).prop_map(|(from, to)| Blow::Copy(from, to)),
        (first(), bytes()).prop_map(|(first, bytes)| Blow::Alien(first, bytes)),
        (index(), first()).prop_map(|(from, first)| Blow::Double(from, first)),
    ]
}

fn overwrite(disk: &PretendDisk, name: &str, at: &Index, with: &[u8]) {
    let mut bytes = disk.read(name).expect("it is there");
    if bytes.is_empty() {
        return;
    }
    let at = at.index(bytes.len());
    for (into, byte) in bytes[at..].iter_mut().zip(with) {
        *into = *byte;
    }
    disk.write(name, &bytes);
}

fn strike(disk: &PretendDisk, blow: &Blow) {
    let names = names(disk);
    let name = |index: &Index| index.get(&names).as_str();
    let read = |index: &Index| disk.read(name(index)).expect("it is there");
    match blow {
        Blow::Cut(file, at) => {
            let mut bytes = read(file);
            bytes.truncate(at.index(bytes.len() + 1));
            disk.write(name(file), &bytes);
        }
        Blow::Overwrite(file, at, with) => overwrite(disk, name(file), at, with),
        Blow::Zero(file, at, len) => overwrite(disk, name(file), at, &vec![0; *len]),
        Blow::Remove(file) => disk.remove(name(file)).expect("it is there"),
        Blow::Exchange(one, other) => {
            let (first, second) = (read(one), read(other));
            disk.write(name(one), &second);
            disk.write(name(other), &first);
        }
        Blow::Copy(from, to) => disk.write(name(to), &read(from)),
        Blow::Alien(first, bytes) => disk.write(&format!("{first:016x}.segment"), bytes),
        Blow::Double(from, first) => disk.write(&format!("{first:016x}.segment"), &read(from)),
    }
}

/// Opens the journal, after a repair if it has to be, and says whether it had.
fn opened(disk: &PretendDisk, compression: Compression) -> Option<(Journal, bool)> {
    match open(disk, compression) {
        Ok(journal) => Some((journal, false)),
        Err(Error::Broken { .. }) => {
            let repaired = journal::repair(disk);
            match repaired {
                Err(Error::Missing) => None,
                repaired => {
                    assert!(!repaired.expect("it can be repaired").is_healthy());
                    Some((open(disk, compression).expect("it has been repaired"), true))
                }
            }
        }
        Err(error) => panic!("{error}"),
    }
}

/// All that can be read, and how many damages that met.
fn read(journal: &Journal) -> (BTreeMap<u64, Vec<u8>>, usize) {
    let mut reader = journal.subscribe_passing("r", Start::Begin).expect("added");
    let mut all = BTreeMap::new();
    loop {
        let batch = reader.next_batch(50).expect("damage is passed over");
        if batch.is_empty() {
            break;
        }
        for (id, bytes) in batch.iter() {
            assert!(all.insert(id.0, bytes.to_vec()).is_none(), "{id} twice");
        }
    }
    (all, reader.take_damages().len())
}

fn check(compression: Compression, blows: &[Blow]) {
    let disk = made(compression).after(Crash::Process, 1);
    let before = segments(&disk);
    let settings = disk.read("journal").expect("it is there");
    for blow in blows {
        strike(&disk, blow);
    }
    let kept = settings == disk.read("journal").unwrap_or_default();
    let files: BTreeSet<Vec<u8>> = names(&disk)
        .iter()
        .filter(|name| name.ends_with(".segment"))
        .map(|name| disk.read(name).expect("it is there"))
        .collect();
    journal::verify(&disk).expect("looking changes nothing and stops at nothing");
    let Some((journal, repaired)) = opened(&disk, compression) else {
        return;
    };
    let (all, damages) = read(&journal);
    for (id, bytes) in &all {
        assert_eq!(*bytes, record(*id), "{id}");
    }
    for (ids, _) in before.iter().filter(|(_, bytes)| files.contains(bytes)) {
        for id in ids.clone() {
            assert!(
                all.contains_key(&id) || !kept,
                "{id} of the whole segment {ids:?}"
            );
        }
    }
    let (first, last) = (
        journal.first().expect("open"),
        journal.last().expect("open"),
    );
    let said = repaired || damages > 0 || !journal.recovery().is_clean();
    let whole = (first.0..=last.0).all(|id| all.contains_key(&id));
    assert!(whole || said, "it says that something is missing");
    let id = journal.append(b"after").expect("room");
    assert_eq!(id, journal.last().expect("open"));
    journal.stats().expect("it reads");
}

/// With `SLOW=1` many more.
fn cases() -> u32 {
    if std::env::var_os("SLOW").is_some() {
        20_000
    } else {
        150
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(cases())
    })]

    #[test]
    fn whole_segments_are_read_whatever_happens_beside_them(
        lz4: bool,
        blows in prop::collection::vec(blow(), 1..5),
    ) {
        let compression = if lz4 { Compression::Lz4 } else { Compression::None };
        check(compression, &blows);
    }
}
