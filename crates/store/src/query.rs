//! Questions: series by series, bucket by bucket, so that memory is bounded by one bucket of one
//! series however much is asked for.

use std::ops::{ControlFlow, Range};

use crate::blocks::{Batch, Period};
use crate::cell::Cell;
use crate::chosen::Chosen;
use crate::error::{Damage, Error, Result};
use crate::gather::{self, Stretch};
use crate::limits::DAMAGES_KEPT;
use crate::series::Series;
use crate::steps::{EachCell, Steps};
use crate::store::Store;
use crate::value::{Point, Value};

/// What is asked for.
pub struct Query<'a> {
    /// Which series.
    pub matches: &'a dyn Fn(&Series) -> bool,
    /// From when on, in microseconds since 1970.
    pub from_us: i64,
    /// Until when, excluded.
    pub to_us: i64,
}

/// How a question was answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answered {
    /// Series that matched.
    pub series: usize,
    /// Damages that were met; what they held is missing from the answer.
    pub damages: Vec<Damage>,
    /// Whether the caller broke off.
    pub is_broken_off: bool,
}

/// The batches as they are, and since when.
struct Look {
    generation: u64,
    batches: Vec<Batch>,
}

impl Store {
    /// Gives samples as they came, series by series in order of time.
    ///
    /// # Errors
    /// What the disk says. Damage is no error: it is named in the answer.
    pub fn samples(
        &self,
        query: &Query,
        each: &mut dyn FnMut(&Series, i64, Value) -> ControlFlow<()>,
    ) -> Result<Answered> {
        let chosen = self.choose(query.matches);
        self.samples_of(&chosen, query.from_us..query.to_us, each)
    }

    /// As [`Store::samples`], of series that were chosen before.
    ///
    /// # Errors
    /// As [`Store::samples`].
    pub fn samples_of(
        &self,
        chosen: &Chosen,
        times_us: Range<i64>,
        each: &mut dyn FnMut(&Series, i64, Value) -> ControlFlow<()>,
    ) -> Result<Answered> {
        self.ask(
            chosen,
            times_us,
            &mut |look, series, stretch, head, answered| {
                for bucket in self.buckets_in(&look.batches, &head, stretch) {
                    let points =
                        self.points_of(look, stretch, bucket, &head, &mut answered.damages)?;
                    for point in &points {
                        let flow = point.kept.with(|value| each(series, point.time_us, value));
                        if flow.is_break() {
                            return Ok(flow);
                        }
                    }
                }
                Ok(ControlFlow::Continue(()))
            },
        )
    }

    /// Gives what is kept of each step, series by series in order of time. Steps begin at
    /// multiples of `step_us`; those without a sample are left out. Whole minutes and half hours
    /// are taken from cells where there are some; where samples are no longer kept, a step that is
    /// finer than the cells gets them whole.
    ///
    /// # Errors
    /// [`Error::Step`]; what the disk says. Damage is no error: it is named in the answer.
    pub fn cells(
        &self,
        query: &Query,
        step_us: i64,
        each: &mut dyn FnMut(&Series, i64, &Cell) -> ControlFlow<()>,
    ) -> Result<Answered> {
        let chosen = self.choose(query.matches);
        self.cells_of(&chosen, query.from_us..query.to_us, step_us, each)
    }

    /// As [`Store::cells`], of series that were chosen before.
    ///
    /// # Errors
    /// As [`Store::cells`].
    pub fn cells_of(
        &self,
        chosen: &Chosen,
        times_us: Range<i64>,
        step_us: i64,
        each: &mut dyn FnMut(&Series, i64, &Cell) -> ControlFlow<()>,
    ) -> Result<Answered> {
        check_step(step_us)?;
        self.ask(
            chosen,
            times_us,
            &mut |look, series, stretch, head, answered| {
                let mut give = |start_us, cell: &Cell| each(series, start_us, cell);
                let mut steps = Steps::of_one(step_us, &mut give);
                for bucket in self.buckets_in(&look.batches, &head, stretch) {
                    self.add_bucket(look, stretch, bucket, &head, &mut steps, answered)?;
                    if steps.flow.is_break() {
                        return Ok(steps.flow);
                    }
                }
                steps.end_series();
                Ok(steps.flow)
            },
        )
    }

