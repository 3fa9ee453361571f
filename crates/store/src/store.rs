//! A store: what a program holds.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use journal::disk::Disk;
use journal::disk::real::RealDisk;
use journal::{Durability, Id, Journal, Reader, Start};
use parking_lot::Mutex;

use crate::blocks::{Batch, Blocks, Period};
use crate::closed;
use crate::dictionary::{Dictionary, Names};
use crate::error::{Error, Result};
use crate::files::FileBlocks;
use crate::head::Head;
use crate::limits::{HEAD_TIMES_MAX, SERIES_BYTES_MAX, SERIES_MAX, TEXT_BYTES_MAX};
use crate::options::Options;
use crate::record;
use crate::series::{self, Series, SeriesId};
use crate::stats::{Recovery, Stats};
use crate::value::{Kept, Point, Sample, Value};

/// The journal's subscriber: what it has passed is in blocks.
pub(crate) const SUBSCRIBER: &str = "store";

/// A record of the journal is ended at this length.
const RECORD_BYTES: usize = 1 << 20;

/// History in a folder. It is shared between threads; a thread of the caller's calls
/// [`Store::tick`].
///
/// ```
/// use std::ops::ControlFlow;
/// use store::{Options, Query, Sample, Store, Value};
/// let dir = tempfile::tempdir()?;
/// let store = Store::open(dir.path(), Options::default())?;
/// let sample = |time_us, number| Sample {
///     host: Some("web1"), service: Some("rtt"), by: &[], time_us, value: Value::Number(number),
/// };
/// store.append(&[sample(1_000_000, 0.5), sample(2_000_000, 0.25)])?;
/// let mut sums = Vec::new();
/// let all = Query { matches: &|_| true, from_us: 0, to_us: 60_000_000 };
/// store.cells(&all, 60_000_000, &mut |_, start_us, cell| {
///     sums.push((start_us, cell.sum));
///     ControlFlow::Continue(())
/// })?;
/// assert_eq!(sums, [(0, 0.75)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Store {
    pub(crate) options: Options,
    pub(crate) bucket_us: i64,
    pub(crate) disk: Arc<dyn Disk>,
    /// None where the store is only looked at.
    journal: Option<Journal>,
    pub(crate) blocks: Arc<dyn Blocks>,
    pub(crate) state: Mutex<State>,
    /// Held by whoever seals, merges, rolls up or deletes; taken before `state`.
    pub(crate) upkeep: Mutex<Upkeep>,
    pub(crate) recovery: Recovery,
}

/// What appends and queries share.
#[derive(Default)]
pub(crate) struct State {
    pub names: Names,
    /// Names below this number are in a record of the journal, or in the dictionary.
    pub named: usize,
    pub head: Head,
    /// What is being sealed: it is read until its blocks are.
    pub frozen: Option<Arc<Head>>,
    /// How often a seal ended: batches are then others.
    pub generation: u64,
    /// Buckets whose samples were rolled up and deleted: they take no more.
    pub closed: Arc<BTreeSet<i64>>,
    /// From when to when samples are taken; all are before the first tick.
    pub span_us: Span,
    pub stats: Stats,
    /// Why sealing failed last.
    pub failed: Option<String>,
    record: Vec<u8>,
    key: Vec<u8>,
    points: Vec<(SeriesId, Point)>,
}

/// The first and the last time.
pub(crate) struct Span(pub i64, pub i64);

impl Default for Span {
    /// All time.
    fn default() -> Span {
        Span(i64::MIN, i64::MAX)
    }
}

/// What upkeep alone uses.
pub(crate) struct Upkeep {
    pub dictionary: Dictionary,
    /// Names below this number are in the dictionary.
    pub kept: usize,
    pub next_source: u64,
    /// The last record of the journal that is in `frozen`.
    pub frozen_to: Id,
    /// Buckets that cannot be merged, for damage.
    pub damaged: BTreeSet<i64>,
}

impl Store {
    /// Opens the store in a folder; makes both if they are not there.
    ///
    /// # Errors
    /// What the disk says; [`Error::Version`]; if another process has it open.
    pub fn open(dir: &Path, options: Options) -> Result<Store> {
        let disk = RealDisk::create(dir)
            .map_err(|error| Error::io("make", &dir.display().to_string(), error))?;
        Store::open_on(Arc::new(disk), options)
    }

