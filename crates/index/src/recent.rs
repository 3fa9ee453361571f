//! Of many events of few keys, the latest of each: the others would be overwritten before anybody
//! could look at them.

use std::cell::RefCell;

use event::Views;

use crate::key::Key;

/// With fewer events together hardly any key comes twice.
pub(crate) const RECENT_EVENTS_MIN: usize = 512;
/// Twice as many as there may be keys in an index of few; 64 KB.
const PLACES: usize = 8192;
/// Instead of the number of an event that a later one of its key follows.
const OUTDATED: u32 = u32::MAX;

#[derive(Default)]
struct Recent {
    /// The hash and the number of each chosen event.
    chosen: Vec<(u64, u32)>,
    /// By the low bits of a hash, a place in `chosen`, plus one, plus the count of events before this
    /// batch: what is not above that count is of an earlier batch.
    places: Vec<u64>,
    /// Events of all batches.
    counted: u64,
}

thread_local!(static RECENT: RefCell<Recent> = RefCell::default());

/// Calls `act` with the events that no later one of their key follows; the hash is of the key. Misses
/// some where hashes meet.
pub(crate) fn latest(
    views: &Views<'_>,
    chosen: impl Iterator<Item = (u64, usize)>,
    act: impl FnOnce(&mut dyn Iterator<Item = (u64, usize)>),
) {
    let mut recent = RECENT.take();
    let kept = &mut recent.chosen;
    kept.clear();
    kept.extend(chosen.map(|(hash, number)| (hash, number as u32)));
    recent.places.resize(PLACES, 0);
    let base = recent.counted;
    recent.counted += kept.len() as u64;
    for at in (0..kept.len()).rev() {
        let (hash, number) = kept[at];
        let place = &mut recent.places[hash as usize % PLACES];
        let later = place
            .checked_sub(base + 1)
            .map(|later| kept[later as usize]);
        if later.is_some_and(|later| later.0 == hash && same_key(views, number, later.1)) {
            kept[at].1 = OUTDATED;
        } else {
            *place = base + 1 + at as u64;
        }
    }
    let latest = kept.iter().filter(|(_, number)| *number != OUTDATED);
    act(&mut latest.map(|(hash, number)| (*hash, *number as usize)));
    RECENT.set(recent);
}

fn same_key(views: &Views<'_>, one: u32, other: u32) -> bool {
    let key = |number: u32| Key::from(views.head(number as usize));
    key(one).is_same(&key(other))
}

#[cfg(test)]
mod tests {
    use event::View;

    use super::*;

    #[test]
    fn of_each_key_the_last_chosen_is_left() {
        let services = ["a", "b", "c"];
        let mut views = Views::new();
        for number in 0..10 {
            views.push(View {
                service: Some(services[number % 3]),
                ..View::default()
            });
        }
        // The hashes of b and c meet; the tenth event is not chosen; twice, as places are used again.
        for _ in 0..2 {
            let chosen = (0..9).map(|number| (u64::from(number % 3 == 0), number));
            let mut left = Vec::new();
            latest(&views, chosen, |all| {
                left.extend(all.map(|(_, number)| number));
            });
            assert!(left.ends_with(&[6, 7, 8]), "{left:?}");
            assert_eq!(left.iter().filter(|number| *number % 3 == 0).count(), 1);
        }
    }
}
