//! A look at a folder that another has open.

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use store::{Error, Options, Query, Sample, Store, Value};

const DAY_US: i64 = 86_400_000_000;

fn add(store: &Store, times_us: std::ops::Range<i64>, service: &str) {
    let sample = |time_us| Sample {
        host: Some("a"),
        service: Some(service),
        by: &[],
        time_us,
        value: Value::Number(time_us as f64),
    };
    let samples: Vec<Sample> = times_us.map(sample).collect();
    store.append(&samples).unwrap();
}

fn count(store: &Store) -> (usize, u64) {
    let all = Query {
        matches: &|_| true,
        from_us: i64::MIN,
        to_us: i64::MAX,
    };
    let mut count = 0;
    let answered = store.cells(&all, DAY_US, &mut |_, _, cell| {
        count += cell.count;
        ControlFlow::Continue(())
    });
    let answered = answered.unwrap();
    assert_eq!(answered.damages, []);
    (answered.series, count)
}

fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir).unwrap().flatten();
    let file = |entry: fs::DirEntry| {
        let bytes = fs::read(entry.path()).unwrap();
        (entry.file_name().to_string_lossy().into_owned(), bytes)
    };
    entries.map(file).collect()
}

#[test]
fn it_sees_all_that_was_appended_and_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), Options::default()).unwrap();
    add(&store, 0..100, "sealed");
    store.seal().unwrap();
    add(&store, 50..150, "sealed");
    add(&store, 0..10, "head");
    let half = format!("raw.{:016x}.{:016x}.blocks.new", 0, 9);
    fs::write(dir.path().join(half), "half a file").unwrap();
    let before = files(dir.path());
    let view = Store::view(dir.path()).unwrap();
    assert_eq!(count(&view), (2, 160));
    assert!(matches!(view.append(&[]), Err(Error::View)));
    assert!(matches!(view.tick(0), Err(Error::View)));
    assert!(view.compact().is_err());
    assert_eq!(count(&view), (2, 160));
    assert!(files(dir.path()) == before);
}

#[test]
fn what_it_saw_stays_when_the_other_merges_and_deletes() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), Options::default()).unwrap();
    for from in (0..400).step_by(100) {
        add(&store, from..from + 100, "a");
        store.seal().unwrap();
    }
    let view = Store::view(dir.path()).unwrap();
    store.compact().unwrap();
    add(&store, DAY_US..DAY_US + 5, "b");
    assert_eq!(count(&view), (1, 400));
    assert_eq!(count(&Store::view(dir.path()).unwrap()), (2, 405));
    store.tick(DAY_US * 30).unwrap();
    assert_eq!(count(&view), (1, 400));
}

#[test]
fn a_snapshot_can_be_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let [dir, monday] = ["history", "monday"].map(|name| folder.path().join(name));
    let store = Store::open(&dir, Options::default()).unwrap();
    add(&store, 0..100, "a");
    store.snapshot(&dir, &monday).unwrap();
    let before = files(&monday);
    assert_eq!(count(&Store::view(&monday).unwrap()), (1, 100));
    assert!(files(&monday) == before);
}
