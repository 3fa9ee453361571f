//! The items of a set that a filter asks for.

use clj::{Value, seq};

use super::Reading;

/// A set, with its texts at hand: a filter asks for a text without making a value of it.
pub struct Members {
    set: Value,
    /// The items, if they are texts and few.
    texts: Option<Box<[Value]>>,
}

/// Up to this many texts, comparing with each is faster than hashing.
const TEXTS_MAX: usize = 8;

impl Members {
    /// `None` if the value is no set.
    pub fn of(set: &Value) -> Option<Members> {
        let Value::Set(items) = set else {
            return None;
        };
        let few = items.len() <= TEXTS_MAX && items.iter().all(|item| item.as_str().is_some());
        Some(Members {
            set: set.clone(),
            texts: few.then(|| items.iter().cloned().collect()),
        })
    }

    /// What the set gives when it is called: the item, or nil.
    pub fn item(&self, reading: Reading<'_>) -> Value {
        seq::get(&self.set, &reading.into_value()).unwrap_or_default()
    }

    pub fn item_is_truthy(&self, reading: Reading<'_>) -> bool {
        match self.quick(&reading) {
            Some(found) => found,
            None => self.item(reading).truthy(),
        }
    }

    pub fn contains(&self, reading: Reading<'_>) -> bool {
        match self.quick(&reading) {
            Some(found) => found,
            None => seq::get(&self.set, &reading.into_value()).is_some(),
        }
    }

    /// The items, if they are texts.
    pub(super) fn texts(&self) -> Option<Vec<&str>> {
        match &self.set {
            Value::Set(items) => items.iter().map(Value::as_str).collect(),
            _ => None,
        }
    }

    fn quick(&self, reading: &Reading<'_>) -> Option<bool> {
        let (Reading::Str(wanted), Some(texts)) = (reading, &self.texts) else {
            return None;
        };
        Some(texts.iter().any(|text| text.as_str() == Some(*wanted)))
    }
}
