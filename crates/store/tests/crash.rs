//! Proves that what was acknowledged survives: the pretend disk is crashed at every step (write,
//! sync, new name), as a killed process and as a machine without power; and that a full disk
//! loses nothing.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use journal::Durability;
use journal::disk::pretend::{Crash, PretendDisk};
use store::{Error, Keep, Options, Query, Result, Sample, Store, Value, verify};

const HOUR_US: i64 = 3_600_000_000;

/// What a program knows: what was acknowledged, and what was tried.
#[derive(Default)]
struct Known {
    taken: BTreeSet<i64>,
    tried: BTreeSet<i64>,
}

fn options(durability: Durability) -> Options {
    Options {
        durability,
        ahead_us: None,
        bucket_us: HOUR_US,
        block_samples: 4,
        keep: Keep {
            raw_us: None,
            ..Keep::default()
        },
        ..Options::default()
    }
}

/// Appends, seals, merges and rolls up; the number of a sample is its time in seconds.
fn live(store: &Store, known: &mut Known, first: i64) -> Result<()> {
    for turn in first..first + 6 {
        for at in [turn * 1000, turn * 1000 + 7, turn * 500] {
            known.tried.insert(at);
            let host = format!("host{}", at % 3);
            let sample = Sample {
                host: Some(&host),
                service: Some("crash"),
                by: &[],
                time_us: at * 1_000_000,
                value: Value::Number(at as f64),
            };
            store.append(&[sample])?;
            known.taken.insert(at);
        }
        match turn % 3 {
            0 => store.seal()?,
            1 => store.tick(turn * HOUR_US)?,
            _ => store.compact()?,
        }
    }
    Ok(())
}

fn found(store: &Store) -> BTreeSet<i64> {
    let mut found = BTreeSet::new();
    let query = Query {
        matches: &|series| series.service.as_deref() == Some("crash"),
        from_us: 0,
        to_us: i64::MAX,
    };
    let answered = store.samples(&query, &mut |series, time_us, value| {
        let at = time_us / 1_000_000;
        assert_eq!(series.host, Some(format!("host{}", at % 3)));
        assert_eq!(value, Value::Number(at as f64));
        assert!(found.insert(at), "{at} is there twice");
        ControlFlow::Continue(())
    });
    assert_eq!(answered.unwrap().damages, []);
    found
}

/// The cells must count what the samples are: no more, no less.
fn check_cells(store: &Store, samples: &BTreeSet<i64>) {
    let mut count = 0;
    let query = Query {
        matches: &|_| true,
        from_us: 0,
        to_us: 1 << 60,
    };
    let cells = store.cells(&query, HOUR_US, &mut |_, _, cell| {
        count += cell.count;
        ControlFlow::Continue(())
    });
    cells.unwrap();
    assert_eq!(count, samples.len() as u64);
}

fn check(durability: Durability, crash: Crash) {
    let disk = PretendDisk::new();
    let store = Store::open_on(Arc::new(disk.clone()), options(durability)).unwrap();
    live(&store, &mut Known::default(), 0).unwrap();
    let steps = disk.steps();
    assert!(steps > 100, "{steps}");
    // A step of three: the others differ little, and SLOW=1 does them all.
    let stride = if std::env::var_os("SLOW").is_some() {
        1
    } else {
        3
    };
    for step in (1..=steps).step_by(stride) {
        let disk = PretendDisk::new();
        disk.crash_at(step);
        let mut known = Known::default();
        let store = Store::open_on(Arc::new(disk.clone()), options(durability));
        if let Ok(store) = store {
            let lived = live(&store, &mut known, 0);
            assert!(lived.is_err(), "step {step} came");
        }
        let after = disk.after(crash, step);
        let store = Store::open_on(Arc::new(after.clone()), options(durability)).unwrap();
        let left = found(&store);
        assert!(left.is_subset(&known.tried), "step {step}: made up");
        let is_safe = crash == Crash::Process || durability == Durability::Always;
        if is_safe {
            let lost: Vec<_> = known.taken.difference(&left).collect();
            assert!(lost.is_empty(), "step {step}: lost {lost:?}");
        }
        check_cells(&store, &left);
        let mut known = Known {
            taken: left.clone(),
            tried: left,
        };
        live(&store, &mut known, 6).unwrap();
        assert_eq!(found(&store), known.taken, "step {step}: goes on");
        check_cells(&store, &known.taken);
        drop(store);
        let mut damages = verify(&after).unwrap().damages;
        // What the machine lost of the journal is a gap in its records, and named as that.
        damages.retain(|damage| is_safe || !damage.file.ends_with(".segment"));
        assert_eq!(damages, [], "step {step}");
    }
}

#[test]
fn a_killed_process_loses_nothing() {
    check(Durability::Os, Crash::Process);
}

#[test]
fn a_dead_machine_loses_nothing_that_was_synced() {
    check(Durability::Always, Crash::Machine);
}

#[test]
fn a_dead_machine_loses_only_the_last() {
    check(Durability::Os, Crash::Machine);
}

