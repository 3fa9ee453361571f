//! Proves that room can be made of samples that have been rolled up, and of nothing else.

use std::ops::ControlFlow;

use store::{Options, Period, Query, Sample, Store, Value};
use tempfile::TempDir;

const DAY_US: i64 = 86_400_000_000;

fn append(store: &Store, day: i64) -> usize {
    let sample = |at: i64| Sample {
        host: Some("web1"),
        service: Some("rtt"),
        by: &[],
        time_us: day * DAY_US + at * 1_000_000,
        value: Value::Number(at as f64 / 7.0),
    };
    let samples: Vec<Sample> = (0..1000).map(sample).collect();
    store.append(&samples).expect("taken")
}

fn count(store: &Store) -> u64 {
    let mut count = 0;
    let all = Query {
        matches: &|_| true,
        from_us: 0,
        to_us: 100 * DAY_US,
    };
    let step_us = 30 * 60 * 1_000_000;
    let answered = store.cells(&all, step_us, &mut |_, _, cell| {
        count += cell.count;
        ControlFlow::Continue(())
    });
    assert_eq!(answered.expect("an answer").damages, []);
    count
}

#[test]
fn the_oldest_rolled_up_samples_go_first_and_their_cells_stay() {
    let folder = TempDir::new().expect("a folder");
    let store = Store::open(folder.path(), Options::default()).expect("a store");
    append(&store, 1);
    append(&store, 2);
    assert_eq!(store.drop_rolled_up(u64::MAX).expect("done"), 0);
    store.compact().expect("rolled up");
    append(&store, 3);
    store.seal().expect("sealed");
    let before = store.stats().bytes[Period::Raw as usize];
    let freed = store.drop_rolled_up(1).expect("done");
    let after = store.stats().bytes[Period::Raw as usize];
    assert!(freed > 0 && before - after == freed, "{freed} of {before}");
    assert_eq!(count(&store), 3000);
    // The first day's are gone and may not come twice; the second's are still there.
    assert_eq!(append(&store, 1), 0);
    assert_eq!(append(&store, 2), 1000);
    assert_eq!(count(&store), 3000);
    // A day that has got samples meanwhile is not rolled up yet, nor is the third.
    store.seal().expect("sealed");
    assert_eq!(store.drop_rolled_up(u64::MAX).expect("done"), 0);
    assert_eq!(count(&store), 3000);
}
