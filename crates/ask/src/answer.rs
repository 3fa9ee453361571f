//! From a question to its answer: rows, given out as they become known.

use std::cell::RefCell;
use std::ops::ControlFlow;

use store::{Answered, Cell, Chosen, Damage, Series, Store, Value};

use crate::error::{Error, Refused};
use crate::limits::{ROWS_MAX, SERIES_MAX, WINDOW_STEPS};
use crate::question::Question;
use crate::show::{Show, Shown};

/// Takes an answer as it becomes known. What breaks off ends the work.
pub trait Rows {
    /// Whether anybody still wants the answer. Asked often.
    fn is_wanted(&self) -> bool;

    /// The answer begins: so many series matched.
    fn begin(&mut self, question: &Question, matched: usize) -> ControlFlow<()>;

    /// What follows is of these series, merged: at least one.
    fn series(&mut self, names: &mut dyn Iterator<Item = &Series>) -> ControlFlow<()>;

    /// What is kept of a step, and what is shown of it.
    fn row(&mut self, start_us: i64, cell: &Cell, shown: &[Shown]) -> ControlFlow<()>;

    /// A sample as it came.
    fn sample(&mut self, time_us: i64, value: Value) -> ControlFlow<()>;

    /// The series ends. What is shown of the whole time, where there were steps.
    fn total(&mut self, cell: &Cell, shown: &[Shown]) -> ControlFlow<()>;

    /// The answer ends: what it lacks, and why it ends before its time.
    fn end(&mut self, damages: &[Damage], failure: Option<&Error>);
}

/// Answers a question.
///
/// # Errors
/// If nothing was given out: that too much is asked for, or what the disk says. What fails later
/// is told to `rows`.
pub fn answer(store: &Store, question: &Question, rows: &mut dyn Rows) -> Result<(), Error> {
    let chosen = question.names.choose(store);
    check_series(question, chosen.len())?;
    if rows.begin(question, chosen.len()).is_break() {
        return Ok(());
    }
    let mut asked = Asked {
        store,
        question,
        rows,
        damages: Vec::new(),
    };
    let is_apart = question.each || question.step_us.is_none();
    let done = match question.step_us {
        _ if chosen.is_empty() => Ok(ControlFlow::Continue(())),
        _ if is_apart || chosen.len() == 1 => asked.each(&chosen),
        None => Ok(ControlFlow::Continue(())),
        Some(step_us) => asked.merged(&chosen, step_us),
    };
    let damages = asked.damages;
    match done {
        Ok(ControlFlow::Break(())) => {}
        Ok(ControlFlow::Continue(())) => rows.end(&damages, None),
        Err(error) => rows.end(&damages, Some(&error)),
    }
    Ok(())
}

fn check_series(question: &Question, series: usize) -> Result<(), Refused> {
    if series > SERIES_MAX {
        let error = format!("{series} series match; {SERIES_MAX} are answered at once");
        return Err(Refused::new(error, "narrow the query"));
    }
    let rows = question.steps().saturating_mul(series as i64);
    if question.each && rows > ROWS_MAX {
        let error = format!("{series} series match, that is {rows} rows; {ROWS_MAX} are answered");
        let remedy = "narrow the query, take longer steps, or let the series be merged";
        return Err(Refused::new(error, remedy));
    }
    Ok(())
}

struct Asked<'a> {
    store: &'a Store,
    question: &'a Question,
    rows: &'a mut dyn Rows,
    damages: Vec<Damage>,
}

/// What is shown of the steps of a series, and of all of them.
struct Showing<'a> {
    shows: &'a [Show],
    step_us: i64,
    range_us: i64,
    /// Of each show, what was counted in steps before.
    before: Vec<u64>,
    shown: Vec<Shown>,
    total: Cell,
}