#[test]
fn a_full_disk_refuses_and_goes_on_when_there_is_room() {
    let disk = PretendDisk::new();
    let store = Store::open_on(Arc::new(disk.clone()), options(Durability::Os)).unwrap();
    let mut known = Known::default();
    live(&store, &mut known, 0).unwrap();
    disk.room(Some(disk.bytes() + 100));
    let mut refused = 0;
    for turn in 6..600 {
        match live(&store, &mut known, turn) {
            Ok(()) => {}
            Err(Error::Full { .. } | Error::Journal(journal::Error::Full { .. })) => refused += 1,
            Err(error) => panic!("{error}"),
        }
        assert!(known.taken.is_subset(&found(&store)));
        if refused > 5 {
            break;
        }
    }
    assert!(refused > 5, "the disk was never full");
    disk.room(None);
    live(&store, &mut known, 600).unwrap();
    assert!(known.taken.is_subset(&found(&store)));
    drop(store);
    let store = Store::open_on(Arc::new(disk.clone()), options(Durability::Os)).unwrap();
    assert!(known.taken.is_subset(&found(&store)));
    assert_eq!(verify(&disk).unwrap().damages, []);
}

#[test]
fn samples_far_from_now_are_refused_and_counted() {
    let disk = PretendDisk::new();
    let options = Options {
        ahead_us: Some(HOUR_US),
        behind_us: Some(2 * HOUR_US),
        ..options(Durability::Os)
    };
    let store = Store::open_on(Arc::new(disk), options).unwrap();
    let take = |hours: i64| {
        let sample = Sample {
            host: None,
            service: Some("far"),
            by: &[],
            time_us: hours * HOUR_US,
            value: Value::Number(1.0),
        };
        store.append(&[sample]).unwrap()
    };
    // Before the first tick nobody knows what time it is.
    assert_eq!((take(-1000), take(1_000_000)), (1, 1));
    store.tick(10 * HOUR_US).unwrap();
    let taken: Vec<usize> = [7, 8, 11, 12].map(take).into();
    assert_eq!(taken, [0, 1, 1, 0]);
    assert_eq!((store.stats().late, store.stats().ahead), (1, 1));
    store.tick(11 * HOUR_US).unwrap();
    assert_eq!((take(8), take(12)), (0, 1));
}

#[test]
fn what_is_too_old_or_too_much_goes_in_whole_files() {
    let disk = PretendDisk::new();
    let options = Options {
        keep: Keep {
            raw_us: Some(3 * HOUR_US),
            minute_us: Some(6 * HOUR_US),
            half_hour_us: None,
            max_bytes: None,
        },
        ..options(Durability::Os)
    };
    let store = Store::open_on(Arc::new(disk.clone()), options.clone()).unwrap();
    let sample = |time_us: i64| Sample {
        host: None,
        service: Some("crash"),
        by: &[],
        time_us,
        value: Value::Number(1.0),
    };
    for minute in 0..600 {
        assert_eq!(store.append(&[sample(minute * 60_000_000)]).unwrap(), 1);
    }
    store.seal().unwrap();
    store.tick(10 * HOUR_US + HOUR_US / 2).unwrap();
    let stats = store.stats();
    assert_eq!(stats.batches, [3, 6, 10]);
    assert_eq!(stats.rollups, 10);
    let mut counts = Vec::new();
    let query = Query {
        matches: &|_| true,
        from_us: 0,
        to_us: 10 * HOUR_US,
    };
    let counted = store.cells(&query, HOUR_US, &mut |_, _, cell| {
        counts.push(cell.count);
        ControlFlow::Continue(())
    });
    counted.unwrap();
    assert_eq!(counts, [60; 10]);
    // The first hours take no more: their samples are gone, so that doubles could not be told.
    assert_eq!(store.append(&[sample(1)]).unwrap(), 0);
    assert_eq!(store.stats().late, 1);
    // A late one for an hour that still has its samples is rolled up again.
    assert_eq!(store.append(&[sample(8 * HOUR_US + 1)]).unwrap(), 1);
    store.seal().unwrap();
    store.tick(10 * HOUR_US + HOUR_US / 2).unwrap();
    counts.clear();
    let counted = store.cells(&query, HOUR_US, &mut |_, _, cell| {
        counts.push(cell.count);
        ControlFlow::Continue(())
    });
    counted.unwrap();
    assert_eq!(counts, [60, 60, 60, 60, 60, 60, 60, 60, 61, 60]);
    drop(store);
    let options = Options {
        keep: Keep {
            max_bytes: Some(2000),
            ..options.keep
        },
        ..options
    };
    let store = Store::open_on(Arc::new(disk), options).unwrap();
    store.tick(10 * HOUR_US + HOUR_US / 2).unwrap();
    let stats = store.stats();
    assert!(stats.bytes.iter().sum::<u64>() <= 2000, "{stats:?}");
    assert!(stats.batches[2] > 0, "{stats:?}");
}