    /// Opens the store on a disk; makes it if it is not there.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_on(disk: Arc<dyn Disk>, options: Options) -> Result<Store> {
        closed::forget(&disk)?;
        let journal = open_journal(&disk, &options)?;
        let (files, damages) = FileBlocks::open(Arc::clone(&disk), options.bucket_us)?;
        let bucket_us = files.bucket_us();
        let mut store = Store::over(disk, journal, Arc::new(files), options, bucket_us)?;
        store.recovery.damages.extend(damages);
        Ok(store)
    }

    /// Opens a store whose head is protected on a disk and whose blocks are elsewhere.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_over(
        disk: Arc<dyn Disk>,
        blocks: Arc<dyn Blocks>,
        options: Options,
    ) -> Result<Store> {
        closed::forget(&disk)?;
        let journal = open_journal(&disk, &options)?;
        let bucket_us = options.bucket_us;
        Store::over(disk, journal, blocks, options, bucket_us)
    }

    fn over(
        disk: Arc<dyn Disk>,
        journal: Journal,
        blocks: Arc<dyn Blocks>,
        options: Options,
        bucket_us: i64,
    ) -> Result<Store> {
        let (dictionary, names, damages) = Dictionary::open(Arc::clone(&disk))?;
        let mut state = State {
            names,
            ..State::default()
        };
        let mut recovery = Recovery {
            damages,
            ..Recovery::default()
        };
        let kept = state.names.len();
        let mut reader = journal.subscribe(SUBSCRIBER, Start::Begin)?;
        recover(&mut reader, &mut state, &mut recovery)?;
        let places = (disk, Some(journal), blocks);
        let mut store = Store::of(places, (options, bucket_us), state, dictionary);
        store.upkeep.get_mut().kept = kept;
        store.recovery = recovery;
        Ok(store)
    }

    pub(crate) fn of(
        (disk, journal, blocks): (Arc<dyn Disk>, Option<Journal>, Arc<dyn Blocks>),
        (options, bucket_us): (Options, i64),
        mut state: State,
        dictionary: Dictionary,
    ) -> Store {
        let batches = blocks.batches();
        state.closed = Arc::new(closed_of(&batches));
        let last = batches.iter().map(|batch| batch.source).max();
        let upkeep = Upkeep {
            dictionary,
            kept: state.names.len(),
            next_source: last.unwrap_or(0) + 1,
            frozen_to: Id::ZERO,
            damaged: BTreeSet::new(),
        };
        Store {
            options,
            bucket_us,
            disk,
            journal,
            blocks,
            state: Mutex::new(state),
            upkeep: Mutex::new(upkeep),
            recovery: Recovery::default(),
        }
    }

    /// The journal, unless the store is only looked at.
    pub(crate) fn journal(&self) -> Result<&Journal> {
        self.journal.as_ref().ok_or(Error::View)
    }

    /// What opening found.
    #[must_use]
    pub fn recovery(&self) -> &Recovery {
        &self.recovery
    }

    /// Takes samples. When this returns they can be queried, and are as durable as the options
    /// say. Returns how many were taken: not those of a time that was rolled up and deleted, or
    /// that the options keep out; [`Stats`] counts them.
    ///
    /// # Errors
    /// If the disk is full or fails; [`Error::Behind`]; if a name or a text is too long. The
    /// samples before the one at fault may have been taken.
    pub fn append(&self, samples: &[Sample]) -> Result<usize> {
        let journal = self.journal()?;
        let mut state = self.state.lock();
        self.check_room(&state)?;
        let mut taken = 0;
        let mut last = Id::ZERO;
        state.begin_record();
        for sample in samples {
            taken += usize::from(state.add(sample, self.bucket_us)?);
            if state.record.len() >= RECORD_BYTES {
                last = state.commit(journal)?;
                state.begin_record();
            }
        }
        if !state.points.is_empty() {
            last = state.commit(journal)?;
        }
        drop(state);
        if self.options.durability == Durability::Always && last > Id::ZERO {
            journal.wait_durable(last)?;
        }
        Ok(taken)
    }

    fn check_room(&self, state: &State) -> Result<()> {
        let bytes = state.head.bytes;
        if bytes < self.options.head_bytes.saturating_mul(HEAD_TIMES_MAX) {
            return Ok(());
        }
        let why = state.failed.clone();
        Err(Error::Behind {
            bytes,
            why: why.unwrap_or_else(|| "no tick has come to seal them".to_owned()),
        })
    }

    /// The series that match, in the order in which they came.
    #[must_use]
    pub fn series(&self, matches: &dyn Fn(&Series) -> bool) -> Vec<Series> {
        let found = self.numbers(matches).into_iter();
        found.map(|(_, series)| series).collect()
    }

    /// The numbers and names of the series that match.
    pub(crate) fn numbers(&self, matches: &dyn Fn(&Series) -> bool) -> Vec<(SeriesId, Series)> {
        let keys = self.state.lock().names.from(0);
        let named = keys
            .iter()
            .filter_map(|(id, key)| Some((*id, series::decode(key)?)));
        named.filter(|(_, series)| matches(series)).collect()
    }

    /// Numbers of the store.
    #[must_use]
    pub fn stats(&self) -> Stats {
        let state = self.state.lock();
        let mut stats = state.stats.clone();
        stats.series = state.names.len();
        let frozen = state.frozen.as_deref();
        stats.head_samples = state.head.samples + frozen.map_or(0, |head| head.samples);
        stats.head_bytes = state.head.bytes + frozen.map_or(0, |head| head.bytes);
        drop(state);
        for batch in self.blocks.batches() {
            stats.batches[batch.period as usize] += 1;
            stats.bytes[batch.period as usize] += self.blocks.bytes(batch);
        }
        stats
    }
}

