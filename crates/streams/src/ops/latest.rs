//! The latest event for each key, for the operators that bring them together.

use clj::{Cx, Result, Value};
use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::recent::Bound;
use crate::{fields, limits};

/// Events by key, in the order in which their keys were first seen.
#[derive(Default)]
pub(super) struct Latest {
    places: HashMap<Value, usize, RandomState>,
    events: Vec<(Value, Value)>,
}

impl Latest {
    /// Keeps an event in place of the one before of its key. A new key beyond the bound takes the
    /// place of the key that was first seen.
    pub fn put(&mut self, cx: &Cx<'_>, bound: &Bound, key: Value, event: &Value) {
        match self.places.get(&key) {
            Some(place) => self.events[*place].1 = event.clone(),
            None => {
                if self.events.len() >= bound.max() {
                    self.forget_oldest(cx, bound);
                }
                self.places.insert(key.clone(), self.events.len());
                self.events.push((key, event.clone()));
            }
        }
    }

    /// Forgets a part of the keys, those first seen, so that the work is shared by many.
    fn forget_oldest(&mut self, cx: &Cx<'_>, bound: &Bound) {
        let count = (self.events.len() / limits::FORKS_FORGOTTEN_PART).max(1);
        self.events.drain(..count);
        bound.dropped(cx, count);
        self.renumber();
    }

    fn renumber(&mut self) {
        let numbered = self.events.iter().enumerate();
        self.places = numbered.map(|(at, (key, _))| (key.clone(), at)).collect();
    }

    /// All events; those that are expired are gone after that.
    ///
    /// # Errors
    /// When the time or the ttl of an event is not a number.
    pub fn take_all(&mut self, cx: &Cx<'_>) -> Result<Vec<Value>> {
        let all: Vec<Value> = self.events.iter().map(|(_, event)| event.clone()).collect();
        let mut left = Vec::with_capacity(self.events.len());
        let mut gone = false;
        for (key, event) in &self.events {
            if fields::is_expired(cx, event)? {
                gone = true;
            } else {
                left.push((key.clone(), event.clone()));
            }
        }
        if gone {
            self.events = left;
            self.renumber();
        }
        Ok(all)
    }
}
