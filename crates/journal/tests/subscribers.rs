//! Proves that subscribers do what a list with numbers would do, whatever the order of appends,
//! reads, checkpoints, seeks, restarts and compactions.

use std::collections::BTreeMap;
use std::sync::Arc;

use journal::disk::pretend::PretendDisk;
use journal::{Compression, Error, Id, Journal, Options, Reader, Start};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
    Append(u16),
    Flush,
    Add(u8, u8),
    Remove(u8),
    Read(u8, u8),
    /// Up to the last record that was read, back by this many.
    Checkpoint(u8, u8),
    Set(u8, u16),
    Reopen,
    Compact,
}

fn step() -> impl Strategy<Value = Step> {
    let who = 0..4_u8;
    prop_oneof![
        4 => (1..120_u16).prop_map(Step::Append),
        1 => Just(Step::Flush),
        2 => (who.clone(), 0..3_u8).prop_map(|(who, start)| Step::Add(who, start)),
        1 => who.clone().prop_map(Step::Remove),
        4 => (who.clone(), 1..60_u8).prop_map(|(who, max)| Step::Read(who, max)),
        3 => (who.clone(), 0..5_u8).prop_map(|(who, back)| Step::Checkpoint(who, back)),
        1 => (who, any::<u16>()).prop_map(|(who, id)| Step::Set(who, id)),
        1 => Just(Step::Reopen),
        1 => Just(Step::Compact),
    ]
}

fn record(number: u64) -> Vec<u8> {
    let mut bytes = format!("{number}:").into_bytes();
    bytes.resize(bytes.len() + (number * 37 % 90) as usize, b'x');
    bytes
}

fn open(disk: &PretendDisk, compression: Compression) -> Journal {
    let options = Options {
        compression,
        segment_bytes: 4096,
        buffer_bytes: 4096,
        ..Options::default()
    };
    Journal::open_on(Arc::new(disk.clone()), options).expect("it opens")
}

/// What a subscriber should be like: its checkpoint, and the next record that it reads.
struct Model {
    checkpoint: u64,
    next: u64,
}

struct World {
    disk: PretendDisk,
    compression: Compression,
    journal: Journal,
    readers: BTreeMap<u8, Reader>,
    models: BTreeMap<u8, Model>,
    last: u64,
    first: u64,
}

impl World {
    fn new(compression: Compression) -> World {
        let disk = PretendDisk::new();
        World {
            journal: open(&disk, compression),
            disk,
            compression,
            readers: BTreeMap::new(),
            models: BTreeMap::new(),
            last: 0,
            first: 1,
        }
    }

    fn take(&mut self, step: &Step) -> Result<(), TestCaseError> {
        match *step {
            Step::Append(count) => self.append(count.into()),
            Step::Flush => self.journal.flush().expect("room"),
            Step::Add(who, start) => self.add(who, start)?,
            Step::Remove(who) => {
                let removed = self.journal.remove_subscriber(&name(who));
                prop_assert_eq!(removed.is_ok(), self.models.remove(&who).is_some());
                self.readers.remove(&who);
            }
            Step::Read(who, max) => self.read(who, max.into())?,
            Step::Checkpoint(who, back) => {
                if let Some(model) = self.models.get(&who) {
                    let id = (model.next - 1)
                        .saturating_sub(back.into())
                        .max(model.checkpoint);
                    self.set(who, id)?;
                }
            }
            Step::Set(who, id) => {
                if self.models.contains_key(&who) {
                    self.set(who, u64::from(id) % (self.last + 20))?;
                }
            }
            Step::Reopen => self.reopen(),
            Step::Compact => {
                self.journal.compact().expect("compacted");
            }
        }
        self.check()
    }

    fn append(&mut self, count: u64) {
        for number in self.last + 1..=self.last + count {
            assert_eq!(
                self.journal.append(&record(number)).expect("room"),
                Id(number)
            );
        }
        self.last += count;
    }

