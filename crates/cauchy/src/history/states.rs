//! The last state of each series, so that a change can be told.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use parking_lot::{Mutex, MutexGuard};

/// Series whose states are known: 16 bytes each. Beyond, all are forgotten, and told once more.
const SERIES_MAX: usize = 1 << 22;

/// The last state of each series. Names and states are known by hashes of 64 bits: that two of a
/// million series are taken for one happens to one server in ten million.
#[derive(Default)]
pub struct States {
    hasher: RandomState,
    last: Mutex<HashTable<(u64, u64)>>,
}

/// The states, for as long as many events need.
pub struct Known<'a> {
    hasher: &'a RandomState,
    last: MutexGuard<'a, HashTable<(u64, u64)>>,
}

impl States {
    pub fn lock(&self) -> Known<'_> {
        Known {
            hasher: &self.hasher,
            last: self.last.lock(),
        }
    }
}

impl Known<'_> {
    /// Notes a series' state, and says whether it is another one than before.
    pub fn changes(
        &mut self,
        host: Option<&str>,
        service: Option<&str>,
        names: &[(&str, &str)],
        state: &str,
    ) -> bool {
        let series = self.hasher.hash_one((host, service, names));
        let state = self.hasher.hash_one(state);
        if let Some(known) = self.last.find_mut(series, |known| known.0 == series) {
            return std::mem::replace(&mut known.1, state) != state;
        }
        if self.last.len() >= SERIES_MAX {
            self.last.clear();
        }
        self.last
            .insert_unique(series, (series, state), |known| known.0);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_new_to_its_series_once() {
        let states = States::default();
        let mut known = states.lock();
        let mut changes =
            |host, names: &[(&str, &str)], state| known.changes(host, Some("rtt"), names, state);
        assert!(changes(Some("a"), &[], "ok"));
        assert!(!changes(Some("a"), &[], "ok"));
        assert!(changes(None, &[], "ok"));
        assert!(changes(Some("a"), &[("zone", "x")], "ok"));
        assert!(changes(Some("a"), &[], "critical"));
        assert!(changes(Some("a"), &[], "ok"));
        assert!(!changes(None, &[], "ok"));
    }
}
