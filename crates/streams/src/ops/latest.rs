//! The latest event for each key, for the operators that bring them together.

use clj::{Cx, Result, Value};
use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::fields;

/// Events by key, in the order in which their keys were first seen.
#[derive(Default)]
pub(super) struct Latest {
    places: HashMap<Value, usize, RandomState>,
    events: Vec<(Value, Value)>,
}

impl Latest {
    pub fn put(&mut self, key: Value, event: &Value) {
        match self.places.get(&key) {
            Some(place) => self.events[*place].1 = event.clone(),
            None => {
                self.places.insert(key.clone(), self.events.len());
                self.events.push((key, event.clone()));
            }
        }
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
            self.places = left
                .iter()
                .enumerate()
                .map(|(at, (key, _))| (key.clone(), at))
                .collect();
            self.events = left;
        }
        Ok(all)
    }
}
