//! A store with a bit of any byte turned over: `verify` finds it, whatever file it is in; queries
//! answer with what is left and name the damage, and never give what was not put.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use histogram::Histogram;
use journal::disk::Disk;
use journal::disk::pretend::PretendDisk;
use store::{Damage, Options, Query, Sample, Store, Value, verify};

const HOUR_US: i64 = 3_600_000_000;

/// A disk with samples of all kinds, cells, and names.
fn filled() -> PretendDisk {
    filled_with(20)
}

fn filled_with(minutes: i32) -> PretendDisk {
    let disk = PretendDisk::new();
    let options = Options {
        bucket_us: HOUR_US,
        block_samples: 8,
        ..Options::default()
    };
    let store = Store::open_on(Arc::new(disk.clone()), options).unwrap();
    let latency: Histogram = [0.1, 0.25, 3.0].into_iter().collect();
    for at in 0..minutes {
        for (service, value) in [
            ("load", Value::Number(f64::from(at) / 4.0)),
            ("noise", Value::Number(f64::from(at).sin())),
            ("latency", Value::Histogram(&latency)),
            (
                "state",
                Value::Text(if at % 7 < 3 { "ok" } else { "critical" }),
            ),
        ] {
            let sample = Sample {
                host: Some("host"),
                service: Some(service),
                by: &[],
                time_us: i64::from(at) * 60_000_000,
                value,
            };
            assert_eq!(store.append(&[sample]).unwrap(), 1);
        }
    }
    store.compact().unwrap();
    disk
}

fn samples_of(store: &Store) -> (BTreeSet<String>, usize) {
    let mut samples = BTreeSet::new();
    let query = Query {
        matches: &|_| true,
        from_us: 0,
        to_us: HOUR_US,
    };
    let answered = store.samples(&query, &mut |series, time_us, value| {
        samples.insert(format!("{series:?} {time_us} {value:?}"));
        ControlFlow::Continue(())
    });
    (samples, answered.unwrap().damages.len())
}

fn open(disk: &PretendDisk) -> Store {
    let options = Options {
        block_samples: 8,
        ..Options::default()
    };
    Store::open_on(Arc::new(disk.clone()), options).unwrap()
}

/// Of the journal's files, which are long and of which whole chunks are compared, one byte in so
/// many.
const STRIDE: usize = 997;

#[test]
fn every_byte_of_every_file_of_the_store_is_looked_at() {
    let disk = filled_with(5);
    let whole = verify(&disk).unwrap();
    assert_eq!(whole.damages, []);
    assert_eq!((whole.files, whole.series), (3, 4));
    let mut looked_at = BTreeSet::new();
    for name in disk.list().unwrap() {
        let bytes = disk.read(&name).unwrap();
        let is_ours = name.ends_with(".blocks") || name.starts_with("series") || name == "closed";
        for at in (0..bytes.len()).step_by(if is_ours { 1 } else { STRIDE }) {
            let mut spoilt = bytes.clone();
            spoilt[at] ^= 1 << (at % 8);
            disk.write(&name, &spoilt);
            let damages = verify(&disk).unwrap().damages;
            let names_it = |damage: &Damage| damage.file == name;
            assert!(
                damages.iter().any(names_it),
                "{name}, byte {at}: {damages:?}"
            );
            looked_at.insert(name.clone());
        }
        disk.write(&name, &bytes);
    }
    assert_eq!(verify(&disk).unwrap().damages, []);
    // All files but the two that are there to be locked, and are empty.
    assert_eq!(looked_at.len(), disk.list().unwrap().len() - 2);
}

#[test]
fn a_journal_that_goes_on_is_no_damage() {
    let disk = filled();
    let store = open(&disk);
    assert_eq!(verify(&disk).unwrap().damages, []);
    let sample = Sample {
        host: None,
        service: Some("load"),
        by: &[],
        time_us: 1,
        value: Value::Number(1.0),
    };
    store.append(&[sample]).unwrap();
    assert_eq!(verify(&disk).unwrap().damages, []);
    drop(store);
    assert!(disk.list().unwrap().contains(&"closed".to_owned()));
    assert_eq!(verify(&disk).unwrap().damages, []);
    // What is missing or longer is named too.
    let buffer = disk.read("buffer").unwrap();
    disk.write("buffer", &[&buffer[..], b"x"].concat());
    assert_eq!(verify(&disk).unwrap().damages[0].bytes, 1);
    disk.write("buffer", &buffer[..70_000]);
    assert_eq!(verify(&disk).unwrap().damages[0].offset, 65_536);
    disk.remove("buffer").unwrap();
    assert_eq!(verify(&disk).unwrap().damages[0].file, "buffer");
}

