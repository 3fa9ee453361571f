//! What a configuration changes.

use std::sync::Arc;

use ::pipe::Pipeline;
use ::pipe::spec::StoreSpec;
use config::{PipelineSpec, PipelineStore};
use sinks::pace::MachinePace;

use super::{Open, OpenJournals, Prepared, Shared, note, stop};
use crate::pipe::open::{self, OpenStore, Source};
use crate::pipe::running::Running;

/// What the configuration that is being installed wants.
#[derive(Default)]
pub struct Change {
    /// Names.
    pub wanted: Vec<String>,
    pub prepared: Vec<Prepared>,
    pub replaced: Vec<Replaced>,
}

/// What had to go for it, and the socket that it had.
pub type Replaced = (PipelineSpec, Arc<Source>);

impl Shared {
    /// Opens the parts of a pipeline that are not there. What holds them otherwise is stopped, and
    /// noted in `replaced`; what of it is wanted again goes on from there.
    pub fn prepare(
        &self,
        spec: &PipelineSpec,
        replaced: &mut Vec<Replaced>,
    ) -> Result<Prepared, String> {
        for rival in self.take(|open| is_rival(&open.spec, spec)) {
            replaced.push((rival.spec.clone(), rival.running.source().clone()));
            stop(rival);
        }
        let mut old = self.parts_of(spec);
        if old.source.is_none() {
            let place = &spec.source.place;
            let same = |(was, _): &&Replaced| was.source.place == *place && was.name == spec.name;
            old.source = replaced.iter().find(same).map(|(_, source)| source.clone());
        }
        let mut journals = old.journals.clone();
        let pipeline = if old.queue_stays {
            None
        } else {
            let (queue, journal) = open::queue(&spec.queue.place)?;
            journals.queue = journal;
            let (bytes_max, overflow) = (spec.queue.bytes_max, spec.queue.overflow);
            let pace = Arc::new(MachinePace::start());
            let pipeline = Pipeline::new(&spec.name, queue, bytes_max, overflow, pace);
            Some(Arc::new(pipeline.map_err(|error| error.to_string())?))
        };
        let store = if old.queue_stays && old.store_stays {
            None
        } else {
            let (store, journal) = open_store(spec)?;
            journals.store = journal;
            Some(store)
        };
        let source = match old.source {
            Some(_) if old.queue_stays && old.reads_on => None,
            Some(source) => Some(source),
            None => Some(Arc::new(Source::bind(&spec.source.place)?)),
        };
        Ok(Prepared {
            spec: spec.clone(),
            source,
            pipeline,
            store,
            journals,
        })
    }

    fn parts_of(&self, spec: &PipelineSpec) -> Old {
        let open = self.open.lock();
        let same = open.iter().find(|open| open.spec.name == spec.name);
        let mut old = same.map_or_else(Old::default, |same| Old {
            queue_stays: same.spec.queue.place == spec.queue.place,
            store_stays: same.spec.store == spec.store
                && same.spec.source.framing == spec.source.framing,
            reads_on: same.spec.source == spec.source,
            source: (same.spec.source.place == spec.source.place)
                .then(|| same.running.source().clone()),
            journals: same.journals.clone(),
        });
        if old.source.is_none() {
            let place = &spec.source.place;
            let other = |open: &&Open| open.spec.source.place.is_taken_by(place);
            let other = open.iter().find(other);
            old.source = other.map(|open| open.running.source().clone());
            old.reads_on = false;
        }
        old
    }

    /// Runs what was prepared, in place of what runs by that name.
    pub fn activate(&self, prepared: Prepared) -> Result<(), String> {
        let name = prepared.spec.name.clone();
        let old = self.take(|open| open.spec.name == name).pop();
        let running = match (old, prepared.pipeline) {
            (Some(old), None) => {
                let mut running = old.running;
                let queue = &prepared.spec.queue;
                running.pipeline.bound(queue.bytes_max, queue.overflow);
                if let Some(store) = prepared.store {
                    running.replace_store(store);
                }
                if let Some(source) = prepared.source {
                    note(&name, running.close_source());
                    running.open_source(source, prepared.spec.source.framing)?;
                }
                tracing::info!("pipeline {name} goes on, changed");
                running
            }
            (old, Some(pipeline)) => {
                if let Some(old) = old {
                    give_way(old, &pipeline);
                }
                let (Some(source), Some(store)) = (prepared.source, prepared.store) else {
                    return Err("BUG: a new queue without a source or a store".to_owned());
                };
                let place = source.place();
                let framing = prepared.spec.source.framing;
                let running = Running::start(pipeline, source, framing, store)?;
                tracing::info!("pipeline {name}: listening on {place}");
                running
            }
            (None, None) => return Err("its old parts went meanwhile; reload once more".to_owned()),
        };
        self.open.lock().push(Open {
            spec: prepared.spec,
            running,
            journals: prepared.journals,
        });
        Ok(())
    }
}

/// What is there of a pipeline.
#[derive(Default)]
struct Old {
    queue_stays: bool,
    store_stays: bool,
    /// The source is read in the same way.
    reads_on: bool,
    source: Option<Arc<Source>>,
    journals: OpenJournals,
}

/// True if the open one has to go before the new one can be prepared: both would hold a place that
/// can be held once, and the new one does not take it over.
fn is_rival(open: &PipelineSpec, new: &PipelineSpec) -> bool {
    let queue_stays = open.name == new.name && open.queue.place == new.queue.place;
    let store_stays =
        queue_stays && open.store == new.store && open.source.framing == new.source.framing;
    let wants_queue = !queue_stays && open.queue.place.is_of(&new.queue.place);
    let wants_store = !store_stays
        && match (&open.store, &new.store) {
            (PipelineStore::Named(open), PipelineStore::Named(new)) => is_one(open, new),
            _ => false,
        };
    wants_queue || wants_store
}

/// True of stores that hold the same file or folder.
fn is_one(one: &StoreSpec, other: &StoreSpec) -> bool {
    match (one, other) {
        (StoreSpec::File(one), StoreSpec::File(other)) => one == other,
        (StoreSpec::Journal(one), StoreSpec::Journal(other)) => one.dir == other.dir,
        _ => false,
    }
}

/// Ends what another queue takes the place of. What was in memory goes into that.
fn give_way(old: Open, next: &Arc<Pipeline>) {
    let (name, was) = (old.spec.name, old.running.pipeline.clone());
    if was.is_durable() {
        note(&name, old.running.stop());
        let depth = was.figures().depth;
        if depth > 0 {
            tracing::warn!("pipeline {name}: {depth} messages stay in the queue that it had");
        }
    } else {
        note(&name, old.running.hand_over(next.clone()));
    }
}

fn open_store(spec: &PipelineSpec) -> Result<OpenStore, String> {
    match &spec.store {
        PipelineStore::Named(store) => open::store(store, spec.source.framing),
        PipelineStore::Function(make) => Ok((make(), None)),
    }
}
