//! Subscribers: each reads at its own pace, and pins the segments that it has not passed.

use crate::error::{Error, Result};
use crate::limits::{NAME_BYTES_MAX, SUBSCRIBERS_MAX};
use crate::options::{Durability, Start};
use crate::table::Place;
use crate::writer::Writer;

/// There is no subscriber of this name.
pub(crate) fn missing(name: &str) -> Error {
    Error::NoSubscriber {
        name: name.to_owned(),
    }
}

impl Writer {
    /// Where a subscriber is.
    pub fn place(&self, name: &[u8]) -> Option<Place> {
        let stored = self.table.places.get(name);
        stored.or_else(|| self.passing.get(name)).copied()
    }

    pub fn add_subscriber(&mut self, name: &str, start: Start) -> Result<()> {
        let place = self.new_place(name, start)?;
        self.table.places.insert(name.as_bytes().to_vec(), place);
        let written = self.write_table(true);
        if written.is_err() {
            self.table.places.remove(name.as_bytes());
        }
        written
    }

    pub fn add_passing(&mut self, name: &str, start: Start) -> Result<u64> {
        let place = self.new_place(name, start)?;
        self.passing.insert(name.as_bytes().to_vec(), place);
        Ok(place.checkpoint)
    }

    fn new_place(&self, name: &str, start: Start) -> Result<Place> {
        if name.is_empty() || name.len() > NAME_BYTES_MAX {
            return Err(Error::Name { bytes: name.len() });
        }
        if self.place(name.as_bytes()).is_some() {
            return Err(Error::SubscriberExists {
                name: name.to_owned(),
            });
        }
        if self.table.places.len() + self.passing.len() >= SUBSCRIBERS_MAX {
            return Err(Error::TooManySubscribers);
        }
        let checkpoint = match start {
            Start::Begin => self.segments[0] - 1,
            Start::End => self.last(),
            Start::After(id) => id.0.min(self.last()),
        };
        Ok(Place {
            checkpoint,
            dropped: 0,
        })
    }

    pub fn remove_subscriber(&mut self, name: &str) -> Result<()> {
        let removed = self.table.places.remove(name.as_bytes());
        let place = removed.ok_or_else(|| missing(name))?;
        if let Err(error) = self.write_table(true) {
            self.table.places.insert(name.as_bytes().to_vec(), place);
            return Err(error);
        }
        self.retire()
    }

    pub fn remove_passing(&mut self, name: &[u8]) {
        self.passing.remove(name);
    }

    /// Moves a subscriber; returns where it is then.
    pub fn checkpoint(&mut self, name: &str, id: u64) -> Result<u64> {
        let id = id.min(self.last());
        if let Some(place) = self.passing.get_mut(name.as_bytes()) {
            place.checkpoint = id;
            self.retire()?;
            return Ok(id);
        }
        let place = self.table.places.get_mut(name.as_bytes());
        let place = place.ok_or_else(|| missing(name))?;
        if place.checkpoint == id {
            return Ok(id);
        }
        let before = place.checkpoint;
        place.checkpoint = id;
        if let Err(error) = self.write_table(self.durability == Durability::Always) {
            if let Some(place) = self.table.places.get_mut(name.as_bytes()) {
                place.checkpoint = before;
            }
            return Err(error);
        }
        self.retire()?;
        Ok(id)
    }
}