/// Closes the journal, and notes its checksums. That cannot fail: without them, verifying knows the
/// journal's records only.
impl Drop for Store {
    fn drop(&mut self) {
        if let Some(journal) = self.journal.take() {
            drop(journal);
            let _ = closed::note(&*self.disk);
        }
    }
}

impl State {
    fn begin_record(&mut self) {
        self.record.clear();
        self.points.clear();
    }

    /// Adds a sample to the record, unless its time is one that is not taken.
    fn add(&mut self, sample: &Sample, bucket_us: i64) -> Result<bool> {
        let time_us = sample.time_us;
        if time_us > self.span_us.1 {
            self.stats.ahead += 1;
            return Ok(false);
        }
        if time_us < self.span_us.0 || self.closed.contains(&time_us.div_euclid(bucket_us)) {
            self.stats.late += 1;
            return Ok(false);
        }
        if let Value::Text(text) = sample.value
            && text.len() > TEXT_BYTES_MAX
        {
            return Err(Error::TextTooLong { bytes: text.len() });
        }
        self.key.clear();
        series::encode(sample.host, sample.service, sample.by, &mut self.key);
        if self.key.len() > SERIES_BYTES_MAX {
            let bytes = self.key.len();
            return Err(Error::SeriesTooLong { bytes });
        }
        let series = self.names.number_of(&self.key)?;
        let point = Point {
            time_us: sample.time_us,
            kept: Kept::of(sample.value),
        };
        let last_us = self.points.last().map_or(0, |(_, point)| point.time_us);
        record::write_sample(&mut self.record, series, &point, last_us);
        self.points.push((series, point));
        Ok(true)
    }

    /// Gives the record to the journal, and then its samples to the head.
    fn commit(&mut self, journal: &Journal) -> Result<Id> {
        let new = self.names.from(self.named);
        let mut names = Vec::new();
        record::write_names(&mut names, new.iter().map(|(id, key)| (*id, &**key)));
        names.extend_from_slice(&self.record);
        let id = journal.submit([&names[..]])?;
        self.named = self.names.len();
        self.stats.samples += self.points.len() as u64;
        for (series, point) in self.points.drain(..) {
            self.head.push(series, point);
        }
        Ok(id)
    }
}

fn open_journal(disk: &Arc<dyn Disk>, options: &Options) -> Result<Journal> {
    let journal_options = journal::Options {
        durability: options.durability,
        ..journal::Options::default()
    };
    Ok(Journal::open_on(Arc::clone(disk), journal_options)?)
}

/// Takes from the journal what is in no block.
pub(crate) fn recover(
    reader: &mut Reader,
    state: &mut State,
    recovery: &mut Recovery,
) -> Result<()> {
    loop {
        let batch = reader.next_batch(1024)?;
        if batch.is_empty() {
            break;
        }
        for (_, bytes) in batch.iter() {
            let mut names = Vec::new();
            let mut points = Vec::new();
            let whole = record::read(
                bytes,
                |id, key| names.push((id, key.to_vec())),
                |series, point| points.push((series, point)),
            );
            recovery.lost_records += u64::from(whole.is_none());
            for (id, key) in names {
                state.names.set(id, &key);
            }
            recovery.from_journal += points.len() as u64;
            for (series, point) in points {
                if series >= SERIES_MAX {
                    continue;
                }
                state.names.reserve(series);
                state.head.push(series, point);
            }
        }
    }
    recovery.lost_records += reader
        .take_damages()
        .iter()
        .map(|damage| damage.records)
        .sum::<u64>();
    state.named = state.names.len();
    Ok(())
}

/// The buckets that have cells but no samples.
pub(crate) fn closed_of(batches: &[Batch]) -> BTreeSet<i64> {
    let of = |is_raw: bool| {
        let chosen = batches
            .iter()
            .filter(move |batch| (batch.period == Period::Raw) == is_raw);
        chosen.map(|batch| batch.bucket).collect::<BTreeSet<i64>>()
    };
    &of(false) - &of(true)
}