    /// Gives what is kept of each step of all series that match together, in order of time, as
    /// merging what [`Store::cells`] gives would, but several times faster. All steps are in memory
    /// until the last series has been added. `go_on` is asked before each series, so that a long
    /// question can be broken off.
    ///
    /// ```
    /// use std::ops::ControlFlow::Continue;
    /// use store::{Options, Query, Sample, Store, Value};
    /// let dir = tempfile::tempdir()?;
    /// let store = Store::open(dir.path(), Options::default())?;
    /// for (host, number) in [("web1", 3.0), ("web2", 4.0)] {
    ///     let value = Value::Number(number);
    ///     let host = Some(host);
    ///     store.append(&[Sample { host, service: None, by: &[], time_us: 1, value }])?;
    /// }
    /// let mut sums = Vec::new();
    /// let all = Query { matches: &|_| true, from_us: 0, to_us: 60_000_000 };
    /// store.sums(&all, 60_000_000, &mut || Continue(()), &mut |start_us, cell| {
    ///     sums.push((start_us, cell.sum));
    ///     Continue(())
    /// })?;
    /// assert_eq!(sums, [(0, 7.0)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Store::cells`]; [`Error::TooManySteps`].
    pub fn sums(
        &self,
        query: &Query,
        step_us: i64,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
        each: &mut EachCell,
    ) -> Result<Answered> {
        let chosen = self.choose(query.matches);
        self.sums_of(&chosen, query.from_us..query.to_us, step_us, go_on, each)
    }

    /// As [`Store::sums`], of series that were chosen before.
    ///
    /// # Errors
    /// As [`Store::sums`].
    pub fn sums_of(
        &self,
        chosen: &Chosen,
        times_us: Range<i64>,
        step_us: i64,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
        each: &mut EachCell,
    ) -> Result<Answered> {
        check_step(step_us)?;
        let mut steps = Steps::of_all(step_us);
        let mut answered =
            self.ask(chosen, times_us, &mut |look, _, stretch, head, answered| {
                if go_on().is_break() {
                    return Ok(ControlFlow::Break(()));
                }
                for bucket in self.buckets_in(&look.batches, &head, stretch) {
                    self.add_bucket(look, stretch, bucket, &head, &mut steps, answered)?;
                }
                steps.end_series();
                if steps.is_too_many {
                    return Err(Error::TooManySteps);
                }
                Ok(ControlFlow::Continue(()))
            })?;
        if !answered.is_broken_off {
            answered.is_broken_off = steps.give_all(each).is_break();
        }
        Ok(answered)
    }

    /// Adds what is known of a bucket: its cells, or its samples straight from their blocks, or,
    /// if some may be there twice, all of them put in order.
    fn add_bucket(
        &self,
        look: &mut Look,
        stretch: Stretch,
        bucket: i64,
        head: &[Point],
        steps: &mut Steps,
        answered: &mut Answered,
    ) -> Result<()> {
        let inside = self.within(stretch, bucket);
        let is_inside = |point: &&Point| inside.holds(point.time_us);
        let head: Vec<Point> = head.iter().filter(is_inside).cloned().collect();
        let damages = &mut answered.damages;
        loop {
            let done = match self.coarsest(look, inside, bucket, &head, steps.step_us()) {
                Some(batch) => {
                    gather::sum_cells(&*self.blocks, batch, inside, steps, damages).map(|()| true)
                }
                None => {
                    let raw: Vec<Batch> = of(&look.batches, Period::Raw, bucket).collect();
                    gather::sum_up(&*self.blocks, &raw, inside, &head, steps)
                }
            };
            match done {
                Err(Error::Gone(_)) => look.batches = self.blocks.batches(),
                Err(error) => return Err(error),
                Ok(true) => return Ok(()),
                Ok(false) => break,
            }
        }
        let points = self.points_of(look, stretch, bucket, &head, damages)?;
        steps.add_points(&points);
        Ok(())
    }

    #[expect(clippy::type_complexity, reason = "its callers are all above")]
    fn ask(
        &self,
        chosen: &Chosen,
        times_us: Range<i64>,
        one: &mut dyn FnMut(
            &mut Look,
            &Series,
            Stretch,
            Vec<Point>,
            &mut Answered,
        ) -> Result<ControlFlow<()>>,
    ) -> Result<Answered> {
        let mut answered = Answered::default();
        let mut look = Look {
            generation: u64::MAX,
            batches: Vec::new(),
        };
        for (id, series) in &chosen.0 {
            answered.series += 1;
            let stretch = Stretch {
                series: *id,
                from_us: times_us.start,
                to_us: times_us.end,
            };
            let head = self.look_at(&mut look, stretch);
            let flow = one(&mut look, series, stretch, head, &mut answered)?;
            answered.damages.truncate(DAMAGES_KEPT);
            if flow.is_break() {
                answered.is_broken_off = true;
                break;
            }
        }
        Ok(answered)
    }

