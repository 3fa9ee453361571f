//! Puts what the index's journal tells of into the index.

use std::collections::HashSet;

use codec::riemann::decode_msg;
use event::{Event, Fields, Time, View, Views};
use index::{Index, Key};
use journal::{Journal, Result};

use super::INDEX;
use super::record::{self, Kind};

/// Records that are taken at once.
const RECORDS_PER_BATCH: usize = 1024;

/// Host and service.
type Names = (Option<String>, Option<String>);

/// What is newer than any snapshot that may follow.
#[derive(Default)]
struct Newer {
    is_all: bool,
    names: HashSet<Names>,
}

impl Newer {
    fn note(&mut self, view: &View<'_>) {
        if !self.is_all {
            self.names.insert(names(view));
        }
    }

    fn is_newer(&self, view: &View<'_>) -> bool {
        self.is_all || self.names.contains(&names(view))
    }
}

fn names(view: &View<'_>) -> Names {
    (
        view.host.map(str::to_owned),
        view.service.map(str::to_owned),
    )
}

/// Reads all since the last whole snapshot was begun; gives how many bytes that were.
pub fn restore(journal: &Journal, index: &Index) -> Result<u64> {
    let mut reader = journal.reader(INDEX)?;
    let (mut newer, mut bytes) = (Newer::default(), 0);
    loop {
        let batch = reader.next_batch(RECORDS_PER_BATCH)?;
        if batch.is_empty() {
            break;
        }
        for (id, record) in batch.iter() {
            bytes += record.len() as u64;
            if apply(index, record, &mut newer).is_none() {
                tracing::error!("the index's journal: record {id} is not understood");
            }
        }
        for damage in reader.take_damages() {
            tracing::error!("the index's journal: {damage}");
        }
    }
    tracing::info!("the index holds {} events from before", index.len());
    Ok(bytes)
}

/// `None` if the record is not understood.
fn apply(index: &Index, record: &[u8], newer: &mut Newer) -> Option<()> {
    let (kind, message) = record::read(record)?;
    let mut views = Views::new();
    // Events without a time are not in an index.
    decode_msg(message, Time::from_s(0), &mut views).ok()?;
    match kind {
        Kind::Kept => {
            views.iter().for_each(|view| newer.note(&view));
            index.insert_views(&views, 0..views.len());
        }
        Kind::Removed => {
            for view in views.iter() {
                newer.note(&view);
                let event = Event::from_view(&view);
                let now = index.lookup(Key::from(&event));
                if now.is_none_or(|now| time_us(&now) <= time_us(&event)) {
                    index.delete(Key::from(&event));
                }
            }
        }
        Kind::Cleared => {
            index.clear();
            newer.is_all = true;
        }
        Kind::Snapshot => {
            for view in views.iter().filter(|view| !newer.is_newer(view)) {
                index.insert_view(&view);
            }
        }
    }
    Some(())
}

fn time_us(event: &Event) -> Option<i64> {
    event.time().map(|time| time.us)
}

#[cfg(test)]
mod tests {
    use super::*;
    use codec::riemann::encode_events;
    use event::{Draft, Number};

    fn record(kind: Kind, events: &[(&str, i64)]) -> Vec<u8> {
        let events = events.iter().map(|(service, metric)| {
            Draft {
                service: Some((*service).into()),
                metric: Some(Number::Int(*metric)),
                time: Some(Time::from_s(1)),
                ..Draft::plain()
            }
            .build()
        });
        let events: Vec<Event> = events.collect();
        let mut record = vec![kind as u8];
        encode_events(&mut record, &events);
        record
    }

    /// What the index holds after those records, by service.
    fn check(records: &[Vec<u8>], expected: &[(&str, i64)]) {
        let (index, mut newer) = (Index::new(), Newer::default());
        for record in records {
            apply(&index, record, &mut newer).unwrap();
        }
        let metric = |event: &Event| match event.metric() {
            Some(Number::Int(metric)) => metric,
            other => panic!("{other:?}"),
        };
        let mut found: Vec<(String, i64)> = index
            .iter()
            .map(|event| (event.service().unwrap().to_owned(), metric(&event)))
            .collect();
        found.sort();
        let expected: Vec<_> = expected
            .iter()
            .map(|(service, metric)| ((*service).to_owned(), *metric))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn changes_are_made_again() {
        check(
            &[
                record(Kind::Kept, &[("a", 1), ("b", 2)]),
                record(Kind::Removed, &[("a", 0)]),
                record(Kind::Kept, &[("b", 3)]),
            ],
            &[("b", 3)],
        );
    }

    #[test]
    fn a_snapshot_yields_to_what_came_while_it_was_taken() {
        check(
            &[
                record(Kind::Kept, &[("a", 2)]),
                record(Kind::Removed, &[("b", 0)]),
                record(Kind::Snapshot, &[("a", 1), ("b", 1), ("c", 1)]),
            ],
            &[("a", 2), ("c", 1)],
        );
    }

    #[test]
    fn after_a_clearing_a_snapshot_says_nothing() {
        check(
            &[
                record(Kind::Snapshot, &[("a", 1)]),
                record(Kind::Cleared, &[]),
                record(Kind::Snapshot, &[("b", 1)]),
                record(Kind::Kept, &[("c", 1)]),
            ],
            &[("c", 1)],
        );
    }

    #[test]
    fn what_is_no_record_is_none() {
        let mut newer = Newer::default();
        assert_eq!(apply(&Index::new(), &[], &mut newer), None);
        assert_eq!(apply(&Index::new(), &[9], &mut newer), None);
        assert_eq!(apply(&Index::new(), &[1, 255], &mut newer), None);
    }
}