impl<'a> Showing<'a> {
    fn new(question: &'a Question, step_us: i64) -> Showing<'a> {
        Showing {
            shows: &question.shows,
            step_us,
            range_us: question.to_us - question.from_us,
            before: vec![0; question.shows.len()],
            shown: Vec::new(),
            total: Cell::default(),
        }
    }

    fn row(&mut self, rows: &mut dyn Rows, start_us: i64, cell: &Cell) -> ControlFlow<()> {
        self.total.merge(cell);
        self.shown.clear();
        for (show, before) in self.shows.iter().zip(&mut self.before) {
            self.shown.push(show.of(cell, self.step_us, before));
        }
        rows.row(start_us, cell, &self.shown)
    }

    fn end(&self, rows: &mut dyn Rows) -> ControlFlow<()> {
        let total = &self.total;
        let of_all = |show: &Show| show.of(total, self.range_us, &mut 0);
        let shown: Vec<Shown> = self.shows.iter().map(of_all).collect();
        rows.total(total, &shown)
    }
}

impl Asked<'_> {
    /// One series after the other, a row when it is known.
    fn each(&mut self, chosen: &Chosen) -> Result<ControlFlow<()>, Error> {
        for one in chosen.singles() {
            let flow = match self.question.step_us {
                Some(step_us) => self.steps_of(&one, step_us)?,
                None => self.samples_of(&one)?,
            };
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn steps_of(&mut self, one: &Chosen, step_us: i64) -> Result<ControlFlow<()>, Error> {
        let mut showing = Showing::new(self.question, step_us);
        let rows = &mut *self.rows;
        if rows.series(&mut one.names()).is_break() {
            return Ok(ControlFlow::Break(()));
        }
        let times = self.question.from_us..self.question.to_us;
        let answered = self
            .store
            .cells_of(one, times, step_us, &mut |_, start, cell| {
                if !rows.is_wanted() {
                    return ControlFlow::Break(());
                }
                showing.row(rows, start, cell)
            })?;
        Ok(self
            .take(answered)
            .map_or_else(|| ControlFlow::Break(()), |()| showing.end(self.rows)))
    }

    fn samples_of(&mut self, one: &Chosen) -> Result<ControlFlow<()>, Error> {
        let rows = &mut *self.rows;
        if rows.series(&mut one.names()).is_break() {
            return Ok(ControlFlow::Break(()));
        }
        let times = self.question.from_us..self.question.to_us;
        let answered = self
            .store
            .samples_of(one, times, &mut |_, time_us, value| {
                if !rows.is_wanted() {
                    return ControlFlow::Break(());
                }
                rows.sample(time_us, value)
            })?;
        Ok(self.take(answered).map_or_else(
            || ControlFlow::Break(()),
            |()| self.rows.total(&Cell::default(), &[]),
        ))
    }

    /// Notes damages; `None` if it was broken off.
    fn take(&mut self, answered: Answered) -> Option<()> {
        self.damages.extend(answered.damages);
        (!answered.is_broken_off).then_some(())
    }

    /// All series as one: some steps of all of them, then the next steps.
    fn merged(&mut self, chosen: &Chosen, step_us: i64) -> Result<ControlFlow<()>, Error> {
        let mut showing = Showing::new(self.question, step_us);
        if self.rows.series(&mut chosen.names()).is_break() {
            return Ok(ControlFlow::Break(()));
        }
        let mut steps = WINDOW_STEPS;
        let mut from_us = self.question.from_us;
        while from_us < self.question.to_us {
            let first = from_us.div_euclid(step_us);
            let end_us = first.saturating_add(steps).saturating_mul(step_us);
            let to_us = end_us.min(self.question.to_us);
            let rows = RefCell::new(&mut *self.rows);
            let mut go_on = || match rows.borrow().is_wanted() {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            };
            let mut row =
                |start_us, cell: &Cell| showing.row(&mut **rows.borrow_mut(), start_us, cell);
            let times_us = from_us..to_us;
            let summed = self
                .store
                .sums_of(chosen, times_us, step_us, &mut go_on, &mut row);
            if matches!(summed, Err(store::Error::TooManySteps)) && steps > 1 {
                steps = (steps / 4).max(1);
                continue;
            }
            if self.take(summed?).is_none() {
                return Ok(ControlFlow::Break(()));
            }
            from_us = to_us;
        }
        Ok(showing.end(self.rows))
    }
}