    /// The samples of the head; and then the batches, so that what is sealed meanwhile is met
    /// once at least.
    fn look_at(&self, look: &mut Look, stretch: Stretch) -> Vec<Point> {
        let mut points = Vec::new();
        let state = self.state.lock();
        let heads = [Some(&state.head), state.frozen.as_deref()];
        for head in heads.into_iter().flatten() {
            head.copy(stretch.series, stretch.from_us, stretch.to_us, &mut points);
        }
        let generation = state.generation;
        drop(state);
        if generation != look.generation {
            look.batches = self.blocks.batches();
            look.generation = generation;
        }
        points
    }

    fn buckets_in(&self, batches: &[Batch], head: &[Point], stretch: Stretch) -> Vec<i64> {
        let of_batches = batches.iter().map(|batch| batch.bucket);
        let of_head = head
            .iter()
            .map(|point| point.time_us.div_euclid(self.bucket_us));
        let mut buckets: Vec<i64> = of_batches
            .chain(of_head)
            .filter(|bucket| {
                let (from_us, to_us) = self.bounds(*bucket);
                from_us < stretch.to_us && stretch.from_us < to_us
            })
            .collect();
        buckets.sort_unstable();
        buckets.dedup();
        buckets
    }

    fn within(&self, stretch: Stretch, bucket: i64) -> Stretch {
        let (from_us, to_us) = self.bounds(bucket);
        Stretch {
            series: stretch.series,
            from_us: from_us.max(stretch.from_us),
            to_us: to_us.min(stretch.to_us),
        }
    }

    fn points_of(
        &self,
        look: &mut Look,
        stretch: Stretch,
        bucket: i64,
        head: &[Point],
        damages: &mut Vec<Damage>,
    ) -> Result<Vec<Point>> {
        let stretch = self.within(stretch, bucket);
        let is_in =
            |point: &&Point| stretch.from_us <= point.time_us && point.time_us < stretch.to_us;
        loop {
            let mut points: Vec<Point> = head.iter().filter(is_in).cloned().collect();
            let raw: Vec<Batch> = of(&look.batches, Period::Raw, bucket).collect();
            let before = damages.len();
            match gather::points(&*self.blocks, &raw, stretch, &mut points, damages) {
                Err(Error::Gone(_)) => {
                    // Merged or deleted meanwhile: what takes its place was there before it went.
                    damages.truncate(before);
                    look.batches = self.blocks.batches();
                }
                gathered => return gathered.map(|()| points),
            }
        }
    }

    /// The batch of cells that answers as the samples would, or that is all there is. `head` has
    /// the samples of the bucket.
    fn coarsest(
        &self,
        look: &Look,
        stretch: Stretch,
        bucket: i64,
        head: &[Point],
        step_us: i64,
    ) -> Option<Batch> {
        let newest = |period| of(&look.batches, period, bucket).last();
        let (minutes, half_hours) = (newest(Period::Minute), newest(Period::HalfHour));
        let fits = |batch: &Batch| {
            let cell_us = batch.period.cell_us();
            let ends = [step_us, stretch.from_us, stretch.to_us];
            ends.iter().all(|end| end % cell_us == 0)
        };
        let coarsest = half_hours.filter(fits).or(minutes.filter(fits));
        let Some(raw) = newest(Period::Raw) else {
            return coarsest.or(minutes).or(half_hours);
        };
        coarsest.filter(|batch| batch.source == raw.source && head.is_empty())
    }
}

fn check_step(step_us: i64) -> Result<()> {
    if step_us > 0 {
        Ok(())
    } else {
        Err(Error::Step(step_us))
    }
}

fn of(batches: &[Batch], period: Period, bucket: i64) -> impl Iterator<Item = Batch> {
    let first = Batch {
        period,
        bucket,
        source: 0,
    };
    let start = batches.partition_point(|batch| *batch < first);
    let rest = batches[start..].iter();
    rest.take_while(move |batch| batch.period == period && batch.bucket == bucket)
        .copied()
}
