//! What holds for all batches of blocks, wherever they stand: the same operations against a plain
//! map, over files and over memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use journal::disk::pretend::PretendDisk;
use proptest::prelude::*;

use super::*;
use crate::error::Error;
use crate::files::FileBlocks;
use crate::memory::MemoryBlocks;

const HOUR_US: i64 = 3_600_000_000;

type Content = Vec<(SeriesId, Packed)>;

#[derive(Clone, Debug)]
enum Step {
    Put(Batch, Content),
    /// Breaks off after so many blocks.
    PutHalf(Batch, Content, usize),
    Remove(Batch),
    Reopen,
}

/// Opens what stands there, again and again.
type Open<'a> = dyn Fn() -> Arc<dyn Blocks> + 'a;

fn batch() -> impl Strategy<Value = Batch> {
    let period = prop::sample::select(&Period::ALL[..]);
    (period, -2_i64..3, 0_u64..4).prop_map(|(period, bucket, source)| Batch {
        period,
        bucket,
        source,
    })
}

/// Blocks in order of series, and of time within one.
fn content() -> impl Strategy<Value = Content> {
    let block = (
        0_u32..300,
        0_i64..50,
        0_i64..9,
        prop::collection::vec(any::<u8>(), 1..40),
    );
    prop::collection::vec(block, 0..200).prop_map(|mut list| {
        list.sort();
        let packed = |(series, first_us, length, bytes)| {
            let last_us = first_us + length;
            (
                series,
                Packed {
                    first_us,
                    last_us,
                    bytes,
                },
            )
        };
        list.into_iter().map(packed).collect()
    })
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        5 => (batch(), content()).prop_map(|(batch, content)| Step::Put(batch, content)),
        1 => (batch(), content(), 0_usize..200)
            .prop_map(|(batch, content, at)| Step::PutHalf(batch, content, at)),
        2 => batch().prop_map(Step::Remove),
        1 => Just(Step::Reopen),
    ];
    prop::collection::vec(step, 0..12)
}

fn put(blocks: &dyn Blocks, batch: Batch, content: &Content, half: Option<usize>) -> Result<()> {
    let mut given = 0;
    blocks.put(batch, &mut || {
        if half.is_some_and(|half| given == half.min(content.len())) {
            return Err(Error::TooManySeries);
        }
        given += 1;
        Ok(content.get(given - 1).cloned())
    })
}

/// What a scan meets, up to so many blocks.
fn scan(blocks: &dyn Blocks, batch: Batch, wanted: Wanted, most: usize) -> Result<Vec<Kept>> {
    let mut met = Vec::new();
    blocks.scan(batch, wanted, &mut |found| {
        match found {
            Found::Block(series, bytes) => met.push((series, bytes.to_vec())),
            Found::Damage(damage) => panic!("{damage}"),
        }
        Ok(met.len() < most)
    })?;
    Ok(met)
}

type Kept = (SeriesId, Vec<u8>);

fn kept(content: &Content, wanted: Wanted) -> Vec<Kept> {
    let is_wanted = |(series, packed): &&(SeriesId, Packed)| {
        (wanted.first_series..=wanted.last_series).contains(series)
            && packed.first_us <= wanted.to_us
            && wanted.from_us <= packed.last_us
    };
    let chosen = content.iter().filter(is_wanted);
    chosen
        .map(|(series, packed)| (*series, packed.bytes.clone()))
        .collect()
}

fn check(open: &Open, steps: &[Step], wanted: Wanted) {
    let mut blocks = open();
    let mut model: BTreeMap<Batch, Content> = BTreeMap::new();
    for step in steps {
        match step {
            Step::Put(batch, content) => {
                put(&*blocks, *batch, content, None).unwrap();
                model.entry(*batch).or_insert_with(|| content.clone());
            }
            Step::PutHalf(batch, content, at) => {
                let is_there = model.contains_key(batch);
                let done = put(&*blocks, *batch, content, Some(*at));
                assert!(is_there || matches!(done, Err(Error::TooManySeries)));
            }
            Step::Remove(batch) => {
                blocks.remove(*batch).unwrap();
                model.remove(batch);
            }
            Step::Reopen => blocks = open(),
        }
        assert!(
            blocks.batches().iter().eq(model.keys()),
            "in order, each once"
        );
    }
    for (batch, content) in &model {
        let all = scan(&*blocks, *batch, Wanted::ALL, usize::MAX).unwrap();
        assert_eq!(all, kept(content, Wanted::ALL));
        let some = scan(&*blocks, *batch, wanted, usize::MAX).unwrap();
        assert_eq!(some, kept(content, wanted));
        let two = scan(&*blocks, *batch, wanted, 2).unwrap();
        assert_eq!(two, some[..some.len().min(2)], "breaking off");
        let mut series: Vec<SeriesId> = content.iter().map(|block| block.0).collect();
        series.dedup();
        assert_eq!(blocks.series(*batch).unwrap(), series);
        let bytes: usize = content.iter().map(|block| block.1.bytes.len()).sum();
        assert!(blocks.bytes(*batch) >= bytes as u64);
        let refused = blocks.scan(*batch, Wanted::ALL, &mut |_| Err(Error::TooManySeries));
        assert!(content.is_empty() || matches!(refused, Err(Error::TooManySeries)));
    }
    let absent = Batch {
        period: Period::Raw,
        bucket: 9,
        source: 0,
    };
    assert_eq!(blocks.bytes(absent), 0);
    assert!(matches!(
        scan(&*blocks, absent, Wanted::ALL, 1),
        Err(Error::Gone(_))
    ));
    assert!(matches!(blocks.series(absent), Err(Error::Gone(_))));
    blocks.remove(absent).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn batches_are_what_was_put(
        steps in steps(), series in (0_u32..300, 0_u32..300), times in (0_i64..60, 0_i64..60))
    {
        let wanted = Wanted {
            first_series: series.0.min(series.1),
            last_series: series.0.max(series.1),
            from_us: times.0.min(times.1),
            to_us: times.0.max(times.1),
        };
        let memory = Arc::new(MemoryBlocks::default());
        check(&|| Arc::<MemoryBlocks>::clone(&memory), &steps, wanted);
        let disk = Arc::new(PretendDisk::new());
        let open = || -> Arc<dyn Blocks> {
            let (files, damages) = FileBlocks::open(disk.clone(), HOUR_US).unwrap();
            assert_eq!(damages, []);
            Arc::new(files)
        };
        check(&open, &steps, wanted);
    }
}
