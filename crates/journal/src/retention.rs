//! When segments go: once every subscriber has passed them, or when they are too many or too old.

use crate::error::{Error, Result};
use crate::segment::{self, SPARES, Segment};
use crate::table::Place;
use crate::writer::Writer;

impl Writer {
    /// Deletes what every subscriber has passed.
    pub fn retire(&mut self) -> Result<()> {
        let passed = self.slowest().map_or(0, |slowest| self.passed_by(slowest));
        self.delete_first(passed)
    }

    /// Deletes what is too much or too old, unread or not. `now_us` if ages matter.
    pub fn retain(&mut self, now_us: Option<i64>) -> Result<()> {
        let unneeded = self.too_many()?.max(self.too_old(now_us)?);
        if unneeded == 0 {
            return Ok(());
        }
        self.drop_unread(self.segments[unneeded])?;
        self.delete_first(unneeded)
    }

    /// Deletes what every subscriber has passed; everything but the growing segment if there is
    /// no subscriber. Nothing is kept to be used again.
    pub fn compact(&mut self) -> Result<usize> {
        let passed = match self.slowest() {
            Some(slowest) => self.passed_by(slowest),
            None => self.segments.len() - 1,
        };
        self.delete_first(passed)?;
        segment::delete_spares(&*self.disk)?;
        Ok(passed)
    }

    /// The smallest checkpoint.
    fn slowest(&self) -> Option<u64> {
        let stored = self.table.places.values();
        let places = stored.chain(self.passing.values());
        places.map(|place| place.checkpoint).min()
    }

    /// How many of the first segments end at or before a checkpoint.
    fn passed_by(&self, checkpoint: u64) -> usize {
        let ends = self.segments.iter().skip(1);
        ends.take_while(|end| **end <= checkpoint + 1).count()
    }

    fn too_many(&self) -> Result<usize> {
        let Some(max) = self.retention.max_bytes else {
            return Ok(0);
        };
        let growing = self.segments.len() - 1;
        let mut total = self.buffer.tail().offset;
        let mut kept = growing;
        for &first in self.segments[..growing].iter().rev() {
            total += Segment::open(&*self.disk, first)?.len()?;
            if total > max {
                break;
            }
            kept -= 1;
        }
        Ok(kept)
    }

    fn too_old(&self, now_us: Option<i64>) -> Result<usize> {
        let (Some(now_us), Some(max)) = (now_us, self.retention.max_age_us) else {
            return Ok(0);
        };
        let oldest = now_us.saturating_sub(max);
        let mut old = 0;
        // A segment is over when the next one begins.
        for &next in self.segments.iter().skip(1) {
            let header = Segment::open(&*self.disk, next)?.header()?;
            if header.is_none_or(|header| header.time_us >= oldest) {
                break;
            }
            old += 1;
        }
        Ok(old)
    }

    /// Moves every subscriber on to where records are still kept, and counts what it misses.
    fn drop_unread(&mut self, first: u64) -> Result<()> {
        let mut dropped = 0;
        let move_on = |place: &mut Place| {
            let missed = (first - 1).saturating_sub(place.checkpoint);
            place.dropped += missed;
            place.checkpoint = place.checkpoint.max(first - 1);
            missed
        };
        for place in self.table.places.values_mut() {
            dropped += move_on(place);
        }
        for place in self.passing.values_mut() {
            dropped += move_on(place);
        }
        self.counts.records_dropped += dropped;
        if dropped > 0 {
            self.write_table(true)
        } else {
            Ok(())
        }
    }

    fn delete_first(&mut self, count: usize) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        // Subscribers must not be found before segments that are gone.
        if !self.table.places.is_empty() {
            self.write_table(true)?;
        }
        for first in self.segments.drain(..count).collect::<Vec<_>>() {
            let name = segment::name(first);
            let gone = match self.free_spare()? {
                Some(spare) => self.disk.rename(&name, spare),
                None => self.disk.remove(&name),
            };
            match gone {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    let growing = self.buffer.tail().segment;
                    self.segments = segment::list_up_to(&*self.disk, growing)?;
                    return Err(Error::io("delete", &name, error));
                }
                _ => self.counts.segments_deleted += 1,
            }
        }
        self.seen.0 = self.buffer.note_segments();
        Ok(())
    }

    /// A name for one more spare segment.
    fn free_spare(&self) -> Result<Option<&'static str>> {
        let names = self
            .disk
            .list()
            .map_err(|error| Error::io("list", "the folder", error))?;
        let is_free = |spare: &&&str| !names.iter().any(|name| name == **spare);
        Ok(SPARES.iter().find(is_free).copied())
    }
}