    fn add(&mut self, who: u8, start: u8) -> Result<(), TestCaseError> {
        let first = self.journal.first().expect("open").0;
        let (start, checkpoint) = match start {
            0 => (Start::Begin, first - 1),
            1 => (Start::End, self.last),
            _ => (Start::After(Id(self.last / 2)), self.last / 2),
        };
        let added = self.journal.add_subscriber(&name(who), start);
        if self.models.contains_key(&who) {
            prop_assert!(
                matches!(added, Err(Error::SubscriberExists { .. })),
                "not added"
            );
            return Ok(());
        }
        prop_assert!(added.is_ok());
        let next = checkpoint + 1;
        self.models.insert(who, Model { checkpoint, next });
        let reader = self.journal.reader(&name(who)).expect("it is there");
        self.readers.insert(who, reader);
        Ok(())
    }

    fn read(&mut self, who: u8, max: usize) -> Result<(), TestCaseError> {
        let Some(model) = self.models.get_mut(&who) else {
            return Ok(());
        };
        let reader = self.readers.get_mut(&who).expect("it has a reader");
        // What is before the first record that is kept cannot be read again, unless the reader
        // had fetched it before it went.
        let first = self.journal.first().expect("open").0;
        let kept = model.next.max(first);
        let batch = reader.next_batch(max).expect("it reads");
        prop_assert!(!batch.is_empty() || kept > self.last, "next {}", model.next);
        let begin = batch.iter().next().map_or(kept, |(id, _)| id.0);
        prop_assert!((model.next..=kept).contains(&begin), "{begin} of {kept}");
        for (expected, (id, bytes)) in (begin..).zip(batch.iter()) {
            prop_assert_eq!(id, Id(expected));
            prop_assert_eq!(bytes, record(expected));
            model.next = expected + 1;
        }
        Ok(())
    }

    fn set(&mut self, who: u8, id: u64) -> Result<(), TestCaseError> {
        let set = self.journal.checkpoint(&name(who), Id(id)).expect("stored");
        prop_assert_eq!(set, Id(id.min(self.last)));
        if let Some(model) = self.models.get_mut(&who) {
            model.checkpoint = set.0;
        }
        Ok(())
    }

    fn reopen(&mut self) {
        self.readers.clear();
        self.journal = {
            // The old one is closed before the new one opens.
            let disk = self.disk.clone();
            drop(std::mem::replace(
                &mut self.journal,
                open(&PretendDisk::new(), self.compression),
            ));
            open(&disk, self.compression)
        };
        for (&who, model) in &mut self.models {
            model.next = model.checkpoint + 1;
            let reader = self.journal.reader(&name(who)).expect("it is there");
            self.readers.insert(who, reader);
        }
    }

    fn check(&mut self) -> Result<(), TestCaseError> {
        let stats = self.journal.stats().expect("it reads");
        prop_assert_eq!(stats.last, Id(self.last));
        prop_assert_eq!(stats.subscribers.len(), self.models.len());
        for (who, subscriber) in self.models.keys().zip(&stats.subscribers) {
            let model = &self.models[who];
            prop_assert_eq!(subscriber.checkpoint, Id(model.checkpoint));
            let unread = (model.checkpoint + 1).max(stats.first.0)..=self.last;
            prop_assert_eq!(subscriber.records, unread.clone().count() as u64);
            let bytes: usize = unread.map(|number| record(number).len()).sum();
            prop_assert_eq!(subscriber.bytes, bytes as u64);
        }
        // Nobody misses a record that it has not read and that was there.
        let slowest = self.models.values().map(|model| model.checkpoint).min();
        let needed = slowest.map_or(u64::MAX, |checkpoint| checkpoint + 1);
        prop_assert!(stats.first.0 <= needed.max(self.first));
        self.first = stats.first.0;
        Ok(())
    }
}

fn name(who: u8) -> String {
    format!("subscriber {who}")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn subscribers_do_what_a_list_would(
        lz4: bool,
        steps in prop::collection::vec(step(), 1..80),
    ) {
        let compression = if lz4 { Compression::Lz4 } else { Compression::None };
        let mut world = World::new(compression);
        for step in &steps {
            world.take(step)?;
        }
    }
}
