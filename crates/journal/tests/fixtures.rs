//! Proves that journals of every version can still be read and go on. Those in `fixtures/` were
//! written by the first program that had the version, and are never made again.

use std::fs;
use std::path::{Path, PathBuf};

use journal::disk::real::RealDisk;
use journal::{Compression, Id, Journal, Mode, Options, Settings, Start};
use tempfile::TempDir;

/// What a fixture holds: records from `first` to `last`, and two subscribers.
struct Fixture {
    name: &'static str,
    compression: Compression,
    mode: Mode,
    first: u64,
    last: u64,
    /// Records that were in the buffer when the process was killed.
    from_buffer: u64,
    mail: u64,
    graphs: u64,
}

/// `always` was killed in a segment that had been another one, with a spare one beside it.
const V1: [Fixture; 4] = [
    Fixture {
        name: "closed",
        compression: Compression::None,
        mode: Mode::SingleProcess,
        first: 1,
        last: 60,
        from_buffer: 0,
        mail: 7,
        graphs: 60,
    },
    Fixture {
        name: "packed",
        compression: Compression::Lz4,
        mode: Mode::MultiProcess,
        first: 1,
        last: 150,
        from_buffer: 0,
        mail: 7,
        graphs: 150,
    },
    Fixture {
        name: "killed",
        compression: Compression::None,
        mode: Mode::SingleProcess,
        first: 1,
        last: 70,
        from_buffer: 6,
        mail: 7,
        graphs: 70,
    },
    Fixture {
        name: "always",
        compression: Compression::None,
        mode: Mode::SingleProcess,
        first: 99,
        last: 150,
        from_buffer: 0,
        mail: 100,
        graphs: 100,
    },
];

fn record(number: u64) -> Vec<u8> {
    let mut bytes = format!("record {number} ").into_bytes();
    let len = bytes.len() + (number * 37 % 90) as usize;
    bytes.resize(len, b'a' + (number % 26) as u8);
    bytes
}

fn folder(fixture: &Fixture) -> PathBuf {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/v1");
    fixtures.join(fixture.name)
}

/// A copy that may be written.
fn copied(fixture: &Fixture) -> TempDir {
    let copy = TempDir::new().expect("a folder");
    for file in fs::read_dir(folder(fixture))
        .expect("the fixture")
        .flatten()
    {
        fs::copy(file.path(), copy.path().join(file.file_name())).expect("room");
    }
    copy
}

#[test]
fn journals_of_version_1_are_read_and_go_on() {
    for fixture in V1 {
        let name = fixture.name;
        let copy = copied(&fixture);
        let journal = Journal::open(copy.path(), Options::default()).expect(name);
        assert!(
            journal.recovery().is_clean(),
            "{name}: {:?}",
            journal.recovery()
        );
        assert_eq!(
            journal.recovery().from_buffer,
            fixture.from_buffer,
            "{name}"
        );
        let settings = Settings {
            compression: fixture.compression,
            mode: fixture.mode,
            segment_bytes: 4096,
        };
        assert_eq!(journal.settings(), settings, "{name}");
        for (subscriber, checkpoint) in [("mail", fixture.mail), ("graphs", fixture.graphs)] {
            let found = journal.checkpoint_of(subscriber).expect(name);
            assert_eq!(found, Id(checkpoint), "{name}: {subscriber}");
        }
        let id = journal.append(&record(fixture.last + 1)).expect("room");
        assert_eq!(id, Id(fixture.last + 1), "{name}");
        let mut reader = journal.subscribe("new", Start::Begin).expect(name);
        let mut expected = fixture.first..=fixture.last + 1;
        loop {
            let batch = reader.next_batch(20).expect(name);
            if batch.is_empty() {
                break;
            }
            for (id, bytes) in batch.iter() {
                assert_eq!(expected.next(), Some(id.0), "{name}");
                assert_eq!(bytes, record(id.0), "{name}: {id}");
            }
        }
        assert!(expected.is_empty(), "{name}: from {expected:?} on");
        assert_eq!(reader.take_damages(), [], "{name}");
    }
}

#[test]
fn journals_of_version_1_are_whole() {
    for fixture in V1 {
        let verified = journal::verify(&RealDisk::at(&folder(&fixture))).expect(fixture.name);
        assert_eq!(verified.damages, [], "{}", fixture.name);
        let written = fixture.last - fixture.first + 1 - fixture.from_buffer;
        assert_eq!(verified.records, written, "{}", fixture.name);
    }
}