#[test]
fn what_is_cut_off_is_missed() {
    let disk = filled_with(3);
    let names = disk.list().unwrap();
    for name in names.iter().filter(|name| name.ends_with(".blocks")) {
        let bytes = disk.read(name).unwrap();
        for len in (0..bytes.len()).step_by(3).chain([bytes.len() - 1]) {
            disk.write(name, &bytes[..len]);
            assert_ne!(verify(&disk).unwrap().damages, [], "{name} to {len}");
        }
        disk.write(name, &bytes);
    }
}

#[test]
fn a_query_leaves_out_what_is_damaged_and_says_so() {
    let disk = filled();
    let (whole, _) = samples_of(&open(&disk));
    assert_eq!(whole.len(), 80);
    let names = disk.list().unwrap();
    let raw = names.iter().find(|name| name.starts_with("raw")).unwrap();
    let bytes = disk.read(raw).unwrap();
    let mut partly = 0;
    for at in (0..bytes.len()).step_by(3) {
        let mut spoilt = bytes.clone();
        spoilt[at] ^= 0x10;
        disk.write(raw, &spoilt);
        let store = open(&disk);
        let (left, damages) = samples_of(&store);
        assert!(left.is_subset(&whole), "byte {at}");
        let named = damages + store.recovery().damages.len();
        assert!(left == whole || named > 0, "byte {at}");
        partly += usize::from(!left.is_empty() && left != whole);
        // Minutes and half hours know the same time still.
        let mut count = 0;
        let query = Query {
            matches: &|_| true,
            from_us: 0,
            to_us: HOUR_US,
        };
        let cells = store.cells(&query, HOUR_US, &mut |_, _, cell| {
            count += cell.count;
            ControlFlow::Continue(())
        });
        cells.unwrap();
        assert_eq!(count, 100, "byte {at}");
    }
    assert!(partly > 50, "{partly}");
}

#[test]
fn names_are_taken_from_the_other_copy() {
    let disk = filled();
    let (whole, _) = samples_of(&open(&disk));
    for name in ["series", "series.copy"] {
        let bytes = disk.read(name).unwrap();
        for spoilt in [&bytes[..bytes.len() / 2], b"", &[7; 90]] {
            disk.write(name, spoilt);
            assert_ne!(verify(&disk).unwrap().damages, []);
            let (samples, _) = samples_of(&open(&disk));
            assert_eq!(samples, whole);
            assert_eq!(verify(&disk).unwrap().damages, [], "it was mended");
        }
    }
}

#[test]
fn a_scrub_makes_cells_anew_of_samples_or_of_minutes() {
    let disk = filled();
    let names = disk.list().unwrap();
    let of = |period: &str| names.iter().find(|name| name.starts_with(period)).unwrap();
    let spoil = |name: &str, at: usize| {
        let mut bytes = disk.read(name).unwrap();
        bytes[at] ^= 4;
        disk.write(name, &bytes);
    };
    let good = [of("minute"), of("half-hour")].map(|name| disk.read(name).unwrap());
    for at in [3, 60, good[1].len() - 70, good[1].len() - 1] {
        spoil(of("minute"), at);
        spoil(of("half-hour"), at);
        let scrubbed = open(&disk).scrub().unwrap();
        assert_eq!(
            (scrubbed.mended.len(), scrubbed.left),
            (2, 0),
            "{scrubbed:?}"
        );
        assert_eq!(disk.read(of("minute")).unwrap(), good[0]);
        assert_eq!(disk.read(of("half-hour")).unwrap(), good[1]);
    }
    // Of minutes, where the samples are damaged too or gone; they themselves stay as they are.
    disk.remove(of("raw")).unwrap();
    spoil(of("half-hour"), 60);
    let scrubbed = open(&disk).scrub().unwrap();
    assert_eq!(
        (scrubbed.mended.len(), scrubbed.left),
        (1, 0),
        "{scrubbed:?}"
    );
    spoil(of("minute"), 60);
    let scrubbed = open(&disk).scrub().unwrap();
    assert_eq!(
        (scrubbed.mended.len(), scrubbed.left),
        (0, 1),
        "{scrubbed:?}"
    );
}
