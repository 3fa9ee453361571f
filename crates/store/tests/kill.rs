//! A process that takes samples, seals, merges and rolls up, killed again and again in the middle
//! of it: what it said was taken is there, and nothing else; and it is alone while it lives.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use journal::disk::real::RealDisk;
use store::{Error, Keep, Options, Query, Sample, Store, Value, verify};
use tempfile::TempDir;

const HOUR_US: i64 = 3_600_000_000;

/// Names the folder, and the number of the first sample.
const DIR: &str = "CAUCHY_STORE_TEST_DIR";
const FIRST: &str = "CAUCHY_STORE_TEST_FIRST";

/// How often it is killed, and after how many samples at least.
const ROUNDS: i64 = 5;
const SAMPLES: i64 = 600;

fn options() -> Options {
    Options {
        seal_after_us: 0,
        ahead_us: None,
        bucket_us: 8 * HOUR_US,
        block_samples: 16,
        keep: Keep {
            raw_us: None,
            ..Keep::default()
        },
        ..Options::default()
    }
}

fn time_of(at: i64) -> i64 {
    at * 40_000_000
}

/// The process that is killed: it says which samples were taken.
#[test]
fn a_process_that_appends_until_it_is_killed() {
    let (Some(dir), Ok(first)) = (std::env::var_os(DIR), std::env::var(FIRST)) else {
        return;
    };
    let first: i64 = first.parse().unwrap();
    let store = Store::open(Path::new(&dir), options()).unwrap();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for turn in 0.. {
                store.tick(time_of(first) + turn * HOUR_US).unwrap();
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
            }
        });
        for at in first..first + 1_000_000 {
            let host = format!("host{}", at % 5);
            let sample = Sample {
                host: Some(&host),
                service: Some("kill"),
                by: &[],
                time_us: time_of(at),
                value: Value::Number(at as f64),
            };
            let taken = store.append(&[sample]);
            assert_eq!(taken.unwrap(), 1);
            println!("taken {at}");
        }
        is_over.store(true, Ordering::Relaxed);
    });
}

/// All samples of a store.
fn found(store: &Store) -> BTreeSet<i64> {
    let mut found = BTreeSet::new();
    let all = Query {
        matches: &|_| true,
        from_us: i64::MIN,
        to_us: i64::MAX,
    };
    let answered = store.samples(&all, &mut |series, time_us, value| {
        let at = time_us / time_of(1);
        assert_eq!(series.host, Some(format!("host{}", at % 5)));
        assert_eq!(value, Value::Number(at as f64));
        assert!(found.insert(at), "{at} is there twice");
        ControlFlow::Continue(())
    });
    assert_eq!(answered.unwrap().damages, []);
    found
}

/// Lets it live for a while; gives the last sample that was taken.
fn live_and_die(dir: &Path, first: i64, samples: i64) -> i64 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "a_process_that_appends_until_it_is_killed",
            "--nocapture",
        ])
        .env(DIR, dir)
        .env(FIRST, first.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut last = first - 1;
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for line in lines.by_ref() {
        if let Some((_, at)) = line.unwrap().split_once("taken ") {
            last = at.parse::<i64>().unwrap();
            if last >= first + samples {
                break;
            }
        }
    }
    let other = Store::open(dir, options());
    let refused = matches!(other, Err(Error::Journal(journal::Error::Locked)));
    assert!(refused, "two have it open");
    child.kill().unwrap();
    child.wait().unwrap();
    // What it said before it died.
    for line in lines.map_while(Result::ok) {
        if let Some(at) = line.strip_prefix("taken ") {
            last = at.parse::<i64>().unwrap_or(last).max(last);
        }
    }
    last
}

#[test]
fn a_process_killed_again_and_again_loses_nothing() {
    let folder = TempDir::new().unwrap();
    let dir = folder.path();
    let mut taken = BTreeSet::new();
    let mut first = 0;
    for round in 0..ROUNDS {
        let last = live_and_die(dir, first, SAMPLES + round * 137);
        taken.extend(first..=last);
        let looked_at = found(&Store::view(dir).unwrap());
        assert!(
            taken.is_subset(&looked_at),
            "round {round}: a look misses some"
        );
        let store = Store::open(dir, options()).unwrap();
        let left = found(&store);
        assert!(taken.is_subset(&left), "round {round}: some are lost");
        // At most the one that was taken and not said any more.
        assert!(left.len() <= taken.len() + 1, "round {round}: made up");
        taken = left;
        first = taken.len() as i64;
        if round % 3 == 2 {
            store.compact().unwrap();
            assert_eq!(found(&store), taken);
        }
        let batches = store.stats().batches;
        assert!(round < ROUNDS - 1 || batches[0] > 0, "it never sealed");
        drop(store);
        assert_eq!(verify(&RealDisk::at(dir)).unwrap().damages, []);
    }
}
