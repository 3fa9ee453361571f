//! Stores in real folders: snapshots while writing, going back, export and import, and the files
//! of every version.

use std::collections::BTreeSet;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use histogram::Histogram;
use journal::disk::real::RealDisk;
use store::{Error, Options, Query, Sample, Store, Value, export, import, roll_back, verify};
use tempfile::TempDir;

const ALL: Query = Query {
    matches: &|_| true,
    from_us: i64::MIN,
    to_us: i64::MAX,
};

fn append(store: &Store, at: i64) {
    let latency: Histogram = (1..=at % 5).map(|ms| ms as f64 / 1000.0).collect();
    let state = if at % 9 < 6 { "ok" } else { "critical" };
    let time_us = 1_700_000_000_000_000 + at * 7_000_000;
    for (service, value) in [
        ("load", Value::Number(at as f64 / 4.0)),
        ("noise", Value::Number((at as f64).sin())),
        ("latency", Value::Histogram(&latency)),
        ("state", Value::Text(state)),
    ] {
        let sample = Sample {
            host: (at % 4 > 0).then_some("höst"),
            service: Some(service),
            by: if at % 2 == 0 { &[("zone", "a")] } else { &[] },
            time_us,
            value,
        };
        assert_eq!(store.append(&[sample]).unwrap(), 1);
    }
}

fn lines_of(store: &Store) -> BTreeSet<String> {
    let mut lines = Vec::new();
    let answered = export(store, &ALL, &mut lines).unwrap();
    assert_eq!(answered.damages, []);
    let lines = String::from_utf8(lines).unwrap();
    lines.lines().map(str::to_owned).collect()
}

fn open(dir: &Path) -> Store {
    Store::open(dir, Options::default()).unwrap()
}

#[test]
fn a_snapshot_is_what_was_there_and_one_can_go_back() {
    let folder = TempDir::new().unwrap();
    let (dir, snapshot) = (folder.path().join("store"), folder.path().join("monday"));
    let store = open(&dir);
    (0..50).for_each(|at| append(&store, at));
    let before = lines_of(&store);
    assert_eq!(before.len(), 200);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| (50..300).for_each(|at| append(&store, at)));
        scope.spawn(|| (0..5).for_each(|_| store.compact().unwrap()));
        store.snapshot(&dir, &snapshot).unwrap();
        writer.join().unwrap();
    });
    assert!(matches!(
        store.snapshot(&dir, &snapshot),
        Err(Error::Io { .. })
    ));
    (300..310).for_each(|at| append(&store, at));
    store.compact().unwrap();
    assert_eq!(lines_of(&store).len(), 1240);
    drop(store);

    roll_back(&dir, &snapshot).unwrap();
    let store = open(&dir);
    let after = lines_of(&store);
    assert!(after.is_superset(&before) && after.len() <= 1200);
    append(&store, 1000);
    assert_eq!(lines_of(&store).len(), after.len() + 4);
    drop(store);
    assert_eq!(verify(&RealDisk::at(&dir)).unwrap().damages, []);
    // The old one is kept, and is not thrown away by going back twice.
    assert!(roll_back(&dir, &snapshot).is_err());
    assert_eq!(
        lines_of(&open(&folder.path().join("store.before"))).len(),
        1240
    );
}

#[test]
fn what_is_exported_can_be_imported_and_twice_is_once() {
    let folders = [TempDir::new().unwrap(), TempDir::new().unwrap()];
    let store = open(folders[0].path());
    (0..100).for_each(|at| append(&store, at));
    let odd = [f64::NAN, f64::INFINITY, -0.0, 1e300, 5e-324];
    for (at, number) in odd.into_iter().enumerate() {
        let sample = Sample {
            host: None,
            service: None,
            by: &[],
            time_us: at as i64,
            value: Value::Number(number),
        };
        store.append(&[sample]).unwrap();
    }
    let mut lines = Vec::new();
    export(&store, &ALL, &mut lines).unwrap();
    let other = open(folders[1].path());
    for _ in 0..2 {
        assert_eq!(import(&other, &mut &lines[..]).unwrap(), 405);
        other.seal().unwrap();
        assert_eq!(lines_of(&other), lines_of(&store));
    }
}

#[test]
fn a_line_that_is_no_sample_is_named() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path());
    for (lines, why) in [
        (
            "{\"time_us\":1,\"number\":1}\n\n{",
            "line 3: EOF while parsing",
        ),
        ("{\"number\":1}", "line 1: `time_us` is not a whole number"),
        (
            "{\"time_us\":1}",
            "line 1: there is no `number`, `histogram` or `text`",
        ),
        (
            "{\"time_us\":1,\"number\":1,\"host\":3}",
            "line 1: `host` is not a string",
        ),
        (
            "{\"time_us\":1,\"number\":1,\"by\":[1]}",
            "line 1: `by` is not a list of pairs",
        ),
    ] {
        let error = import(&store, &mut lines.as_bytes())
            .unwrap_err()
            .to_string();
        assert!(error.starts_with(why), "{error}");
    }
}

/// `fixtures/v1` was written by the first version, and is never written again.
#[test]
fn the_files_of_version_1_can_be_read() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/v1");
    let folder = TempDir::new().unwrap();
    for entry in fs::read_dir(fixture.join("store")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
    }
    let store = open(folder.path());
    let expected = fs::read_to_string(fixture.join("samples.jsonl")).unwrap();
    assert_eq!(
        lines_of(&store),
        expected.lines().map(str::to_owned).collect()
    );
    assert_eq!(store.recovery().from_journal, 40);
    let mut cells = String::new();
    let query = Query {
        matches: &|_| true,
        from_us: 1_699_999_200_000_000,
        to_us: 1_700_006_400_000_000,
    };
    store
        .cells(&query, 1_800_000_000, &mut |series, start_us, cell| {
            let service = series.service.as_deref().unwrap();
            cells += &format!(
                "{service} {start_us} {} {:.6} {} {:?}\n",
                cell.count, cell.sum, cell.last, cell.text
            );
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(
        cells,
        fs::read_to_string(fixture.join("cells.txt")).unwrap()
    );
    drop(store);
    assert_eq!(verify(&RealDisk::at(folder.path())).unwrap().damages, []);
}
