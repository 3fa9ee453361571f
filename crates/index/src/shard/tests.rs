//! The table against an ordered map, with tags that collide and run over the end.

use std::collections::BTreeMap;

use event::{Fields, Scalar, Time, View};
use proptest::prelude::*;

use super::*;

/// A key of a test: its tag is given, so that keys can share one or lie side by side.
type TestKey = (u32, u8);

#[derive(Clone, Debug)]
enum Step {
    InsertView(TestKey, u16),
    Insert(TestKey, u16),
    Remove(TestKey),
    RemoveUnlike(TestKey),
    Expire(u16),
}

fn key() -> impl Strategy<Value = TestKey> {
    // Home is the tag modulo the slots: the last tags wrap to the first slots.
    let tag = prop_oneof![0..4u32, u32::MAX - 3..=u32::MAX, any::<u32>()];
    (tag, 0..3u8)
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (key(), any::<u16>()).prop_map(|(key, time)| Step::InsertView(key, time)),
        4 => (key(), any::<u16>()).prop_map(|(key, time)| Step::Insert(key, time)),
        3 => key().prop_map(Step::Remove),
        1 => key().prop_map(Step::RemoveUnlike),
        1 => any::<u16>().prop_map(Step::Expire),
    ]
}

fn host((tag, number): TestKey) -> String {
    format!("{tag}/{number}")
}

fn with_view<T>(host: &str, time: u16, act: impl FnOnce(&View<'_>) -> T) -> T {
    act(&View {
        host: Some(host),
        time: Some(Time::from_s(time.into())),
        ttl: Some(Scalar::Int(0)),
        ..View::default()
    })
}

fn time_of(event: &Event) -> u16 {
    let time = event.time().expect("each has one");
    u16::try_from(time.floor_s()).expect("as it was given")
}

fn expire(shard: &mut Shard, now: u16) -> Vec<(String, u16)> {
    let mut expired = Expired::default();
    let mut from = Some(0);
    while let Some(at) = from {
        from = shard.expire(Time::from_s(now.into()), at, &mut expired);
    }
    assert!(expired.broken.is_empty());
    let mut gone: Vec<_> = expired
        .events
        .iter()
        .map(|event| {
            (
                event.host().expect("each has one").to_owned(),
                time_of(event),
            )
        })
        .collect();
    gone.sort();
    gone
}

fn run(steps: Vec<Step>) -> Result<(), TestCaseError> {
    let mut shard = Shard::default();
    let mut model: BTreeMap<TestKey, u16> = BTreeMap::new();
    for step in steps {
        match step {
            Step::InsertView(key, time) => {
                with_view(&host(key), time, |view| shard.insert_view(key.0, view));
                model.insert(key, time);
            }
            Step::Insert(key, time) => {
                let event = with_view(&host(key), time, Event::from_view);
                let before = shard.insert(key.0, &event);
                prop_assert_eq!(before.as_ref().map(time_of), model.insert(key, time));
            }
            Step::Remove(key) => {
                let removed = remove(&mut shard, key, true);
                prop_assert_eq!(removed.as_ref().map(time_of), model.remove(&key));
            }
            Step::RemoveUnlike(key) => prop_assert!(remove(&mut shard, key, false).is_none()),
            Step::Expire(now) => {
                let gone = expire(&mut shard, now);
                let late = model.extract_if(.., |_, time| *time < now);
                let mut late: Vec<_> = late.map(|(key, time)| (host(key), time)).collect();
                late.sort();
                prop_assert_eq!(gone, late);
            }
        }
        prop_assert_eq!(shard.len(), model.len());
        prop_assert_eq!(shard.events().count(), model.len());
        for (key, time) in &model {
            let name = host(*key);
            let found = shard.find(key.0, &Key::from((Some(name.as_str()), None)));
            prop_assert_eq!(found.map(time_of), Some(*time));
        }
    }
    Ok(())
}

fn remove(shard: &mut Shard, key: TestKey, doomed: bool) -> Option<Event> {
    let name = host(key);
    shard.remove(key.0, &Key::from((Some(name.as_str()), None)), |_| doomed)
}

proptest! {
    #[test]
    fn holds_what_an_ordered_map_holds(steps in prop::collection::vec(step(), 1..200)) {
        run(steps)?;
    }
}

#[test]
fn memory_of_what_expired_is_given_back() {
    let mut shard = Shard::default();
    for number in 0..100_000u32 {
        with_view(&number.to_string(), 1, |view| {
            shard.insert_view(number.wrapping_mul(0x9e37_79b9), view);
        });
    }
    assert!(shard.slots.len() > 100_000);
    assert_eq!(expire(&mut shard, 2).len(), 100_000);
    assert_eq!(shard.slots.len(), SLOTS_KEPT);
}

#[test]
fn a_sweep_stops_after_a_slice() {
    let mut shard = Shard::default();
    for number in 0..2 * SWEEP_SLOTS as u32 {
        with_view(&number.to_string(), 1, |view| {
            shard.insert_view(number, view)
        });
    }
    let mut expired = Expired::default();
    let next = shard.expire(Time::from_s(2), 0, &mut expired);
    assert_eq!(next, Some(SWEEP_SLOTS));
    assert!(expired.events.len() <= SWEEP_SLOTS + 1);
    assert!(shard.len() >= SWEEP_SLOTS - 1);
}
