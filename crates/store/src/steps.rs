//! Sums samples and cells up into the steps of a question.

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::block::{Front, Kind};
use crate::cell::Cell;
use crate::limits::{STEPS_MAX, SUMS_BYTES_MAX};
use crate::sum::Sum;
use crate::value::{Kept, Point};

/// The steps of a question, and the one that is being summed up.
pub(crate) struct Steps<'a> {
    step_us: i64,
    /// Invariant: `sums[current]` is of the times from `start_us` to before `end_us`; both are 0 at
    /// first.
    start_us: i64,
    end_us: i64,
    current: usize,
    sums: Vec<Sum>,
    goes: Goes<'a>,
    /// Texts of the series in order of time, which come before the samples they are among.
    texts: VecDeque<(i64, Arc<str>)>,
    /// Whether the one who asks has had enough.
    pub flow: ControlFlow<()>,
    /// Memory of the sums that were left, of each as it was when it was left last.
    bytes: usize,
    /// The memory of the current one, as far as `bytes` has it.
    bytes_of_current: usize,
    /// Whether there are more steps than are kept at once.
    pub is_too_many: bool,
}

/// Takes a step's beginning and its cell.
pub(crate) type EachCell<'a> = dyn FnMut(i64, &Cell) -> ControlFlow<()> + 'a;

/// Where a step goes that is left for another one.
enum Goes<'a> {
    /// Out: what comes is in order of time. There is one sum, whose memory is used again.
    Out(&'a mut EachCell<'a>),
    /// Nowhere, for other series add to it: which sum is of the step that begins so.
    Nowhere(BTreeMap<i64, usize>),
}

