//! A store against a plain ordered set of samples: whatever is appended, in whatever order, and
//! sealed, merged, rolled up or opened anew in between, the answers are those of the set; over
//! files and over memory, and whatever the sizes are set to.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use histogram::Histogram;
use journal::disk::pretend::PretendDisk;
use proptest::prelude::*;
use store::{
    Blocks, Cell, Error, MemoryBlocks, Options, Query, Sample, Series, Store, Value, verify,
};

const HOUR_US: i64 = 3_600_000_000;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Measured {
    /// Hundredths, so that the model can be ordered.
    Number(i64),
    Histogram(Vec<i64>),
    Text(String),
}

#[derive(Clone, Debug)]
enum Step {
    Append(Vec<(u8, i64, Measured)>),
    Seal,
    Compact,
    Tick(i64),
    Reopen,
}

type Model = BTreeMap<u8, BTreeSet<(i64, Measured)>>;

fn measured() -> impl Strategy<Value = Measured> {
    prop_oneof![
        6 => (-5000_i64..5000).prop_map(Measured::Number),
        2 => prop::collection::vec(0_i64..1000, 0..6).prop_map(|mut list| {
            list.sort_unstable();
            Measured::Histogram(list)
        }),
        1 => "[a-c]{0,2}".prop_map(Measured::Text),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let time = (0_i64..40, 0_i64..4).prop_map(|(at, part)| at * HOUR_US / 5 + part * 20_000_000);
    let samples = prop::collection::vec((0_u8..4, time, measured()), 1..40);
    let step = prop_oneof![
        6 => samples.prop_map(Step::Append),
        2 => Just(Step::Seal),
        1 => Just(Step::Compact),
        1 => (0_i64..12).prop_map(|hours| Step::Tick(hours * HOUR_US)),
        1 => Just(Step::Reopen),
    ];
    prop::collection::vec(step, 1..20)
}

fn histogram_of(list: &[i64]) -> Histogram {
    list.iter().map(|number| *number as f64).collect()
}

fn append(store: &Store, list: &[(u8, i64, Measured)]) {
    for (series, time_us, measured) in list {
        let host = format!("host{series}");
        let histogram;
        let value = match measured {
            Measured::Number(number) => Value::Number(*number as f64 / 100.0),
            Measured::Histogram(list) => {
                histogram = histogram_of(list);
                Value::Histogram(&histogram)
            }
            Measured::Text(text) => Value::Text(text),
        };
        let sample = Sample {
            host: Some(&host),
            service: None,
            by: &[("zone", "a")],
            time_us: *time_us,
            value,
        };
        assert_eq!(store.append(&[sample]).unwrap(), 1);
    }
}

/// A value that can be compared, whoever it is from.
fn shown(value: Value) -> String {
    match value {
        Value::Number(number) => format!("{number}"),
        Value::Histogram(histogram) => format!("{histogram:?}"),
        Value::Text(text) => format!("{text:?}"),
    }
}

type Shown = Vec<(String, i64, String)>;

fn samples_of(store: &Store, from_us: i64, to_us: i64) -> Shown {
    let mut all = Vec::new();
    let query = Query {
        matches: &|_| true,
        from_us,
        to_us,
    };
    let answered = store
        .samples(&query, &mut |series, time_us, value| {
            all.push((series.host.clone().unwrap(), time_us, shown(value)));
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(answered.damages, []);
    all.sort();
    all
}

fn samples_of_model(model: &Model, from_us: i64, to_us: i64) -> Shown {
    let mut all = Vec::new();
    for (series, samples) in model {
        for (time_us, measured) in samples {
            let text = match measured {
                Measured::Number(number) => shown(Value::Number(*number as f64 / 100.0)),
                Measured::Histogram(list) => shown(Value::Histogram(&histogram_of(list))),
                Measured::Text(text) => shown(Value::Text(text)),
            };
            if (from_us..to_us).contains(time_us) {
                all.push((format!("host{series}"), *time_us, text));
            }
        }
    }
    all.sort();
    all.dedup();
    all
}

/// Count, histogram, least and greatest by host and step; sums differ in their last bits.
fn cells_of(store: &Store, from_us: i64, to_us: i64, step_us: i64) -> Shown {
    let mut all = Vec::new();
    let query = Query {
        matches: &|_: &Series| true,
        from_us,
        to_us,
    };
    store
        .cells(&query, step_us, &mut |series, start_us, cell| {
            all.push((series.host.clone().unwrap(), start_us, shown_cell(cell)));
            ControlFlow::Continue(())
        })
        .unwrap();
    all.sort();
    all
}

fn shown_cell(cell: &Cell) -> String {
    let Cell {
        count,
        sum,
        min,
        max,
        last,
        last_us,
        histogram,
        text,
    } = cell;
    format!("{count} {sum:.3} {min} {max} {last:.6} {last_us} {histogram:?} {text:?}")
}

/// All series in one are what merging the cells of each gives.
fn check_sums(store: &Store, from_us: i64, to_us: i64, step_us: i64) {
    let query = Query {
        matches: &|_: &Series| true,
        from_us,
        to_us,
    };
    let mut merged: BTreeMap<i64, Cell> = BTreeMap::new();
    store
        .cells(&query, step_us, &mut |_, start_us, cell| {
            merged.entry(start_us).or_default().merge(cell);
            ControlFlow::Continue(())
        })
        .unwrap();
    let mut summed = Vec::new();
    let mut go_on = || ControlFlow::Continue(());
    let answered = store.sums(&query, step_us, &mut go_on, &mut |start_us, cell| {
        summed.push((start_us, shown_cell(cell)));
        ControlFlow::Continue(())
    });
    assert!(!answered.unwrap().is_broken_off);
    let merged: Vec<_> = merged
        .iter()
        .map(|(at, cell)| (*at, shown_cell(cell)))
        .collect();
    assert_eq!(summed, merged);
}

fn sizes(which: usize) -> Options {
    let default = Options::default();
    [
        Options {
            bucket_us: HOUR_US / 2,
            block_samples: 3,
            ..default.clone()
        },
        Options {
            bucket_us: 4 * HOUR_US,
            block_samples: 1,
            seal_after_us: 0,
            ..default.clone()
        },
        default,
    ][which]
        .clone()
}

fn run(
    steps: &[Step],
    which: usize,
    memory: Option<Arc<dyn Blocks>>,
) -> (Store, PretendDisk, Model) {
    let disk = PretendDisk::new();
    let open = || {
        let disk = Arc::new(disk.clone());
        match &memory {
            None => Store::open_on(disk, sizes(which)),
            Some(blocks) => Store::open_over(disk, Arc::clone(blocks), sizes(which)),
        }
    };
    let mut store = Some(open().unwrap());
    let mut model = Model::new();
    for step in steps {
        let held = store.as_ref().unwrap();
        match step {
            Step::Append(list) => {
                append(held, list);
                for (series, time_us, measured) in list {
                    let samples = model.entry(*series).or_default();
                    samples.insert((*time_us, measured.clone()));
                }
            }
            Step::Seal => held.seal().unwrap(),
            Step::Compact => held.compact().unwrap(),
            Step::Tick(now_us) => held.tick(*now_us).unwrap(),
            Step::Reopen => {
                drop(store.take());
                store = Some(open().unwrap());
            }
        }
    }
    (store.unwrap(), disk, model)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn answers_are_those_of_a_set(steps in steps(), from in 0_i64..9, len in 0_i64..9) {
        let (from_us, to_us) = (from * HOUR_US, (from + len) * HOUR_US);
        let mut cells: Vec<Shown> = Vec::new();
        for which in 0..6 {
            let memory = (which >= 3).then(|| Arc::new(MemoryBlocks::default()) as Arc<dyn Blocks>);
            let (store, disk, model) = run(&steps, which % 3, memory);
            let expected = samples_of_model(&model, from_us, to_us);
            prop_assert_eq!(samples_of(&store, from_us, to_us), expected);
            prop_assert_eq!(store.series(&|_| true).len(), model.len());
            let mut answers = Vec::new();
            for step_us in [HOUR_US / 7, 60_000_000, HOUR_US, 6 * HOUR_US] {
                answers.extend(cells_of(&store, from_us, to_us, step_us));
                check_sums(&store, from_us, to_us, step_us);
            }
            cells.push(answers);
            prop_assert_eq!(verify(&disk).unwrap().damages, vec![]);
        }
        for other in &cells[1..] {
            prop_assert_eq!(other, &cells[0]);
        }
    }
}

#[test]
fn too_many_steps_at_once_are_refused() {
    let disk = Arc::new(PretendDisk::new());
    let store = Store::open_on(disk, Options::default()).unwrap();
    let few: Histogram = [1e-100, 1e100].into_iter().collect();
    let sample = |time_us: i64, value| Sample {
        host: None,
        service: None,
        by: &[],
        time_us,
        value,
    };
    let samples: Vec<Sample> = (0..70_000)
        .map(|at| sample(at, Value::Number(1.0)))
        .collect();
    store.append(&samples).unwrap();
    let ask = |from_us, to_us| {
        let query = Query {
            matches: &|_: &Series| true,
            from_us,
            to_us,
        };
        let mut steps = 0;
        let mut go_on = || ControlFlow::Continue(());
        let answered = store.sums(&query, 1, &mut go_on, &mut |_, _| {
            steps += 1;
            ControlFlow::Continue(())
        });
        answered.map(|_| steps)
    };
    assert_eq!(ask(0, 60_000).unwrap(), 60_000);
    assert!(matches!(ask(0, 70_000), Err(Error::TooManySteps)));
    // Far fewer that are far wider: each takes 160 KB.
    let samples: Vec<Sample> = (0..2000)
        .map(|at| sample(at, Value::Histogram(&few)))
        .collect();
    store.append(&samples).unwrap();
    assert_eq!(ask(0, 500).unwrap(), 500);
    assert!(matches!(ask(0, 2000), Err(Error::TooManySteps)));
}