impl<'a> Steps<'a> {
    /// Steps of one series, given out one by one.
    pub fn of_one(step_us: i64, each: &'a mut EachCell<'a>) -> Steps<'a> {
        Steps::new(step_us, vec![Sum::default()], Goes::Out(each))
    }

    /// Steps of many series together.
    pub fn of_all(step_us: i64) -> Steps<'a> {
        Steps::new(step_us, Vec::new(), Goes::Nowhere(BTreeMap::new()))
    }

    fn new(step_us: i64, sums: Vec<Sum>, goes: Goes<'a>) -> Steps<'a> {
        Steps {
            step_us,
            start_us: 0,
            end_us: 0,
            current: 0,
            sums,
            goes,
            texts: VecDeque::new(),
            flow: ControlFlow::Continue(()),
            bytes: 0,
            bytes_of_current: 0,
            is_too_many: false,
        }
    }

    /// The length of a step.
    pub fn step_us(&self) -> i64 {
        self.step_us
    }

    fn start_of(&self, time_us: i64) -> i64 {
        time_us
            .div_euclid(self.step_us)
            .saturating_mul(self.step_us)
    }

    /// The sum of a time; gives out the one before it.
    #[inline]
    fn at(&mut self, time_us: i64) -> &mut Sum {
        if time_us < self.start_us || self.end_us <= time_us {
            self.turn_to(time_us);
        }
        &mut self.sums[self.current]
    }

    fn turn_to(&mut self, time_us: i64) {
        let start_us = self.start_of(time_us);
        while let Some((text_us, _)) = self.texts.front()
            && self.start_of(*text_us) < start_us
        {
            self.add_text();
        }
        self.turn(start_us);
    }

    fn add_text(&mut self) {
        if let Some((time_us, text)) = self.texts.pop_front() {
            let start_us = self.start_of(time_us);
            self.turn(start_us);
            self.sums[self.current].cell().take_text(time_us, &text);
        }
    }

    fn turn(&mut self, start_us: i64) {
        let is_begun = self.start_us < self.end_us;
        if is_begun && self.start_us == start_us {
            return;
        }
        match &mut self.goes {
            Goes::Out(_) => self.give(),
            Goes::Nowhere(known) => {
                if let Some(left) = self.sums.get(self.current) {
                    self.bytes += left.bytes() - self.bytes_of_current;
                    self.is_too_many |= self.bytes > SUMS_BYTES_MAX;
                }
                let next = self.sums.len();
                self.current = *known.entry(start_us).or_insert(next);
                let is_new = self.current == next;
                if is_new && (next == STEPS_MAX || self.is_too_many) {
                    known.remove(&start_us);
                    self.current = next - 1;
                    self.is_too_many = true;
                } else if is_new {
                    self.sums.push(Sum::default());
                }
                let current = &self.sums[self.current];
                self.bytes_of_current = if is_new { 0 } else { current.bytes() };
            }
        }
        self.start_us = start_us;
        self.end_us = start_us.saturating_add(self.step_us);
    }

    /// Gives out the sum of the step that is left.
    fn give(&mut self) {
        let is_begun = self.start_us < self.end_us;
        if let (true, Goes::Out(each)) = (is_begun, &mut self.goes) {
            let cell = self.sums[0].whole();
            if self.flow.is_continue() {
                self.flow = each(self.start_us, cell);
            }
            self.sums[0].clear();
        }
        (self.start_us, self.end_us) = (0, 0);
    }

    /// Ends a series: no text of it is left behind.
    pub fn end_series(&mut self) {
        while !self.texts.is_empty() {
            self.add_text();
        }
        if let Goes::Out(_) = self.goes {
            self.give();
        }
    }

    /// Gives out the steps of all series together.
    pub fn give_all(mut self, each: &mut EachCell) -> ControlFlow<()> {
        if let Goes::Nowhere(known) = &self.goes {
            for (start_us, at) in known {
                each(*start_us, self.sums[*at].whole())?;
                // Its memory goes as the answer does.
                self.sums[*at] = Sum::default();
            }
        }
        ControlFlow::Continue(())
    }

    /// Adds the texts of a stretch of time, in order, before the samples of the same time.
    pub fn add_texts(&mut self, texts: impl IntoIterator<Item = (i64, Arc<str>)>) {
        self.texts.extend(texts);
    }

    /// Adds samples in order.
    pub fn add_points(&mut self, points: &[Point]) {
        for (at, point) in points.iter().enumerate() {
            let time_us = point.time_us;
            match &point.kept {
                Kept::Number(bits) => self.at(time_us).add_number(time_us, f64::from_bits(*bits)),
                Kept::Text(text) => self.at(time_us).cell().take_text(time_us, text),
                Kept::Histogram(bytes) => {
                    self.at(time_us);
                    let is_later = |next: &&Point| {
                        time_us < next.time_us && next.time_us < self.end_us && has_bins(&next.kept)
                    };
                    let is_last = points.get(at + 1).filter(is_later).is_none();
                    self.at(time_us).add_encoded(time_us, bytes, is_last);
                }
            }
        }
    }

    /// Adds the samples or cells of a block that are from `from_us` to before `to_us`; `None` if
    /// the block cannot be read.
    pub fn add_block(&mut self, front: &mut Front, from_us: i64, to_us: i64) -> Option<()> {
        let is_in = |time_us: i64| from_us <= time_us && time_us < to_us;
        match front.kind {
            Kind::Numbers => {
                let numbers = front.numbers()?;
                for (time_us, bits) in front.times.iter().zip(numbers) {
                    if is_in(*time_us) {
                        self.at(*time_us).add_number(*time_us, f64::from_bits(bits));
                    }
                }
            }
            Kind::Histograms => self.add_histograms(front, is_in)?,
            Kind::Texts => {
                let texts = front.texts()?;
                let texts = front.times.iter().copied().zip(texts);
                self.add_texts(texts.filter(|text| is_in(text.0)));
            }
            Kind::Cells => {
                let cells = front.columns()?;
                let mut histograms = front.histograms(cells.len())?;
                for (index, (start_us, cell)) in cells.iter().enumerate() {
                    if is_in(*start_us) {
                        let bins = histograms.lens[index];
                        let sum = self.at(*start_us);
                        sum.add_cell(cell, bins, &mut histograms)?;
                    } else {
                        histograms.next(|_, _| {})?;
                    }
                }
            }
        }
        Some(())
    }

    fn add_histograms(&mut self, front: &mut Front, is_in: impl Fn(i64) -> bool) -> Option<()> {
        let times = std::mem::take(&mut front.times);
        let mut histograms = front.histograms(times.len())?;
        let is_last = self.last_ones(&times, &histograms.lens, &is_in);
        for (time_us, is_last) in times.into_iter().zip(is_last) {
            if is_in(time_us) {
                let sum = self.at(time_us);
                sum.add_histogram(time_us, &mut histograms, is_last)?;
            } else {
                histograms.next(|_, _| {})?;
            }
        }
        Some(())
    }

    /// Which histograms are the last of their step that has any bin; of several at the same time
    /// the first.
    fn last_ones(&self, times: &[i64], lens: &[u64], is_in: impl Fn(i64) -> bool) -> Vec<bool> {
        let mut is_last = vec![false; times.len()];
        // The last one of the step, and where that begins.
        let mut found: Option<(usize, i64)> = None;
        for (index, time_us) in times.iter().enumerate().rev() {
            if lens[index] == 0 || !is_in(*time_us) {
                continue;
            }
            match &mut found {
                Some((last, _)) if times[*last] == *time_us => {
                    is_last[*last] = false;
                    *last = index;
                }
                Some((_, start_us)) if *start_us <= *time_us => continue,
                _ => found = Some((index, self.start_of(*time_us))),
            }
            is_last[index] = true;
        }
        is_last
    }
}

/// Whether this is a histogram that is not empty.
fn has_bins(kept: &Kept) -> bool {
    matches!(kept, Kept::Histogram(bytes) if bytes.get(..2) != Some(&[0, 0]))
}
